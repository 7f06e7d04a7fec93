#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Discipline `postman` on a torus (R17), from 2x2 to 5x4, with every option: packets arrive exactly once, in order where that is
# asked, at loads that saturate, and over links whose bits are inverted or cut, and sites that are reset. Packets take the
# shorter way round.
# time limit: 1800 s
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sim/sim_results.bash
source tests/sim/sim_results.bash
export EXPECT_SECONDS=1500   # a set is built when a simulation asks for it
torus=hw/mesh/postman-torus-4x4.mesh
quick=(--packets 300 --quiet --json)

# torus_of SIZE LINE...: the torus of this size with these lines in [postman].
torus_of() {
    sed "s/^size = .*/size = $1/" $torus
    shift
    printf '%s\n' '[postman]' "$@"
}

for size in 2x2 3x3 4x4 5x4 6x1; do
    for lines in strategy=eager strategy=vct $'adaptive_routing=yes\nadaptive_sourcing=yes' \
        $'strategy=vct\nadaptive_routing=yes\nadaptive_sourcing=yes'; do
        torus_of $size "$lines" >"$work/torus.mesh"
        for traffic in uniform tornado; do
            run 0 "$work/torus.mesh" "${quick[@]}" --load 1 --traffic $traffic --ordered
            expect_exactly_once
            expect 0 received_aborted
        done
        run 0 "$work/torus.mesh" "${quick[@]}" --load 1 --traffic hot-spot --multicast 0.3 --targets 3 --info 2
        expect_exactly_once
    done
done

torus_of 5x4 | sed 's/word_width = 16/word_width = 32/' >"$work/wide.mesh"
run 0 "$work/wide.mesh" "${quick[@]}" --load 0.5 --multicast 0.2 --targets 4 --length geometric:12
expect_exactly_once
expect 0 received_aborted

for interleave in 2 4 8; do
    torus_of 3x3 interleave=$interleave $'adaptive_routing=yes\nadaptive_sourcing=yes' >"$work/torus.mesh"
    run 0 "$work/torus.mesh" "${quick[@]}" --load 1 --ordered
    expect_exactly_once
    expect 0 received_aborted
done

# Of 4x4 sites, a mean way has 2.67 links on a grid, 2.13 on a torus. With virtual cut-through no dead flits are counted.
words() {
    run 0 "$1" --packets 2000 --load 0.01 --quiet --json
    value link_words
}
torus_of 4x4 strategy=vct >"$work/torus.mesh"
sed 's/torus/grid/' "$work/torus.mesh" >"$work/grid.mesh"
on_torus=$(words "$work/torus.mesh") on_grid=$(words "$work/grid.mesh")
[ $((on_torus * 100)) -lt $((on_grid * 85)) ] || fail "$on_torus words on the links of a torus, $on_grid on those of a grid"

# Faults: what arrives is right, and what does not is reported.
for fault in corrupt:0.002 link:any:20000:4000 reset:any:~20000; do
    status=0
    "$postroad" sim $torus --seed "$seed" "${quick[@]}" --load 0.02 --fault $fault >"$out" 2>"$err" || status=$?
    [[ $status = [04] ]] || fail "--fault $fault: exit code $status: $(cat "$err")"
    for key in lost duplicated corrupted stray; do expect 0 $key; done
done

finish
