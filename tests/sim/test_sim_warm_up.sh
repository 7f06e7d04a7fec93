#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# `postroad sim --warmup auto`: the run is that with the warm-up which was found, whatever the simulator and the number of
# processes; a run that is too short has none, and is not called steady.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sim/sim_results.bash
source tests/sim/sim_results.bash
mesh=hw/mesh/grid-4x4.mesh
quick=(--quiet --json --load 0.22 --packets 3000)

# plain FILE: a run's JSON without what it costs, and how the warm-up was chosen.
plain() {
    costless "$1" | sed 's/"warmup_found":[a-z]*,//'
}

for engine in functional rtl; do
    run 0 $mesh "${quick[@]}" --engine $engine --warmup auto
    expect true warmup_found
    plain "$out" >"$work/$engine"
    run 0 $mesh "${quick[@]}" --engine $engine --warmup "$(value warmup_clocks)"
    expect null warmup_found
    [ "$(value warmup_clocks)" -gt 0 ] || fail "$engine: an empty mesh near saturation has no transient"
    plain "$out" | cmp - "$work/$engine" || fail "$engine: another run than with this warm-up"
done
if command -v mpirun >/dev/null; then
    run 0 $mesh "${quick[@]}" --engine functional --warmup auto --ranks 2
    plain "$out" | cmp - "$work/functional" || fail "2 ranks: another run"
fi
# Each repeat finds its own.
run 0 $mesh "${quick[@]}" --engine functional --warmup auto --repeat 3 --jobs 2
expect true warmup_found
[[ $(value warmup_clocks_ci95) =~ ^[1-9] ]] || fail "all repeats have one warm-up"

run 0 $mesh --quiet --json --load 0.1 --packets 90 --warmup auto
expect false warmup_found
expect null steady
run 0 $mesh --quiet --load 0.1 --packets 90 --warmup auto
grep -q '^clocks .* warm-up, whose end was not found;' "$out" || fail "text: $(cat "$out")"
run 1 $mesh --warmup automatic
grep -q 'expected a number of clocks from 0 to 1000000000000, or auto' "$err" || fail "$(cat "$err")"
run 1 $mesh --warmup auto --engine functional --checkpoint "$work/x"
grep -q 'expected a number of clocks' "$err" || fail "$(cat "$err")"
finish
