#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The protocol decoders of sigrok show of two board_links what these have sent and taken: packets as expected, words as they came
# out of the far end, clean, with clocks 2000 ppm apart, with bit errors, at several sample rates.
# usage: tests/sigrok/test_decoders.sh [CHECK...]   SIGROKDECODE_DIR: other decoders than those in build/
# needs: sigrok-captures
# shellcheck disable=SC2046,SC2317  # options are words; checks are called by their names
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sigrok/decode.bash
source tests/sigrok/decode.bash

# as_expected NAME: what is in $work/got.
as_expected() {
    grep -v '^#' "tests/sigrok/expected/$1" >"$work/expected"
    if ! diff "$work/expected" "$work/got" >"$work/difference"; then
        fail "$1: not as expected"
        head -n 20 "$work/difference"
    fi
}

packets() {
    decode $(vcd clean 40) "$(line left.east),postroad_packet" postroad_packet=packets:links:faults >"$work/got"
    as_expected packets
}

words() {
    decode $(vcd clean 40) "$(line left.east),postroad_packet" postroad_packet=words | cut -d ' ' -f 2- >"$work/got"
    as_expected words
}

raw() {
    decode $(vcd clean 40) "$(line left.east),postroad_packet:service=raw:topology=hypercube" postroad_packet=packets |
        cut -d ' ' -f 2- >"$work/got"
    as_expected raw
}

# Start, fields and bits of the first frames: status, and the first word.
frames() {
    {
        decode $(vcd clean 40) "$(line right.west)" postroad_line=frames:fields:faults |
            sed -n '1,10p; /First: [a-z]/,+8p' | head -n 28
        decode $(vcd clean 40) "$(line right.west)" postroad_line=bits | head -n 34
    } >"$work/got"
    as_expected frames
}

# A word of abort_packet and null_target has no meaning. Each BREAK is an abort_packet.
decoded_words() {
    decode $(vcd "$1" "$2") "$(line "$3")" postroad_line=word:break |
        awk 'BEGIN { split("abort data end null multicast info unicast", names); for (tag in names) tags[names[tag]] = tag }
            NF <= 4 && $(NF - 1) in tags { tag = tags[$(NF - 1)]; print tag, tag == 1 || tag == 4 ? "-" : $NF; next }
            { print "1 -" }'
}

taken_words() {
    awk -v end="$2" '$1 == end && $2 == "takes" { print $3, $3 == 1 || $3 == 4 ? "-" : $4 }' "$captures/$1.log"
}

# as_taken CAPTURE NS: both lines.
as_taken() {
    local end=1 name
    for name in left.east right.west; do
        decoded_words "$1" "$2" "$name" >"$work/decoded"
        taken_words "$1" "$end" >"$work/taken"
        [ "$(wc -l <"$work/taken")" -gt 60 ] || fail "$1: the bench took few words"
        if ! diff "$work/taken" "$work/decoded" >"$work/difference"; then
            fail "$1, a sample each $2 ns, $name: other words than the far end took (<) are shown (>)"
            head -n 10 "$work/difference"
        fi
        end=0
    done
}

clean() {
    as_taken clean 40
    as_taken clean 100
}

clocks() {
    as_taken fast 83
    as_taken slow 10
}

errors() {
    as_taken few_errors 40
    as_taken many_errors 40
}

# Short pulses start no frame, and change none.
glitches() {
    as_taken glitches 10
    decode $(vcd glitches 10) "$(line left.east)" postroad_line=fault >"$work/got"
    grep -q 'A pulse too short' "$work/got" || fail "glitches: no pulse is shown"
}

# A capture that begins anywhere shows the later packets as one from the start does.
middle() {
    local skipped
    sigrok-cli $(vcd clean 40) -O binary -o "$work/levels" || fail "middle: no conversion"
    decode $(vcd clean 40) "$(line left.east),postroad_packet" postroad_packet=packets | cut -d ' ' -f 2- >"$work/whole"
    for skipped in 10001 12345 14567; do
        tail -c +"$skipped" "$work/levels" >"$work/part"
        decode -I binary:numchannels=2:samplerate=25000000 -i "$work/part" postroad_line:line=0,postroad_packet \
            postroad_packet=packets | cut -d ' ' -f 2- >"$work/got"
        [ "$(wc -l <"$work/got")" -ge 4 ] || fail "middle: few packets behind sample $skipped"
        tail -n "$(wc -l <"$work/got")" "$work/whole" | cmp -s - "$work/got" ||
            fail "middle: other packets behind sample $skipped"
    done
    # Between two frames of a packet: its rest cannot be checked, and nothing is damaged.
    tail -c +3697 "$work/levels" >"$work/part"
    decode -I binary:numchannels=2:samplerate=25000000 -i "$work/part" postroad_line:line=0 postroad_line=rest:fault:break \
        >"$work/got"
    [ "$(cut -d ' ' -f 2 "$work/got" | sort | uniq -c | tr -s ' \n' ' ')" = ' 7 data 1 end ' ] ||
        fail "middle: the rest of a packet: $(cat "$work/got")"
}

