#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# `mpirun postroad sim`: 1, 2 and 4 ranks print the same, but for what a run costs, with every topology, service and kind of
# traffic. Runs that end badly end alike. A rank that is killed ends the others, with an error that names it.
# usage: test_ranks.sh [quick]
#   quick: only as much as a planted bug needs
# time limit: 120 s
# needs: build/sim/ranks-mpi.so
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sim/sim_results.bash
source tests/sim/sim_results.bash
# shellcheck source=tests/functional/ranks.bash
source tests/functional/ranks.bash
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 TMPDIR=$work

launch() {
    local by=()
    [ "$1" = 1 ] || by=(mpirun --oversubscribe -n "$1")
    timeout 60 "${by[@]}" "$postroad" sim "${@:2}"
}

[ "${1:-}" = quick ] && same_quick && finish && exit
same_all
refused 1 'expected --engine functional' hw/mesh/grid-4x4.mesh
refused 1 'expected no faults with several ranks' hw/mesh/grid-4x4.mesh --engine functional --fault stop:0:9
refused 1 'No such file' hw/mesh/grid-4x4.mesh --engine functional --csv "$work/none/a.csv"

# A rank is killed: mpirun ends the others at once, names the rank, and ends with 128 and the number of the signal.
timeout 60 mpirun --oversubscribe -n 2 "$postroad" sim hw/mesh/grid-4x4.mesh --engine functional --packets 100000000 \
    --quiet >"$out" 2>"$err" &
launched=$!
# Its TMPDIR tells it from a rank of another run of this test.
for _ in $(seq 1000); do
    victim=$(pgrep -f "$postroad sim.*100000000" | while read -r process; do
        marks=$(grep -cxzF -e OMPI_COMM_WORLD_RANK=1 -e "TMPDIR=$work" "/proc/$process/environ" 2>/dev/null)
        [ "$marks" != 2 ] || echo "$process"
    done)
    [ -n "$victim" ] && break
    sleep 0.1
done
sleep 1
kill -KILL "${victim:-$launched}"
wait $launched
status=$?
[ $status -eq 137 ] || fail "a rank is killed: exit code $status, expected 137"
grep -q 'process rank 1 .* signal 9' "$err" || fail "a rank is killed: $(cat "$err")"
finish
