#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Captures of postroad listen --pcap, as tshark reads them with the dissector: what they hold is what --json prints of the same
# packets; their times; streams, and what happens when nobody reads them or the disk is full.
# usage: test_pcap.sh [CHECK...]      default: all of them, see the end
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash pcap

mesh_up() {
    expect 0 '^up:' $postroad up hw/mesh/grid-4x4.mesh --nodes native --name pcap --quiet
}

# read_capture FILE [OPTION...]: what tshark makes of it with the dissector. It must find nothing wrong with the file.
read_capture() {
    TZ=UTC tshark -X lua_script:build/postroad.lua -r "$@" 2>"$directory/tshark"
    grep -vE 'Running as user|^$' "$directory/tshark" && fault "tshark: $(cat "$directory/tshark")"
}

# fields FILE FILTER FIELD...: a line for each packet.
fields() {
    local file=$1 filter=$2
    read_capture "$file" -Y "$filter" -T fields -E separator=' ' -E occurrence=a "${@:3}"
}

# shows FILE TEXT [OPTION...]: TEXT is somewhere in what tshark prints.
shows() {
    read_capture "$1" "${@:3}" >"$directory/printed"
    grep -Eq -- "$2" "$directory/printed" || fault "nothing like '$2' in $1: $(head -c 2000 "$directory/printed")"
}

settle() {
    wait "${helpers[@]}" || fault "exit status $? of a listener: $(cat "$directory"/said*)"
    helpers=()
}

# Unicast, multicast, target_info, text, bytes, no data, and as much as a packet holds.
send_all_kinds() {
    expect 0 delivered $postroad send 3 --data hello
    expect 0 delivered $postroad send 5,9 --data words:1,70,0xffff --info 5:3,0x7777
    expect 0 delivered $postroad send 2 --handler 200
    expect 0 delivered $postroad send all --from 6 --data "hex:00ff10"
    expect 0 delivered $postroad send 15 --from 12 --data "$(printf 'x%.0s' $(seq 118))"
}
kinds_deliveries=21

# What --json and the capture say of the same deliveries, in one form and order.
check_contents() {
    mesh_up
    start "$directory/said" $postroad listen all --count $kinds_deliveries --pcap "$directory/all.pcapng" --timeout 60
    start "$directory/json" $postroad listen all --count $kinds_deliveries --json --timeout 60
    await "$directory/said" 'listening at 16 sites'
    await "$directory/json" 'listening at 16 sites'
    send_all_kinds
    settle
    sed -n 's/^{/{/p' "$directory/json" |
        jq -r '[.site, .source, .sequence, .handler, .first_word_clock, .terminator_clock, .delivered_clock,
               (.info + .data | map(tostring) | join(","))] | map(tostring) | join(" ")' |
        sort >"$directory/wanted"
    fields "$directory/all.pcapng" postroad.target -e postroad.target -e postroad.source -e postroad.sequence \
        -e postroad.handler -e postroad.stamp_first -e postroad.stamp_last -e postroad.clock -e postroad.word |
        sort >"$directory/captured"
    cmp -s "$directory/wanted" "$directory/captured" ||
        fault "capture and JSON differ: $(diff "$directory/wanted" "$directory/captured" | head -n 5)"
    [ "$(wc -l <"$directory/captured")" = $kinds_deliveries ] || fault "not $kinds_deliveries packets in the capture"
    shows "$directory/all.pcapng" 'delivery at site 3: sequence 0 handler 1: "hello"'
    shows "$directory/all.pcapng" '"x{118}"'
    shows "$directory/all.pcapng" 'Interface id: 15 \(site-15\)' -V
    [ -z "$(fields "$directory/all.pcapng" _ws.malformed -e frame.number)" ] || fault "malformed packets"
    [ -z "$(fields "$directory/all.pcapng" _ws.expert -e frame.number)" ] || fault "the dissector is not content"
    expect 0 '' $postroad down
}

