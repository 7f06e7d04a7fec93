#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Nodes of hw/csr in a hypercube beside the slot model of sim/csr (tests/rtl/csr/bench.cpp): the same entries are acknowledged in
# each slot, and each packet arrives whole. Exits that refuse flits, too. SEED: the traffic; LONG: 10^5 slots, to 7 dimensions.
# needs only: csr-bench
# reads: hw sim/csr
# time limit: 3600 s
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
bench=build/tests/rtl/csr/bench
seed=${SEED:-1}
if [ -n "${LONG:-}" ]; then
    slots=100000 kinds='2 2s 2m 2x 3 3s 3m 3x 4 4s 4m 4x 5 6 7 7s'
else
    slots=150 kinds='2 2s 2m 2x 3 3s 3m 3x 4 4s 4m 4x 5 7'
fi

# run KIND P0 SLOTS ACCEPT: throughput.
run() {
    local output
    output=$("$bench" "$1" "$2" "$3" "$seed" "$4") || {
        echo "FAIL: bench $1 $2 $3 $seed $4: $output"
        exit 1
    }
    echo "$1 dimensions, p0 $2/1000, accept $4/1000: $output"
}

for kind in $kinds; do
    for p0 in 10 300 1000; do
        run "$kind" $p0 $slots 1000
    done
    run "$kind" 600 $((slots / 2)) 500
done
echo PASS
