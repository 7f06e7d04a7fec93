#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The pictures of `postroad sim`, read as SVG: titles that name what was run, axes with labels, units and ticks, a mark where the
# mesh is saturated and hollow points beyond it, a cell or an arrow for each link, and no picture that smooths.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sim/sim_results.bash
source tests/sim/sim_results.bash
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=$work/out
err=$work/err
mesh=hw/mesh/grid-4x4.mesh

# The texts of a picture, one a line.
texts() {
    grep -o '<text>.*</text>' "$1" | sed -e 's/<[^>]*>//g' -e 's/^ *//' -e 's/&lt;/</g'
}

# expect_texts PICTURE TEXT...: each is a whole text of the picture.
expect_texts() {
    local picture=$1 text
    shift
    for text in "$@"; do
        texts "$picture" | grep -xF -- "$text" >/dev/null || fail "${picture##*/}: no text '$text'"
    done
}

# expect_count NUMBER WHAT COMMAND...: what the command prints.
expect_count() {
    local number
    number=$("${@:3}")
    [ "$number" = "$1" ] || fail "$2: $number, expected $1"
}

# Symbols of gnuplot's point types, which its SVG numbers from 0.
count_points() {
    grep -c "<use xlink:href='#gpPt$2' transform='translate" "$1"
}

count_arrows() {
    grep -c "^.<path stroke='rgb([^>]*Z  '/>.*<path stroke='rgb(" "$1"
}

# Rectangles that are taller than the steps of the colour bar.
count_cells() {
    sed -n "s/.*<polygon fill = 'rgb(.*points = '[0-9.]*,\([0-9.]*\) [0-9.]*,[0-9.]* [0-9.]*,\([0-9.]*\) .*/\1 \2/p" "$1" \
        | awk '$1 - $2 > 10 { cells++ } END { print cells + 0 }'
}

# column NAME: of a CSV file without quotes.
column() {
    awk -F , -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) field = i; next } { print $field }' "$2"
}

run 0 $mesh --quiet --packets 500 --load 0.02:0.3:0.07 --multicast 0.2 --targets 4 --csv "$work/sweep.csv" --plot "$work/sweep"
# The verdicts of a point: saturated is 0 or 1; steady too, or nothing where that is not known.
verdicts=$(paste -d , <(column saturated "$work/sweep.csv") <(column steady "$work/sweep.csv"))
diverges=$(grep -c '^1,\|,0$' <<<"$verdicts")
stable=$(($(wc -l <<<"$verdicts") - diverges))
[ "$stable" -ge 1 ] && [ "$diverges" -ge 1 ] || fail "the sweep does not pass the knee: $stable stable, $diverges divergent"
for line in latency histogram links; do
    grep -q '</svg>' "$work/sweep-$line.svg" || fail "sweep-$line.svg is not a whole SVG"
done

latency=$work/sweep-latency.svg
expect_texts "$latency" 'grid-4x4.mesh (grid of 16 sites): uniform traffic, 20 % multicast to 4 targets' \
    "reliable service, native nodes, bernoulli arrivals, 8 data words, 500 packets a point, seed $seed" \
    'offered load (words per site and clock)' 'saturated or not steady: the latencies depend on the length of the run' \
    'latency (clocks)' 'accepted load (words per site and clock)' median mean p99 'accepted load' 'saturated or not steady' \
    'saturated or' 'not steady' 100 1000 0.1
expect_count 1 "texts that mark divergence" grep -c '<text>.*>saturated or</' "$latency"
# One symbol more is in the key.
for curve in '6 5 1' '4 3 0' '8 7 0'; do
    read -r filled hollow in_key <<<"$curve"
    expect_count $((stable + 1)) "filled points" count_points "$latency" "$filled"
    expect_count $((diverges + in_key)) "hollow points" count_points "$latency" "$hollow"
done