# What bit errors make too rarely for a capture: a head within a packet, whose terminator has gone; and a terminator whose check
# byte fits, but not the sum of the packet. And what no board_link sends: an eager link's dead frame behind a good one.
rare() {
    python3 - "${SIGROKDECODE_DIR:-build/sigrok}" <<'EOF' || fail "rare: frames are not taken as they are"
import sys, types
sys.modules['sigrokdecode'] = types.SimpleNamespace(Decoder=object)
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from postroad_line.frame import BEGINNING, Frame, Receiver, crc_after
from postroad_line import protocol

def frame(tag, first, word, before=BEGINNING, mark=0):
    """A frame behind the sum `before`, and the sum behind it."""
    summed = tag << 21 | first << 20 | protocol.LINK_REPORT_GO << 18 | word
    crc = crc_after(before, summed, 24)
    value = summed << 8 | crc >> 8 ^ mark
    return Frame([1] + [value >> place & 1 for place in reversed(range(32))] + [0]), crc

def taken(*frames):
    receiver = Receiver()
    return [receiver.take(frame)[0][0] for frame in frames]

def expect(kinds, *frames):
    assert taken(*frames) == kinds, (taken(*frames), kinds)

idle, _ = frame(protocol.TAG_NULL_TRANSMISSION, 1, 17)
head, behind = frame(protocol.TAG_UNICAST_SITE, 1, 0x0083)
dead, _ = frame(protocol.TAG_UNICAST_SITE, 1, 0x0083, mark=protocol.LINK_DEAD_MARK)
ends = [frame(protocol.TAG_END_OF_PACKET, 0, word, behind) for word in range(256)]
good, = [end for end, crc in ends if not crc & 0xff]
expect(['STATUS', 'FAULT', 'WORD'], idle, dead, head)
expect(['STATUS', 'WORD', 'BREAK'], idle, head, head)
expect(['STATUS', 'WORD', 'WORD', 'WORD'], idle, head, good, head)
for bad in (end for end, _ in ends if end is not good):
    expect(['STATUS', 'WORD', 'BREAK'], idle, head, bad)
EOF
}

# refused TEXT ARGUMENT...
refused() {
    sigrok-cli "${@:2}" >"$work/out" 2>&1
    grep -q "$1" "$work/out" || fail "refusals: ${*:2}: expected '$1'"
}

# acknowledged SEQUENCE BITMAP: in words. A bitmap without a gap up to its end says nothing of single numbers.
acknowledged() {
    python3 -c 'import sys, types
package = types.ModuleType("decoder")
package.__path__ = [sys.argv[1] + "/postroad_packet"]
sys.modules["decoder"] = package
from decoder import header
print(header.acknowledged(int(sys.argv[2]), int(sys.argv[3], 2)))' "$SIGROKDECODE_DIR" "$@"
}

acknowledgements() {
    [ "$(acknowledged 0 11111111111)" = 'all up to 0' ] || fail "nothing was sent before: $(acknowledged 0 11111111111)"
    [ "$(acknowledged 3 11111111110)" = '3 all up to 1' ] || fail "2 is missing: $(acknowledged 3 11111111110)"
    [ "$(acknowledged 5 10000000001)" = '5 4 all up to 65530' ] || fail "a gap: $(acknowledged 5 10000000001)"
    [ "$(acknowledged 5 00000000101)" = '5 4 2' ] || fail "no run: $(acknowledged 5 00000000101)"
}

# What cannot be decoded is refused on standard error, with the numbers.
refusals() {
    refused 'too few for a link clock of 12000000 Hz: expected 9000000' $(vcd clean 200) -P "$(line left.east)"
    refused 'link_clock=0: expected' $(vcd clean 40) -P "$(line left.east):link_clock=0"
    refused 'Cannot decode without a sample rate' -I binary:numchannels=1 -i tests/sigrok/decode.bash -P postroad_line:line=0
}

[ $# -gt 0 ] || set -- packets words raw frames clean clocks errors glitches middle rare acknowledgements refusals
for check in "$@"; do $check; done
finish
