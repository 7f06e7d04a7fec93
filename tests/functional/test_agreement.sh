#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# time limit: 300 s
# The simulator `functional` beside the RTL, the same traffic: the same packets, each delivered exactly once; latencies and
# accepted load within BOUND percent. What it cannot run is refused with a reason.
set -uo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sim/sim_results.bash
source tests/sim/sim_results.bash

# near WANTED FOUND PERCENT WHAT
near() {
    awk -v a="$1" -v b="$2" -v p="$3" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(d <= a * p / 100 + 0.0001) }' ||
        fail "$4: functional $2, RTL $1, bound $3 %"
}

# compare PERCENT MESH ARGUMENTS...: the same experiment on both.
compare() {
    local percent=$1 rtl=() keys=(packets deliveries)
    local key i what="${*:2}"
    [ "$percent" != 0 ] || keys+=(link_words)
    shift
    run 0 hw/mesh/"$1".mesh "${@:2}" --quiet --json
    expect_exactly_once
    for key in "${keys[@]}"; do
        rtl+=("$(value "$key")")
        [ -n "${rtl[-1]}" ] || fail "$what: no $key in the results"
    done
    local mean p99 accepted
    mean=$(value mean latency_clocks) p99=$(value p99 latency_clocks) accepted=$(value accepted_load)
    run 0 hw/mesh/"$1".mesh "${@:2}" --engine functional --quiet --json
    expect_exactly_once
    for i in "${!keys[@]}"; do expect "${rtl[i]}" "${keys[i]}"; done
    near "$mean" "$(value mean latency_clocks)" "$percent" "$what: mean latency"
    near "$p99" "$(value p99 latency_clocks)" $((3 * percent)) "$what: 99th percentile of the latency"
    near "$accepted" "$(value accepted_load)" "$percent" "$what: accepted load"
}

compare 1 grid-4x4 --reliable 0 --load 0.01 --packets 3000
compare 2 grid-4x4 --reliable 0 --load 0.1 --packets 6000
compare 3 grid-8x8 --reliable 0 --load 0.08 --packets 6000 --pool 512
compare 3 torus-4x4 --reliable 0 --load 0.1 --packets 6000
compare 3 hypercube-4 --reliable 0 --load 0.1 --packets 6000
compare 3 grid-4x4 --load 0.1 --packets 6000
compare 5 grid-4x4 --load 1 --packets 6000
compare 5 grid-8x8 --load 0.05 --packets 12000 --traffic hot-spot  # of 4000 the 99th percentile is chance
compare 2 grid-4x4 --reliable 0 --load 0.02 --packets 3000 --multicast 1
compare 3 grid-8x8 --load 0.03 --packets 2000 --multicast 0.5 --targets 2:8 --info 1
compare 3 hypercube-4 --reliable 0 --load 0.05 --packets 3000 --multicast 0.5
compare 5 torus-4x4 --load 1 --packets 6000 --multicast 0.5
# Under faults that pass: what waits for a time-out decides about the mean.
compare 3 grid-4x4 --load 0.1 --packets 6000 --fault stop:any:~2000:300
compare 30 grid-4x4 --load 0.1 --packets 6000 --fault corrupt:0.0005
compare 30 torus-4x4 --load 0.1 --packets 6000 --fault link:any:~2000:200
# Fabric january is equal in every clock.
compare 0 january-4x4 --reliable 0 --load 0.1 --packets 3000
compare 0 january-4x4 --load 0.05 --packets 1500 --multicast 0.5 --targets 2:8 --info 1 --length 40
compare 0 january-4x4 --load 1 --packets 1500 --multicast 0.2

# refused TEXT ARGUMENTS...
refused() {
    run 1 "${@:2}" --engine functional --packets 10
    grep -q "$1" "$err" || fail "${*:2}: $(tail -n 1 "$err"), expected '$1'"
}
refused 'expected fabric cutthrough or january' hw/mesh/postman-4x4.mesh
refused 'links. board = no, and no testbed' hw/mesh/grid-2x2.mesh
refused 'native nodes' hw/mesh/torus-4x4.mesh --nodes core
refused 'buffers=... alone' hw/mesh/january-4x4.mesh --model m11=no
finish
