#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The fast model of `postman` and the verilated nodes drive the same bits in every clock: random workloads on planes of up to
# 8x8, of a grid and of a torus, with every set of options, flits of 8 bits and of 5, and buffers for 31 flits and for 7.
# SEED: shapes and workloads. LONG: more of them.
# needs only: postman-bench postman-traces
set -euo pipefail
cd "$(dirname "$0")/../.." || exit 1
seed=${SEED:-1} trace=build/tests/postman/trace/trace
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
RANDOM=$seed

# compare SIZE_X SIZE_Y FLIT MOST_DATA OPTIONS SEED; `n` are the bench's narrow flits and short buffers.
compare() {
    local flit=$3 options=$5 clocks narrow='' torus=
    [ "$flit" = 8 ] || narrow=n
    [[ $options != *t* ]] || torus=torus
    build/tests/postman/workload/workload "$1" "$2" "$flit" "$6" "$4" $torus >"$work/workload"
    build/tests/rtl/postman/bench "$1x$2" "$options$narrow" trace "$work/workload" >"$work/rtl"
    clocks=$(wc -l <"$work/rtl")
    "$trace" "$1" "$2" "$flit" "$options" "$work/workload" "$clocks" >"$work/model" || true # the comparison fails
    if ! cmp -s "$work/rtl" "$work/model"; then
        echo "FAIL: $1x$2, flits of $flit bits, options $options, workload $6 $4: $(cmp "$work/rtl" "$work/model")"
        exit 1
    fi
    compared=$((compared + clocks))
    packets=$((packets + $(wc -l <"$work/workload")))
}

# each_shape OPTIONS ROUNDS
each_shape() {
    local options=$1 rounds=$2
    for ((round = 0; round < 2 * rounds; round++)); do
        compare $((1 + RANDOM % 8)) $((2 + RANDOM % 7)) 8 16 "$options" $((seed * 1000 + RANDOM))
        compare $((1 + RANDOM % 8)) $((2 + RANDOM % 7)) 5 5 "$options" $((seed * 1000 + RANDOM))
    done
    compare 8 8 8 16 "$options" $((seed * 1000 + RANDOM))
    for ((round = 0; round < rounds; round++)); do
        compare $((2 + RANDOM % 7)) $((2 + RANDOM % 7)) 8 16 "${options}t" $((seed * 1000 + RANDOM))
        compare $((2 + RANDOM % 7)) $((2 + RANDOM % 7)) 5 5 "${options}t" $((seed * 1000 + RANDOM))
    done
    compare 8 8 8 16 "${options}t" $((seed * 1000 + RANDOM))
}

compared=0 packets=0 rounds=$([ -z "${LONG:-}" ] && echo 1 || echo 2)
for vct in '' v; do
    for routing in '' r; do
        for sourcing in '' s; do
            for first in '' p; do
                each_shape "-$vct$routing$sourcing$first" $rounds
                for others in l a la; do
                    [ "$vct$others" = vl ] || each_shape "-$vct$routing$sourcing$first$others" 1
                done
            done
        done
    done
done
[ "$compared" -gt 10000 ] && [ "$packets" -gt 1000 ] || { echo "FAIL: $packets packets, $compared clocks are too few"; exit 1; }
echo "$packets packets, $compared clocks of a plane compared"
echo PASS
