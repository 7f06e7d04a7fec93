#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# `postroad up TESTBED`: the consoles of a testbed's boards are found on a USB bus that is not there (umockdev), and lead to the
# nodes of a simulated mesh. All verbs; a board that is unplugged and comes back at another port, under another name;
# what is missing, ambiguous or another site is reported at once; a mesh of which one board has a console.
# usage: test_up_testbed.sh [CHECK...]      default: all of them, see the end
# needs: build/tests/host-tools/imitate build/tests/host-tools/real_ttys.so
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

arguments=("$@")
# shellcheck source=tests/host-tools/usb_desk.bash
source tests/host-tools/usb_desk.bash up-testbed
# Imitated boards start the same node whatever it is. A short one: each of its records takes the mesh some 20 000 clocks, which
# are 30 ms of a core of its own: with the image of a node a load took minutes beside other work.
image=$directory/short.elf
riscv64-unknown-elf-gcc -march=rv32i -mabi=ilp32 -nostdlib -Wl,-n,-Ttext=0x80000000 -o "$image" -x assembler - <<'END'
        .globl _start
_start: j _start
        .fill 250, 4, 0x13
END

check_verbs() {
    expect 0 '^up:desk$' "$postroad" up "$desk"
    expect 0 'desk +up +4 +boards .* desk\.ini' "$postroad" list
    expect 0 '4 of 4 sites answer, 4 of 4 links are good' "$postroad" map --mesh "$directory/square.mesh"
    expect 0 ' 3 +1 +1/1 ' "$postroad" ping all --count 1 --from 2
    start "$directory/heard" "$postroad" listen 1-3 --count 3
    await "$directory/heard" listening
    expect 0 'delivered: .*sites 1-3' "$postroad" send 1-3 --data 'all boards'
    await "$directory/heard" 'all boards'
    wait "${helpers[-1]}" || fault "listen ends with status $?"
    expect 0 '"site":[[:space:]]*3' "$postroad" stats --json
    expect 0 'site 3|address' bash -c "echo id | $postroad console 3"
    expect 1 'no link counts frames' "$postroad" links # imitated boards have none; all of them answer
    if grep -q silent <<<"$said"; then fault "links: $said"; fi
    expect 0 'loaded: 4 of 4' "$postroad" load all "$image"
    expect 0 '^$' "$postroad" down
    expect 0 '"nodes":[[:space:]]*"boards"' "$postroad" up "$desk" --json --name bench
    expect 0 '^$' "$postroad" down bench
}

# b2 comes back at another port, as another tty. Meanwhile another board has its name.
check_unplugged() {
    local ticks
    expect 0 '^up:desk$' "$postroad" up "$desk"
    take_away 1-1.3
    order square 'unplug 2'
    wire ttyUSB1 0
    await "$log" 'site 2: board b2 \(/dev/ttyUSB1\) is gone: '
    expect 0 '4 of 4 sites answer' "$postroad" map # the node itself lives on
    expect 5 '' "$postroad" ping 0 --from 2 --timeout 1
    ticks=$(processor_ticks "$(cat "${log%/log}/pid")")
    sleep 2
    ticks=$(($(processor_ticks "$(cat "${log%/log}/pid")") - ticks))
    [ $ticks -lt 20 ] || fault "a daemon that seeks a board used $ticks ticks in 2 s"
    bring_back 1-1.3
    bring_back 1-2
    await "$log" 'site 2: board b2: ambiguous: 2 devices fit, at the ports 1-1\.3, 1-2'
    take_away 1-1.3
    order square 'plug 2'
    wire ttyUSB7 2
    await "$log" 'site 2: answers again: board b2'
    expect 0 '4 of 4 sites answer' "$postroad" map --from 2
    [ "$(grep -c 'board b2 .* is gone' "$log")" = 1 ] || fault "reported more than once: $(cat "$log")"
    # Back again: a node of another site is not taken.
    take_away 1-2
    order square 'unplug 2'
    await "$log" 'board b2 \(/dev/ttyUSB7\) is gone: '
    bring_back 1-1.3
    order square 'plug 2 3'
    wire ttyUSB1 2
    await "$log" 'site 2: board b2 \(/dev/ttyUSB1\) has site 3 now'
    order square 'plug 2'
    expect 0 '^$' "$postroad" down
}

