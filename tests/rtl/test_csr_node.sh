#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Nodes of hw/csr in a hypercube beside the slot model of sim/csr (tests/rtl/csr/bench.cpp): in each slot the same entries are
# acknowledged, each packet is on its way over the links that its tag names, and arrives whole where and when the model says.
# Each kind of node with entries that send with the probabilities 0.01, 0.3 and 1, and with exits that refuse flits.
# SEED: the traffic; LONG: 10^5 slots of 3 to 7 dimensions with every load, three quarters of an hour, most of it for 7.
# needs only: csr-bench
# reads: hw sim/csr
# time limit: 10800 s
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
bench=build/tests/rtl/csr/bench
seed=${SEED:-1}
if [ -n "${LONG:-}" ]; then
    slots=10000 kinds='2 2s 2m 2x 3s 3m 3x 4s 4m 4x 7s 3 4 5 6 7'
else
    slots=150 kinds='2 2s 2m 2x 3 3s 3m 3x 4 4s 4m 4x 5 7'
fi

# slots_of KIND: with LONG more of the cubes of the paper, each of whose loads is compared for 10^5 slots.
slots_of() {
    case ${LONG:-}$1 in
        1[3-7]) echo 100000 ;;
        *) echo $slots ;;
    esac
}

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
        run "$kind" $p0 "$(slots_of "$kind")" 1000
    done
    run "$kind" 600 $((slots / 2)) 500
done
echo PASS
