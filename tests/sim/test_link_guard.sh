#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The link guard in RTL (hw/common/link_guard.v) and the engine's in C (sim/engine/link_fault_model.c) do the same in every
# state that they can reach, with every input. tests/planted/link_guard.bugs: one line changed in either is noticed.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/work.bash
source tests/work.bash

iverilog -g2005 -Ihw/protocol -s link_guard_table -o "$work/table.vvp" tests/sim/link_guard/link_guard_table.v \
    hw/common/link_guard.v &&
    vvp -n "$work/table.vvp" >"$work/table" &&
    ${CC:-gcc} -std=c11 -O1 -Ihw/protocol -Isim -o "$work/product" tests/sim/link_guard/product.c sim/engine/link_fault_model.c ||
    { echo 'not built'; exit 1; }
if ! "$work/product" <"$work/table" >"$work/log" 2>&1; then
    different=$(grep -m 1 'the guard shows' "$work/log") || { cat "$work/log"; exit 1; }
    fail "$different"
fi
cat "$work/log"
verdict test_link_guard
