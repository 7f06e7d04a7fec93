#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# `postroad load` of the only board with a console: by its own serial line. The node and its boot program are imitated
# (tests/host-tools/imitate, boards), with the faults of lines. test_up_testbed.sh has the other boards of such a mesh,
# tests/rtl/test_board_site.sh the real boot program.
# usage: test_load_line.sh [CHECK...]      default: all of them, see the end
# needs: build/tests/host-tools/imitate
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash load-line
# shellcheck source=tests/host-tools/boards.bash
source tests/host-tools/boards.bash
node=build/firmware/node.elf
hello=build/firmware/hello.elf
log=$directory/postroad-$(id -u)/boards/log

# runs IMAGE STARTED: the site runs, its RAM has the image, and so many images have been started.
runs() {
    local state
    state=$(answer alone 'state 0')
    [[ $state == "runs started $2 "* ]] || fault "$state, expected: runs started $2"
    [ "$(answer alone "compare 0 ${1%.elf}.bin")" = same ] || fault "RAM does not have $1"
}

# Images that have been started.
started() { answer alone 'state 0' | sed 's/.* started \([0-9]*\) .*/\1/'; }

waits() { [[ $(answer alone 'state 0') == loads* ]] || fault "it does not wait: $(answer alone 'state 0')"; }
records() { answer alone 'state 0' | sed 's/.* data //'; }
has_records() { [ "$(records)" -ge "$1" ]; }

up() { expect 0 '^up:boards$' "$postroad" up "tty:$directory/alone/tty-0"; }
down() { expect 0 '^$' "$postroad" down; }

# begin_load IMAGE RECORDS: in the background; returns when so many data records have come, behind which no other is answered.
begin_load() {
    local wanted=$(($(records) + $2))
    order alone "takes 0 $2"
    start "$directory/cut" "$postroad" load 0 "$1" "${@:3}"
    within_time has_records $wanted || fault "no record $wanted: $(cat "$directory/cut")"
}

# The load that runs ends with STATUS, and says TEXT.
expect_end() {
    local status
    wait "${helpers[-1]}"
    status=$?
    [ "$status" = "$1" ] || fault "exit status $status, expected $1: $(cat "$directory/cut")"
    grep -Eq -- "$2" "$directory/cut" || fault "nothing like '$2' in: $(cat "$directory/cut")"
}

check_all() {
    local before
    up
    before=$(started)
    expect 0 'loaded: 1 of 1 sites, [0-9]{4} words, [0-9]{3} packets' "$postroad" load all $node
    runs $node $((before + 1))
    expect 0 'loaded: 1 of 1 sites, 0 words' "$postroad" load 0 $node --from 0
    expect 0 '"ok":[[:space:]]*true' "$postroad" load 0 $hello --json
    runs $hello $((before + 3))
    expect 0 '1 of 1 sites answer' "$postroad" map
    grep -q 'in use: its site is being loaded' "$log" || fault "not absent while it was loaded: $(cat "$log")"
    expect 1 'expected' "$postroad" load 0 README.md
    runs $hello $((before + 3))
    order alone 'holds 0 1' # only the order to enter, which has no patience, is repeated if a short answer comes later
    expect 0 'loaded: 1 of 1 sites, [0-9]{4} words, [0-9]{3} packets(, [0-9] of them repeated)?, ' "$postroad" load 0 $node
    order alone 'holds 0 0'
    down
}

# Damaged frames, lost frames, lost answers. A word that is wrong in RAM is found, and nothing starts.
check_faults() {
    local before
    up
    before=$(started)
    order alone 'damages 0 4'
    order alone 'loses 0 25'
    expect 0 'loaded: 1 of 1 .* [1-9][0-9]* of them repeated' "$postroad" load 0 $node --timeout 2
    [ "$(answer alone "compare 0 ${node%.elf}.bin")" = same ] || fault 'wrong image'
    order alone 'damages 0 0'
    order alone 'loses 0 0'
    order alone 'spoils 0 1'
    before=$(started)
    expect 3 'site 0: its RAM does not hold the image' "$postroad" load 0 $hello
    waits
    order alone 'spoils 0 0'
    expect 0 'loaded: 1 of 1' "$postroad" load 0 $hello
    runs $hello $((before + 1))
    down
}

