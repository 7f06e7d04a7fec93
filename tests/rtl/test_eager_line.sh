#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Boards with eager links, alone and beside boards with the shared engine, with slower fabrics, on a grid, a torus and a
# hypercube: latency, random packets, bit errors, cables pulled, boards reset (tests/rtl/eager_line/bench.cpp). SEED: traffic,
# clocks and faults.
# needs only: eager-line
# reads: hw
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
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

run 8x1 e "$seed" latency 10
grep -Eq ' median [0-9]{2}\..* pin to pin .*, median (1\.|2\.00)' "$work/log" ||
    { echo "FAIL: in the median, 100 bit times or more, or more than 2 from pin to pin"; exit 1; }
run 3x3 e "$seed" traffic 150
run 3x3 e "$seed" load 300
run 3x3 e24s "$seed" traffic 100
run torus:3x3 e "$seed" traffic 100
run cube:8 e "$seed" traffic 100
run 3x3 e "$seed" faults 2
run 2x2 e24s "$seed" faults 2
echo PASS
