#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# What a virtual analyser sees of four boards of one packed bitstream: a line that is driven shows edges, one of a board without
# power none; channels as the testbed names them; a capture that is begun, ended and begun again; refusals; and under
# `postroad up --capture` the file is complete after `down`.
# usage: test_bitstream_capture.sh
# needs: build/bitstream/hx8k_b_evn/grid-2x2/report build/simulate_boards build/make_boot_image build/postroad
# needs: build/tests/capture/capture_tool
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

tool=$PWD/build/tests/capture/capture_tool
source tests/work.bash

# shellcheck disable=SC2317  # the trap calls it
end() {
    build/postroad down capture-test --quiet 2>/dev/null
    rm -rf "$work"
}
trap end EXIT

# edges FILE CHANNEL: how many.
edges() {
    "$tool" edges "$1" |
        awk -v name="$2" '$1 == "channel" { if ($2 == name) number = NR - 2; next } $2 == number && NF == 3' | wc -l
}

channels() {
    "$tool" edges "$1" | awk '$1 == "channel" { print $2 }' | xargs
}

boards/make_testbed hx8k_b_evn hw/mesh/grid-2x2.mesh build/firmware/small-receiver.elf "$work/testbed" || exit 1
mkdir "$work/consoles"
{
    cat "$work/testbed/testbed.ini"
    printf '[analyser]\nrate = 100m\nD0 = s1.west\nD7 = s0.east\n'
} >"$work/testbed/named.ini"

# All lines from power-on, then two captures of which the second is made while s0 has no power.
commands="run 8
capture $work/second.vcd,rate=50m,ppm=100,jitter=100p
off s0
run 3
capture
capture $work/none/x.sr
capture $work/x.txt
pin s1 led[0]"
echo "$commands" | build/simulate_boards "$work/testbed/testbed.ini" "$work/consoles" 1 "$work/first.sr" >"$work/answers" ||
    fail "simulate_boards: exit status $?"
[ "$(grep -c '^error: capture: ' "$work/answers")" = 2 ] || fail "two captures are refused: $(cat "$work/answers")"
[ "$(channels "$work/first.sr")" = 's0.east s1.west s0.north s2.south s1.north s3.south s2.east s3.west' ] ||
    fail "all lines: $(channels "$work/first.sr")"
for line in s0.east s1.west s2.east s3.south; do
    [ "$(edges "$work/first.sr" $line)" -gt 500 ] || fail "$line, first: $(edges "$work/first.sr" $line) edges"
done
[ "$(edges "$work/second.vcd" s0.east)" -le 1 ] || fail "s0 has no power: $(edges "$work/second.vcd" s0.east) edges of s0.east"
[ "$(edges "$work/second.vcd" s1.west)" -gt 100 ] || fail "second: $(edges "$work/second.vcd" s1.west) edges of s1.west"
# 3 ms and some slices of time at 50 MS/s; VCDs count nanoseconds.
"$tool" count "$work/second.vcd" | awk '{ exit !($3 >= 3.0e6 && $3 < 30e6) }' ||
    fail "second: $("$tool" count "$work/second.vcd")"

# Channels and rate of the testbed.
build/simulate_boards "$work/testbed/named.ini" "$work/consoles" 1 "$work/named.sr" >"$work/answers" < <(echo 'run 4') ||
    fail "named channels: exit status $?"
[ "$(channels "$work/named.sr")" = 'D0 D7' ] || fail "named channels: $(channels "$work/named.sr")"
grep -q '^rate 100000000$' <("$tool" edges "$work/named.sr") || fail 'the rate of the testbed'

# refused REASON ARGUMENTS...: with exit status 1.
refused() {
    local reason=$1
    shift
    build/postroad up "$work/testbed/testbed.ini" --name capture-test "$@" 2>"$work/errors"
    [ $? = 1 ] || fail "up $*: not refused"
    grep -q -- "$reason" "$work/errors" || fail "up $*: $(cat "$work/errors")"
}
for bad in x.sr,rate=0 x.txt x.sr,sites=0; do
    refused '--capture .*expected' --nodes bitstream --capture "$bad"
done
refused 'postroad capture' --capture "$work/x.sr"
build/postroad up "$work/testbed/named.ini" --nodes bitstream --capture "$work/up.sr,rate=24m" --name capture-test --quiet \
    >/dev/null || fail "up --capture: exit status $?"
[ ! -e "$work/up.sr" ] || fail 'the file is there before the end'
build/postroad down capture-test --quiet || fail "down: exit status $?"
[ "$(edges "$work/up.sr" D7)" -gt 500 ] || fail "up --capture: $(edges "$work/up.sr" D7) edges"
verdict test_bitstream_capture