# Several orders to enter are answered behind the first answer.
check_late() {
    local before
    up
    before=$(started)
    order alone 'delays 0 60'
    expect 0 'loaded: 1 of 1' "$postroad" load 0 $hello --timeout 2
    order alone 'delays 0 0'
    runs $hello $((before + 1))
    down
}

# From any state: firmware that has crashed; a boot program that waits, also where the daemon has given up the line.
check_crashed() {
    local before
    up
    before=$(started)
    order alone 'crash 0'
    expect 0 'loaded: 1 of 1' "$postroad" load all $node
    runs $node $((before + 1))
    order alone 'dead 0'
    order alone 'mute 0'
    expect 5 'site 0: it does not answer' "$postroad" load 0 $hello --timeout 1
    await "$log" 'no node answers within 5 s'
    order alone 'plug 0'
    order alone 'alive 0'
    expect 0 'loaded: 1 of 1' "$postroad" load 0 $hello
    runs $hello $((before + 2))
    down
}

# A load that is cut leaves a boot program that waits; the next load goes on from there. No other load interferes.
check_cut() {
    local before signal
    up
    before=$(started)
    expect 0 'loaded: 1 of 1' "$postroad" load 0 $hello
    for signal in TERM KILL; do
        begin_load $node 40
        expect 2 'in use: its site is being loaded' "$postroad" load 0 $hello --timeout 3
        kill -$signal "${helpers[-1]}"
        wait "${helpers[-1]}"
        order alone 'takes 0'
        waits
    done
    before=$(records)
    expect 0 'loaded: 1 of 1' "$postroad" load 0 $node
    [ $(($(records) - before)) -lt 100 ] || fault "the load began anew: $(($(records) - before)) records"
    [ "$(answer alone "compare 0 ${node%.elf}.bin")" = same ] || fault 'wrong image'
    down
}

check_pulled() {
    up
    expect 0 'loaded: 1 of 1' "$postroad" load 0 $hello
    begin_load $node 40
    order alone 'unplug 0'
    expect_end 2 'site 0: its serial line is gone: '
    await "$log" 'is gone: '
    expect 5 'is gone: ' "$postroad" load 0 $node --timeout 1
    order alone 'takes 0'
    order alone 'plug 0'
    expect 0 'loaded: 1 of 1' "$postroad" load 0 $node
    begin_load $hello 40 --timeout 2
    expect_end 5 'site 0: it does not answer'
    order alone 'takes 0'
    expect 0 'loaded: 1 of 1' "$postroad" load 0 $hello
    down
}

check_locked() {
    local name image=$directory/image.elf not='it is locked, and' before
    for name in bench thief; do
        openssl genpkey -algorithm ed25519 -out "$directory/$name.key"
        openssl pkey -in "$directory/$name.key" -pubout -out "$directory/$name.pub"
    done
    cp $node "$image"
    cp ${node%.elf}.bin "${image%.elf}.bin"
    up
    order alone "lock 0 $directory/bench.pub"
    before=$(started)
    expect 3 "site 0: $not the image is not signed \(" "$postroad" load 0 "$image"
    waits
    expect 0 'signed' "$postroad" sign "$image" --key "$directory/thief.key" --number 3
    expect 3 "site 0: $not the image is not signed with its key" "$postroad" load 0 "$image"
    expect 0 'signed' "$postroad" sign "$image" --key "$directory/bench.key" --number 3
    expect 0 'loaded: 1 of 1 sites' "$postroad" load 0 "$image"
    runs "$image" $((before + 1))
    down
}

boards_of alone 1x1
[ $# -gt 0 ] || set -- all faults late crashed cut pulled locked
run_checks "$@"
