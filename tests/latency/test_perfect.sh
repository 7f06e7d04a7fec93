#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# A capture of a simulated mesh without faults shows no damage. It begins in the middle of bits and frames: that is none.
# needs: build/sim/fabric-cutthrough-16-4-32-64-boardlinks/site.so
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash perfect
{
    printf '[testbed]\nmesh = %s\n' "$PWD/hw/mesh/grid-2x2.mesh"
    printf '[board %s]\ntype = icebreaker\n' 0 1 2 3
} >"$directory/square.ini"

for seed in 1 2 3; do
    expect 0 complete "$postroad" sim hw/mesh/grid-2x2.mesh --packets 100 --seed $seed --capture "$directory/$seed.sr" --quiet
    expect 0 'end to end' "$postroad" latency "$directory/$seed.sr" --testbed "$directory/square.ini"
    if grep -E 'glitches|damaged' <<<"$said"; then fault "damage in a perfect capture, seed $seed"; fi
    "$postroad" latency "$directory/$seed.sr" --testbed "$directory/square.ini" --json --quiet >"$directory/json"
    [ "$(jq '[.lines[] | .glitches + .damaged_frames] | add' "$directory/json")" = 0 ] || fault "counted as damage, seed $seed"
done

[ $faults = 0 ] && echo 'all good'
[ $faults = 0 ]
