#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# `postroad compare`: numbers and verdicts of files whose difference is known, which series is compared with which, files of `sim`
# themselves, the picture, and what is no such file.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/work.bash
source tests/work.bash

# compare CODE ARGUMENTS...
compare() {
    local status=0
    build/postroad compare "${@:2}" >"$work/out" 2>"$work/err" || status=$?
    [ $status -eq "$1" ] || fail "compare ${*:2}: exit code $status, expected $1: $(cat "$work/err")"
}

# expect_rows FILTER TEXT: what jq says of the rows, on one line.
expect_rows() {
    local found
    found=$(jq -c "[.rows[] | $1]" "$work/out")
    [ "$found" = "$2" ] || fail "$1 is $found, expected $2"
}

# file NAME ROW...: load, seeds, mean, half, runs that were saturated.
file() {
    echo schema,mesh,seeds,runs_saturated,runs_unsteady,load,diagnosis,latency_clocks_mean,latency_clocks_mean_ci95 >"$work/$1"
    for row in "${@:2}"; do
        IFS=, read -r load seeds mean half saturated <<<"$row"
        echo "postroad.sim,\"a \"\"mesh\"\", here\",$seeds,$saturated,0,$load,\"x, y\",$mean,$half" >>"$work/$1"
    done
}

# The standard error of each mean is 1: 2.776445 is Student's for four degrees of freedom.
file a.csv 0.1,5,10,2.776445,0 0.2,5,10,2.776445,0 0.3,5,10,2.776445,0 0.4,1,10,,0 0.5,5,10,2.776445,0
file b.csv 0.1,5,13,2.776445,0 0.2,5,14,2.776445,0 0.3,5,5,2.776445,2 0.4,5,13,2.776445,0 0.6,5,1,2.776445,0
compare 0 "$work/a.csv" "$work/b.csv" --json
expect_rows .load '[0.1,0.2,0.3,0.4]'
expect_rows .difference '[3,4,-5,3]'
expect_rows '(.difference_ci95 // 0) * 1000 | round' '[3261,3261,3261,0]'
expect_rows '(.chance // 2) * 1000 | round' '[67,22,8,2000]'
expect_rows .significant '[false,true,true,null]'
expect_rows .diverges '[false,false,true,false]'
compare 0 "$work/a.csv" "$work/b.csv"
for line in \
    'b\.csv  *a\.csv  *0\.1  *10\.0 +-2\.8  *13\.0 +-2\.8  *3\.0 +-3\.3  *+30\.0 %  *0\.067  not significant *$' \
    '0\.2 .* 0\.022  greater *$' '0\.3 .* 0\.0077  less  *saturated or not steady *$' \
    '0\.4  *10  .*  *3  .*unknown: one run *$'; do
    grep -q "$line" "$work/out" || fail "no line '$line': $(cat "$work/out")"
done

# Files of sim: series with the same swept values; a single file; another column; a search.
sim=(build/postroad sim hw/mesh/grid-4x4.mesh --engine functional --quiet --packets 2000 --repeat 3)
"${sim[@]}" --load 0.05,0.15 --sweep traffic=uniform,transpose --csv "$work/grid.csv" >"$work/lines" || fail "sim"
"${sim[@]}" --load 0.05,0.15 --sweep traffic=transpose,uniform --set mesh.topology=torus --csv "$work/torus.csv" >/dev/null ||
    fail "sim of a torus"
compare 0 "$work/grid.csv" "$work/torus.csv" --json --plot "$work/both"
expect_rows '.base_swept == .swept' '[true,true,true,true]'
expect_rows '.swept' '["traffic=transpose","traffic=transpose","traffic=uniform","traffic=uniform"]'
[ "$(jq '.rows[2].base * 10 | round' "$work/out")" = "$(awk '$1 == "uniform" && $2 == 0.05 { print $5 * 10 }' "$work/lines")" ] ||
    fail "the base is not that of sim: $(cat "$work/lines")"
