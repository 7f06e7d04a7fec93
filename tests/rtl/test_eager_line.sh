#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Boards with eager links, alone and beside boards with the shared engine: latency, random packets, bit errors, cables
# pulled, boards reset (tests/rtl/eager_line/bench.cpp); and the bench fails when a bug is planted: the first of
# tests/rtl/eager_line/planted, or under `make faults` (or with ALL_PLANTED=1) each. SEED: traffic, clocks and faults.
# needs: eager-line
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/faults/result.bash
source tests/faults/result.bash
seed=${SEED:-1} bench=build/tests/rtl/eager_line/bench
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

run() {
    if ! "$bench" "$@" >"$work/log"; then
        cat "$work/log"
        echo "FAIL; replay: $bench $*"
        exit 1
    fi
    tail -n 2 "$work/log" | head -n 1
}

# build_planted: the program with eager boards from $work/board_link.
build_planted() {
    local root built=build/tests/rtl/eager_line
    root=$("${VERILATOR:-verilator}" --getenv VERILATOR_ROOT)/include
    rm -rf "$work/eager" && mkdir "$work/eager" &&
        "${VERILATOR:-verilator}" --cc -O3 --x-assign unique --noassert -Wno-lint -Wno-style -Ihw/protocol --top-module board \
            --prefix Vboard_eager -GKIND=2 --Mdir "$work/eager" tests/rtl/eager_line/board.v \
            hw/mesh/fabric_site.v hw/common/*.v hw/cutthrough/*.v "$work"/board_link/*.v &&
        printf '#include "%s"\n' "$work"/eager/*.cpp >"$work/unit" &&
        "${CXX:-g++}" -std=c++17 -O1 -w -isystem "$root" -isystem "$root/vltstd" -c -o "$work/eager.o" -x c++ "$work/unit" &&
        "${CXX:-g++}" -o "$work/bench" $built/bench.o $built/{shared,whole}/board.o "$work/eager.o" \
            build/sim/verilator/verilated.o build/sim/verilator/verilated_threads.o -lpthread
}

# planted ARGUMENTS FILE SCRIPT
planted() {
    local verdict=MISSED arguments
    read -ra arguments <<<"$1"
    rm -rf "$work/board_link" && cp -r hw/board_link "$work/board_link"
    sed -i "$3" "$work/board_link/$2"
    fault_start
    if cmp -s "hw/board_link/$2" "$work/board_link/$2"; then
        echo "FAIL $2: nothing planted: $3"
    elif ! build_planted >"$work/log" 2>&1; then
        cat "$work/log"
        echo "FAIL $2: not built: $3"
    elif timeout 100 "$work/bench" "${arguments[@]}" >"$work/log"; then
        echo "FAIL $2: not noticed: $3"
    else
        echo "$2: $3: $(grep -m 1 error "$work/log")"
        verdict=caught
    fi
    [ $verdict = caught ] || status=1
    fault_result $verdict X1 "hw/board_link/$2:$3" eager_line
}

status=0
if [ -z "${FAULTS_RESULTS:-}" ]; then
    run 8x1 e "$seed" latency 10
    grep -q 'pin to pin [01]\.' "$work/log" || { echo "FAIL: more than 2 bit times from pin to pin"; exit 1; }
    run 3x3 e "$seed" traffic 150
    run 3x3 es "$seed" traffic 150
    run 3x3 e "$seed" faults 2
    run 4x1 es "$seed" faults 2
fi
while IFS='|' read -r arguments file script; do
    [[ $arguments == '#'* ]] && continue
    read -r file <<<"$file"
    read -r script <<<"$script"
    planted "$arguments" "$file" "$script"
    [ -n "${FAULTS_RESULTS:-}${ALL_PLANTED:-}" ] || break
done <tests/rtl/eager_line/planted
[ $status = 0 ] && echo PASS
exit $status
