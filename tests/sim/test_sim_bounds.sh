#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Bounds of the load and the latency of an idle mesh, as `postroad sim` reports them: known ones of several meshes and patterns; a
# mesh saturates below, and a light load takes so many clocks; the busiest link of a run is that of the channel bound; what is
# left out; what the picture shows.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sim/sim_results.bash
source tests/sim/sim_results.bash
quick=(--engine functional --quiet --json)

# near A B SHARE: is A within this share of B?
near() {
    awk -v a="$1" -v b="$2" -v share="$3" 'BEGIN { exit !(a > b * (1 - share) && a < b * (1 + share)) }'
}

# expect_bounds BISECTION CHANNEL EJECTION: of the run in $out.
expect_bounds() {
    expect "$1" bound_bisection
    expect "$2" bound_channel
    expect "$3" bound_ejection
}

# mesh, pattern, bisection, channel, ejection, network latency of an idle mesh
while read -r mesh pattern bisection channel ejection idle; do
    about="$mesh $pattern"
    run 0 "hw/mesh/$mesh.mesh" "${quick[@]}" --traffic "$pattern" --packets 3000 --load saturation
    expect_bounds "$bisection" "$channel" "$ejection"
    for bound in bisection channel ejection injection storage; do
        awk -v load="$(value saturation_load)" -v bound="$(value bound_$bound)" 'BEGIN { exit !(load > 0 && load <= bound) }' ||
            fail "$about: saturates at $(value saturation_load), above its $bound bound $(value bound_$bound)"
    done
    run 0 "hw/mesh/$mesh.mesh" "${quick[@]}" --traffic "$pattern" --packets 16000 --load 0.003 --reliable 0
    expect "$idle" zero_load_latency
    near "$(value mean network_latency_clocks)" "$idle" 0.02 || fail "$about: $(value mean network_latency_clocks) clocks"
    # Packets are drawn: no link has exactly its share of them.
    busiest=$(awk -v load="$(value run_load)" -v clocks="$(value clocks)" -v most="$(value link_words_most)" \
        'BEGIN { print load * clocks / most }')
    near "$busiest" "$channel" 0.12 || fail "$about: the busiest link has the words of a bound $busiest, expected $channel"
done <<'END'
grid-4x4 transpose 1 0.333333 1 22.5
grid-8x8 hot-spot 0.416667 0.125 0.073529 25.5
torus-4x4 tornado 2 1 1 23
hypercube-4 shuffle 2 1 1 23
grid-8x8 transpose 0.5 0.142857 1 25.75
END

# One packet of a source is under way: between corners 13 words take 27 clocks there, and an acknowledgement 19 back.
run 0 hw/mesh/grid-4x4.mesh "${quick[@]}" --traffic bit-complement --window 1 --packets 3000 --load saturation
expect 0.282609 bound_storage
awk -v load="$(value saturation_load)" 'BEGIN { exit !(load <= 0.282609) }' || fail "window of 1: $(value saturation_load)"

# A matrix and classes: site 3 alone sends, two of three packets to site 0, three links away.
awk 'BEGIN { for (i = 0; i < 256; i++) printf "%d%s", i == 48 ? 2 : i == 63, i % 16 == 15 ? "\n" : " " }' >"$work/matrix"
run 0 hw/mesh/grid-4x4.mesh "${quick[@]}" --traffic "matrix:$work/matrix" --packets 200 --load 0.01
expect_bounds 0.375 0.09375 0.09375
expect 0.0625 bound_injection
run 0 hw/mesh/grid-4x4.mesh "${quick[@]}" --class a:share=.5,traffic=transpose --traffic bit-complement --packets 200
expect_bounds 0.666667 0.5 1

# left_out KEYS ARGUMENTS...: null, and no other.
left_out() {
    local expected=$1 found
    shift
    run 0 hw/mesh/grid-4x4.mesh "${quick[@]}" --packets 100 "$@"
    found=$(grep -o '"\(zero_load_latency\|bound_[a-z]*\)":null' "$out" | cut -d '"' -f 2 | sed 's/bound_//' | xargs)
    [ "$found" = "$expected" ] || fail "$*: left out '$found', expected '$expected'"
}
left_out ''
left_out storage --reliable 0
left_out 'zero_load_latency channel storage' --multicast 0.2
left_out 'zero_load_latency channel storage' --set routing.unicast=adaptive
left_out 'zero_load_latency channel storage' --class a:share=.1,multicast=1
left_out 'zero_load_latency bisection channel injection ejection storage' --groups 2
left_out 'zero_load_latency bisection channel injection ejection storage' --broadcast 3:1000

run 0 hw/mesh/grid-4x4.mesh --quiet --engine functional --traffic transpose --packets 300 --load 0.1:0.4:0.1 --plot "$work/plot"
for text in 'channel bound 0.3333' 'network latency of an idle mesh'; do
    grep -q ">$text<" "$work/plot-latency.svg" || fail "no '$text' in the picture"
done
! grep -q 'ejection bound' "$work/plot-latency.svg" || fail "a bound beyond the loads is in the picture"
finish