for curve in 'grid.csv traffic=uniform' 'torus.csv traffic=transpose' latency_clocks_mean 'intervals of 95 %'; do
    grep -qF ">$curve<" <(sed 's/<tspan[^>]*>//; s/<\/tspan>//' "$work/both-compare.svg") || fail "picture: no '$curve'"
done
compare 0 "$work/grid.csv" --json --column accepted_load
expect_rows '.base_swept' '["traffic=uniform","traffic=uniform"]'
expect_rows '.swept' '["traffic=transpose","traffic=transpose"]'
"${sim[@]}" --load 0.05 --sweep mesh.topology=grid,torus --sweep traffic=uniform,transpose --csv "$work/four.csv" >/dev/null ||
    fail sim
compare 0 "$work/four.csv" --json --by mesh.topology
expect_rows '[.base_swept, .swept] | map(gsub("mesh.topology=|traffic="; ""))' \
    '[["grid uniform","torus uniform"],["grid transpose","torus transpose"]]'
compare 0 "$work/four.csv" "$work/grid.csv" --json --by traffic
expect_rows '.file == .base_file' '[true,true,true,true]'
expect_rows '.base_swept | contains("uniform")' '[true,true,true,true]'
"${sim[@]}" --load saturation --sweep mesh.topology=grid,torus --csv "$work/search.csv" >/dev/null || fail sim
compare 0 "$work/search.csv" --json --column saturation_load
expect_rows '.load, .diverges, (.value > .base), (.value < 0.4)' '[null,false,true,true]'

# A run folder is its table, and has its own name.
for size in 4x4 2x8; do
    "${sim[@]}" --load 0.05 --set mesh.size=$size --out "$work/$size" >/dev/null || fail "sim --out"
done
compare 0 "$work/4x4/" "$work/2x8"
grep -q '^2x8  *4x4  *0\.05 .*  greater *$' "$work/out" || fail "folders: $(cat "$work/out")"

# refused CODE MESSAGE ARGUMENTS...: and nothing is printed or written.
refused() {
    compare "$1" "${@:3}"
    grep -qF -- "$2" "$work/err" || fail "${*:3}: $(cat "$work/err"), expected $2"
    [ ! -s "$work/out" ] || fail "${*:3}: prints $(cat "$work/out")"
}
printf 'a,b\n1,2\n' >"$work/other.csv"
: >"$work/empty.csv"
head -n 1 "$work/a.csv" >"$work/heading.csv"
sed '3s/,[^,]*$//' "$work/a.csv" >"$work/short.csv"
sed '2s/here"/here/' "$work/a.csv" >"$work/open.csv"
refused 1 "four.csv: --by load, expected a key that was swept" "$work/four.csv" --by load
refused 1 "other.csv:1: expected a heading of postroad sim --csv" "$work/other.csv"
refused 1 "empty.csv:1: empty, expected a file of postroad sim --csv" "$work/empty.csv"
refused 1 "heading.csv:2: expected a line for each point" "$work/a.csv" "$work/heading.csv"
refused 1 "short.csv:3: expected as many fields as the heading has" "$work/short.csv"
refused 1 "open.csv:2: expected as many fields" "$work/open.csv"
refused 1 "none.csv: No such file" "$work/none.csv"
refused 1 "/dev/zero: more than 67108864 bytes, expected a file of postroad sim --csv" /dev/zero
mkfifo "$work/pipe"
refused 1 "pipe:1: empty" "$work/pipe"
refused 1 "a.csv: no column x, expected one of its heading" "$work/a.csv" "$work/b.csv" --column x
refused 1 "a.csv: nothing to compare it with" "$work/a.csv"
rm "$work/2x8/table.csv"
refused 1 "2x8/table.csv: No such file" "$work/2x8"
head -n 2 "$work/a.csv" >"$work/point.csv"
refused 1 "--plot: each series has one point, expected several loads" "$work/point.csv" "$work/point.csv" --plot "$work/p"
refused 1 "expected FILE.csv|FOLDER..."
compare 2 "$work/a.csv" "$work/b.csv" --plot "$work/none/x"
verdict test_compare
