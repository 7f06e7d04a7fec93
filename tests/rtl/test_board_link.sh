#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Two ends of four board links with clocks of their own, verilated, and every fault that cables, resets and bit errors make
# (tests/rtl/board_link/bench.cpp), for each ratio of the link's clock to the fabric's; and four of eight faults in each state of
# a link. SEED: traffic and faults, and if it is even a far end that stops for ever; LONG: this too, all faults in each state, and
# four times the words.
# needs only: link-benches
# reads: hw
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
seed=${SEED:-1}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# bench RATIO ARGUMENT...
bench() {
    local ratio=$1
    shift
    if ! "build/tests/rtl/board_link/ratio-$ratio/bench" seed="$seed" "$@" >"$log"; then
        cat "$log"
        echo "FAIL; replay: build/tests/rtl/board_link/ratio-$ratio/bench seed=$seed $*"
        exit 1
    fi
    tail -n 2 "$log"
}

for ratio in 1 2 4; do
    bench $ratio
    bench $ratio run=together ppm=200
done
# A reset of the fabric for a clock: the next head left unsent, and a word was taken back.
bench 1 seed=2
bench 1 seed=12
faults=${LONG:+8}
bench 1 run=states ppm=200 jitter=10 faults="${faults:-4}"
[ -z "${LONG:-}" ] && [ $((seed % 2)) = 1 ] || bench 1 run=stopped ppm=200 jitter=10
bench 1 run=theory
bench 1 run=latency words=1000 ppm=200
words=${LONG:+200000}
bench 1 run=words words="${words:-50000}" ber=0 ppm=200
bench 1 run=words words="${words:-50000}" ber=1e-4 ppm=200
echo PASS
