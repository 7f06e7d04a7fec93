#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# `postroad sim --class`: the classes of packets are measured apart, their parts are those of the whole, also of several ranks
# and workers; what is refused.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sim/sim_results.bash
source tests/sim/sim_results.bash
mesh=hw/mesh/grid-4x4.mesh
few=(--class 'control:share=0.5,length=1' --class 'hot:share=.1,traffic=hot-spot,multicast=1')
options=("$mesh" --engine functional --quiet --packets 4000 --load 0.1 --length 40)

# sum KEY: over all classes, less what all packets have.
sum() {
    awk -v a="$(value "$1" class_control)" -v b="$(value "$1" class_hot)" -v c="$(value "$1" class_rest)" -v all="$2" \
        'BEGIN { off = a + b + c - all; print (off < 2e-6 && off > -2e-6 && a * b * c > 0 ? "whole" : "broken") }'
}

run 0 "${options[@]}" --json "${few[@]}"
expect_exactly_once
cp "$out" "$work/one"
for key in offered_load accepted_load; do
    [ "$(sum $key "$(value $key)")" = whole ] || fail "$key of the classes is not that of all: $(value $key)"
done
[ "$(sum count "$(value count latency_clocks)")" = whole ] || fail "latencies of the classes are not all"
# A packet of 40 words takes 39 clocks more than one of a word.
[ "$(($(value min class_rest) - $(value min class_control)))" -eq 39 ] ||
    fail "minima: $(value min class_control), $(value min class_rest)"
grep -q '"classes":"control:share=0.5,traffic=uniform,length=1,multicast=0 hot:share=0.1,.*,multicast=1 rest:share=0.4,' "$out" ||
    fail "classes: $(value classes)"

run 0 "${options[@]}" --json "${few[@]}" --ranks 2
cmp -s <(costless "$work/one") <(costless "$out") || fail "two ranks: $(cat "$out")"
run 0 "${options[@]}" "${few[@]}" --load 0.1,0.2 --jobs 2 --csv "$work/two.csv"
grep -q ',class_control_p99,.*,class_rest_max$' <(head -n 1 "$work/two.csv") || fail "CSV: $(head -n 1 "$work/two.csv")"
run 0 "${options[@]}" "${few[@]}"
grep -q '^class control  *0.0[0-9]* offered, 0.0[0-9]* accepted$' "$out" || fail "table: $(cat "$out")"

# refuse TEXT SETTINGS...
refuse() {
    local text=$1 setting
    local -a given=()
    shift
    for setting; do given+=(--class "$setting"); done
    run 1 $mesh "${given[@]}"
    grep -q -- "$text" "$err" || fail "$*: $(cat "$err")"
}
refuse '--class a: expected a share=SHARE' a
refuse '--class a:share=2: share=2: expected share=SHARE above 0 up to 1, traffic=PATTERN' a:share=2
refuse '--class a:share=.1,load=1: load=1: expected share=' a:share=.1,load=1
refuse '--class a:share=.1,length=x: --length x: expected a number' a:share=.1,length=x
refuse '--class rest:share=.1: expected NAME:share=SHARE' rest:share=.1
refuse '--class a b:share=.1: expected NAME:share=SHARE' 'a b:share=.1'
refuse '--class a:share=.2: expected NAME:share=SHARE,..., each NAME once' a:share=.1 a:share=.2
refuse '--class a:share=.1,traffic=matrix:x: expected a pattern' a:share=.1,traffic=matrix:x
refuse '--class b:share=.5: expected at most 8 classes, the rest included, with shares of 1' a:share=.6 b:share=.5
refuse 'h:share=.1: expected at most 8 classes' {a..h}:share=.1
refuse 'packet too long' a:share=.1,length=4000
run 1 $mesh --class a:share=.1 --groups 1
grep -q -- '--class with --groups' "$err" || fail "groups: $(cat "$err")"
finish
