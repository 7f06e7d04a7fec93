#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# time limit: 600 s
# Small runs of `postroad sim` with native nodes with the reliable service: what locks up the raw service; the exit codes and the
# figures of the result; the same seed gives the same run. What is delivered with hardly any storage, in order, and under every
# kind of fault is tests/conformance's.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sim/sim_results.bash
source tests/sim/sim_results.bash
mesh=hw/mesh/grid-4x4.mesh
quick=(--reliable 1 --packets 1000 --quiet --json)

run 0 $mesh "${quick[@]}" --load 0 --broadcast 5:500 --packets 50 --warmup 0
expect_exactly_once
expect 750 deliveries
expect 50 count completion_clocks

# What locks up the raw service (test_sim_runs.sh).
run 0 $mesh --reliable 1 --json --quiet --packets 2000 --load 1 --pool 6 --multicast 0.5
expect_exactly_once

# Every key that is promised.
run 0 $mesh "${quick[@]}" --ordered --load 0.3
expect true ordered
for key in reliable ordered targets_least failed failed_delivered written_off written_off_delivered not_accepted \
    disordered time_outs duplicates discarded acknowledgements acknowledgements_carried peers_restarted longest_silence \
    corrupted_words links_down resets stops run_load; do
    [ -n "$(value $key)" ] || fail "no key $key"
done
[[ $(value max settling_clocks) =~ ^[0-9]+$ ]] || fail "no number in settling_clocks.max"

# What did not arrive is said.
run 4 $mesh "${quick[@]}" --load 0.1 --multicast 0.2 --targets 2:8 --fault stop:5:1000
expect partial result
grep -q 'not accepted by operators that stopped' "$err" || fail "stderr of a partial run: $(cat "$err")"

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
