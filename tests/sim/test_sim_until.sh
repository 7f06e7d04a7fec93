#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# `postroad sim --until`: a point has as many runs as its interval needs, five at least, and is what --repeat gives with that
# number; the bound is said where it ends the point; points that are saturated end early; the same whatever --jobs.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sim/sim_results.bash
source tests/sim/sim_results.bash
mesh=hw/mesh/grid-4x4.mesh
quick=(--engine functional --packets 2000 --quiet --json)

# plain FILE: without what the runs cost, and how their number was chosen.
plain() {
    sed -E 's/"cpu_seconds.*node_clocks_per_cpu_second_ci95":[^,}]*//; s/"until":[^,]*,"until_met":[a-z]*,//' "$1"
}

# narrow MEAN HALF: is the interval as narrow as 3 %?
narrow() {
    awk -v mean="$1" -v half="$2" 'BEGIN { exit !(half <= 0.03 * mean) }'
}

run 0 $mesh "${quick[@]}" --load 0.16 --until 3%
expect true until_met
expect 0.03 until
runs=$(value runs)
[ "$runs" -gt 5 ] && [ "$runs" -lt 100 ] || fail "$runs runs, expected more than 5"
narrow "$(value mean latency_clocks)" "$(value mean_ci95 latency_clocks)" || fail "the interval is wider"
plain "$out" >"$work/until"
run 0 $mesh "${quick[@]}" --load 0.16 --repeat "$runs"
plain "$out" | cmp - "$work/until" || fail "$runs repeats are something else"
run 0 $mesh "${quick[@]}" --load 0.16 --repeat $((runs - 1))
! narrow "$(value mean latency_clocks)" "$(value mean_ci95 latency_clocks)" || fail "one run less is enough"

# The bound; a calm load, which needs the least number; a saturated one, which ends with them. The next point has its own runs.
run 0 $mesh "${quick[@]}" --load 0.16 --until 3% --repeat 6
expect false until_met
expect 6 runs
for jobs in 1 4; do
    run 0 $mesh "${quick[@]}" --load 0.02,0.3,0.16 --until 3% --repeat 9 --jobs $jobs --csv "$work/$jobs.csv"
    plain "$out" >"$work/jobs.$jobs"
done
cmp "$work/jobs.1" "$work/jobs.4" || fail "4 jobs differ from one"
[ "$(grep -o '"runs":[0-9]*\|"runs_saturated":[0-9]*\|"until_met":[a-z]*' "$out" | cut -d : -f 2 | xargs)" = \
    '5 0 true 5 5 false 9 0 false' ] || fail "runs: $(grep -o '"runs[a-z_]*":[0-9]*\|"until_met":[a-z]*' "$out" | xargs)"
run 0 $mesh --engine functional --packets 2000 --quiet --load 0.02,0.3,0.16 --until 3% --repeat 9
grep -q '^0\.16 .* not narrow after 9 runs$' "$out" || fail "lines: $(cat "$out")"
grep -q '^0\.02 .* steady$' "$out" || fail "lines: $(cat "$out")"

# A signal ends it, and the point has the runs that were made.
"$postroad" sim $mesh --engine functional --packets 5000 --load 0.22 --until 0.01% --repeat 1000 --jobs 2 --json \
    >"$out" 2>"$err" &
child=$!
for _ in $(seq 300); do [ "$(grep -c started "$err")" -ge 6 ] && break; sleep 0.1; done
kill -INT $child
wait $child
[ $? -eq 130 ] || fail "interrupted: exit code"
expect false until_met
[ "$(value runs)" -ge 4 ] || fail "interrupted: $(value runs) runs"

for value in 2 % 0% 60% x% 2%%; do
    run 1 $mesh --until $value
    grep -qF -- "--until $value: expected a percentage from 0.01% to 50%, such as 2%" "$err" || fail "$value: $(cat "$err")"
done
finish