# One clock for all sites: the times between two packets are those between their stamps, at 12 MHz.
check_times() {
    mesh_up
    local before after
    before=$(date +%s)
    start "$directory/said" $postroad listen all --events --count 300 --pcap "$directory/times.pcapng" --timeout 60
    await "$directory/said" 'listening at 16 sites'
    expect 0 delivered $postroad send 1-3 --count 100 --data abc
    settle
    after=$(date +%s)
    fields "$directory/times.pcapng" postroad.stamp_last -e frame.time_epoch -e postroad.stamp_last >"$directory/list"
    [ "$(wc -l <"$directory/list")" = 300 ] || fault "not 300 deliveries: $(wc -l <"$directory/list")"
    awk -v from="$before" -v to="$after" '
        $1 + 0 < from || $1 + 0 > to + 60 { print "time " $1 " is not between " from " and " to + 60 }
        { split($1, part, "."); ns = (part[1] - from) * 1000000000 + part[2] }
        NR > 1 { d = (ns - last_ns) - ($2 - last) * 1000 / 12; if (d > 2 || d < -2) print "packet " NR ": off by " d " ns" }
        { last_ns = ns; last = $2 }' "$directory/list" >"$directory/wrong"
    [ ! -s "$directory/wrong" ] || fault "times: $(head -n 3 "$directory/wrong")"
    [ -n "$(fields "$directory/times.pcapng" 'postroad.kind == 6' -e postroad.source)" ] || fault "no event in the capture"
    shows "$directory/times.pcapng" 'clock of the simulated mesh, 12000000 Hz' -V -c 1
    expect 0 '' $postroad down
}

# A pipe: each packet is there at once; the listener ends with its reader, before and without a further packet.
check_streams() {
    mesh_up
    mkfifo "$directory/pipe"
    : >"$directory/said" # here, or an earlier check's text is found in it
    tshark -l -X lua_script:build/postroad.lua -r - <"$directory/pipe" >"$directory/shown" 2>"$directory/tshark" &
    helpers+=($!)
    $postroad listen all --pcap - --timeout 60 >"$directory/pipe" 2>"$directory/said" </dev/null &
    local listener=$!
    await "$directory/said" 'listening at 16 sites'
    expect 0 delivered $postroad send 4 --data first
    within_time grep -qs 'delivery at site 4: .*"first"' "$directory/shown" ||
        fault "no delivery is shown at once: $(cat "$directory/shown" "$directory/tshark" "$directory/said")"
    kill -KILL "${helpers[@]}" # with SIGTERM it would wait for another packet
    wait "${helpers[@]}" 2>/dev/null
    helpers=()
    within_time is_gone $listener || fault "a listener goes on when its reader has gone"
    kill -KILL $listener 2>/dev/null
    wait $listener || fault "exit status $? when its reader has gone: $(cat "$directory/said")"
    [ "$(wc -l <"$directory/said")" = 1 ] || fault "a reader that has gone is not taken quietly: $(cat "$directory/said")"
    timeout "${EXPECT_SECONDS:-100}" $postroad listen all --pcap - 2>"$directory/said" </dev/null | head -c 50 >/dev/null
    [ "${PIPESTATUS[0]}" = 0 ] || fault "exit status ${PIPESTATUS[0]} when the reader has gone at once"
    expect 0 '' $postroad down
}

is_gone() {
    ! kill -0 "$1" 2>/dev/null
}

# A file appears at the end, also after SIGINT; a full disk is an error; no text in a terminal's way.
check_files() {
    mesh_up
    expect 2 'listen: /dev/full: No space left on device' $postroad listen all --pcap /dev/full --timeout 30
    expect 2 'listen: standard output: No space left on device' bash -c "$postroad listen all --pcap - --timeout 30 >/dev/full"
    expect 2 'nowhere/a: No such file' $postroad listen all --pcap "$directory/nowhere/a"
    expect 1 'json and --pcap' $postroad listen all --pcap - --json
    expect 2 'standard output is a terminal' script -qec "$postroad listen all --pcap -" /dev/null
    echo old >"$directory/kept"
    : >"$directory/said"
    $postroad listen all --pcap "$directory/kept" >"$directory/said" 2>&1 </dev/null &
    local listener=$! header
    await "$directory/said" 'listening at 16 sites'
    header=$(stat -c %s "$directory/kept.$listener.new")
    expect 0 delivered $postroad send 4
    [ "$(cat "$directory/kept")" = old ] || fault "the file is replaced before the end"
    within_time is_longer "$directory/kept.$listener.new" "$header" || fault "no record in the file"
    kill -INT $listener
    wait $listener
    [ $? = 130 ] || fault "SIGINT does not give 130"
    [ "$(read_capture "$directory/kept" | wc -l)" = 1 ] || fault "not one packet after SIGINT"
    [ "$(find "$directory" -name 'kept*' | wc -l)" = 1 ] || fault "something else is left beside the file"
    expect 0 '' $postroad down
}

is_longer() {
    [ "$(stat -c %s "$1")" -gt "$2" ]
}

if [ $# = 0 ]; then set -- contents times streams files; fi
run_checks "$@"
