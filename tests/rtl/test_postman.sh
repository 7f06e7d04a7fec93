#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Planes of hw/postman: cycle charts of a node, lone packets of all pairs in as many clocks as rule R19 has, traffic and hostile
# lines with all options (tests/rtl/postman/bench.cpp). SEED: the traffic, and which kind of it each plane gets; LONG: all kinds.
# needs only: postman-bench
# reads: hw
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/rtl/postman/planes.bash
source tests/rtl/postman/planes.bash

# The charts of the manual are among those that the bench compares.
shown_charts() {
    local unknown
    unknown=$(comm -23 <(grep -E '^[xy]_[a-z_]+ ' hw/postman/README.md | tr -s ' ' | sort -u) \
        <(tr -s ' ' <tests/rtl/postman/charts | sort -u))
    [ -z "$unknown" ] && return
    echo "FAIL: tests/rtl/postman/charts does not have what hw/postman/README.md shows: $unknown"
    exit 1
}

shown_charts
run charts tests/rtl/postman/charts
for options in - vnp rs p4 n2; do
    run 4x4 $options lone "$seed" 100
done
run 8x2 - lone "$seed" 100
for options in - v r s p n rs rsp vrs vrsp vrspn rsn2 rsp4 l rsl pnl rsl2; do
    for mesh in 2x2 5x3 8x8; do
        traffic $mesh $options 100
    done
done
echo PASS
