#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# `postroad load` on boards: load packets go through a real fabric and real operators; the boards' boot programs are imitated
# (tests/host-tools/imitate, boards), with their faults. tests/rtl/test_board_site.sh has the real ones.
# usage: test_load_boards.sh [CHECK...]      default: all of them, see the end
# needs: build/tests/host-tools/imitate
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash load-boards
# shellcheck source=tests/host-tools/boards.bash
source tests/host-tools/boards.bash
node=build/firmware/node.elf
hello=build/firmware/hello.elf

# runs NAME SITE IMAGE STARTED: the site runs, its RAM has the image, and so many images have been started there.
runs() {
    local state
    state=$(answer "$1" "state $2")
    [[ $state == "runs started $4 "* ]] || fault "$1, site $2: $state, expected: runs started $4"
    [ "$(answer "$1" "compare $2 ${3%.elf}.bin")" = same ] || fault "$1, site $2: RAM does not have $3"
}

started() { answer "$1" "state $2" | sed 's/.* started \([0-9]*\) .*/\1/'; }

records_of() { answer "$1" "state $2" | sed 's/.* data //'; }

up() { expect 0 '^up:boards$' "$postroad" up "tty:$directory/$1/tty-*"; }
down() { expect 0 '^$' "$postroad" down; }

# Each word once for all sites; the site of the gateway by another one.
check_all() {
    up square
    expect 0 'loaded: 3 of 3 sites, [0-9]{4} words, 1[0-9]{2} packets' "$postroad" load 1-3 $node
    for site in 1 2 3; do runs square $site $node 1; done
    [[ $(answer square 'state 0') == 'runs started 0 '* ]] || fault 'site 0 was loaded, too'
    expect 0 'loaded: 4 of 4 sites' "$postroad" load all $hello
    for site in 0 1 2 3; do runs square $site $hello $((site == 0 ? 1 : 2)); done
    expect 0 '"ok":[[:space:]]*true' "$postroad" load 2 $node --from 2 --json # not by itself
    expect 0 '4 of 4 sites answer' "$postroad" map
    down
}

# What a site has already is not sent to it again, and compared once. One part of 495 words in the middle differs, 9 records;
# enter, a check of each part and one of the whole, go.
check_again() {
    local records parts text
    up square
    expect 0 'loaded: 2 of 2 sites, [0-9]+ words' "$postroad" load 1,2 $node
    [[ $said =~ ' '([0-9]+)' words' ]]
    parts=$(((BASH_REMATCH[1] + 494) / 495))
    expect 0 'loaded: 2 of 2 sites, 0 words' "$postroad" load 1,2 $node
    expect 0 'loaded: 3 of 3' "$postroad" load 1-3 $node
    text=$(readelf -lW $node | awk '$1 == "LOAD" { print $2; exit }')
    cp $node "$directory/other.elf"
    printf other | dd of="$directory/other.elf" bs=1 seek=$((text + parts / 2 * 4 * 495)) conv=notrunc status=none
    expect 0 'loaded: 1 of 1 sites, [0-9]+ words' "$postroad" load 3 "$directory/other.elf"
    [[ $said =~ ' '([0-9]+)' packets, '([0-9]+)' of ' ]]
    records=$((BASH_REMATCH[1] - BASH_REMATCH[2]))
    [ $records -le $((parts + 9 + 3)) ] || fault "$records records for one of $parts parts: $said"
    down
}

# The gateway's boot program loses records and answers of the line and of the mesh, and others do; one site stops, one comes back.
check_relay() {
    local site
    up square
    order square 'damages 0 40'
    for site in 0 1 2 3; do order square "loses $site 60"; done
    expect 0 'loaded: 4 of 4 .* [1-9][0-9]* of them repeated' "$postroad" load all $node --timeout 6
    order square 'damages 0 0'
    for site in 0 1 2 3; do order square "loses $site 0"; done
    for site in 0 1 2 3; do runs square $site $node "$(started square $site)"; done
    order square 'dead 2'
    expect 4 'site 2: it does not answer' "$postroad" load all $hello --timeout 1
    order square 'alive 2'
    expect 0 'loaded: 4 of 4' "$postroad" load all $hello
    for site in 0 1 2 3; do runs square $site $hello "$(started square $site)"; done
    down
}

