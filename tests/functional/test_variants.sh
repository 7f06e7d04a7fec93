#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The settings of the simulator `functional` that the RTL does not have (`--model`): each delivers everything exactly once, does
# what it is for, and hangs in none of some random runs; other simulators refuse them.
# needs: build/deadlock_search build/tests/bench/paper_operators/deadlock_search
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sim/sim_results.bash
source tests/sim/sim_results.bash
traffic=(hw/mesh/grid-8x8.mesh --engine functional --reliable 0 --pool 512 --packets 3000 --multicast 0.5 --targets 4 --quiet
    --json)

# figure MODEL KEY ARGUMENTS...: KEY, or 'KEY OBJECT', of the traffic with these settings, and one seed: two runs are
# compared, which are too short for every seed.
figure() {
    local seed=1 key
    read -ra key <<<"$2"
    run 0 "${traffic[@]}" --model "$1" "${@:3}"
    expect_exactly_once
    figure=$(value "${key[@]}")
}

# more KEY MODEL OTHER ARGUMENTS...: KEY is greater with the settings MODEL.
more() {
    local other
    figure "$3" "$1" "${@:4}"
    other=$figure
    figure "$2" "$1" "${@:4}"
    awk -v a="$figure" -v b="$other" 'BEGIN { exit !(a > b) }' || fail "$2: $1 $figure, with $3 $other, expected more"
}

more splits m10=no m10=yes --load 0.02
more deferrals m10=yes m11=no --load 0.1
figure m11=no deferrals --load 0.1
[ "$figure" = 0 ] || fail "m11=no: $figure deferrals"
more aborts m11=no,time_out=threshold m11=no,time_out=transit --load 0.05 --length 100
more splits m10=busy,m11=no m10=yes --load 0.02
more 'mean latency_clocks' m10=no,m11=no m10=busy,m11=no --load 0.03
more link_words outputs=all outputs=listed --load 0.1 --multicast 0
more 'mean latency_clocks' buffers=1 buffers=unbounded --load 0.2 --stall 80

# searched MODEL RUNS ARGUMENTS...: no hang is found; in how many runs the storage was exhausted goes to $storage.
searched() {
    "${search:-build/deadlock_search}" --engine functional --model "$1" --seed "$seed" --runs "$2" "${@:3}" >"$out" 2>"$err" ||
        fail "$1: $(grep -m 1 replay "$out")"
    storage=$(awk -F '|' '/^\| all/ { print $7 + 0 }' "$out")
}
searched buffers=unbounded 500
[ "$storage" = 0 ] || fail "buffers=unbounded: storage exhausted in $storage runs"
searched buffers=1 500
[ "$storage" != 0 ] || fail "buffers=1: storage exhausted in no run"
searched buffers=unbounded 200 --fabric january
[ "$storage" = 0 ] || fail "january, buffers=unbounded: storage exhausted in $storage runs"
searched buffers=1 200 --fabric january
[ "$storage" != 0 ] || fail "january, buffers=1: storage exhausted in no run"
searched m10=no,m11=no 500
searched m10=busy,m11=no 700
search=build/tests/bench/paper_operators/deadlock_search searched buffers=unbounded,time_out=transit,m10=busy,m11=no 300
searched buffers=2,m10=no,m11=no,time_out=transit 500

# refused TEXT ARGUMENTS...
refused() {
    run 1 "${@:2}" --packets 10
    grep -q "$1" "$err" || fail "${*:2}: $(tail -n 1 "$err"), expected '$1'"
}
refused 'engine rtl: expected no settings' hw/mesh/grid-4x4.mesh --model buffers=4
for setting in buffers=0 buffers=4x time_out=8 m12=no outputs; do
    refused 'expected buffers=NUMBER' hw/mesh/grid-4x4.mesh --engine functional --model m10=no,$setting
done
for setting in time_out=transit outputs=all m10=no m10=busy m11=no; do
    refused 'buffers=... alone' hw/mesh/january-4x4.mesh --engine functional --model "buffers=4,$setting"
done
sed 's/^divert = .*/divert = never/' hw/mesh/grid-4x4.mesh >"$work/never.mesh"
refused 'a divert threshold' "$work/never.mesh" --engine functional --model outputs=all
finish
