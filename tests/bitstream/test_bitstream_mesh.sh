#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Four boards of one packed bitstream, 100 ppm apart: their links train as they are cabled, and only those; cables that are
# unplugged, crossed or looped, noise, and boards without power show at both ends and heal. Then the boards under `postroad up`.
# usage: test_bitstream_mesh.sh
# needs: build/bitstream/hx8k_b_evn/grid-2x2/report build/simulate_boards build/make_boot_image build/postroad
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

source tests/work.bash
mesh=hw/mesh/grid-2x2.mesh
firmware=build/firmware/small-receiver.elf

# shellcheck disable=SC2317  # the trap calls it
end() {
    build/postroad down bitstream-test --quiet 2>/dev/null
    rm -rf "$work"
}
trap end EXIT

# Sends a command; the line before `done` is in $answer.
command_boards() {
    local line
    answer=''
    echo "$1" >&"${boards[1]}"
    while read -r -t 120 line <&"${boards[0]}"; do
        [ "$line" != "done" ] || return 0
        answer=$line
        [[ $line != error* ]] || break
    done
    fail "$1: '$answer'"
    return 1
}

# The links that are up, as LEDs show them: "s0:en s1:wn ...".
links_up() {
    local site link text='' names=(e w n s)
    for site in s0 s1 s2 s3; do
        text+="$site:"
        for link in 0 1 2 3; do
            command_boards "pin $site led[$link]" || return
            [ "$answer" = 0 ] || text+=${names[link]}
        done
        text+=' '
    done
    echo "$text"
}

expect_links() {
    local expected=$1 what=$2 got
    got=$(links_up)
    [ "$got" = "$expected" ] || fail "$what: links up are $got, expected $expected"
}

boards/make_testbed hx8k_b_evn "$mesh" "$firmware" "$work/testbed" || exit 1
mkdir "$work/consoles"
coproc boards { exec build/simulate_boards "$work/testbed/testbed.ini" "$work/consoles"; }

whole='s0:en s1:wn s2:es s3:ws '
command_boards 'run 8'
expect_links "$whole" 'after power-on'
command_boards 'unplug s0.east'
command_boards 'off s3'
command_boards 'run 4'
expect_links 's0:n s1: s2:s s3: ' 's0.east unplugged, s3 off'
command_boards 'plug s0.east'
command_boards 'cross s0.north'
command_boards 'on s3'
command_boards 'run 12'
expect_links 's0:e s1:wn s2:e s3:ws ' 's0.north crossed'
command_boards 'plug s0.north'
command_boards 'unplug s2.east'
command_boards 'loop s2.east'
command_boards 'run 12'
expect_links 's0:en s1:wn s2:s s3:s ' 's2.east looped'
command_boards 'join s2.east s0.east'
command_boards 'run 12'
expect_links 's0:n s1:n s2:s s3:s ' 's2.east joined with s0.east'
command_boards 'plug s0.east'
command_boards 'plug s2.east'
for cable in s0.east s0.north s1.north s2.east; do
    command_boards "errors $cable 0.0001"
done
command_boards 'reset s1'
command_boards 'run 8'
expect_links "$whole" 'with bit errors of 0.0001'
eval "exec ${boards[1]}>&-"
wait

build/postroad up "$work/testbed/testbed.ini" --nodes bitstream --name bitstream-test >"$work/up" 2>&1 ||
    fail "up: $(cat "$work/up")"

# A small receiver answers its own console alone: site 0 has the cable.
boards_do() { printf '%s\n' "$@" >"${XDG_RUNTIME_DIR:-/tmp}/postroad-$(id -u)/bitstream-test/boards"; }
boards_do 'unplug s0.east' 'run 3' 'join s0.east s3.west' 'run 3'
for ((tries = 0; tries < 30; tries++)); do
    build/postroad map --gateway up:bitstream-test >"$work/map" 2>&1
    ! grep -q 'the cable at 0 east leads to 3' "$work/map" || break
done
[ $tries -lt 30 ] || fail "a cable to a wrong board: $(cat "$work/map")"

# Two outputs on one wire: at least one of the two boards names it.
boards_do 'join s0.east s0.north' 'run 12'
for ((tries = 0; tries < 30; tries++)); do
    build/postroad links --gateway up:bitstream-test >"$work/links" 2>&1
    ! grep -q 'wrong cable: pull it now' "$work/links" || break
done
[ $tries -lt 30 ] || fail "a cable between two outputs: $(cat "$work/links")"
grep -q 'bitstream-test *up *4 *bitstream' <(build/postroad list) || fail "list: $(build/postroad list)"
verdict test_bitstream_mesh
