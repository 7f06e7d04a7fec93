#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# `postroad sim --jobs`: a sweep with several points at a time prints what it prints with one: objects, CSV, notes, pictures
# and exit code. A signal ends all points; a point whose process is killed is reported, and the others are not harmed.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sim/sim_results.bash
source tests/sim/sim_results.bash
mesh=hw/mesh/grid-4x4.mesh

# sweep CODE JOBS ARGUMENTS...: a sweep with so many points at a time; all that it prints goes to files of that number.
sweep() {
    local code=$1 jobs=$2
    shift 2
    run "$code" $mesh --json --jobs "$jobs" --csv "$work/$jobs.csv" --plot "$work/$jobs" "$@"
    costless "$out" >"$work/$jobs.out"
    cp "$err" "$work/$jobs.err"
    costless_csv "$work/$jobs.csv" >"$work/$jobs.table"
}

# same CODE ARGUMENTS...: one, two and seven points at a time do the same.
same() {
    local code=$1 jobs
    shift
    sweep "$code" 1 "$@"
    for jobs in 2 7; do
        sweep "$code" "$jobs" "$@"
        for kind in .out .err .table -latency.svg -histogram.svg -links.svg; do
            cmp "$work/1$kind" "$work/$jobs$kind" >&2 || fail "$jobs jobs: $kind differs: $*"
        done
    done
}

same 0 --load 0.05:0.3:0.05 --packets 1000 --multicast 0.2
[ "$(grep -c '^{.*}$' "$work/7.out")" -eq 6 ] || fail "a sweep of 6 points prints $(wc -l <"$work/7.out") objects"
[ "$(grep -c started "$work/7.err")" -eq "$(grep -c '"runs":1,' "$work/7.out")" ] ||
    fail "notes of 6 points: $(cat "$work/7.err")"
# Every histogram of a result arrives, that of settled packets too; faults are counted; points that end with a diagnosis.
same 0 --load 0.05:0.15:0.05 --packets 1000 --reliable 1 --multicast 0.3 --fault corrupt:0.0001
same 4 --load 0.05:0.15:0.05 --packets 1000 --reliable 1 --fault stop:5:2000 --quiet
# More jobs than points, and one point only.
same 0 --load 0.1:0.2:0.1 --packets 300
run 0 $mesh --json --quiet --jobs 4 --packets 300
expect_exactly_once

# begin_endless: a sweep that does not end by itself; its points have begun. The workers are in $workers.
begin_endless() {
    : >"$err"
    "$postroad" sim $mesh --json --packets 100000000 --load 0.05:0.15:0.05 --jobs 2 >"$out" 2>"$err" &
    child=$!
    for _ in $(seq 3000); do
        mapfile -t workers < <(pgrep -P $child)
        grep -q started "$err" && [ ${#workers[@]} -eq 2 ] && break
        sleep 0.1
    done
    [ ${#workers[@]} -eq 2 ] || fail "2 jobs are ${#workers[@]} processes"
}

# expect_end CODE WHAT: the sweep ends within 100 seconds, with that exit code.
expect_end() {
    for _ in $(seq 1000); do kill -0 $child 2>/dev/null || break; sleep 0.1; done
    if kill -KILL $child 2>/dev/null; then fail "$2: the sweep does not end"; fi
    wait $child 2>/dev/null
    [ $? -eq "$1" ] || fail "$2: exit code"
}

# none_left: no worker outlives the sweep.
none_left() {
    local worker
    for worker in "${workers[@]}"; do
        for _ in $(seq 300); do kill -0 "$worker" 2>/dev/null || break; sleep 0.1; done
        if kill -0 "$worker" 2>/dev/null; then fail "$1: a worker is left"; fi
    done
}

for signal in INT TERM; do
    begin_endless
    kill -"$signal" $child
    expect_end 130 "$signal"
    [ "$(wc -l <"$out")" -eq 1 ] || fail "an interrupted sweep prints $(wc -l <"$out") points"
    expect interrupted result
    none_left "$signal"
done

# The first worker is killed, then the sweep is interrupted: its point failed, the next one was running.
begin_endless
kill -KILL "${workers[0]}"
for _ in $(seq 3000); do [ -s "$out" ] && break; sleep 0.1; done
expect failed result
grep -q 'the process of this run was ended by signal 9' "$err" || fail "a killed worker: $(cat "$err")"
mapfile -t workers < <(pgrep -P $child)
kill -INT $child
expect_end 130 "a killed worker"
[ "$(wc -l <"$out")" -eq 2 ] || fail "a killed worker: $(wc -l <"$out") points"
expect interrupted result
none_left "after a killed worker"

# Without the sweep its workers end, too.
begin_endless
kill -KILL $child
expect_end 137 "a sweep that was killed"
none_left "a sweep that was killed"
finish
