#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The transposition of a 32x32 matrix with loads by schedule (R22), by the verilated nodes: in both planes that packets move in,
# all lines and all `busy` are in each clock as the fast model has them, so that packets arrive in the clocks of the schedule.
# needs only: postman-bench postman-traces build/tests/bench/loads/loads
set -euo pipefail
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for plane in 1 3; do
    build/tests/bench/loads/loads workload 'transposition, 100 %' $plane >"$work/workload"
    later=$(grep -c ^@ "$work/workload")
    packets=$(wc -l <"$work/workload")
    build/tests/rtl/postman/bench 32x32 - trace "$work/workload" >"$work/rtl"
    clocks=$(wc -l <"$work/rtl")
    build/tests/postman/trace/trace 32 32 8 - "$work/workload" "$clocks" >"$work/model"
    cmp "$work/rtl" "$work/model" || { echo "FAIL: plane $plane: model and RTL differ"; exit 1; }
    if [ "$packets" != 496 ] || [ "$later" = 0 ]; then
        echo "FAIL: plane $plane: $packets packets, $later of them later"
        exit 1
    fi
    echo "plane $plane: $packets packets, $later of them loaded later, at rest behind clock $clocks"
done
echo PASS
