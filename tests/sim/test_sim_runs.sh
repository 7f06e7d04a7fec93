#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Small runs of `postroad sim` with native nodes with the raw service: the keys of the JSON; the same seed gives the same run;
# sweeps, CSV, pictures; a mesh whose storage locks up; interrupts, also of a run that waits for a guest under QEMU. That each
# mesh, pattern and process delivers exactly once is tests/conformance's.
set -uo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sim/sim_results.bash
source tests/sim/sim_results.bash
mesh=hw/mesh/grid-4x4.mesh
quick=(--reliable 0 --packets 1000 --quiet --json --pool 512)

run 0 $mesh "${quick[@]}" --load 1 --multicast 0.5 --targets 4 --stall 90
expect_exactly_once
expect true saturated

# What a backlogged mesh accepts is that of the whole run: the measurement may be over before the first packets arrive.
run 0 hw/mesh/postman-4x4.mesh --packets 200 --quiet --json --load 1
accepted=$(printf 'saturated: %.4f over the whole run' "$(value run_load)")
run 0 hw/mesh/postman-4x4.mesh --packets 200 --quiet --load 1
grep -q "^load .*, $accepted\$" "$out" || fail "no '$accepted' in: $(grep '^load ' "$out")"

# Balance of a row of three sites: 26 words on the link from site 0 to 1, 13 on that from 1 to 2, none on the two back. Of as
# many words half take two links.
printf '[mesh]\ntopology=grid\nsize=3x1\n' >"$work/row.mesh"
printf '0 0 2 8\n0 0 1 8\n' >"$work/row.tra"
for engine in rtl functional; do
    run 0 "$work/row.mesh" --reliable 0 --quiet --json --engine $engine --traffic "trace:$work/row.tra"
    expect 26 link_words_most
    expect 1.5 hops
    [ "$(awk -v mean="$(value link_words_mean)" 'BEGIN { print mean * 4 }')" = 39 ] || fail "mean: $(value link_words_mean)"
done

# Packets to several sites as one unicast a target: no packet is split, so none is aborted, and more words move.
several=(--load 0.002 --multicast 1 --targets 8 --warmup 0)
run 0 $mesh "${quick[@]}" "${several[@]}"
words=$(value link_words)
expect 8000 count multicast_latency_clocks
run 0 $mesh "${quick[@]}" "${several[@]}" --repeated-unicasts
expect_exactly_once
expect true repeated_unicasts
expect 0 aborts
[ "$(value link_words)" -gt "$words" ] || fail "8 unicasts move $(value link_words) words, a multicast to 8 $words"

run 0 $mesh "${quick[@]}" --load 0.01 --operator-clocks receive=9,send=8,handler=7
expect 9 receive_clocks
expect 8 send_clocks
expect 7 handler_clocks

# The latencies of packets to one site and to several are those of all.
run 0 $mesh "${quick[@]}" --load 0.1 --multicast 0.3 --targets 2
[ "$(($(value count unicast_latency_clocks) + $(value count multicast_latency_clocks)))" = "$(value count latency_clocks)" ] ||
    fail "the latencies of unicasts and multicasts are not all latencies"

# Groups: each shape delivers to all members, in one order if it has one; other packets flow beside. That they do under faults is
# tests/multicast's.
groups=(--engine functional --groups 3 --members 6 --packets 300 --window 8 --quiet)
for shape in gt multicast; do
    run 0 $mesh "${groups[@]}" --json --shape $shape --load 0.02
    expect_exactly_once
    expect $shape shape
    expect 6 members
    expect 1500 deliveries
done
# A time-out that is learned (Jacobson) may end too early while a queue grows, as it does at the leader at 0.02; at half the load
# nothing may be sent twice.
run 0 $mesh "${groups[@]}" --json --shape gt-order --load 0.02
expect_exactly_once
[ "$(value group_duplicates)" -le 3 ] || fail "more than 1 % of the packets were sent twice: $(value group_duplicates)"
run 0 $mesh "${groups[@]}" --json --shape gt-order --load 0.01
expect_exactly_once
expect 1800 deliveries
expect 0 disordered
expect 0 group_repairs
expect 0 group_duplicates
expect 0 count completion_clocks
for group in group_latency_clocks group_completion_clocks; do
    for key in mean p99; do [[ $(value $key $group) =~ ^[1-9] ]] || fail "no number in $group.$key"; done
