#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Run folders of `postroad sim --out`: whoever makes its points, and however often it was killed, a folder ends with the bytes of
# one that was made at once, and these are what --csv, --json and --plot give; --check names each file that is not what it should
# be; nothing that is there is overwritten.
# usage: test_sim_folder.sh [killed|until|ends|saturation|odd|refused...]      default: all of them
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sim/sim_results.bash
source tests/sim/sim_results.bash
mesh=$work/grid.mesh
cp hw/mesh/grid-4x4.mesh "$mesh"
plan=("$mesh" --seed "$seed" --engine functional --packets 4000 --load '0.05,0.1' --sweep 'routing.unicast=strict,adaptive'
    --multicast 0.1)

# same FOLDER OTHER: table, pictures and points but for the cost.
same() {
    local file
    cmp <(costless "$1/table.json") <(costless "$2/table.json") >&2 || fail "$1: table.json"
    cmp <(costless_csv "$1/table.csv") <(costless_csv "$2/table.csv") >&2 || fail "$1: table.csv"
    cmp <(costless_csv "$1/runs.csv") <(costless_csv "$2/runs.csv") >&2 || fail "$1: runs.csv"
    for file in "$2"/plot-*.{svg,gp}; do cmp "$1/${file##*/}" "$file" >&2 || fail "$1: ${file##*/}"; done
    diff <(ls "$1/points") <(ls "$2/points") >&2 || fail "$1: other points"
    grep -q '%%EOF' "$1/plot-links.pdf" || fail "$1: no PDF"
}

# made: how many runs the last command has made.
made() { grep -c started "$err"; }

# broken_off SIGNAL CODE FOLDER ARGUMENTS...: a folder whose process got the signal once it had three points.
broken_off() {
    local signal=$1 code=$2 folder=$3 child status try
    shift 3
    for try in 1 2 3 4 5 6 7 8; do
        rm -rf "$folder"
        "$postroad" sim "$@" --jobs 2 --quiet --out "$folder" >"$out" 2>"$err" &
        child=$!
        until [ "$(find "$folder/points" -name 'point-*[0-9]' 2>/dev/null | wc -l)" -ge 3 ]; do sleep 0.005; done
        kill -"$signal" $child
        wait $child 2>/dev/null
        status=$?
        # A worker ends with its parent, but not at once.
        while pgrep -f -- "--out $folder\$" >/dev/null; do sleep 0.05; done
        [ -e "$folder/table.csv" ] || break # else it was over before
    done
    [ $status -eq "$code" ] || fail "$signal, try $try: exit code $status"
}

# Made at once: what the options of output give without a folder.
check_whole() {
    verb 0 sim "${plan[@]}" --repeat 3 --jobs 2 --out "$work/once"
    cp "$out" "$work/once.out"
    [ "$(made)" -eq 12 ] || fail "12 runs are $(made)"
    mkdir -p "$work/plain/points"
    verb 0 sim "${plan[@]}" --repeat 3 --jobs 2 --csv "$work/plain/table.csv" --plot "$work/plain/plot"
    cmp "$out" "$work/once.out" || fail "standard output"
    verb 0 sim "${plan[@]}" --repeat 3 --jobs 2 --json
    cmp <(costless "$out") <(costless "$work/once/table.json") || fail "table.json"
    cmp <(costless_csv "$work/plain/table.csv") <(costless_csv "$work/once/table.csv") || fail "table.csv"
    for picture in latency histogram links; do
        cmp "$work/plain/plot-$picture.svg" "$work/once/plot-$picture.svg" || fail "$picture"
        (cd "$work/once" && gnuplot plot-$picture.gp) || fail "plot-$picture.gp"
    done
    verb 0 sim "${plan[@]}" --seed $((seed + 1)) --csv -
    awk -F , -v seed=$((seed + 1)) 'NR == 1 { while ($++i != "seed"); } NR == 1 || $i == seed' "$work/once/runs.csv" \
        >"$work/second"
    cmp <(costless_csv "$out") <(costless_csv "$work/second") || fail "runs.csv: the second seed"
    cmp "$mesh" "$work/once/run.mesh" || fail "the copy of the mesh"
    python3 - "$work/once/run.json" "$seed" <<'PYTHON' || fail "run.json"
import json, os, sys
run = json.load(open(sys.argv[1]))
assert run["schema"] == "postroad.run" and run["version"] and run["build"] and run["defaults"]["traffic"] == "uniform"
assert "commit" in run or not os.path.exists(".git")
assert {"packets=4000", "repeat=3", "seed=" + sys.argv[2]} <= set(run["options"])
assert run["command"][1] == "sim" and "4000" in run["command"]
PYTHON
    verb 0 sim --check "$work/once"
    grep -qx '12 of 12 runs are there' "$out" || fail "check: $(cat "$out")"
    verb 0 sim --resume "$work/once"
    [ "$(made)" -eq 0 ] || fail "a whole folder is made again"
}

