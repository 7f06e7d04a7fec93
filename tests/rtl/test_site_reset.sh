#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Sites of a generated mesh are reset alone in the midst of traffic (tests/rtl/site_reset/bench.v); and the bench fails when
# hw/common/link_guard.v does nothing, or not all of it. SEED: traffic and resets.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/faults/result.bash
source tests/faults/result.bash
seed=${SEED:-1}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

build/generate_mesh tests/rtl/site_reset/grid.mesh -o "$work/grid.v" --level fabric || exit 1

# bench GUARD [ARGUMENT...]: runs with this guard, its answer in $work/log.
bench() {
    local guard=$1
    shift
    "${IVERILOG:-iverilog}" -g2005 -Ihw/protocol -Itests/rtl -s bench -o "$work/bench.vvp" \
        -y hw/cutthrough -y hw/common -y hw/mesh tests/rtl/site_reset/bench.v "$work/grid.v" "$guard" &&
        vvp -n "$work/bench.vvp" +seed="$seed" "$@" >"$work/log" 2>&1 && grep -q '^PASS' "$work/log"
}

# planted WHAT SCRIPT
planted() {
    local verdict=MISSED
    fault_start
    sed -E "$2" hw/common/link_guard.v >"$work/link_guard.v"
    if cmp -s hw/common/link_guard.v "$work/link_guard.v"; then
        echo "FAIL $1: nothing planted"
    elif bench "$work/link_guard.v" +errors=1; then
        echo "FAIL $1: not noticed"
    elif ! grep -q 'error: X1' "$work/log"; then
        echo "FAIL $1: not because of X1"
        cat "$work/log"
    else
        echo "$1: $(grep -m 1 -o 'X1: .*' "$work/log")"
        verdict=caught
    fi
    [ $verdict = caught ] || status=1
    fault_result $verdict X1 "link_guard: $1" site_reset
}

status=0
bench hw/common/link_guard.v || { tail -n 3 "$work/log"; echo "FAIL; replay: SEED=$seed tests/rtl/test_site_reset.sh"; exit 1; }
tail -n 2 "$work/log"
planted 'two wires' 's/(wire +passes +=).*/\1 1;/; s/(assign +wait_in +=).*/\1 wait_out;/'
planted 'nothing is owed' 's/(owing +=).*/\1 0;/'
planted 'the sender of a lost packet waits' 's/!cut && !vanishes && (\(wait_out)/\1 || vanishes/'
[ $status = 0 ] && echo PASS
exit $status
