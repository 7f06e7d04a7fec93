#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# `postroad sim --load saturation`: what it says was seen is what the runs at these loads show, for each combination of a sweep;
# the same whatever --jobs; a signal; what does not go with it.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sim/sim_results.bash
source tests/sim/sim_results.bash
mesh=hw/mesh/grid-4x4.mesh
quick=(--engine functional --packets 4000 --quiet)

# beyond LOAD ARGUMENTS...: true if the run is saturated, or not steady.
beyond() {
    run 0 $mesh "${quick[@]}" --json --load "$@"
    [ "$(value saturated)" = true ] || [ "$(value steady)" = false ]
}

for jobs in 1 4; do
    run 0 $mesh "${quick[@]}" --load saturation --sweep traffic=uniform,transpose --jobs $jobs --json --csv "$work/$jobs.csv" \
        --plot "$work/$jobs"
    costless "$out" >"$work/$jobs"
done
cmp "$work/1" "$work/4" && cmp "$work/1-latency.svg" "$work/4-latency.svg" || fail "4 jobs differ from one"
[ "$(wc -l <"$work/1")" -eq 2 ] && [ "$(wc -l <"$work/1.csv")" -eq 3 ] || fail "points: $(cat "$work/1")"
for traffic in uniform transpose; do
    grep "\"swept\":{\"traffic\":\"$traffic\"}" "$work/1" >"$out" || fail "no $traffic"
    greatest=$(value saturation_greatest) least=$(value saturation_least) load=$(value saturation_load)
    expect null load
    expect null accepted_load
    expect null saturation_load_ci95
    awk -v a="$greatest" -v b="$least" -v l="$load" 'BEGIN { exit !(a > 0 && a < l && l < b && b - a < 0.0201 * b) }' ||
        fail "$traffic: $greatest, $load, $least"
    beyond "$greatest" --traffic $traffic && fail "$traffic: load $greatest is saturated"
    beyond "$least" --traffic $traffic || fail "$traffic: load $least is not saturated"
done

# Several seeds: the mean of the searches, and the loads that any of them has seen.
loads=
for seed in 3 4 5; do
    run 0 $mesh "${quick[@]}" --json --load saturation
    loads+="$(value saturation_load) $(value saturation_greatest) $(value saturation_least)"$'\n'
done
seed=3
run 0 $mesh "${quick[@]}" --json --load saturation --repeat 3 --jobs 2
awk -v load="$(value saturation_load)" -v half="$(value saturation_load_ci95)" -v greatest="$(value saturation_greatest)" \
    -v least="$(value saturation_least)" '
    function near(a, b) { return a - b < 2e-6 && b - a < 2e-6 }
    NF { x[NR] = $1; sum += $1; if ($2 > g) g = $2; if (!l || $3 < l) l = $3; open += ($3 - $2) / 2 / 3 }
    END { for (i in x) squares += (x[i] - sum / 3) ^ 2
          exit !(near(load, sum / 3) && near(greatest, g) && near(least, l) &&
                 near(half, 4.302653 * sqrt(squares / 6) + open)) }' <<<"$loads" ||
    fail "$(grep -o '"saturation_[a-z0-9_]*":[^,]*' "$out" | xargs), expected the means of $loads"
run 0 $mesh "${quick[@]}" --load saturation --repeat 3
grep -qE '^0\.[0-9]{4} \+-0\.[0-9]{4} +0\.[0-9]{4} +0\.[0-9]{4} +[0-9]+ runs$' "$out" || fail "lines: $(cat "$out")"

# refused MESSAGE ARGUMENTS...
refused() {
    run 1 $mesh --packets 100 --load saturation "${@:2}"
    grep -qF -- "$1" "$err" || fail "${*:2}: $(cat "$err"), expected $1"
}
printf '0 0 2 8\n' >"$work/one.tra"
refused '--load saturation with --until, expected loads' --until 2%
refused 'with several loads, expected no --load' --traffic "trace:$work/one.tra"
refused 'expected one load, no --repeat and no --sweep' --waves "$work/x.fst"

"$postroad" sim $mesh --packets 100000000 --load saturation --json >"$out" 2>"$err" &
child=$!
for _ in $(seq 300); do grep -q started "$err" && break; sleep 0.1; done
kill -INT $child
wait $child
[ $? -eq 130 ] || fail "interrupted: exit code"
expect interrupted result
expect null saturation_load
finish