# A load that is accepted, by a run that is not steady: hollow, too.
run 0 $mesh --quiet --engine functional --packets 20000 --load 0.1:0.23:0.13 --seed 4 --csv "$work/near.csv" --plot "$work/near"
[ "$(column saturated "$work/near.csv" | xargs)" = '0 0' ] && [ "$(column steady "$work/near.csv" | xargs)" = '1 0' ] ||
    fail "near the knee: saturated $(column saturated "$work/near.csv" | xargs), steady $(column steady "$work/near.csv" | xargs)"
expect_count 2 "hollow points of a run that is not steady" count_points "$work/near-latency.svg" 5

histogram=$work/sweep-histogram.svg
expect_texts "$histogram" 'latency (clocks; the slowest 0.5 % are not shown)' 'deliveries in a bar (%)' \
    'cumulative deliveries (%)' 'from generation' 'in the network' 'cumulative (right)' 20 50 100 200 500 1000
texts "$histogram" | grep 'traffic, load 0.3, 20 % multicast' >/dev/null || fail "no load in the histogram's title"

links=$work/sweep-links.svg
expect_texts "$links" 'words per clock over a link' 0 5 15
texts "$links" | grep -E '^busiest link: site [0-9]+ (north|east|south|west), 0\.[0-9]+ words per clock$' >/dev/null ||
    fail "no busiest link: $(texts "$links" | tail -n 1)"
expect_count 48 "arrows of a 4x4 grid" count_arrows "$links"

run 0 hw/mesh/torus-4x4.mesh --quiet --packets 200 --traffic tornado --seed 7 --plot "$work/torus"
expect_count 64 "arrows of a 4x4 torus" count_arrows "$work/torus-links.svg"
expect_texts "$work/torus-links.svg" 'reliable service, native nodes, bernoulli arrivals, 8 data words, 200 packets, seed 7'
texts "$work/torus-links.svg" | grep '^torus-4x4.mesh (torus of 16 sites): tornado traffic, .*no multicast$' >/dev/null ||
    fail "torus: title"
run 0 hw/mesh/hypercube-4.mesh --quiet --reliable 0 --packets 200 --plot "$work/cube"
expect_count 64 "cells of a hypercube" count_cells "$work/cube-links.svg"
expect_count 0 "smoothed images" grep -c '<image' "$work/cube-links.svg"
expect_texts "$work/cube-links.svg" site 'link (dimension)' 'words per clock over a link' 3 7 15
texts "$work/cube-links.svg" | grep -E '^busiest link: site [0-9]+ dimension [0-3], ' >/dev/null ||
    fail "hypercube: no busiest link"
texts "$work/cube-links.svg" | grep '^raw service' >/dev/null || fail "hypercube: the title does not name the service"

# A quarter of the sites' numbers would hide the links of a large mesh: they are at its edges.
printf '[mesh]\ntopology = grid\nsize = 16x12\n' >"$work/large.mesh"
run 0 "$work/large.mesh" --quiet --packets 200 --plot "$work/large"
expect_count 712 "arrows of a 16x12 grid" count_arrows "$work/large-links.svg"
expect_texts "$work/large-links.svg" column 'first site of the row' 15 176
if texts "$work/large-links.svg" | grep -x 191 >/dev/null; then fail "a large mesh has a number in each site"; fi

# Names are not commands of gnuplot's.
cp $mesh "$work/it's \`touch injected\` {^99 x}.mesh"
(cd "$work" && "$OLDPWD/$postroad" sim "it's \`touch injected\` {^99 x}.mesh" --quiet --packets 200 --plot named) \
    >"$out" 2>"$err" ||
    fail "a strange name: $(cat "$err")"
expect_texts "$work/named-links.svg" 'reliable service, native nodes, bernoulli arrivals, 8 data words, 200 packets, seed 1'
texts "$work/named-links.svg" | grep -F "it's \`touch injected\` {^99 x}.mesh (grid" >/dev/null ||
    fail "a strange name is not in the title"
[ ! -e "$work/injected" ] || fail "a mesh's name was run"

[ $failures -eq 0 ] && echo "all good"
[ $failures -eq 0 ]
