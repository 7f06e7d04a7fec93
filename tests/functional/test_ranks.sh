#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# `mpirun postroad sim`: 1, 2 and 4 ranks print the same, but for what a run costs, with every topology, service and kind of
# traffic. Runs that end badly end alike. A rank that is killed ends the others, with an error that names it.
# usage: test_ranks.sh [POSTROAD [quick]]
#   quick: only as much as a planted bug needs
# time limit: 120 s
# needs: build/sim/ranks-mpi.so
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sim/sim_results.bash
source tests/sim/sim_results.bash
postroad=${1:-$postroad}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 TMPDIR=$work

# costless FILE: without what a run costs, which differs from run to run.
costless() {
    sed -E 's/"cpu_seconds":[^,]*,"node_clocks_per_cpu_second":[^,]*,//' "$1"
}

# run_ranks N ARGUMENTS...: into $work/N; the exit code is the last line.
run_ranks() {
    local ranks=$1 launch=()
    shift
    [ "$ranks" = 1 ] || launch=(mpirun --oversubscribe -n "$ranks")
    timeout 60 "${launch[@]}" "$postroad" sim --seed "$seed" --engine functional --json --quiet "$@" >"$out" 2>"$err"
    echo "exit code $?" >>"$out"
    costless "$out" >"$work/$ranks"
    grep '^postroad' "$err" >>"$work/$ranks"
}

# same CODE RANKS MESH ARGUMENTS...: so many ranks print what one does, and end with that exit code.
same() {
    local code=$1 ranks=$2
    shift 2
    run_ranks 1 "$@"
    grep -q "^exit code $code\$" "$work/1" || fail "one rank, $(grep '^exit' "$work/1"), expected $code: $*"
    for ranks in $ranks; do
        run_ranks "$ranks" "$@"
        cmp "$work/1" "$work/$ranks" >&2 || fail "$ranks ranks print something else: $*: $(tail -n 3 "$err")"
    done
}

same 0 '2 4' hw/mesh/grid-8x8.mesh --load 0.2 --packets 2000 --multicast 0.3
[ "${2:-}" = quick ] && finish && exit
same 0 '2 4' hw/mesh/grid-4x4.mesh --reliable 1 --load 0.2 --packets 1000 --multicast 0.5 --info 1 --stall 20
same 0 2 hw/mesh/hypercube-4.mesh --reliable 0 --load 0.1 --packets 1000 --multicast 0.2
same 0 2 hw/mesh/torus-4x4.mesh --load 0.3 --packets 1000
# Blocks of different sizes, and a sweep.
sed 's/^size = .*/size = 3x3/' hw/mesh/grid-4x4.mesh >"$work/3x3.mesh"
same 0 2 "$work/3x3.mesh" --load 0.1:0.2:0.1 --packets 300 --ordered --reliable 1
# Packets that wait for others, of other ranks too.
for ((i = 0; i < 40; i++)); do echo "$((i * 3)) $((i % 16)) $(((i * 7 + 3) % 16)) 8 after $((i - 1))"; done |
    sed '1s/ after.*//' >"$work/trace"
same 0 2 hw/mesh/grid-4x4.mesh --traffic "trace:$work/trace"
# refused TEXT ARGUMENTS...: several ranks cannot do it. The error is printed once.
refused() {
    local text=$1 status=0
    shift
    timeout 60 mpirun --oversubscribe -n 2 "$postroad" sim "$@" >"$out" 2>"$err" || status=$?
    [ $status -eq 1 ] || fail "exit code $status, expected 1: $*"
    [ "$(grep -c "$text" "$err")" -eq 1 ] || fail "$*: $(head -n 3 "$err"), expected '$text' once"
}
refused 'expected --engine functional' hw/mesh/grid-4x4.mesh

# A rank is killed: mpirun ends the others at once, names the rank, and ends with 128 and the number of the signal.
timeout 60 mpirun --oversubscribe -n 2 "$postroad" sim hw/mesh/grid-4x4.mesh --engine functional --packets 100000000 \
    --quiet >"$out" 2>"$err" &
launched=$!
for _ in $(seq 100); do
    victim=$(pgrep -f "$postroad sim.*100000000" | while read -r process; do
        grep -qxz OMPI_COMM_WORLD_RANK=1 "/proc/$process/environ" 2>/dev/null && echo "$process"
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
