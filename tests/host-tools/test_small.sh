#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# time limit: 300 s
# Small operators (firmware/small) in sites of 8192 bytes, through the verbs of a user: map, ping, send, listen, load. Beside
# native full ones with the reliable service under corruption, and by themselves with the raw service.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash small
images=build/firmware
for size in 2x2 4x4; do
    cat >"$directory/$size.mesh" <<MESH
[mesh]
topology = grid
size = $size
[routing]
unicast = adaptive
[buffers]
max_packet = 56
[site]
ram_bytes = 8192
MESH
done

up() {
    expect 0 '^up:small$' $postroad up "$directory/$1.mesh" --name small --quiet "${@:2}"
}

down() {
    expect 0 '' $postroad down
}

# Deliveries in the file, none twice: by site, source and sequence number.
heard_once() {
    python3 - "$1" <<'PYTHON'
import json, sys
seen = set()
for line in open(sys.argv[1]):
    one = json.loads(line)
    if one.get("kind") != "delivery":
        continue
    key = (one["site"], one["source"], one["sequence"])
    assert key not in seen, key
    seen.add(key)
print(len(seen))
PYTHON
}

# hear SITES COUNT: listens in the background; then `heard` waits for it, and checks that COUNT came, each once.
hear() {
    rm -f "$directory/listen"
    $postroad listen "$1" --json --count "$2" --timeout 60 >"$directory/heard" 2>"$directory/listen" &
    listener=$!
    await "$directory/listen" 'listening at'
}

heard() {
    local count
    wait "$listener" || fault "the listener failed: $(cat "$directory/listen")"
    count=$(heard_once "$directory/heard") || fault "a delivery came twice"
    [ "$count" = "$1" ] || fault "$count deliveries, expected $1"
}

# send_from SITE TARGETS COUNT [OPTION...]: in the background; `sent` waits for all of them.
send_from() {
    $postroad send "$2" --from "$1" --count "$3" --data words:1,2,3 --quiet --timeout 60 "${@:4}" >>"$directory/sent" 2>&1 &
    senders+=($!)
}

sent() {
    local sender
    for sender in "${senders[@]}"; do wait "$sender" || fault "a sender failed: $(cat "$directory/sent")"; done
    senders=()
}

check_raw() {
    up 2x2 --reliable 0 --firmware $images/small-raw.elf
    expect 0 '^4 of 4 sites answer, 4 of 4 links are good' $postroad map
    expect 0 '^ *3 +2 +2/2' $postroad ping all -c 2
    expect 0 '^4 of 4 sites answer' $postroad map --from 3
    hear all 12
    send_from 2 0-3 3
    sent
    heard 12
    down
}

# A site without a console: what it echoes is heard at the source. It restarts twice.
check_reliable() {
    up 2x2 --nodes native:0-2,core:3 --firmware $images/small-reliable.elf --fault corrupt:0.001 --seed 3
    expect 0 '^4 of 4 sites answer, 4 of 4 links are good' $postroad map
    expect 0 '^ *3 +2 +4/4' $postroad ping all -c 4
    expect 3 'site 3: its firmware has no groups' $postroad group 3
    hear 0-2 90
    for site in 0 1 2; do send_from $site 0-3 10; done
    sent
    heard 90
    hear 0 5
    for _ in 1 2 3 4 5; do
        expect 0 'delivered' $postroad send 3 --from 0 --handler 2 --data words:4,5
    done
    heard 5
    grep -q '"source":3.*"data":\[4,5\]' "$directory/heard" || fault "no echo: $(cat "$directory/heard")"
    for epoch in 1 2; do
        expect 0 'loaded: site 3' $postroad load 3 $images/small-reliable.elf
        expect 0 "^site 3: restarted, epoch $epoch" $postroad map
        expect 0 '^ *3 +2 +4/4' $postroad ping all -c 4
        expect 0 'delivered' $postroad send 1-3 --from 0
    done
    down
}

# Its console hears each packet once.
check_receiver() {
    up 2x2 --nodes native:0-2,core:3 --firmware $images/small-receiver.elf --fault corrupt:0.001 --seed 4
    expect 4 '^1 of 4 sites answer' $postroad map --from 3 # the others do not answer its console, but it knows itself
    hear 3 60
    for site in 0 1 2; do send_from $site 0-3 20; done
    sent
    heard 60
    expect 0 '' $postroad load 3 $images/small-receiver.elf
    hear 3 5
    send_from 1 3 5
    sent
    heard 5
    down
}

# Four small sites in the middle of what passes: they send on what the fabric diverts, defers and aborts.
check_middle() {
    up 4x4 --nodes native:0-4,core:5-6,native:7-8,core:9-10,native:11-15 --firmware $images/small-receiver.elf \
        --fault corrupt:0.0002 --seed 5
    hear 5,6,9,10 144
    for site in 0 3 4 7 12 15; do send_from $site 5,6,9,10,$((15 - site)) 6; done
    sent
    heard 144
    down
}

# LONG: a hypercube, of a fabric that has no multicast.
check_cube() {
    local mesh=$directory/cube.mesh
    printf '[mesh]\nfabric = csr\ntopology = hypercube\ndimensions = 2\n' >"$mesh"
    printf '[buffers]\nmax_packet = 56\n[site]\nram_bytes = 8192\n' >>"$mesh"
    up cube --nodes native:0-2,core:3 --firmware $images/small-reliable.elf
    expect 0 '^4 of 4 sites answer, 4 of 4 links are good' $postroad map
    expect 0 '^ *3 +2 +4/4' $postroad ping 3 -c 4
    hear 0-1 2
    expect 0 'delivered: sequence [0-9]*, sites 0-1,3' $postroad send 0,1,3 --from 2
    heard 2
    down
}

check_unsuitable() {
    printf '[mesh]\ntopology = grid\nsize = 2x2\n[site]\nram_bytes = 8192\n' >"$directory/long.mesh"
    expect 1 'built for 56 words a packet' $postroad up "$directory/long.mesh" --firmware $images/small-raw.elf
    expect 1 'at most the 8192 bytes of RAM' $postroad up "$directory/2x2.mesh"
}

senders=()
run_checks raw reliable receiver middle ${LONG:+cube} unsuitable
