#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Discipline `january` behind the operator's interface: each topology and both word widths carry unicasts and multicasts exactly
# once, with both services, over links that are cut and sites that are reset; and the search finds no deadlock.
# needs: build/deadlock_search
# time limit: 900 s
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sim/sim_results.bash
source tests/sim/sim_results.bash
export EXPECT_SECONDS=400   # a set is built when a simulation asks for it
mesh=hw/mesh/january-4x4.mesh
quick=(--packets 400 --quiet --json)

# changed SED-SCRIPT: the mesh with this change.
changed() {
    sed "$1" $mesh >"$work/changed.mesh"
}

for change in '' 's/topology = grid/topology = torus/' 's/word_width = 16/word_width = 32/' \
    's/topology = grid/topology = hypercube/; s/size = 4x4/dimensions = 4/'; do
    changed "$change"
    for load in 0.03 1; do
        run 0 "$work/changed.mesh" "${quick[@]}" --load $load --multicast 0.4 --targets 2:9 --info 2
        expect_exactly_once
        expect 0 failed
        expect 0 duplicated
    done
done

run 0 $mesh "${quick[@]}" --load 0.05 --multicast 0.3 --targets 4 --reliable 0 --pool 400
expect_exactly_once

# Every kind of event takes place.
run 0 $mesh --packets 2000 --quiet --json --load 0.1 --length 24 --multicast 0.5 --targets 4
for key in aborts resent_after_abort diversions; do
    [ "$(value $key)" -gt 0 ] || fail "no $key"
done

# Faults: what arrives is right, and what does not is reported.
for fault in corrupt:0.002 link:any:20000:4000 reset:any:~20000; do
    status=0
    "$postroad" sim $mesh --seed "$seed" "${quick[@]}" --load 0.02 --multicast 0.3 --fault $fault >"$out" 2>"$err" || status=$?
    [[ $status = [04] ]] || fail "--fault $fault: exit code $status: $(cat "$err")"
    for key in lost duplicated corrupted stray; do expect 0 $key; done
done

# Two packets for the same two sites, in step (Figure 4); then small meshes at the ends of their settings.
sed 's/fabric = cutthrough/fabric = january/' hw/mesh/deadlock-figure-4.mesh >"$work/figure4.mesh"
run 0 "$work/figure4.mesh" "${quick[@]}" --load 1 --multicast 1 --targets 2
expect_exactly_once

# One ring costs one time-out and one abort: the other packet follows (J9).
sed -i 's/^abort = .*/abort = 1024/; s/^max_packet = .*/max_packet = 63/' "$work/figure4.mesh"
printf '0 %s 0,1 40\n' 0 1 >"$work/ring"
run 0 "$work/figure4.mesh" --quiet --json --reliable 0 --traffic "trace:$work/ring"
expect_exactly_once
expect 1 aborts
clocks=$(value max latency_clocks)
[[ $clocks -gt 1024 && $clocks -lt 2248 ]] || fail "a ring took $clocks clocks"

build/deadlock_search --fabric january --seed "$seed" --runs 200 --jobs 1 >"$out" || fail "the search: $(cat "$out")"

finish