# Killed; then one part after the other, and two at once. More seeds.
check_killed() {
    local codes
    broken_off KILL 137 "$work/killed" "${plan[@]}" --repeat 3
    verb 4 sim --check "$work/killed"
    grep -Eqx 'point-0004-load-0.1-seed-[0-9]+: missing' "$out" || fail "check: $(cat "$out")"
    verb 0 sim --resume "$work/killed" --part 2/2 --quiet
    if [ -e "$work/killed/table.csv" ] || [ -s "$out" ]; then fail "a part makes a table"; fi
    verb 4 sim --check "$work/killed" --quiet
    grep -q . <(grep missing "$out") || fail "one part of two makes all"
    "$postroad" sim --resume "$work/killed" --jobs 2 >"$out.other" 2>"$err.other" &
    "$postroad" sim --resume "$work/killed" --jobs 2 >"$out" 2>"$err"
    codes=$?
    wait $!
    codes+=$?
    [[ $codes == [04][04] && $codes != 44 ]] || fail "two at once: exit codes $codes"
    cat "$err" >>"$err.other"
    [ "$(grep -o 'routing.*started' "$err.other" | sort | uniq -d | wc -l)" -eq 0 ] || fail "made twice: $(cat "$err.other")"
    grep -q '^strict .* 0.05 ' "$out" "$out.other" || fail "nobody prints the table"
    same "$work/killed" "$work/once"
    verb 1 sim --resume "$work/killed" --repeat 2
    grep -q 'the folder has 3, expected as many or more' "$err" || fail "fewer seeds: $(cat "$err")"
    verb 0 sim --resume "$work/killed" --repeat 4
    [ "$(made)" -eq 4 ] || fail "a fourth seed of 4 points is $(made) runs"
    verb 0 sim "${plan[@]}" --repeat 4 --jobs 2 --quiet --out "$work/four"
    same "$work/killed" "$work/four"
}

# Which runs are needed follows from those before: interrupted, and divided.
check_dependent() {
    local kind=$1 options
    shift
    options=("$mesh" --seed "$seed" --engine functional --packets 2000 --quiet --sweep 'traffic=uniform,transpose' "$@")
    verb 0 sim "${options[@]}" --csv "$work/$kind.csv"
    broken_off INT 130 "$work/$kind" "${options[@]}"
    verb 0 sim --resume "$work/$kind" --part 1/2 --quiet
    verb 0 sim --resume "$work/$kind" --part 2/2 --quiet
    cmp <(costless_csv "$work/$kind.csv") <(costless_csv "$work/$kind/table.csv") || fail "$kind: table.csv"
    verb 0 sim --check "$work/$kind"
}

# check_says CODE STATE FILE: --check of the folder odd.
check_says() {
    verb "$1" sim --check "$work/odd"
    grep -qx "${3##*/}: $2" "$out" || fail "expected $2: $(cat "$out")"
}

