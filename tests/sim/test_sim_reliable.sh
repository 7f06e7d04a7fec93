#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# time limit: 600 s
# Small runs of `postroad sim` with native nodes with the reliable service: exactly once with hardly any storage, and under
# every kind of fault exactly once or accounted for; order where it is asked for; what locks up the raw service; the exit
# codes and the figures of the result.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sim/sim_results.bash
source tests/sim/sim_results.bash
mesh=hw/mesh/grid-4x4.mesh
quick=(--reliable 1 --packets 1000 --quiet --json)
least=(--pool 4 --window 2 --load 1 --stall 30)

# Nothing was lost, and each target has exactly one fate.
expect_accounted() {
    local key
    for key in lost duplicated corrupted stray disordered; do expect 0 $key; done
    expect false locked_up
    local fates=$(($(value deliveries) + $(value failed) - $(value failed_delivered) + $(value written_off) - \
        $(value written_off_delivered)))
    if [ "$(value not_accepted)" -eq 0 ]; then expect $fates expected; fi
}

# faulty CODES ARGUMENTS...: a run that ends with one of these codes, and is accounted for.
faulty() {
    local codes=$1 status=0
    shift
    "$postroad" sim --seed "$seed" $mesh "${quick[@]}" --multicast 0.2 --targets 2:8 "$@" >"$out" 2>"$err" || status=$?
    [[ " $codes " == *" $status "* ]] || fail "sim $*: exit code $status, expected $codes: $(cat "$err")"
    expect_accounted
    if [ $status -eq 0 ]; then expect complete result; else expect partial result; fi
}

# The smallest storage there is, every source backlogged.
for file in hw/mesh/*.mesh; do
    run 0 "$file" "${quick[@]}" "${least[@]}" --multicast 0.2 --targets 2
    expect_exactly_once
done
for pattern in uniform transpose bit-complement tornado neighbour hot-spot; do
    run 0 $mesh "${quick[@]}" "${least[@]}" --traffic $pattern
    expect_exactly_once
    expect 0 failed
done
run 0 $mesh "${quick[@]}" "${least[@]}" --multicast 0.5 --targets 2:16 --packets 500
expect_exactly_once
run 0 $mesh "${quick[@]}" --pool 3 --window 1 --load 1 --stall 90 --multicast 1 --targets 16 --packets 100
expect_exactly_once
run 0 $mesh "${quick[@]}" --process bursty:4 --length geometric:12 --multicast 0.5 --targets 6
expect_exactly_once
run 0 $mesh "${quick[@]}" --window 16 --pool 32 --load 1 --length 40
expect_exactly_once
run 0 $mesh "${quick[@]}" --load 0 --broadcast 5:500 --packets 50 --warmup 0
expect_exactly_once
expect 750 deliveries
expect 50 count completion_clocks

# What locks up the raw service (test_sim_runs.sh).
run 0 $mesh --reliable 1 --json --quiet --packets 2000 --load 1 --pool 6 --multicast 0.5
expect_exactly_once

# In order for each pair, and a fault does not change that.
run 0 $mesh "${quick[@]}" --ordered --window 16 --pool 64 --load 1 --multicast 0.3 --targets 2:6
expect_exactly_once
expect true ordered
faulty '0 4' --ordered --window 8 --load 0.1 --fault corrupt:0.001 --fault link:any:~3000:1000
faulty '0 4' --ordered --window 8 --load 0.1 --fault reset:any:~5000

# Every key that is promised.
for key in reliable ordered targets_least failed failed_delivered written_off written_off_delivered not_accepted \
    disordered time_outs duplicates discarded acknowledgements acknowledgements_carried peers_restarted longest_silence \
    corrupted_words links_down resets stops run_load; do
    [ -n "$(value $key)" ] || fail "no key $key"
done
[[ $(value max settling_clocks) =~ ^[0-9]+$ ]] || fail "no number in settling_clocks.max"

# Faults that pass: everything arrives in the end.
for fault in corrupt:0.0001 corrupt:0.002 corrupt:5.north:0.01 link:5.east:500:3000 link:any:~2000:1000 \
    stop:5:500:5000 stop:any:~1000:500; do
    for load in 0.05 1; do
        faulty 0 --load $load --fault $fault
        expect 0 failed
    done
done
faulty 0 --load 1 --fault corrupt:0.002
[ "$(value corrupted_words)" -gt 0 ] || fail "no word was corrupted"
[ "$(value time_outs)" -gt 0 ] || fail "damage, but nothing was sent again"

# Faults that do not: reported, written off, or not accepted; and it is said which.
faulty 4 --load 0.1 --fault stop:5:1000
[ "$(value failed)" -gt 0 ] || fail "a dead op, and nothing was reported"
[ "$(value not_accepted)" -gt 0 ] || fail "a dead operator that accepts everything"
grep -q 'not accepted by operators that stopped' "$err" || fail "stderr of a partial run: $(cat "$err")"
faulty 4 --load 0.1 --fault stop:5:0

# So long dead that sequence numbers have come round: packets for it are given up before they were ever sent.
printf '[mesh]\nfabric=cutthrough\ntopology=grid\nsize=2x2\nword_width=16\n' >"$out.mesh"
run 4 "$out.mesh" "${quick[@]}" --pool 8 --load 0.3 --length 0 --packets 120000 --fault stop:3:200
expect_accounted

faulty 4 --load 0.1 --packets 500 --fault link:5.east:1000
for fault in reset:5:1000 reset:5:1000:2000 reset:any:~2000 reset:0:0; do
    for load in 0.05 1; do faulty '0 4' --load $load --fault $fault; done
done
faulty '0 4' --load 1 --fault reset:any:~1500 --window 16 --pool 32
[ "$(value resets)" -gt 0 ] || fail "no site was reset"
[ "$(value written_off)" -gt 0 ] || fail "resets under full load, and nothing was written off"
faulty '0 4' --load 0.3 --fault corrupt:0.0005 --fault link:any:~5000:1000 --fault reset:any:~5000 \
    --fault stop:any:~3000:1000 --fault reset:3:2000
faulty '0 4' --load 0.3 --fault stop:6:800 --fault reset:6:6000

# The raw service under a fault loses packets, and the run says so.
run 3 $mesh "${quick[@]}" --reliable 0 --pool 512 --load 0.1 --fault corrupt:0.001
[ "$(value lost)" -gt 0 ] || fail "the raw service lost nothing"
expect wrong result

# The same seed gives the same run, faults included.
without_cost() {
    sed 's/"cpu_seconds":[^,]*,"node_clocks_per_cpu_second":[^,]*,//' "$out"
}
storm=(--load 0.3 --multicast 0.2 --fault corrupt:0.001 --fault link:any:~3000:1000 --fault stop:any:~3000:1000)
run 0 $mesh "${quick[@]}" "${storm[@]}"
first=$(without_cost)
run 0 $mesh "${quick[@]}" "${storm[@]}"
[ "$(without_cost)" = "$first" ] || fail "the same seed gives another run"

# A sweep ends with the worst of its points, and goes on after a partial one.
run 4 $mesh --reliable 1 --packets 300 --quiet --load 0.05:0.15:0.05 --fault stop:5:100
[ "$(grep -c partial "$out")" -eq 3 ] || fail "a sweep with a dead operator: $(cut -d , -f 20-24 "$out")"

# In words.
run 4 $mesh --reliable 1 --packets 300 --quiet --load 0.1 --fault stop:5:100
for text in 'end to end' 'silence' 'failed deliveries' 'accepted to settled' '1 stops'; do
    grep -q "$text" "$out" || fail "the table has no '$text'"
done
finish
