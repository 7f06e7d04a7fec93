#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# `postroad sim --repeat`: the runs are those of the seeds one by one, numbers are their means with the interval, verdicts the
# worst with how many runs had them, the exit code the worst; the same whatever --jobs; error bars.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sim/sim_results.bash
source tests/sim/sim_results.bash
mesh=hw/mesh/grid-4x4.mesh
quick=(--engine functional --packets 2000 --quiet)

# near WANTED FOUND WHAT: equal but for the last digits.
near() {
    awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; m = a < 0 ? -a : a; exit !((d < 0 ? -d : d) <= 1e-5 * m + 1e-6) }' ||
        fail "$3 is $2, expected $1"
}

# mean_and_half VALUE...: of three values; 4.302653 is Student's for two degrees of freedom.
mean_and_half() {
    xargs -n 1 <<<"$*" | awk '{ x[NR] = $1; sum += $1 }
        END { mean = sum / 3; for (i in x) squares += (x[i] - mean) ^ 2
              printf "%.9g %.9g\n", mean, 4.302653 * sqrt(squares / 2 / 3) }'
}

first=$seed latencies='' accepted='' aborts=''
several=(--load 0.15 --multicast 0.2)
for seed in "$first" $((first + 1)) $((first + 2)); do
    run 0 $mesh "${quick[@]}" --json "${several[@]}"
    latencies+=" $(value mean latency_clocks)" accepted+=" $(value accepted_load)" aborts+=" $(value resent_after_abort)"
    [ -z "$(value aborts_ci95)" ] || fail "one run has intervals"
done
seed=$first
for jobs in 1 2 5; do
    run 0 $mesh "${quick[@]}" --json "${several[@]}" --repeat 3 --jobs $jobs
    costless "$out" >"$work/jobs.$jobs"
done
for jobs in 2 5; do cmp "$work/jobs.1" "$work/jobs.$jobs" || fail "$jobs jobs"; done
read -r mean half < <(mean_and_half "$latencies")
near "$mean" "$(value mean latency_clocks)" "mean latency"
near "$half" "$(value mean_ci95 latency_clocks)" "interval of the mean latency"
read -r mean half < <(mean_and_half "$accepted")
near "$mean" "$(value accepted_load)" "accepted load"
near "$half" "$(value accepted_load_ci95)" "interval of the accepted load"
read -r mean half < <(mean_and_half "$aborts")
near "$mean" "$(value resent_after_abort)" "resent after abort"
expect "$first" seed
expect 3 runs
expect 0 runs_incomplete
expect complete result

# A sweep: a line a point, with the same numbers in CSV, and error bars in the picture: two a curve and point, and their caps.
run 0 $mesh "${quick[@]}" --load 0.05,0.1:0.2:0.05 --repeat 3 --csv "$work/sweep.csv" --plot "$work/sweep"
[ "$(wc -l <"$out")" -eq 5 ] && [ "$(grep -c '^0\.[0-9]* .* +-.* +-.* +-.*' "$out")" -eq 4 ] || fail "lines: $(cat "$out")"
[ "$(wc -l <"$work/sweep.csv")" -eq 5 ] || fail "CSV of a sweep"
columns=$(head -n 1 "$work/sweep.csv" | tr ',' '\n' | wc -l)
[ "$(sed 1d "$work/sweep.csv" | awk -F , '{ print NF }' | sort -u)" = "$columns" ] || fail "CSV: columns and heading differ"
for name in latency_clocks_mean latency_clocks_mean_ci95 latency_clocks_p99_ci95 accepted_load_ci95 runs_saturated; do
    grep -q ",$name," <(head -n 1 "$work/sweep.csv") || fail "CSV: no column $name"
done
awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
    { printf "%s %.1f +-%.1f\n", $column["load"], $column["latency_clocks_mean"], $column["latency_clocks_mean_ci95"] }' \
    "$work/sweep.csv" >"$work/means"
while read -r load mean; do grep -qF "  $mean " <(grep "^$load " "$out") || fail "load $load: no mean $mean"; done <"$work/means"
# Each of the three curves has error bars: their caps are drawn as arrow heads. Those of one run have none.
run 0 $mesh "${quick[@]}" --load 0.05,0.1:0.2:0.05 --plot "$work/single"
for picture in sweep:3 single:0; do
    curves=$(tr -d '\n' <"$work/${picture%:*}-latency.svg" | sed 's/<g id="gnuplot_plot/\n&/g' |
        grep -c 'M[0-9.]*,\([0-9.]*\) L[0-9.]*,\1 L[0-9.]*,\1 ')
    [ "$curves" -eq "${picture#*:}" ] || fail "$picture: $curves curves have error bars"
done
grep -q 'seeds from .*, intervals of 95 %' "$work/sweep-latency.svg" || fail "the title names no intervals"

# What one run does is not averaged away. With three buffers a site some seeds lock the storage up, and some do not.
lock=(--engine functional --reliable 0 --packets 1000 --load 1 --pool 3 --multicast 0.5)
locked=0 ended=0
for seed in 1 2 3 4 5 6; do
    "$postroad" sim --seed $seed $mesh --quiet --json "${lock[@]}" >"$out" 2>/dev/null
    case $? in 6) locked=$((locked + 1)) ;; 0) ended=$((ended + 1)) ;; *) fail "seed $seed" ;; esac
done
[ $locked -gt 0 ] && [ $ended -gt 0 ] || fail "of six seeds $locked lock up, $ended do not: choose another load"
seed=1
run 6 $mesh --quiet --json "${lock[@]}" --repeat 6
expect $locked runs_incomplete
expect 'locked up' result
expect true locked_up
grep -q 'storage is locked up' <<<"$(value diagnosis)" || fail "diagnosis: $(value diagnosis)"
run 6 $mesh --quiet "${lock[@]}" --repeat 6
grep -q "$locked of 6 locked up\$" "$out" || fail "lines: $(cat "$out")"
[ "$(grep -c '^postroad sim: load [0-9.]*, seed [1-6]: .*storage is locked up' "$err")" = $locked ] || fail "names: $(cat "$err")"

# Thirty packets do not tell whether a run was steady.
run 0 $mesh --engine functional --quiet --json --packets 30 --load 0.1 --repeat 3
expect 3 runs_undecided
expect null steady

# Near the knee some runs are steady, and a range of loads goes on.
run 0 $mesh --engine functional --quiet --json --packets 20000 --load 0.215:0.235:0.005 --repeat 8
grep -q '"runs_saturated":[1-7],.*"saturated":true' "$out" || fail "no point has saturated runs and others"
[ "$(grep -c '"runs":8,' "$out")" -eq 5 ] || fail "a range ends at loads of which only some runs are saturated"

for arguments in "--waves $work/x.fst" "--capture $work/x.vcd" "--engine functional --checkpoint $work/x"; do
    # shellcheck disable=SC2086 # several arguments
    run 1 $mesh --repeat 2 $arguments
    grep -q 'expected one load, no --repeat and no --sweep' "$err" || fail "$arguments: $(cat "$err")"
done
for value in 0 1001 x; do run 1 $mesh --repeat $value; done
for value in '0.1,' ,0.1 0.1:0.2 0.1,0.2:0.1:0.1 2; do run 1 $mesh --load $value; done
finish
