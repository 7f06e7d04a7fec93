#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# What is said to a user who has typed something else than was meant, or has not come so far yet: the next step.
# needs: build/generate_board
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash hints
top=$PWD

# desk TYPE [LINE]: two boards that are not plugged in.
desk() {
    printf '[testbed]\nmesh = %s\n' "$top/hw/mesh/grid-2x1.mesh"
    printf '[board %s]\ntype = %s\nsite = %s\nserial = none-%s\n%s\n' left "$1" 0 left "${2:-}" right "$1" 1 right "${2:-}"
}

expect 1 "'lat' is not a verb; did you mean latency" $postroad lat
expect 1 'expected native, core or qemu, .*; or bitstream alone, with a testbed' $postroad up hw/mesh/grid-2x1.mesh --nodes qemo

expect 1 'hw/mesh: expected a run folder, of postroad sim --out' $postroad report hw/mesh
expect 1 'is a run folder, expected a new one, or --resume' bash -c "mkdir '$directory/run' && : >'$directory/run/run.json' &&
    $postroad sim hw/mesh/grid-2x1.mesh --out '$directory/run'"

mkdir -p "$directory/bitstream/x"
desk ulx3s_25f "bitstream = $directory/bitstream/x/top.bit" >"$directory/desk.ini"
for try in '' --dry-run; do
    # shellcheck disable=SC2086  # none is no word
    expect 1 "x/top.bit: No such file.*make bitstream BOARD=ulx3s_25f MESH=$top/hw/mesh/grid-2x1.mesh. builds it" \
        $postroad flash $try "$directory/desk.ini"
done

# With bitstreams there, --dry-run shows what would be done to boards that are not.
head -c 4000 /dev/zero >"$directory/bitstream/x/top.bit"
expect 2 '^left: [a-zA-Z]+ .* FOLDER/left' $postroad flash --dry-run "$directory/desk.ini"
grep -q 'left: missing: no device serial none-left' <<<"$said" || fault "not what is missing: $said"
expect 2 'nothing was touched' $postroad flash "$directory/desk.ini"
if grep -q FOLDER <<<"$said"; then fault "a plan without --dry-run: $said"; fi

help=$(make --no-print-directory help)
[ "$(awk 'match($0, /^  make [a-z0-9-]+ +/) { print RLENGTH }' <<<"$help" | sort -u | wc -l)" = 1 ] ||
    fault 'make help: the texts are not below each other'
while read -r goal; do
    grep -q "^  make $goal " <<<"$help" || fault "make help: no line of $goal"
done < <(git ls-files '*.mk' Makefile | xargs cat | sed -n 's/^## \([^ ]*\): .*/\1/p')

[ $faults = 0 ] && echo 'all good'
[ $faults = 0 ]
