#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# A mesh of 90000 sites, whose numbers take more than 16 bits, on one rank and on two: every packet goes the way that its numbers
# say, and has its content. What cannot run such a mesh says so.
# time limit: 120 s
# needs: build/sim/ranks-mpi.so
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sim/sim_results.bash
source tests/sim/sim_results.bash
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 TMPDIR=$work
side=300
sites=$((side * side))
mesh=$work/large.mesh
printf '[mesh]\nword_width = 32\ntopology = grid\nsize = %dx%d\n[buffers]\nmax_packet = 16\n' $side $side >"$mesh"
large=("$mesh" --engine functional --pool 3 --json --quiet --reliable 0)

# ranks CODE ARGUMENTS...: as run, on two ranks.
ranks() {
    local expected=$1 status=0
    shift
    timeout 100 mpirun --oversubscribe -n 2 "$postroad" sim --seed "$seed" "$@" >"$out" 2>"$err" || status=$?
    [ "$status" -eq "$expected" ] || fail "two ranks, sim $*: exit code $status, expected $expected: $(tail -n 3 "$err")"
}

# Packets between sites on either side of number 65536, far apart in time, so that each takes the shortest way. A packet
# of 4 data words has 9 words on each link.
words=0
for ((i = 0; i < 60; i++)); do
    from=$(((i * 52711 + 89990) % sites))
    to=$(((i * 31337 + 70001) % sites))
    dx=$((from % side - to % side))
    dy=$((from / side - to / side))
    words=$((words + 9 * (${dx#-} + ${dy#-})))
    echo "$((i * 700)) $from $to 4"
done >"$work/trace"
for start in run ranks; do
    $start 0 "${large[@]}" --traffic "trace:$work/trace"
    expect_exactly_once
    expect 60 deliveries
    expect $words link_words
done

# Drawn targets: site n sends to site 89999 - n, over as many links as half of the mesh has on average.
for start in run ranks; do
    $start 0 "${large[@]}" --traffic bit-complement --load 0.0005 --packets 1000 --length 4
    expect_exactly_once
    [ $start = run ] && words=$(value link_words)
    expect "$words" link_words
done
hops=$((words / 9 / 1000))
if [ $hops -lt 282 ] || [ $hops -gt 318 ]; then fail "$hops hops on average, expected 282 to 318"; fi

run 1 "$mesh" --packets 1
grep -q '90000 sites, expected at most 65535, or --engine functional' "$err" || fail "rtl: $(cat "$err")"
run 1 "$mesh" --engine functional --reliable 1 --packets 1
grep -q 'at most 4096 sites with the reliable service' "$err" || fail "reliable: $(cat "$err")"
finish
