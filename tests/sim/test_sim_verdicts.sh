#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The verdict of `postroad sim` is true where one could mistake it: pauses of operators that overlap, sources that report what
# was delivered, loads that a few sources cannot send, runs that are interrupted, runs that never began.
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

# divergence MESH SATURATED STEADY SOURCES ARGUMENTS...: what is said of a load; SOURCES is a condition on the least share that is
# accepted of a source.
divergence() {
    local share
    run "${code:-0}" "hw/mesh/$1.mesh" "${reliable[@]}" "${@:5}"
    expect "$2" saturated
    expect "$3" steady
    share=$(value source_share_least)
    awk "BEGIN { exit !($share $4) }" || fail "${*:5}: the least share is $share, expected $4"
}

# Transposed, a 4x4 mesh accepts .197 of .2 words, though four of its sources are left behind for ever: the longer the run, the
# longer the latency. The same load is steady when it is uniform, and a short run cannot tell.
for engine in functional rtl; do
    divergence grid-4x4 true false '< 0.95' --engine $engine --traffic transpose --load 0.2 --packets 20000
    divergence grid-4x4 false true '> 0.95' --engine $engine --traffic uniform --load 0.2 --packets 20000
    divergence grid-4x4 false null '< 0.95' --engine $engine --traffic uniform --load 0.2 --packets 500
    divergence grid-4x4 false null '> 0' --engine $engine --traffic uniform --load 0.1 --packets 100
done
half=$(value latency_first_half)
[[ $half =~ ^[1-9][0-9.]*$ ]] || fail "no latency of the first half: '$half'"
divergence grid-4x4 true false '< 0.95' --engine functional --traffic transpose --load 0.2 --packets 80000
divergence grid-4x4 false true '> 0.95' --engine functional --traffic uniform --load 0.2 --packets 80000
divergence grid-4x4 false true '> 0.95' --engine functional --traffic hot-spot --load 0.1 --packets 20000
divergence grid-4x4 true false '< 0.95' --engine functional --traffic hot-spot --load 0.2 --packets 20000
divergence torus-4x4 false true '> 0.95' --engine functional --traffic tornado --load 0.2 --packets 20000
divergence torus-4x4 true false '< 0.95' --engine functional --traffic tornado --load 0.35 --packets 20000
# Packets that are given up burden no source: neither those of a site that is reset or has stopped, which sends to itself here.
# Those that wait for a cable that is dead do.
code=4 divergence grid-4x4 false true '> 0.95' --load 0.1 --packets 5000 --fault reset:any:~10000
code=4 divergence grid-4x4 false true '> 0.95' --traffic transpose --load 0.05 --packets 5000 --fault stop:5:0
code=4 divergence grid-4x4 true null '< 0.95' --load 0.02 --packets 3000 --fault link:5.east:0
# A trace that ends with a burst.
awk 'BEGIN { for (i = 0; i < 2000; i++) print i * 20, i % 16, (i + 5) % 16, 8
             for (i = 0; i < 2000; i++) print 40000 + i * 2, 0, 5, 8 }' >"$work/burst.trace"
divergence grid-4x4 true null '< 0.95' --traffic "trace:$work/burst.trace"
# Jain's index. Three times as many words of one of two sources: 16/20. What four sources of sixteen are left behind with shows in
# what is delivered, and not in what is offered; ranks add up the same.
awk 'BEGIN { for (i = 0; i < 400; i++) print i * 100, i % 4 == 3, 5, 8 }' >"$work/three.trace"
run 0 $mesh "${reliable[@]}" --engine functional --traffic "trace:$work/three.trace"
expect 0.8 fairness_offered
awk -v index_="$(value fairness_accepted)" 'BEGIN { exit !(index_ > 0.79 && index_ < 0.81) }' || fail "$(value fairness_accepted)"
for ranks in 1 2; do
    [ $ranks -eq 1 ] || command -v mpirun >/dev/null || continue
    run 0 $mesh "${reliable[@]}" --engine functional --ranks $ranks --traffic transpose --load 0.3 --packets 20000
    awk -v offered="$(value fairness_offered)" -v accepted="$(value fairness_accepted)" \
        'BEGIN { exit !(offered > 0.995 && offered <= 1 && accepted < 0.98) }' ||
        fail "$ranks ranks, fairness: $(value fairness_offered) and $(value fairness_accepted)"
done
run 0 $mesh --quiet --engine functional --traffic transpose --load 0.2 --packets 20000
grep -q '^steady  *no: mean latency [0-9.]* in the first half, ' "$out" || fail "text: $(grep '^steady' "$out")"
grep -q '^accepted, by source  *least 0\.[0-9]*  mean 0\.[0-9]*  greatest 1\.' "$out" || fail "text: $(grep '^accepted' "$out")"

# Of runs that are steady hardly one is called otherwise.
false_alarms=0 runs=${LONG:+500}
for ((seed = 1; seed <= ${runs:=20}; seed++)); do
    run 0 $mesh "${reliable[@]}" --engine functional --load 0.2 --packets 5000
    [ "$(value saturated)" = false ] && [ "$(value steady)" != false ] || false_alarms=$((false_alarms + 1))
done
[ $((50 * false_alarms)) -le "$runs" ] || fail "$false_alarms of $runs steady runs are said to be saturated, or not steady"
seed=1

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
