#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Checkpoints of a run of several ranks: 2 and 4 ranks go on and print what one undisturbed process does. A rank is killed at
# random moments, while checkpoints are written too: the parts of all ranks are of one clock, or there is no checkpoint.
# usage: test_checkpoint_ranks.sh [quick]
#   quick: only as much as a planted bug needs
# environment: SEED: with another than 1 there are 20 kills instead of 3
# time limit: 300 s
# needs: build/sim/ranks-mpi.so
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sim/sim_results.bash
source tests/sim/sim_results.bash
# shellcheck source=tests/functional/checkpoint.bash
source tests/functional/checkpoint.bash
quick=${1:-}
RANDOM=$seed

# The part of one rank cannot be written: a folder has its name. So the checkpoint before stays that of both.
check_one_fails() {
    local part left
    with_checkpoints 2 1500
    part=$folder/part-$(clock)-1
    rm -r "$folder"
    (umask 77; mkdir -p "$part")
    ends 2 2 "${arguments[@]}" --checkpoint "$folder,every=1500"
    same 'one rank cannot write'
    grep -q "$part: File exists" "$err" || fail "one rank cannot write: $(cat "$err")"
    left=("$folder"/*)
    [ ${#left[@]} = 4 ] || fail "one rank cannot write: left ${left[*]}, expected manifest and two parts"
    resumed 2
}

# rank LAUNCHED NUMBER: the process of a rank that this mpirun has started.
rank() {
    local process
    for process in $(pgrep -P "$1"); do
        grep -qx "OMPI_COMM_WORLD_RANK=$2" <(tr '\0' '\n' <"/proc/$process/environ" 2>/dev/null) && echo "$process"
    done
}

# go_on: from the checkpoint, or from the start if there is none yet.
go_on() {
    if [ -e "$folder/manifest" ]; then
        resumed 2
    else
        ends 0 2 "${arguments[@]}"
        same 'from the start'
    fi
}

# disturb WHAT BEHIND SECONDS: something happens to a run of two ranks, so long behind its start or its first checkpoint.
disturb() {
    local launched victim status=0 seconds=$3
    rm -rf "$folder"
    (on 2 "${arguments[@]}" --checkpoint "$folder,every=64") &
    launched=$!
    while [ "$2" = checkpoint ] && [ ! -e "$folder/manifest" ] && kill -0 $launched 2>/dev/null; do sleep 0.05; done
    sleep "$seconds"
    if [ "$1" = signal ]; then
        kill -TERM $launched
    else
        victim=$(rank $launched "$1")
        [ -z "$victim" ] || kill -KILL "$victim" 2>/dev/null
    fi
    wait $launched || status=$?
    echo "$1, $seconds s behind the $2: exit code $status, checkpoint of clock $(clock)"
    if [ $status = 137 ]; then
        grep -q "process rank $1 .* signal 9" "$err" || fail "a rank is killed: $(cat "$err")"
        # Rank 0 tells how to go on, unless it is the one, or there is just a first checkpoint.
        [ "$1" = 0 ] || [ "$(clock)" -le 64 ] || grep -q "mpirun -n 2 postroad sim --resume $folder\$" "$err" ||
            fail "a rank is killed: $(cat "$err"), expected how to go on"
    fi
    go_on
}

# Without mpirun: rank 0 ends the others, and tells how to go on.
check_processes() {
    local launched status=0
    rm -rf "$folder"
    (on 1 "${arguments[@]}" --ranks 2 --checkpoint "$folder,every=64") &
    launched=$!
    while [ "$(clock)" -le 64 ] && kill -0 $launched 2>/dev/null; do sleep 0.05; done
    pkill -KILL -P $launched
    wait $launched || status=$?
    [ $status = 0 ] || { [ $status = 137 ] && grep -q "postroad sim --resume $folder --ranks 2\$" "$err"; } ||
        fail "a rank of --ranks is killed: exit code $status: $(cat "$err")"
    resumed 1 --ranks 2
}

check_kills() {
    local kills=2 i
    [ "$seed" = 1 ] || kills=19
    undisturbed 0 hw/mesh/grid-8x8.mesh --load 0.2 --packets 4000
    for ((i = 0; i < kills; i++)); do
        disturb $((i % 2)) checkpoint 0.$((RANDOM % 10))
    done
    disturb 1 start 0.$((RANDOM % 10))
    disturb signal checkpoint 0.$((RANDOM % 10))
}

undisturbed 0 hw/mesh/grid-4x4.mesh --reliable 1 --load 0.2 --multicast 0.5 --info 1 --stall 20 --packets 600
with_checkpoints 2 700
resumed 2
check_one_fails
[ "$quick" = quick ] && finish && exit
resumed 1 --ranks 2 # what mpirun has begun
with_checkpoints 4 900
resumed 4 --checkpoint "$folder,every=800"
resumed 4
refused 'a checkpoint of 4 ranks, expected as many here: --ranks 4' 2 --resume "$folder"
refused 'a checkpoint of 4 ranks' 1 --resume "$folder"
rm "$folder"/part-*-3
refused 'part-.*-3: missing' 4 --resume "$folder"
check_kills
check_processes
finish
