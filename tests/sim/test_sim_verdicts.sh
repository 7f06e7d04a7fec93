#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The verdict of `postroad sim` is true where one could mistake it: pauses of operators that overlap, sources that report what
# was delivered, runs that are interrupted, runs that never began.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sim/sim_results.bash
source tests/sim/sim_results.bash
mesh=hw/mesh/grid-4x4.mesh
figure4=hw/mesh/deadlock-figure-4.mesh
reliable=(--reliable 1 --quiet --json)
seed=1  # each case is one that was judged wrongly

# expect_none KEY...: these are 0.
expect_none() {
    local key
    for key in "$@"; do expect 0 "$key"; done
}

# Two pauses that overlap are one longer pause, also while another site may stop for good at any time.
run 4 $mesh "${reliable[@]}" --packets 1000 --load 0.1 --fault stop:0:900000 --fault stop:any:495 --fault stop:7:5000:1000 \
    --fault stop:7:5600:1000
expect partial result
expect_none lost duplicated written_off

# Pauses that come faster than they end stop a site for good in effect: its packets are written off.
run 4 $figure4 "${reliable[@]}" --packets 300 --load 0.02 --length 1 --fault 'stop:any:~1500:40000'
expect partial result
expect_none lost duplicated in_flight
[ "$(value written_off)" -gt 0 ] || fail "endless pauses: nothing is written off"
grep -q '2 sites taken for stopped, as their pauses overlapped' "$err" || fail "endless pauses: $(cat "$err")"

# Each packet came, and each was reported as failed: its source was told what is not so.
run 4 $mesh "${reliable[@]}" --packets 300 --load 0.5 --window 16 --length 1 --stall 50 --fault corrupt:0.03
expect partial result
expect "$(value expected)" deliveries
expect "$(value failed)" failed_delivered
[ "$(value failed)" -gt 0 ] || fail "nothing was reported as failed"

# interrupted ARGUMENTS...: ends a run in its midst.
interrupted() {
    : >"$err"
    "$postroad" sim --packets 100000000 --load 0.3 "$@" >"$out" 2>"$err" &
    local child=$!
    for _ in $(seq 3000); do grep -q started "$err" && break; sleep 0.1; done
    sleep 0.3
    kill -INT $child
    wait $child
    [ $? -eq 130 ] || fail "interrupted: exit code"
}

# What is on its way when a run is interrupted is not lost.
for service in 0 1; do
    interrupted $mesh --reliable $service --json
    expect interrupted result
    expect_none lost duplicated failed
    expect $(($(value expected) - $(value deliveries) - $(value not_accepted))) in_flight
    [ "$(value in_flight)" -gt 0 ] || fail "interrupted: nothing is on its way"
done
interrupted $mesh --csv "$work/interrupted.csv"
grep -qE '^interrupted +[1-9][0-9]* deliveries in flight' "$out" || fail "interrupted: $(cat "$out")"
grep -qE '^packets .* 0 lost' "$out" || fail "interrupted: $(grep packets "$out")"
grep -q ',in_flight,' <(head -n 1 "$work/interrupted.csv") || fail "CSV: no column of what is in flight"

# A run that never began has no results.
run 1 $mesh --nodes core --firmware "$work/none.hex"
[ "$(wc -l <"$out")" -eq 1 ] || fail "a run that never began: $(cat "$out")"
run 1 $mesh --nodes core --firmware "$work/none.hex" --json
expect failed result
for key in packets lost clocks; do expect null $key; done
expect null count latency_clocks
finish