done
[[ $(value completion_error) =~ ^[1-9] ]] || fail "completion_error: $(value completion_error)"
run 0 $mesh "${groups[@]}" --json --load 0.02 --group-share 0.5 --multicast 0.5 --fault corrupt:0.001
expect_exactly_once
for key in group_repairs group_questions group_forwarded group_acknowledgements; do
    [ "$(value $key)" -gt 0 ] || fail "$key is 0"
done
[[ $(value count multicast_latency_clocks) -gt 0 && $(value count unicast_latency_clocks) -gt 0 ]] || fail "no other packets"
run 0 $mesh "${groups[@]}" --json --shape gt-order --load 0.02 --fault corrupt:0.003
for key in group_duplicates group_held group_dropped; do
    [ "$(value $key)" -gt 0 ] || fail "$key is 0"
done
run 0 $mesh "${groups[@]}" --load 0.02
grep -q '^groups  *3 of 6 members, gt: [1-9][0-9]* passed on, 0 repairs' "$out" || fail "no line of groups: $(cat "$out")"
grep -q '^to the last member  *min' "$out" || fail "no latency to the last member: $(cat "$out")"

# Every key that is promised.
run 0 $mesh "${quick[@]}" --load 0.05
for key in schema version mesh engine nodes seed packets deliveries expected lost duplicated corrupted aborts deferrals \
    resent_after_abort diversions clocks warmup_clocks link_words offered_load accepted_load source_share_least source_share_mean\
    source_share_greatest fairness_offered fairness_accepted \
    saturated steady latency_first_half latency_second_half latency_error locked_up cpu_seconds \
    node_clocks_per_cpu_second; do
    [ -n "$(value $key)" ] || fail "no key $key"
done
for group in latency_clocks network_latency_clocks; do
    for key in min median mean p99 max; do
        [[ $(value $key $group) =~ ^[0-9.]+$ ]] || fail "no number in $group.$key"
    done
done
expect false saturated
expect 1000 packets
expect 16 sites
expect uniform traffic
expect 0 info
expect native nodes
expect rtl engine
run 0 $mesh "${quick[@]}" --traffic tornado --info 3 --multicast 0.1
expect tornado traffic
expect 3 info

# Nothing measured: null, not 0.
run 0 $mesh "${quick[@]}" --warmup 100000000
for key in min median mean p99 max; do expect null $key latency_clocks; done
for key in source_share_least source_share_mean source_share_greatest steady latency_first_half latency_error; do
    expect null $key
done

# The same seed gives the same run, another seed another one; only the cost differs.
without_cost() {
    sed 's/"cpu_seconds":[^,]*,"node_clocks_per_cpu_second":[^,]*,//' "$out"
}
run 0 $mesh "${quick[@]}" --multicast 0.3 --stall 20
first=$(without_cost)
run 0 $mesh "${quick[@]}" --multicast 0.3 --stall 20
[ "$(without_cost)" = "$first" ] || fail "the same seed gives another run"
run 0 $mesh "${quick[@]}" --multicast 0.3 --stall 20 --seed 987654321
[ "$(value clocks)" != "$(sed 's/.*"clocks":\([0-9]*\),.*/\1/' <<<"$first")" ] || fail "another seed gives the same run"

# Sweeps: a line a point, CSV, or an object a point; a CSV file as well; pictures.
run 0 $mesh --reliable 0 --packets 500 --quiet --load 0.05:0.25:0.05
[ "$(wc -l <"$out")" -eq 6 ] && [ "$(grep -c '^0\.[0-9]*  *0\.[0-9]*  *[0-9.]*  *[0-9]*  ' "$out")" -eq 5 ] ||
    fail "lines of a sweep: $(cat "$out")"