check_odd() {
    local points=("$work/once/points"/*) one=$work/odd/points other
    cp -r "$work/once" "$work/odd"
    one+=/${points[0]##*/} other=$work/odd/points/${points[1]##*/}
    truncate -s -1 "$one" && check_says 4 damaged "$one"
    { head -c -1 "${points[0]}" && printf '\377'; } >"$one" && check_says 4 damaged "$one"
    sed '1s/build .*/build 0123/' "${points[0]}" >"$one" && check_says 3 'of another program' "$one"
    cp "$other" "$one" && check_says 3 'of other settings' "$one"
    verb 1 sim --resume "$work/odd"
    grep -q "${one##*/} is of other settings: remove it" "$err" || fail "resume: $(cat "$err")"
    cmp "${points[1]}" "$one" || fail "another's point was overwritten"
    rm "$one" && check_says 4 missing "$one"
    truncate -s 5000 "$other"
    verb 0 sim --resume "$work/odd" --quiet
    same "$work/odd" "$work/once"
    echo '; as before' >>"$work/odd/run.mesh" && verb 0 sim --check "$work/odd"
    sed -i 's/^size *=.*/size = 4x5/' "$work/odd/run.mesh" && check_says 3 'of another mesh' "$one"
    sed -i 's/"build":.*/"build": "0123",/' "$work/odd/run.json"
    verb 1 sim --resume "$work/odd"
    grep -q 'expected the same program' "$err" || fail "another program: $(cat "$err")"
}

check_refused() {
    mkdir "$work/other" && : >"$work/other/mine"
    for folder in other once; do verb 1 sim "${plan[@]}" --out "$work/$folder"; done
    grep -q "is a run folder, expected a new one, or --resume $work/once" "$err" || fail "once more: $(cat "$err")"
    [ "$(ls "$work/other")" = mine ] || fail "a folder of somebody else: $(ls "$work/other")"
    verb 1 sim --resume "$work/other"
    verb 1 sim --check "$work/other"
    for option in '--load 0.1' '--seed 3' "--csv $work/x"; do
        # shellcheck disable=SC2086 # two arguments
        verb 1 sim --resume "$work/once" $option
    done
    for option in '--csv x' '--plot x' '--waves x' '--capture x.vcd' '--testbed x' '--part 3/2' '--part 0/2'; do
        # shellcheck disable=SC2086 # two arguments
        verb 1 sim "${plan[@]}" --out "$work/new" $option
    done
    verb 1 sim "${plan[@]}" --part 1/2
    verb 1 sim --resume "$work/once" --out "$work/new"
    verb 1 sim --resume "$work/once" --check "$work/once"
    verb 1 sim "${plan[@]}" --packets 0 --out "$work/new"
    verb 1 sim <(cat "$mesh") --engine functional --out "$work/new"
    grep -q 'expected an ordinary file' "$err" || fail "a pipe: $(cat "$err")"
    [ ! -e "$work/new" ] || fail "a plan that is refused leaves a folder"
}

check_until() {
    local runs
    check_dependent until --until 1.5% --repeat 30 --load 0.08 --packets 1000
    runs=$(grep -o '"runs":[0-9]*' "$work/until/table.json" | cut -d : -f 2 | awk '{ sum += $1 } END { print sum }')
    [ "$(find "$work/until/points" -type f | wc -l)" -le $((runs + 4)) ] || fail "until: more than the $runs runs that are needed"
}
# As one process makes it, a folder has only the runs that are needed.
check_ends() {
    check_dependent ends --load 0.1:0.9:0.2 --repeat 2
    verb 0 sim "$mesh" --engine functional --packets 2000 --load 0.1:0.9:0.2 --out "$work/range"
    [ "$(made)" -eq 3 ] && [ "$(find "$work/range/points" -type f | wc -l)" -eq 3 ] || fail "ends: $(ls "$work/range/points")"
}
check_saturation() {
    check_dependent saturation --load saturation --repeat 2
    [ "$(sed 1d "$work/saturation/runs.csv" | wc -l)" -eq "$(find "$work/saturation/points" -type f | wc -l)" ] ||
        fail "runs.csv has not the runs of the search"
    sed -n '/^\$samples1 /,/^end$/s/^\(0[^ ]*\) .*/\1/p' "$work/saturation/plot-latency.gp" >"$work/drawn"
    awk -F , -v seed="$seed" 'NR == 1 { while ($++s != "seed"); while ($++l != "load"); }
        $1 == "transpose" && $s == seed { print $l }' "$work/saturation/runs.csv" | sort -g | cmp - "$work/drawn" ||
        fail "the picture has not the runs of the second search"
}

check_whole
[ $# -gt 0 ] || set -- killed until ends saturation odd refused
for check; do "check_$check"; done
finish
