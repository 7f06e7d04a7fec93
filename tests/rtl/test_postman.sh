#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Planes of hw/postman: lone packets of all pairs in as many clocks as rule R19 has, and traffic, with all options
# (tests/rtl/postman/bench.cpp). SEED: the traffic.
# needs: postman-bench
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
bench=build/tests/rtl/postman/bench
seed=${SEED:-1}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

run() {
    if ! timeout 100 $bench "$@" >"$log"; then
        cat "$log"
        echo "FAIL; replay: $bench $*"
        exit 1
    fi
    echo "$*: $(head -n 1 "$log")"
}

for options in - v vnp rs p4 n2; do
    run 4x4 $options lone "$seed"
done
run 8x2 - lone "$seed"
for options in - v r s p n rs rsp vrs vrsp vrspn rsn2 rsp4; do
    for mesh in 2x2 5x3 8x8; do
        for kind in random permutation hotspot; do
            run $mesh $options $kind "$seed" 60
        done
    done
done
echo PASS