# All troubles at once, with nothing opened.
check_refused() {
    take_away 1-1.2
    bring_back 1-2
    testbed 'b3: path = 1-1.1'
    expect 2 'board b1: missing: no device serial K00001' "$postroad" up "$desk"
    grep -q 'board b2: ambiguous: 2 devices fit, at the ports 1-1\.3, 1-2' <<<"$said" || fault "not ambiguous: $said"
    grep -q 'board b3: missing: .* K00003 is at port 1-1\.4' <<<"$said" || fault "not missing: $said"
    [ "$(grep -c '^postroad up: board' <<<"$said")" = 3 ] || fault "not three boards: $said"
    bring_back 1-1.2
    take_away 1-2
    testbed
    take_away 1-1.4
    bring_back 1-3
    expect 2 'board b3: no serial line at interface 0 of the device at port 1-3' "$postroad" up "$desk"
    take_away 1-3
    bring_back 1-1.4
    # Nodes other than in the file.
    wire ttyUSB3 1
    wire ttyUSB2 0
    expect 3 'board b0 \(/dev/ttyUSB3\): its node is site 1, expected site 0' "$postroad" up "$desk"
    grep -q 'board b1 .*: its node is site 0, expected site 1' <<<"$said" || fault "not both: $said"
    wire_all
    sed -i 's/square.mesh/other.mesh/' "$desk"
    expect 3 'board b3 .*: its node has another mesh \(.mesh hash 0x[0-9a-f]*, expected 0x' "$postroad" up "$desk"
    testbed
    order square 'mute 1'
    expect 5 'board b1 \(/dev/ttyUSB2\): no node answers within 1 s at 1000000, 250000, 230400 or 115200 baud$' \
        "$postroad" up "$desk" --hello 1
    order square 'golden 1'
    expect 5 'board b1 .*: no node answers within 2 s at .* baud; the console shows: golden image: the bitstream is damaged \(' \
        "$postroad" up "$desk" --hello 2
    order square 'plug 1'
    rm "$FAKE_TTYS/ttyUSB0"
    expect 2 'board b3: cannot open /dev/ttyUSB0' "$postroad" up "$desk"
    wire_all
    expect 1 'nothing.ini: No such file' "$postroad" up "$directory/nothing.ini"
    expect 1 '--only b7: the testbed has no board' "$postroad" up "$desk" --only b0,b7
    expect 1 '--engine: of a simulated mesh' "$postroad" up "$desk" --engine rtl
    expect 1 'expected one testbed file' "$postroad" up "$desk" "$desk"
    expect 1 '--only b0: expected a testbed' "$postroad" up "$directory/square.mesh" --only b0
    expect 1 '--hello: of boards' "$postroad" up "$directory/square.mesh" --hello 1
    sed -i '/^mesh/d; s/^site.*/bitstream = top.bin/' "$desk"
    expect 1 'expected mesh = ' "$postroad" up "$desk"
    testbed
    if compgen -G "$directory/postroad-$(id -u)/*" >/dev/null; then fault "a refused up leaves files"; fi
}

# One console: the other boards need no USB.
check_only() {
    take_away 1-1.1
    take_away 1-1.4
    expect 0 '^up:desk$' "$postroad" up "$desk" --only b1
    expect 0 '4 of 4 sites answer, 4 of 4 links are good' "$postroad" map
    expect 0 ' 3 +1 +1/1 ' "$postroad" ping all --count 1
    expect 0 'delivered: .*sites 0,2-3' "$postroad" send 0,2-3 --data 'from one console'
    expect 0 '"site":[[:space:]]*3' "$postroad" stats --json
    expect 1 'site 0 has no console here, it is reached over the mesh: expected --from 1' "$postroad" ping 3 --from 0
    expect 1 'site 3 has no console here' "$postroad" listen 3
    expect 1 'site 2 has no console here' "$postroad" console 2
    expect 0 'loaded: 3 of 3' "$postroad" load 0,2,3 "$image"
    expect 0 'loaded: 4 of 4' "$postroad" load all "$image" # site 1 last, by its own serial line
    order square 'crash 1'
    expect 0 'loaded: 4 of 4' "$postroad" load all "$image" # site 1 first: the others are reached through it
    expect 0 '4 of 4 sites answer' "$postroad" map
    order square 'dead 1'
    order square 'crash 1'
    # Board b1 is at 1-1.2, and has the number 9.
    start "$directory/holder" flock "$UMOCKDEV_DIR/dev/bus/usb/001/009" sleep 100
    expect 5 'site 0: it is loaded through a site that does not run' "$postroad" load all "$image" --timeout 1
    grep -q 'site 1: it does not answer' <<<"$said" || fault "why it is not: $said"
    grep -q 'the board at port 1-1.2 is being written, by process [0-9]* (flock)' <<<"$said" ||
        fault "the holder is not named: $said"
    pkill -P "${helpers[-1]}"
    wait "${helpers[-1]}" 2>/dev/null
    order square 'alive 1'
    expect 0 'loaded: 4 of 4' "$postroad" load all "$image"
    expect 0 '^$' "$postroad" down
    bring_back 1-1.1
    bring_back 1-1.4
}

