#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# A load by one serial line of two locked boards, verilated (tests/bench/load/locked_pair.cpp): the image that is signed with
# their key runs on both; the same one by another key is refused by the far board, and nothing starts. The boot program and the
# verifier are this tree's, compiled anew.
# usage: test_load_locked.sh [SCENARIO...]      default: all of them, see the end
# runs in: test-long
# time limit: 1800 s
# needs only: build/tests/bench/load-2x1/locked_pair build/make_boot_image build/firmware/node.elf
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD bench=$PWD/build/tests/bench/load-2x1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/build"
make --no-print-directory BUILD="$work/build" VENV="$root/build/venv" "$work"/build/firmware/{boot.hex,verifier.bin} \
    >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
for site in 0 1; do
    build/make_boot_image flash build/firmware/node.elf "$bench/grid.mesh" $site -o "$work/$site.flash"
done
cd "$work"  # the path of the boot program is relative in the bench
[ $# -gt 0 ] || set -- refused accepted
for scenario in "$@"; do
    "$bench/locked_pair" "$scenario" build/firmware/verifier.bin {0,1}.flash
done
