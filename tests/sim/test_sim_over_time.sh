#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# `postroad sim --over-time`: slices follow each other and are together the run, also with ranks and from a checkpoint; a mesh
# that stands still has a slice without load; the picture; what is refused.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sim/sim_results.bash
source tests/sim/sim_results.bash
options=(hw/mesh/grid-4x4.mesh --engine functional --quiet --json)

# sum_up FILE: lines, clocks, deliveries, words a site, sum of latencies; and whether each slice begins where the last one ended.
sum_up() {
    awk -F , 'NR > 1 { whole += $1 == clocks; clocks += $2; deliveries += $3; words += $2 * $4; latencies += $3 * $5 }
        NR > 1 && $6 > $7 { whole = -1 }
        END { print NR - 1, clocks, deliveries, words, latencies, whole == NR - 1 ? "whole" : "broken" }' "$1"
}

run 0 "${options[@]}" --packets 4000 --load 0.1 --warmup 0 --multicast 0.1 --over-time "$work/one.csv" --plot "$work/one"
read -r lines clocks deliveries words latencies whole < <(sum_up "$work/one.csv")
[ "$whole" = whole ] && [ "$lines" -ge 64 ] && [ "$lines" -le 128 ] || fail "$lines slices, $whole"
expect "$clocks" clocks
expect "$deliveries" deliveries
awk -v words="$words" -v load="$(value run_load)" -v clocks="$clocks" -v latencies="$latencies" -v deliveries="$deliveries" \
    -v mean="$(value mean latency_clocks)" 'BEGIN {
        load = words / clocks / load; mean = latencies / deliveries / mean
        exit !(load > 0.999 && load < 1.001 && mean > 0.999 && mean < 1.001)
    }' || fail "load and latency of the slices: $words $latencies"
for text in median p99 'accepted load' 'clock of the delivery; behind the dotted line the warm-up is over'; do
    grep -q ">$text<" "$work/one-time.svg" || fail "no '$text' in the picture"
done
run 0 "${options[@]}" --packets 4000 --load 0.1 --warmup 0 --multicast 0.1 --over-time "$work/two.csv" --ranks 2
cmp "$work/one.csv" "$work/two.csv" || fail "two ranks"

# An operator that pauses: there is less, then more than is offered.
run 0 "${options[@]}" --packets 8000 --load 0.1 --fault stop:5:20000:20000 --over-time "$work/stop.csv"
awk -F , 'NR > 1 && $1 + $2 < 20000 && $4 < 0.05 { early++ }
    NR > 1 && $1 > 21000 && $1 + $2 < 40000 && $4 < 0.02 && $2 > 500 { still++ } $4 > 0.13 && $1 > 40000 { catching_up++ }
    END { exit !(!early && still && catching_up) }' "$work/stop.csv" || fail "a pause: $(cat "$work/stop.csv")"

run 0 "${options[@]}" --packets 60000 --load 0.1 --over-time "$work/whole.csv"
run 0 "${options[@]}" --packets 60000 --load 0.1 --over-time "$work/none.csv" --checkpoint "$work/kept,every=20000"
cmp "$work/whole.csv" "$work/none.csv" || fail "with checkpoints"
# resume CODE FILE: the seed is that of the checkpoint.
resume() {
    "$postroad" sim --resume "$work/kept" --json --over-time "$2" >"$out" 2>"$err"
    [ $? -eq "$1" ] || fail "resumed: $(cat "$err")"
}
resume 0 "$work/resumed.csv"
cmp "$work/whole.csv" "$work/resumed.csv" || fail "resumed"
rm -r "$work/kept"
run 0 "${options[@]}" --packets 60000 --load 0.1 --checkpoint "$work/kept,every=20000"
resume 2 "$work/late.csv"
grep -q 'the run has begun without it' "$err" && [ ! -e "$work/late.csv" ] || fail "begun without: $(cat "$err")"

run 1 "${options[@]}" --load 0.1,0.2 --over-time "$work/x.csv"
grep -q -- '--over-time with several runs, expected one load' "$err" || fail "several: $(cat "$err")"
run 1 "${options[@]}" --over-time "$work/none/x.csv"
[ ! -e "$work/x.csv" ] || fail "a refused run left a file"
finish
