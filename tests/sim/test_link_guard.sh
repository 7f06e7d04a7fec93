#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The link guard in RTL (hw/common/link_guard.v) and the engine's in C (sim/engine/link_fault_model.c) do the same in every
# state that they can reach, with every input; and one line changed in either is noticed.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/faults/result.bash
source tests/faults/result.bash
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# equal GUARD FILTER: are the two the same? The answer is in $work/log.
equal() {
    iverilog -g2005 -Ihw/protocol -s link_guard_table -o "$work/table.vvp" tests/sim/link_guard/link_guard_table.v "$1" &&
        vvp -n "$work/table.vvp" >"$work/table" &&
        ${CC:-gcc} -std=c11 -O1 -Ihw/protocol -Isim -o "$work/product" tests/sim/link_guard/product.c "$2" &&
        "$work/product" <"$work/table" >"$work/log" 2>&1
}

# planted FILE WHAT SCRIPT
planted() {
    local guard=hw/common/link_guard.v filter=sim/engine/link_fault_model.c verdict=MISSED
    fault_start
    sed -E "$3" "$1" >"$work/${1##*/}"
    case $1 in *.v) guard=$work/link_guard.v ;; *) filter=$work/link_fault_model.c ;; esac
    if cmp -s "$1" "$work/${1##*/}"; then
        echo "FAIL $2: nothing planted in $1"
    elif equal "$guard" "$filter"; then
        echo "FAIL $2: not noticed"
    elif ! grep -q 'the guard shows' "$work/log"; then
        echo "FAIL $2: not compared"
        cat "$work/log"
    else
        verdict=caught
    fi
    [ $verdict = caught ] || status=1
    fault_result $verdict X1 "$2" "equality of guard and filter"
}

status=0
equal hw/common/link_guard.v sim/engine/link_fault_model.c || { echo "FAIL"; cat "$work/log"; exit 1; }
cat "$work/log"
planted hw/common/link_guard.v 'guard: a word that waits is taken back' 's/\|\| \(breaks && pending\)//'
planted hw/common/link_guard.v 'guard: damage counts in any clock' 's/ && !seen//'
planted hw/common/link_guard.v 'guard: what is owed behind a held word is forgotten' 's/owing && holding;/1'\''b0;/'
planted sim/engine/link_fault_model.c 'filter: the next packet overtakes' 's/ && !filter->held;$/;/'
[ $status = 0 ] && echo PASS
exit $status
