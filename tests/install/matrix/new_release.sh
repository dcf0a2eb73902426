#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Usage: new_release.sh ROCKSDB_TREE
#
# Runs headers.sh and in_tree.sh, with RocksDB's CMake and its Makefile, on a source tree of
# RocksDB, such as that of its main branch, and prints their tables. If all pass, run
#
#   newest_release.py RELEASE
#
# yourself: it writes the release into every text that names the newest one.
#
# Environment   BUILDS="cmake make", and that of in_tree.sh
set -euo pipefail
# shellcheck source=tests/install/matrix/runner.sh
. "$(dirname "$0")/runner.sh"
check_arguments 1 1 "$@"

"$here/headers.sh" "$1"
for build in ${BUILDS:-cmake make}; do
  "$here/in_tree.sh" "$build" "$1"
done
