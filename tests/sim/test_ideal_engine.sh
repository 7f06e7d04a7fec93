#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# time limit: 300 s
# needs: build/tests/sim/ideal_postroad
# A second simulator fits the table that the first one fills: `postroad sim` runs on tests/sim/ideal_engine exactly once,
# with both services, and a mesh of it that is up answers map, ping, send and stats. What it cannot run is refused.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sim/sim_results.bash
source tests/sim/sim_results.bash
postroad=${BUILD:-build}/tests/sim/ideal_postroad
export XDG_RUNTIME_DIR=$work
mesh=hw/mesh/grid-4x4.mesh

for service in 1 0; do
    for traffic in "--load 0.1" "--load 0.3 --multicast 0.3 --targets 4" "--load 0.05 --multicast 0.5 --targets 2:6 --info 1"; do
        # shellcheck disable=SC2086  # words
        run 0 $mesh --engine ideal --reliable "$service" $traffic --packets 3000 --quiet --json
        expect_exactly_once
        expect ideal engine
        expect 0 diversions
        expect 0 aborts
    done
done
run 0 $mesh --engine ideal --load 0.0001 --packets 200 --quiet --json
expect 20 min network_latency_clocks
expect 20 max network_latency_clocks
run 0 $mesh --packets 200 --quiet --json
expect rtl engine

run 1 $mesh --engine paper
grep -q 'expected rtl or ideal' "$err" || fail "--engine paper: $(cat "$err")"
run 1 $mesh --engine ideal --nodes core
grep -q 'expected native nodes' "$err" || fail "core nodes: $(cat "$err")"
run 1 $mesh --engine ideal --fault link:2.east:100:10
grep -q 'without faults' "$err" || fail "faults: $(cat "$err")"

# says TEXT VERB...: the verb ends well, and its output has the text.
says() {
    local wanted=$1
    shift
    "$postroad" "$@" >"$out" 2>"$err" || fail "$*: exit code $?, $(tail -n 1 "$err")"
    [ -z "$wanted" ] || grep -qE "$wanted" "$out" || fail "$*: '$(tail -n 3 "$out")', expected $wanted"
}
says '^up:ideal$' up $mesh --engine ideal --nodes native --name ideal
says '16 of 16 sites answer' map
says '15' ping 15 --count 3
says '' send 1,7,12 --data text:hello
says '' stats
says '' down ideal
finish
