#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# `postroad sim --sweep`: each combination is the run with those values given one by one, in the order of the command line; the
# values are the first columns; a curve a combination; and what cannot be swept is refused, with the value that is wrong.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sim/sim_results.bash
source tests/sim/sim_results.bash
mesh=hw/mesh/grid-4x4.mesh
quick=(--packets 500 --quiet --multicast 0.1)

# same_as ARGUMENTS...: the next line of the sweep is what these options print alone, but for `swept`.
same_as() {
    run 0 $mesh "${quick[@]}" --json "$@"
    line=$((line + 1))
    cmp <(costless "$out") <(sed -n "${line}p" "$work/sweep" | sed 's/"swept":{[^}]*},//') || fail "line $line is not: $*"
}

# Keys of the mesh and options, two loads each; the last key varies fastest.
run 0 $mesh "${quick[@]}" --json --engine functional --jobs 3 --sweep mesh.topology=grid,torus --load 0.05,0.2 \
    --sweep traffic=uniform,transpose
costless "$out" >"$work/sweep"
line=0
for topology in grid torus; do
    for traffic in uniform transpose; do
        for load in 0.05 0.2; do
            grep -q "^{\"swept\":{\"mesh.topology\":\"$topology\",\"traffic\":\"$traffic\"},\"schema\":" \
                <(sed -n "$((line + 1))p" "$work/sweep") || fail "line $((line + 1)): $(cut -c 1-80 "$work/sweep")"
            same_as --engine functional --set mesh.topology=$topology --traffic $traffic --load $load
        done
    done
done
[ "$(wc -l <"$work/sweep")" -eq 8 ] || fail "$(wc -l <"$work/sweep") points of 8"

# one OPTION VALUE VALUE: an option whose values make the runs that the option makes alone.
one() {
    run 0 $mesh "${quick[@]}" --json --load 0.1 --sweep "$1=$2,$3"
    costless "$out" >"$work/sweep"
    line=0
    same_as --load 0.1 "--$1" "$2"
    same_as --load 0.1 "--$1" "$3"
}
one engine functional rtl
one length 3 geometric:5
one multicast 0 0.5
one targets 2 3:5
one pool 6 40
one window 1 3
one reliable 0 1
one packets 300 400
one process bernoulli bursty:3
# A flag has yes and no; load is a list.
run 0 $mesh "${quick[@]}" --json --sweep load=0.1,0.2 --sweep repeated-unicasts=no,yes
costless "$out" >"$work/sweep"
line=0
same_as --load 0.1
same_as --load 0.2
same_as --load 0.1 --repeated-unicasts
same_as --load 0.2 --repeated-unicasts

# CSV, lines and picture, with repeats; the same with any jobs.
for jobs in 1 3; do
    run 0 $mesh "${quick[@]}" --engine functional --sweep mesh.topology=grid,torus --sweep window=1,4 --load 0.05:0.35:0.1 \
        --repeat 2 --jobs $jobs --csv "$work/$jobs.csv" --plot "$work/$jobs"
    cp "$out" "$work/$jobs.out"
done
cmp "$work/1.out" "$work/3.out" && cmp "$work/1-latency.svg" "$work/3-latency.svg" || fail "3 jobs differ from one"
grep -q '^swept_mesh.topology,swept_window,schema,' "$work/1.csv" || fail "CSV: $(head -n 1 "$work/1.csv" | cut -c 1-60)"
[ "$(sed 1d "$work/1.csv" | cut -d , -f 1,2 | uniq -c | xargs)" = '4 grid,1 4 grid,4 4 torus,1 4 torus,4' ] || fail "CSV: order"
[ "$(grep -cE '^(grid|torus) +[14] +0\.[0-9]+ +0\.' "$out")" -eq 16 ] || fail "lines: $(cat "$out")"
for curve in 'mesh.topology=grid window=1' 'mesh.topology=torus window=4' grid-4x4.mesh 'mean latency (clocks)'; do
    grep -q ">$curve<" <(sed 's/<tspan[^>]*>//; s/<\/tspan>//' "$work/1-latency.svg") || fail "picture: no '$curve'"
done
grep -q '4 data words\|uniform traffic' "$work/1-latency.svg" && fail "the title says what is not so of all curves"

# A range of loads ends with the second one that is saturated, with any jobs, each combination by itself; a list has all.
range=(--engine functional --packets 2000 --sweep 'traffic=neighbour,uniform')
for jobs in 1 3; do
    run 0 $mesh "${range[@]}" --load 0.1:0.9:0.2 --jobs $jobs --csv "$work/$jobs.csv"
    cp "$out" "$work/$jobs.out"
    [ "$(sed -n 's/.*=\(.*\): not run, nor are greater loads: 2 below it are saturated$/\1/p' "$err" | xargs)" = \
        'neighbour, load 0.9 uniform, load 0.7' ] || fail "notes: $(cat "$err")"
done
cmp "$work/1.out" "$work/3.out" && cmp <(costless_csv "$work/1.csv") <(costless_csv "$work/3.csv") ||
    fail "3 jobs differ from one"
[ "$(awk '/ - .* not run$/ { print $1, $2 }' "$out" | xargs)" = 'neighbour 0.9 uniform 0.7 uniform 0.9' ] ||
    fail "lines: $(cat "$out")"
run 0 $mesh "${range[@]}" --quiet --load 0.1,0.3:0.9:0.2 --csv "$work/all.csv"
[ "$(diff <(costless_csv "$work/1.csv") <(costless_csv "$work/all.csv") |
    sed -n 's/^<.*,not run,,,,.*/not run/p; t; s/^<.*/other/p' | uniq -c | xargs)" = '3 not run' ] ||
    fail "a list has other points than a range"
run 0 $mesh --engine functional --packets 2000 --quiet --load 0.1:0.9:0.2 --plot "$work/range"
grep -q 'network latency of an idle mesh' "$work/range-latency.svg" || fail "the picture of a range lacks the bounds"

# refused MESSAGE ARGUMENTS...
refused() {
    run 1 $mesh --packets 100 "${@:2}"
    [ ! -s "$out" ] || fail "${*:2}: prints $(cat "$out")"
    grep -qF -- "$1" "$err" || fail "${*:2}: $(cat "$err"), expected $1"
}
refused '--sweep length: expected KEY=VALUE,VALUE,...' --sweep length
refused '--sweep =3: expected KEY=VALUE' --sweep =3
refused '--sweep seed=1,2: expected SECTION.KEY of a .mesh file or one of the options engine' --sweep seed=1,2
refused '--pool x: expected a number from 3 to 65536' --sweep pool=4,x
refused '--relays maybe: expected yes or no' --sweep relays=no,maybe
refused '--traffic : expected uniform' --sweep traffic=uniform,
refused '--set mesh.topology=ring: ' --sweep mesh.topology=grid,ring
refused '--window is larger than the pool' --reliable 0 --sweep window=2,60
refused 'this key is swept twice' --sweep pool=4,5 --sweep pool=6
refused 'at most 1000' --sweep "pool=$(seq -s , 3 40)" --sweep "length=$(seq -s , 1 40)"
refused 'expected one load, no --repeat and no --sweep' --sweep pool=4,5 --waves "$work/x.fst"
finish
