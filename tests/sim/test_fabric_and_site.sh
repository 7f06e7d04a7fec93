#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# time limit: 900 s
# The same small workloads at both levels, fabric with native operators and whole sites running the firmware, and with the
# firmware under QEMU: the same deliveries, each exactly once. Their latencies are printed side by side. Both services, both
# cores; and whole sites, and QEMU, with damaged words and a dead link.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sim/sim_results.bash
source tests/sim/sim_results.bash

# level LEVEL SERVICE MESH ARGUMENTS...: one run; adds its row. Level qemu: sites under QEMU.
level() {
    local level=$1 service=$2 mesh=$3 kind=(--nodes "$1")
    shift 3
    [ "$level" != qemu ] || kind=(--nodes qemu --quantum 50)
    run 0 "$mesh" --reliable "$service" "${kind[@]}" "$@" --warmup 0 --quiet --json
    expect_exactly_once
    printf '%-17s %-8s %-7s %6s %6s %8s | %8s %8s %8s | %8s %8s %8s\n' "$(basename "$mesh" .mesh)" \
        "$([ "$service" = 1 ] && echo reliable || echo raw)" "$level" \
        "$(value packets)" "$(value deliveries)" "$(value clocks)" "$(value min latency_clocks)" \
        "$(value median latency_clocks)" "$(value max latency_clocks)" "$(value min network_latency_clocks)" \
        "$(value median network_latency_clocks)" "$(value max network_latency_clocks)"
}

# compare MESH ARGUMENTS...
compare() {
    local packets deliveries service level
    for service in 0 1; do
        level native "$service" "$@"
        packets=$(value packets)
        deliveries=$(value deliveries)
        for level in core qemu; do
            level "$level" "$service" "$@"
            expect "$packets" packets
            expect "$deliveries" deliveries
        done
    done
}

# The 4x4 mesh of SERV cores is slow: a 2x2 of them.
sed 's/cpu = vexriscv/cpu = serv/; s/size = 4x4/size = 2x2/' hw/mesh/grid-4x4.mesh >"$work/serv-2x2.mesh"

printf '%-17s %-8s %-7s %6s %6s %8s | %-26s | %-26s\n' mesh service level packet deliv. clocks 'latency min median max' \
    'network latency'
# Loads so light that a packet seldom waits for the one before it on the console; sleeping sites cost nothing.
compare hw/mesh/grid-4x4.mesh --packets 100 --load 0.00005
compare hw/mesh/grid-4x4.mesh --packets 100 --load 0.00005 --multicast 0.5 --targets 6 --length geometric:10
compare hw/mesh/eager-4x4.mesh --packets 50 --load 0.00005 --multicast 0.3
compare hw/mesh/torus-4x4.mesh --packets 50 --load 0.00005 --multicast 0.3
compare hw/mesh/hypercube-4.mesh --packets 50 --load 0.00005 --multicast 0.3
compare hw/mesh/deadlock-figure-4.mesh --packets 50 --load 0.00005 --multicast 1 --targets 2
compare "$work/serv-2x2.mesh" --packets 16 --load 0.00001 --multicast 0.3

# What the fabric loses, whole sites send again; and guests, who take no time for it and so give up sooner.
for kind in "--nodes core --fault link:5.east:200000:100000" "--nodes qemu --quantum 50 --fault link:5.east:200000:20000"; do
    # shellcheck disable=SC2086  # words
    run 0 hw/mesh/grid-4x4.mesh --reliable 1 $kind --packets 60 --load 0.0001 --multicast 0.3 --warmup 0 --quiet \
        --json --fault corrupt:0.002
    expect_exactly_once
    [ "$(value corrupted_words)" -gt 0 ] || fail "no word was corrupted"
    expect 1 links_down
    [ "$(value time_outs)" -gt 0 ] || fail "nothing was sent again"
done

# With guests a run repeats, too, whatever they are mixed with.
for nodes in qemu qemu:0-4,native; do
    for run in 1 2; do
        run 0 hw/mesh/grid-4x4.mesh --nodes "$nodes" --quantum 50 --packets 300 --load 0.03 --multicast 0.3 --quiet --json
        sed -E 's/"(cpu_seconds|[a-z_]*cpu_second)":[0-9.e+]*//g' "$out" >"$work/run$run"
    done
    cmp -s "$work/run1" "$work/run2" || fail "$nodes: a second run is another run: $(diff "$work/run1" "$work/run2")"
done
finish
