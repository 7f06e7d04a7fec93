#!/usr/bin/env bash
# time limit: 900 s
# The same small workloads at both levels, fabric with native operators and whole sites running the firmware: the same
# deliveries, each exactly once. Their latencies are printed side by side. Both services, both cores; and whole sites with
# damaged words and a dead link.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sim/sim_results.bash
source tests/sim/sim_results.bash
make -s "$postroad" build/firmware/node.hex || exit 1

# level LEVEL SERVICE MESH ARGUMENTS...: one run; adds its row.
level() {
    local level=$1 service=$2 mesh=$3
    shift 3
    run 0 "$mesh" --reliable "$service" --level "$level" "$@" --warmup 0 --quiet --json
    expect_exactly_once
    printf '%-17s %-8s %-7s %6s %6s %8s | %8s %8s %8s | %8s %8s %8s\n' "$(basename "$mesh" .mesh)" \
        "$([ "$service" = 1 ] && echo reliable || echo raw)" "$level" \
        "$(value packets)" "$(value deliveries)" "$(value clocks)" "$(value min latency_clocks)" \
        "$(value median latency_clocks)" "$(value max latency_clocks)" "$(value min network_latency_clocks)" \
        "$(value median network_latency_clocks)" "$(value max network_latency_clocks)"
}

# compare MESH ARGUMENTS...
compare() {
    local packets deliveries service
    for service in 0 1; do
        level fabric "$service" "$@"
        packets=$(value packets)
        deliveries=$(value deliveries)
        level site "$service" "$@"
        expect "$packets" packets
        expect "$deliveries" deliveries
    done
}

# The 4x4 mesh of SERV cores is slow: a 2x2 of them.
sed 's/cpu = vexriscv/cpu = serv/; s/size = 4x4/size = 2x2/' sim/meshes/grid-4x4.mesh >"$work/serv-2x2.mesh"

printf '%-17s %-8s %-7s %6s %6s %8s | %-26s | %-26s\n' mesh service level packet deliv. clocks 'latency min median max' \
    'network latency'
# Loads so light that a packet seldom waits for the one before it on the console; sleeping sites cost nothing.
compare sim/meshes/grid-4x4.mesh --packets 100 --load 0.00005
compare sim/meshes/grid-4x4.mesh --packets 100 --load 0.00005 --multicast 0.5 --targets 6 --length geometric:10
compare sim/meshes/torus-4x4.mesh --packets 50 --load 0.00005 --multicast 0.3
compare sim/meshes/hypercube-4.mesh --packets 50 --load 0.00005 --multicast 0.3
compare sim/meshes/deadlock-figure-4.mesh --packets 50 --load 0.00005 --multicast 1 --targets 2
compare "$work/serv-2x2.mesh" --packets 16 --load 0.00001 --multicast 0.3

# What the fabric loses, whole sites send again.
run 0 sim/meshes/grid-4x4.mesh --reliable 1 --level site --packets 60 --load 0.0001 --multicast 0.3 --warmup 0 --quiet \
    --json --fault corrupt:0.002 --fault link:5.east:200000:100000
expect_exactly_once
[ "$(value corrupted_words)" -gt 0 ] || fail "no word was corrupted"
expect 1 links_down
[ "$(value resent)" -gt 0 ] || fail "nothing was sent again"
finish
