#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Planes of hw/postman: cycle charts of a node, lone packets of all pairs in as many clocks as rule R19 has, traffic and hostile
# lines with all options (tests/rtl/postman/bench.cpp); and the bench fails when a bug is planted: those of
# tests/rtl/postman/planted with a star; with ALL_PLANTED=1 (`make postman-planted`) or under `make faults` each of them, and
# nothing else. SEED: the traffic.
# needs only: postman-bench
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/faults/result.bash
source tests/faults/result.bash
seed=${SEED:-1} built=build/tests/rtl/postman
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# bench PROGRAM charts | bench PROGRAM MESH OPTIONS KIND
bench() {
    if [ "$2" = charts ]; then
        timeout 60 "$1" charts tests/rtl/postman/charts
    else
        timeout 60 "$@" "$seed" 100
    fi >"$work/log"
}

run() {
    if ! bench $built/bench "$@"; then
        cat "$work/log"
        echo "FAIL; arguments of $built/bench: $*, seed $seed"
        exit 1
    fi
    echo "$*: $(head -n 1 "$work/log")"
}

# The charts of the manual are among those that the bench compares.
shown_charts() {
    local unknown
    unknown=$(comm -23 <(grep -E '^[xy]_[a-z_]+ ' hw/postman/README.md | tr -s ' ' | sort -u) \
        <(tr -s ' ' <tests/rtl/postman/charts | sort -u))
    [ -z "$unknown" ] && return
    echo "FAIL: tests/rtl/postman/charts does not have what hw/postman/README.md shows: $unknown"
    exit 1
}

run_all() {
    local options mesh kind
    shown_charts
    run charts
    for options in - vnp rs p4 n2; do
        run 4x4 $options lone
    done
    run 8x2 - lone
    for options in - v r s p n rs rsp vrs vrsp vrspn rsn2 rsp4; do
        for mesh in 2x2 5x3 8x8; do
            for kind in random permutation hotspot hostile; do
                run $mesh $options $kind
            done
        done
    done
}

# build_planted KIND [PARAMETER...]: the program with nodes of this kind from $work/postman.
build_planted() {
    local root others=() kind=$1
    shift
    root=$("${VERILATOR:-verilator}" --getenv VERILATOR_ROOT)/include
    readarray -t others < <(printf '%s\n' $built/*/node.o | grep -v "/$kind/")
    rm -rf "$work/model" && mkdir "$work/model" &&
        "${VERILATOR:-verilator}" --cc -O3 --x-assign unique --noassert -Wno-lint -Wno-style -y "$work/postman" \
            --top-module postman_node --prefix "Vnode_$kind" "$@" --Mdir "$work/model" "$work/postman/postman_node.v" &&
        printf '#include "%s"\n' "$work"/model/*.cpp >"$work/unit" &&
        "${CXX:-g++}" -std=c++17 -O1 -w -isystem "$root" -isystem "$root/vltstd" -c -o "$work/node.o" -x c++ "$work/unit" &&
        "${CXX:-g++}" -o "$work/bench" $built/bench.o "${others[@]}" "$work/node.o" \
            build/objects/sim/mesh/torus_cut.o build/sim/verilator/verilated.o build/sim/verilator/verilated_threads.o -lpthread
}

# planted ARGUMENTS FILE SCRIPT. The charts are of narrow nodes.
planted() {
    local verdict=MISSED arguments kind=(sources)
    read -ra arguments <<<"$1"
    case "${arguments[1]:-n}" in
        *n*) kind=(narrow -GFLIT=5 -GDEPTH_LOG2=3) ;;
        *h*) kind=(through_xy -GTHROUGH_X=1 -GTHROUGH_Y=1) ;;
    esac
    rm -rf "$work/postman" && cp -r hw/postman "$work/postman"
    sed -i -E "$3" "$work/postman/$2"
    fault_start
    if cmp -s "hw/postman/$2" "$work/postman/$2"; then
        echo "FAIL $2: the script changes nothing: $3"
    elif ! build_planted "${kind[@]}" >"$work/log" 2>&1; then
        cat "$work/log"
        echo "FAIL $2: not built: $3"
    elif bench "$work/bench" "${arguments[@]}"; then
        echo "FAIL $2: not noticed: $3"
    elif ! grep -q error "$work/log"; then
        echo "FAIL $2: more than 60 s: $3"
    else
        echo "$2: $3: $(grep -m 1 error "$work/log")"
        verdict=caught
    fi
    [ $verdict = caught ] || status=1
    fault_result $verdict - "hw/postman/$2:$3" postman
}

status=0 all=${FAULTS_RESULTS:-}${ALL_PLANTED:-}
[ -n "$all" ] || run_all
while IFS='|' read -r arguments file script; do
    [[ $arguments == '#'* ]] && continue
    [[ -n $all || $arguments == '*'* ]] || continue
    read -r file <<<"$file"
    read -r script <<<"$script"
    planted "${arguments#\*}" "$file" "$script"
done <tests/rtl/postman/planted
[ $status = 0 ] && echo PASS
exit $status