# load_refused TEXT: before a packet has gone to site 1.
load_refused() {
    local before
    before=$(answer square 'state 1')
    expect 1 "$1" "$postroad" load 1-3 "$locked"
    [ "$(answer square 'state 1')" = "$before" ] || fault "packets went to site 1: $before, $(answer square 'state 1')"
}

# A testbed with a key: an image that its boards would refuse is refused before anything is sent.
check_locked() {
    local name locked=$directory/locked.elf
    for name in bench thief; do
        openssl genpkey -algorithm ed25519 -out "$directory/$name.key"
        openssl pkey -in "$directory/$name.key" -pubout -out "$directory/$name.pub"
    done
    cp "$image" "$locked"
    testbed
    sed -i 's/^mesh = .*/&\nkey = bench.pub\noldest = 3/' "$desk"
    for name in 1 2 3; do order square "lock $name $directory/bench.pub"; done
    expect 0 '^up:desk$' "$postroad" up "$desk"
    load_refused 'locked.elf.sig: no such file, expected a signature \(postroad sign\): the testbed is locked'
    expect 0 'signed' "$postroad" sign "$locked" --key "$directory/thief.key" --number 3
    load_refused 'locked.elf.sig: by another key, expected that of the testbed'
    expect 0 'signed' "$postroad" sign "$locked" --key "$directory/bench.key" --number 2
    load_refused 'locked.elf.sig: version 2, expected 3 or a later one'
    expect 0 'signed' "$postroad" sign "$locked" --key "$directory/bench.key" --number 3
    expect 0 'loaded: 3 of 3' "$postroad" load 1-3 "$locked"
    cp build/firmware/hello.elf "$locked"
    load_refused 'locked.elf.sig: of another image'
    expect 0 '^$' "$postroad" down
    make_kit small 's/^ram_bytes = .*/ram_bytes = 32768/'
    expect 1 'desk.ini:[0-9]+: \[board b2\]: key is given, and .* small has 32768 bytes of RAM, expected 65536 or more' \
        "$directory/of_kit" up "$desk"
    sed -i '/^key = /d' "$desk"
    expect 0 '^up:desk$' "$directory/of_kit" up "$desk"
    expect 0 '^$' "$postroad" down
    testbed
    sed -i 's/^mesh = .*/&\nkey = bench.pub/' "$desk"
    rm "$directory/bench.pub"
    expect 1 'bench.pub: No such file' "$postroad" up "$desk"
    testbed
}

# make_kit TYPE EDIT: `of_kit` is a postroad whose boards have one more type, an edited ulx3s_25f. Board b2 is of that type.
make_kit() {
    local kit=$directory/kit boards=$directory/kit/share/postroad/boards
    rm -rf "$kit"
    mkdir -p "$kit/bin" "$kit/lib/postroad" "$boards/ulx3s_25f" "$boards/$1"
    cp build/postroad "$kit/bin"
    ln -s "$PWD/build/firmware" "$kit/lib/postroad"
    cp boards/ulx3s_25f/board.conf "$boards/ulx3s_25f"
    sed "$2" boards/ulx3s_25f/board.conf >"$boards/$1/board.conf"
    sed "s|$PWD/build/postroad|$kit/bin/postroad|" "$postroad" >"$directory/of_kit"
    chmod +x "$directory/of_kit"
    sed -i "/^\[board b2\]/,/^site/s/ulx3s_25f/$1/" "$desk"
}

# Boards with rates of their own, which are none of those that `up` tries: that of the file, and that of a type.
check_rates() {
    order square 'rate 1 460800'
    order square 'rate 2 500000'
    testbed 'b1: baud = 460800'
    make_kit slow 's/^baud = .*/baud = 500000/'
    expect 0 '^up:desk$' "$directory/of_kit" up "$desk"
    if grep -q baud <<<"$said"; then fault "a rate is sought: $said"; fi
    expect 0 ' 2 +2 +1/1 ' "$postroad" ping 2 --count 1 --from 1
    expect 0 '^$' "$postroad" down
    testbed
    expect 5 'board b1 .*: no node answers within 1 s at 1000000, 250000, 230400 or 115200 baud$' "$postroad" up "$desk" --hello 1
    order square 'rate 1 0'
    order square 'rate 2 0'
}

[ $# -gt 0 ] || set -- verbs unplugged refused only locked rates
run_checks "$@"
