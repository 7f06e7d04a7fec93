#!/usr/bin/env bash
# time limit: 600 s
# The same small workloads at both levels, fabric with native operators and whole sites running the firmware: the same
# deliveries, each exactly once. Their latencies are printed side by side. Both cores.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sim/sim_results.bash
source tests/sim/sim_results.bash
make -s "$postroad" build/firmware/node.hex || exit 1

# level LEVEL MESH ARGUMENTS...: one run; adds its row.
level() {
    local level=$1 mesh=$2
    shift 2
    run 0 "$mesh" --reliable 0 --level "$level" "$@" --warmup 0 --quiet --json
    expect_exactly_once
    printf '%-28s %-7s %6s %6s %8s | %8s %8s %8s | %8s %8s %8s\n' "$(basename "$mesh")" "$level" \
        "$(value packets)" "$(value deliveries)" "$(value clocks)" "$(value min latency_clocks)" \
        "$(value median latency_clocks)" "$(value max latency_clocks)" "$(value min network_latency_clocks)" \
        "$(value median network_latency_clocks)" "$(value max network_latency_clocks)"
}

# compare MESH ARGUMENTS...
compare() {
    local packets deliveries
    level fabric "$@"
    packets=$(value packets)
    deliveries=$(value deliveries)
    level site "$@"
    expect "$packets" packets
    expect "$deliveries" deliveries
}

# The 4x4 mesh of SERV cores is slow: a 2x2 of them.
sed 's/cpu = vexriscv/cpu = serv/; s/size = 4x4/size = 2x2/' sim/meshes/grid-4x4.mesh >"$work/serv-2x2.mesh"

printf '%-28s %-7s %6s %6s %8s | %-26s | %-26s\n' mesh level packet deliv. clocks 'latency min median max' \
    'network latency'
# Loads so light that a packet seldom waits for the one before it on the console; sleeping sites cost nothing.
compare sim/meshes/grid-4x4.mesh --packets 100 --load 0.00005
compare sim/meshes/grid-4x4.mesh --packets 100 --load 0.00005 --multicast 0.5 --targets 6 --length geometric:10
compare sim/meshes/torus-4x4.mesh --packets 50 --load 0.00005 --multicast 0.3
compare sim/meshes/hypercube-4.mesh --packets 50 --load 0.00005 --multicast 0.3
compare sim/meshes/deadlock-figure-4.mesh --packets 50 --load 0.00005 --multicast 1 --targets 2
compare "$work/serv-2x2.mesh" --packets 16 --load 0.00001 --multicast 0.3
finish
