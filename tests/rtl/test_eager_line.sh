#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Boards with eager links, alone and beside boards with the shared engine, with slower fabrics, on a grid, a torus and a
# hypercube: latency, random packets, bit errors, cables pulled, boards reset (tests/rtl/eager_line/bench.cpp); and the bench
# fails when a bug is planted: those of tests/rtl/eager_line/planted with a star; with ALL_PLANTED=1 (`make eager-planted`) or
# under `make faults` each of them, and nothing else. SEED: traffic, clocks and faults.
# needs only: eager-line
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/faults/result.bash
source tests/faults/result.bash
seed=${SEED:-1} built=build/tests/rtl/eager_line
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

run() {
    if ! $built/bench "$@" >"$work/log"; then
        cat "$work/log"
        echo "FAIL; replay: $built/bench $*"
        exit 1
    fi
    echo "$1 $2: $(tail -n 2 "$work/log" | head -n 1)"
}

# model ARGUMENTS: which model the first board is, and its parameters.
model() {
    case $1 in
        cube:*) echo cube -GHYPERCUBE=1 ;;
        *' 2'*) echo half -GRATIO=2 ;;
        *) echo eager ;;
    esac
}

# build_planted MODEL [PARAMETER]: the program, with boards of this model from $work/board_link.
build_planted() {
    local root others=()
    root=$("${VERILATOR:-verilator}" --getenv VERILATOR_ROOT)/include
    readarray -t others < <(printf '%s\n' $built/*/board.o | grep -v "/$1/")
    rm -rf "$work/model" && mkdir "$work/model" &&
        "${VERILATOR:-verilator}" --cc -O3 --x-assign unique --noassert -Wno-lint -Wno-style -Ihw/protocol --top-module board \
            --prefix "Vboard_$1" ${2:+"$2"} --Mdir "$work/model" tests/rtl/eager_line/board.v \
            hw/mesh/fabric_site.v hw/common/*.v hw/cutthrough/*.v "$work"/board_link/*.v &&
        printf '#include "%s"\n' "$work"/model/*.cpp >"$work/unit" &&
        "${CXX:-g++}" -std=c++17 -O1 -w -isystem "$root" -isystem "$root/vltstd" -c -o "$work/board.o" -x c++ "$work/unit" &&
        "${CXX:-g++}" -o "$work/bench" $built/bench.o "${others[@]}" "$work/board.o" \
            build/sim/verilator/verilated.o build/sim/verilator/verilated_threads.o -lpthread
}

# planted ARGUMENTS FILE SCRIPT
planted() {
    local verdict=MISSED arguments parameters
    read -ra arguments <<<"$1"
    read -ra parameters <<<"$(model "$1")"
    rm -rf "$work/board_link" && cp -r hw/board_link "$work/board_link"
    sed -i "$3" "$work/board_link/$2"
    fault_start
    if cmp -s "hw/board_link/$2" "$work/board_link/$2"; then
        echo "FAIL $2: the script changes nothing: $3"
    elif ! build_planted "${parameters[@]}" >"$work/log" 2>&1; then
        cat "$work/log"
        echo "FAIL $2: not built: $3"
    elif (ulimit -t 60; exec "$work/bench" "${arguments[@]}") >"$work/log"; then
        echo "FAIL $2: not noticed: $3"
    elif ! grep -q error "$work/log"; then
        echo "FAIL $2: more than 60 s: $3"
    else
        echo "$2: $3: $(grep -m 1 error "$work/log")"
        verdict=caught
    fi
    [ $verdict = caught ] || status=1
    fault_result $verdict X1 "hw/board_link/$2:$3" eager_line
}

status=0 all=${FAULTS_RESULTS:-}${ALL_PLANTED:-}
if [ -z "$all" ]; then
    run 8x1 e "$seed" latency 10
    grep -Eq ' median [0-9]{2}\..* pin to pin .*, median (1\.|2\.00)' "$work/log" ||
        { echo "FAIL: in the median, 100 bit times or more, or more than 2 from pin to pin"; exit 1; }
    run 3x3 e "$seed" traffic 150
    run 3x3 e24s "$seed" traffic 100
    run torus:3x3 e "$seed" traffic 100
    run cube:8 e "$seed" traffic 100
    run 3x3 e "$seed" faults 2
    run 2x2 e24s "$seed" faults 2
fi
while IFS='|' read -r arguments file script; do
    [[ $arguments == '#'* ]] && continue
    [[ -n $all || $arguments == '*'* ]] || continue
    read -r file <<<"$file"
    read -r script <<<"$script"
    planted "${arguments#\*}" "$file" "$script"
done <tests/rtl/eager_line/planted
[ $status = 0 ] && echo PASS
exit $status