run 0 $mesh --reliable 0 --packets 500 --quiet --load 0.05:0.25:0.05 --csv -
[ "$(wc -l <"$out")" -eq 6 ] || fail "a sweep of 5 points prints $(wc -l <"$out") lines of CSV"
columns=$(head -n 1 "$out" | tr ',' '\n' | wc -l)
[ "$(tail -n 1 "$out" | tr ',' '\n' | wc -l)" -eq "$columns" ] || fail "CSV: columns and heading differ"
grep -q 'latency_clocks_p99' <(head -n 1 "$out") || fail "CSV: no latency column"
run 0 $mesh --packets 500 --quiet --json --load 0.05:0.25:0.05 --csv "$work/sweep.csv" --plot "$work/sweep"
[ "$(grep -c '^{.*}$' "$out")" -eq 5 ] || fail "a sweep of 5 points prints $(wc -l <"$out") objects"
[ "$(wc -l <"$work/sweep.csv")" -eq 6 ] || fail "CSV file of a sweep"
for picture in latency histogram links; do
    grep -q '</svg>' "$work/sweep-$picture.svg" || fail "no picture $picture"
done
run 0 hw/mesh/hypercube-4.mesh --packets 500 --quiet --plot "$work/cube"
grep -q '</svg>' "$work/cube-links.svg" || fail "no picture of a hypercube's links"

# Three buffers a site and every source backlogged: recognised, reported, printed.
run 6 $mesh --reliable 0 --json --quiet --packets 20000 --load 1 --pool 3 --multicast 1
expect true locked_up
expect 'locked up' result
grep -q 'storage is locked up' "$err" || fail "no word of the lock-up on stderr"
[ "$(value lost)" -gt 0 ] || fail "a lock-up that lost nothing"

# endless ARGUMENTS...: a run that does not end by itself, and has begun.
endless() {
    : >"$err"
    "$postroad" sim --json --packets 100000000 --load 0.1 "$@" >"$out" 2>"$err" &
    child=$!
    for _ in $(seq 3000); do grep -q started "$err" && break; sleep 0.1; done
}

# interrupt SIGNAL: it ends the run, at once and with nothing left, and the run is reported.
interrupt() {
    local before=$EPOCHREALTIME milliseconds
    kill "-$1" $child
    wait $child
    [ $? -eq 130 ] || fail "interrupt: exit code"
    milliseconds=$(((${EPOCHREALTIME/./} - ${before/./}) / 1000))
    [ $milliseconds -lt 2000 ] || fail "interrupt: the run took $milliseconds ms to end"
    expect interrupted result
    if compgen -G "$work/*/" >/dev/null; then fail "interrupt: folders are left in $work"; fi
}

endless $mesh
interrupt INT

# The same while the mesh waits for a guest that stands still.
export TMPDIR=$work
for signal in INT TERM; do
    endless hw/mesh/deadlock-figure-4.mesh --nodes qemu --quantum 100 --length 4 --csv "$work/stopped.csv"
    guest=$(pgrep -f "^qemu-system-riscv32.*$work/.*/qemu-1\.port") || fail "no guest"
    kill -STOP "$guest"
    sleep 0.3
    interrupt $signal
    if pgrep -f "^qemu-system-riscv32.*$work/" >/dev/null; then fail "a guest outlives the run"; fi
    [ "$(wc -l <"$work/stopped.csv")" -eq 2 ] || fail "CSV file of an interrupted run"
done

# Firmware that hangs ends it as well, and is named.
endless hw/mesh/deadlock-figure-4.mesh --nodes qemu --quantum 100 --length 4
kill -STOP "$(pgrep -f "^qemu-system-riscv32.*$work/.*/qemu-1\.port")"
wait $child
[ $? -eq 5 ] || fail "a guest that hangs: exit code"
expect hung result
grep -q 'site 1: its firmware hangs' "$err" || fail "a guest that hangs: $(cat "$err")"
finish
