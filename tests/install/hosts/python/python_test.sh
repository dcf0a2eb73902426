# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash

# Sourced by ../run.sh.
step "packages"
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q "pyrex-rocksdb==$version" >&2
try_module "$(echo "$work"/venv/lib/python*/site-packages/pyrex/_pyrex.*.so)" \
  "$work/venv/bin/python" "$hosts/python/host.py"