# A boot program that knows no relay records: the gateway is loaded first, and its new firmware loads the others.
check_old() {
    local site
    up square
    for site in 0 1 2 3; do order square "old $site"; done
    expect 0 'loaded: 4 of 4' "$postroad" load all $node
    for site in 0 1 2 3; do runs square $site $node "$(started square $site)"; done
    down
}

# A site that loses a quarter of all: what it lacks after the first round is sent until it has it.
check_lossy() {
    local site
    up square
    order square 'loses 2 4'
    expect 0 'loaded: 3 of 3 .* [1-9][0-9]* of them repeated' "$postroad" load 1-3 $node --timeout 10
    order square 'loses 2 0'
    for site in 1 2 3; do [ "$(answer square "compare $site ${node%.elf}.bin")" = same ] || fault "site $site: wrong image"; done
    down
}

# Packets and answers that are lost, and records that come to a wrong word.
check_faults() {
    local site
    up square
    for site in 1 2 3; do order square "loses $site 12"; done
    order square 'spoils 2 40'
    expect 0 'loaded: 3 of 3 .* [1-9][0-9]* of them repeated' "$postroad" load 1-3 $node --timeout 3
    order square 'spoils 2 0'
    for site in 1 2 3; do order square "loses $site 0"; done
    for site in 1 2 3; do [ "$(answer square "compare $site ${node%.elf}.bin")" = same ] || fault "site $site: wrong image"; done
    order square 'spoils 3 1'
    expect 3 'site 3: its RAM does not hold the image' "$postroad" load 3 $hello
    [[ $(answer square 'state 3') == loads* ]] || fault 'a wrong image was started'
    order square 'spoils 3 0'
    expect 0 'loaded: 1 of 1' "$postroad" load 3 $hello
    down
}

check_dead() {
    up grid
    order grid 'dead 4'
    expect 4 'site 4: it does not answer' "$postroad" load all $hello --timeout 1
    runs grid 0 $hello 1
    runs grid 8 $hello 1
    expect 5 'site 4: it does not answer' "$postroad" load 4 $hello --timeout 1
    expect 0 '"failed":[[:space:]]*\[\]' "$postroad" load 5-8 $node --json
    down
}

# await_records NAME SITE COUNT: until the site has written so many data records, 20 s at most.
await_records() {
    local tries
    for ((tries = 0; tries < 1000; tries++)); do
        if [ "$(records_of "$1" "$2")" -ge "$3" ]; then return; fi
        sleep 0.02
    done
    fault "$1: site $2 does not get to data record $3: $(answer "$1" "state $2")"
}

# cut_load RECORDS IMAGE: a load of sites 1 to 3 that ends while site 3, after so many more records, gets no other packet.
cut_load() {
    local records
    records=$(($(records_of square 3) + $1))
    order square "takes 3 $1"
    start "$directory/cut" "$postroad" load 1-3 "$2"
    await_records square 3 "$records"
    kill -TERM "${helpers[-1]}"
    wait "${helpers[-1]}"
    [ $? = 130 ] || fault "a load that is interrupted: $(cat "$directory/cut")"
    order square 'takes 3'
    [[ $(answer square 'state 3') == loads* ]] || fault "$1 records: site 3 does not wait for the rest"
}

# A load that is cut anywhere leaves sites that wait; the next one goes on from there.
check_cut() {
    local before after k site
    up square
    order square 'loses 1 9'
    for k in 20 50 50; do cut_load $k $node; done
    order square 'loses 1 0'
    before=$(records_of square 3)
    expect 0 'loaded: 3 of 3' "$postroad" load 1-3 $node
    after=$(records_of square 3)
    [ $((after - before)) -lt 190 ] || fault "the load began anew: $((after - before)) records"
    for site in 1 2 3; do [ "$(answer square "compare $site ${node%.elf}.bin")" = same ] || fault "site $site: wrong image"; done
    down
}

# The same at each record of a small image; another one in between, so that there is something to load each time.
check_each_cut() {
    local k records
    up square
    expect 0 'loaded: 3 of 3' "$postroad" load 1-3 $node
    records=$(records_of square 3)
    expect 0 'loaded: 3 of 3' "$postroad" load 1-3 $hello
    records=$(($(records_of square 3) - records))
    for ((k = 1; k <= records; k++)); do
        expect 0 'loaded: 3 of 3' "$postroad" load 1-3 $node
        cut_load $k $hello
        expect 0 'loaded: 3 of 3' "$postroad" load 1-3 $hello
        for site in 1 2 3; do
            [ "$(answer square "compare $site ${hello%.elf}.bin")" = same ] || fault "cut at $k: site $site: wrong image"
        done
    done
    echo "cut at each of $records records"
    down
}

