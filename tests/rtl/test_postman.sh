#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Planes of hw/postman: cycle charts of a node, lone packets of all pairs in as many clocks as rule R19 has, traffic and hostile
# lines with all options (tests/rtl/postman/bench.cpp). SEED: the traffic, and which kind of it each plane gets; LONG: all kinds.
# needs only: postman-bench
# reads: hw
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
seed=${SEED:-1} bench=build/tests/rtl/postman/bench
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# run charts CHARTS | run MESH OPTIONS KIND SEED PACKETS
run() {
    if ! timeout 60 $bench "$@" >"$work/log"; then
        cat "$work/log"
        echo "FAIL; replay: $bench $*"
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

# The kinds of traffic for the next plane.
kinds() {
    local all=(random permutation hotspot hostile)
    [ -n "${LONG:-}" ] && echo "${all[@]}" || echo "${all[(seed + turn) % 4]}"
}

run_all() {
    local options mesh kind turn=0
    shown_charts
    run charts tests/rtl/postman/charts
    for options in - vnp rs p4 n2; do
        run 4x4 $options lone "$seed" 100
    done
    run 8x2 - lone "$seed" 100
    for options in - v r s p n rs rsp vrs vrsp vrspn rsn2 rsp4; do
        for mesh in 2x2 5x3 8x8; do
            for kind in $(kinds); do
                run $mesh $options "$kind" "$seed" 100
            done
            turn=$((turn + 1))
        done
    done
}

run_all
echo PASS
