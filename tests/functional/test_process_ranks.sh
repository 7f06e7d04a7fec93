#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# `postroad sim --ranks`: 1, 2, 4 and 7 processes print the same, but for what a run costs. When one is killed the others end,
# and the error names it. No process stays behind, whichever is killed. Without a processor for each rank it works as well.
# usage: test_process_ranks.sh [results | ends]
#   results, ends: only as much as a planted bug needs, of what is printed or of how runs end
# time limit: 120 s
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sim/sim_results.bash
source tests/sim/sim_results.bash
# shellcheck source=tests/functional/ranks.bash
source tests/functional/ranks.bash
processors=() # a command that limits them, or nothing

launch() {
    timeout 60 "${processors[@]}" "$postroad" sim --ranks "$@"
}

results() {
    same_all
    # More ranks than sites; messages much longer than a ring of bytes; fewer processors than ranks.
    sed 's/^size = .*/size = 2x1/' hw/mesh/grid-4x4.mesh >"$work/2x1.mesh"
    same 0 '2 7' "$work/2x1.mesh" --load 0.2 --packets 300
    sed 's/^size = .*/size = 96x96/' hw/mesh/grid-8x8.mesh >"$work/96x96.mesh"
    same 0 2 "$work/96x96.mesh" --load 1 --packets 20000 --reliable 0
    processors=(taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')")
    same 0 '2 7' hw/mesh/grid-4x4.mesh --load 0.2 --packets 300 --multicast 0.5
    processors=()
    refused 1 'expected --engine functional' hw/mesh/grid-4x4.mesh
    refused 1 'expected no faults with several ranks' hw/mesh/grid-4x4.mesh --engine functional --fault stop:0:9
    refused 1 'No such file' hw/mesh/grid-4x4.mesh --engine functional --csv "$work/none/a.csv"
    OMPI_COMM_WORLD_SIZE=2 refused 2 'expected no other ranks' hw/mesh/grid-4x4.mesh --engine functional
}

# begin: three ranks of a run that takes for ever; $launched is rank 0, $others are the two that it has forked.
begin() {
    "$postroad" sim hw/mesh/grid-4x4.mesh --engine functional --packets 100000000 --quiet --ranks 3 >"$out" 2>"$err" &
    launched=$!
    for _ in $(seq 2000); do
        mapfile -t others < <(pgrep -P $launched)
        [ "${#others[@]}" -eq 2 ] && return
        sleep 0.05
    done
    fail "there are ${#others[@]} other ranks, expected 2"
}

# lives PROCESS: and has not only not been waited for.
lives() {
    [[ $(ps -o stat= -p "$1") =~ ^[^Z] ]]
}

# gone PROCESS...
gone() {
    local process
    for process in "$@"; do
        for _ in $(seq 2000); do
            lives "$process" || continue 2
            sleep 0.05
        done
        fail "process $process stays behind"
        kill -KILL "$process"
    done
}

# exits CODE: rank 0 does.
exits() {
    local status=0
    wait $launched || status=$?
    [ $status -eq "$1" ] || fail "exit code $status, expected $1"
}

ends_of_runs() {
    begin
    kill -KILL "${others[1]}"
    exits 137
    gone "${others[@]}"
    grep -q 'rank 2 of 3 .* signal 9' "$err" || fail "a rank is killed: $(cat "$err")"

    for signal in KILL TERM INT; do
        begin
        kill -$signal $launched
        wait $launched
        gone "${others[@]}"
    done 2>>"$err"
}

case ${1:-} in
    results) same_quick ;;
    ends) ends_of_runs ;;
    *)
        results
        ends_of_runs
        ;;
esac
finish