# Round trips longer than the patience at first: only the first record is repeated, since late answers count and are timed.
# For 20 records; then the rest is fast, for the sake of this test.
check_slow() {
    local site repeats
    up square
    for site in 1 2 3; do order square "delays $site 300"; done
    start "$directory/slow" "$postroad" load 1-3 $hello
    await_records square 3 20
    for site in 1 2 3; do order square "delays $site 0"; done
    wait "${helpers[-1]}" || fault "a load over slow links: $(cat "$directory/slow")"
    repeats=$(sed -n 's/^loaded: 3 of 3 .* \([0-9]*\) of them repeated.*/\1/p' "$directory/slow")
    [ "${repeats:-99}" -le 15 ] || fault "records are repeated again and again: $(cat "$directory/slow")"
    for site in 1 2 3; do [ "$(answer square "compare $site ${hello%.elf}.bin")" = same ] || fault "site $site: wrong image"; done
    down
}

check_raw() {
    up raw
    expect 0 'loaded: 6 of 6' "$postroad" load all $node
    expect 0 '6 of 6 sites answer' "$postroad" map
    expect 0 'accepted' "$postroad" send 1-5 --data 'as before'
    down
}

check_refused() {
    up square
    expect 1 'no ELF|expected' "$postroad" load 1 README.md
    expect 1 'nowhere.elf: No such file' "$postroad" load 1 nowhere.elf
    expect 1 'SITES' "$postroad" load 9 $node
    expect 1 'expected the number of one site' "$postroad" load 1 $node --from east
    down
    expect 2 'no gateway|is not up' "$postroad" load 1 $node
}

# sign IMAGE KEY NUMBER
sign() { expect 0 "signed: .*\.sig, version $3\$" "$postroad" sign "$1" --key "$2" --number "$3"; }

# A locked board starts an image only if it is signed with its key; the others of the mesh start it all the same.
check_locked() {
    local name image=$directory/image.elf other=$directory/other.elf not='it is locked, and'
    for name in bench thief; do
        openssl genpkey -algorithm ed25519 -out "$directory/$name.key"
        openssl pkey -in "$directory/$name.key" -pubout -out "$directory/$name.pub"
    done
    cp $node "$image"
    cp ${node%.elf}.bin "${image%.elf}.bin"
    cp $hello "$other"
    up locked
    for site in 1 2; do order locked "lock $site $directory/bench.pub"; done
    expect 4 "site 1: $not the image is not signed \(" "$postroad" load 1-3 "$image"
    runs locked 3 "$image" 1
    sign "$image" "$directory/bench.key" 2
    expect 4 "site 2: $not accepts only later versions" "$postroad" load 1-3 "$image"
    sign "$image" "$directory/thief.key" 3
    expect 4 "site 1: $not the image is not signed with its key" "$postroad" load 1-3 "$image"
    [[ $(answer locked 'state 1') == 'loads started 0 '* ]] || fault 'an image that is not signed has started'
    sign "$image" "$directory/bench.key" 3
    expect 0 'loaded: 3 of 3 sites' "$postroad" load 1-3 "$image"
    runs locked 1 "$image" 1
    expect 0 'loaded: 1 of 1 sites, 0 words' "$postroad" load 1 "$image"
    cp "$image.sig" "$other.sig"
    expect 1 'of another image, expected that of .*other.elf: sign it again' "$postroad" load 1 "$other"
    chmod 640 "$directory/bench.key"
    expect 1 'bench.key: other users can read it' "$postroad" sign "$other" --key "$directory/bench.key" --number 4
    chmod 600 "$directory/thief.pub"
    expect 1 'thief.pub: expected a private Ed25519 key' "$postroad" sign "$other" --key "$directory/thief.pub" --number 4
    expect 1 'expected --key FILE and --number N' "$postroad" sign "$other" --number 4
    down
}

boards_of square 2x2
boards_of locked 2x2
boards_of grid 3x3
boards_of raw 3x2 '[service]\nreliable=no\n'
[ $# -gt 0 ] || set -- all again relay lossy faults dead slow cut raw refused locked old
run_checks "$@"
