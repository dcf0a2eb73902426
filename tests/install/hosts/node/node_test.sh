# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash

# Sourced by ../run.sh.
step "packages"
cp "$hosts/node/host.mjs" "$work"
npm install --no-audit --no-fund --prefix "$work" "rocksdb-native@$version" >&2
try_module "$work/node_modules/rocksdb-native/prebuilds/linux-x64/rocksdb-native.node" \
  node "$work/host.mjs"
