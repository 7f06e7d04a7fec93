#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# time limit: 900 s
# A million packets with native nodes with the raw service: 4x4 and 8x8 (and some on a torus and a hypercube), every source
# backlogged, uniform and hot-spot, 0 to 50 % multicast to 4 targets, every operator missing polls at random. Each must
# arrive exactly once, with the right content. Pools of 4096 buffers a site: large enough that storage is never what ends
# a run.
set -uo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sim/sim_results.bash
source tests/sim/sim_results.bash
packets=0

# million MESH TRAFFIC MULTICAST PACKETS
million() {
    run 0 "hw/mesh/$1.mesh" --reliable 0 --traffic "$2" --multicast "$3" --packets "$4" --load 1 --pool 4096 \
        --stall $((10 + RANDOM % 40)) --quiet --json
    expect_exactly_once
    packets=$((packets + $(value packets)))
    printf '%-11s %-9s multicast %-4s %7d packets %8d deliveries %7d aborts %9d clocks %7.1f s\n' "$1" "$2" "$3" \
        "$(value packets)" "$(value deliveries)" "$(value aborts)" "$(value clocks)" "$(value cpu_seconds)"
}

RANDOM=$((seed % 32768))
million grid-4x4 uniform 0 160000
million grid-4x4 hot-spot 0 100000
million grid-8x8 uniform 0 100000
million grid-8x8 hot-spot 0 100000
million grid-4x4 uniform 0.1 100000
million grid-4x4 hot-spot 0.1 80000
million grid-8x8 uniform 0.1 60000
million grid-8x8 hot-spot 0.1 60000
million grid-4x4 uniform 0.5 60000
million grid-4x4 hot-spot 0.5 60000
million grid-8x8 uniform 0.5 40000
million grid-8x8 hot-spot 0.5 40000
million torus-4x4 uniform 0.5 20000
million hypercube-4 uniform 0.5 20000
echo "$packets packets"
[ "$packets" -eq 1000000 ] || fail "$packets packets, expected 1000000"
finish
