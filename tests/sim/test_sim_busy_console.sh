#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# time limit: 120 s
# A node's console has its turn however fast packets arrive. Fifteen native sites send again and again to one core, whose console
# reports each delivery; while its output waits, deliveries are refused. A loop that served the console only when nothing arrives
# would refuse for ever.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sim/sim_results.bash
source tests/sim/sim_results.bash
timeout 60 "$postroad" sim hw/mesh/grid-4x4.mesh --seed "$seed" --quiet --json --nodes native:0-4,core:5,native:6-15 \
    --traffic hot-spot --hot-site 5 --hot-share 1 --load 0.3 --packets 200 --warmup 0 >"$out" 2>"$err"
status=$?
[[ $status -eq 0 || $status -eq 4 ]] || fail "exit code $status: $(cat "$err")"
expect 0 lost
expect 0 duplicated
expect 0 corrupted
[ "$(value deliveries)" -ge 50 ] || fail "only $(value deliveries) deliveries were reported"
[ "$(value time_outs)" -ge 200 ] || fail "the sources sent again only $(value time_outs) times: nothing was refused"
echo "$(value deliveries) of $(value expected) deliveries, $(value time_outs) time-outs"
finish
