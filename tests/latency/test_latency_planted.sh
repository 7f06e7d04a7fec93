#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The tests of `postroad latency` can fail: each bug below is planted in a copy of one source, test_lines, test_packet_ways,
# test_strobes or test_coverage is linked with it, and has to object.
# needs: build/libcli.a build/libpostroad.a build/libsim.a build/libfirmware.a build/tests/libraries
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/faults/result.bash
source tests/faults/result.bash
build=$(realpath "${BUILD:-build}")
work=$(mktemp -d "${TMPDIR:-/tmp}/latency-planted.XXXXXX")
trap 'rm -rf "$work"' EXIT
failed=0
planted=0

fail() {
    echo "FAIL $*"
    failed=1
}

# compile OUTPUT OPTION...
compile() {
    local folders=(hw/protocol firmware sim boards host-tools tests)
    ${CC:-gcc} -std=c11 -O1 "${folders[@]/#/-I}" -o "$@"
}

for source in check latency/line_capture latency/made_testbed latency/test_lines latency/test_packet_ways latency/test_strobes \
    latency/test_coverage; do
    compile "$work/${source##*/}.o" -c "tests/$source.c" || exit 1
done

# run TEST SOURCE...: the test with these sources in place of those of the archives.
run() {
    compile "$work/test" "${@:2}" "$work"/{"$1",check,line_capture,made_testbed}.o "$build"/lib{cli,postroad,sim}.a \
        "$build/libfirmware.a" "@$build/tests/libraries" -Wl,--allow-multiple-definition >"$work/log" 2>&1 || return 2
    SEED=1 EXPERIMENTS=3 timeout 120 "$work/test" >"$work/log" 2>&1 # may crash
}

# caught WHAT FILE SCRIPT [TEST]
caught() {
    local what=$1 file=$2 copy=$work/$2 test=${4:-test_lines} verdict=MISSED status
    planted=$((planted + 1))
    sed -E "$3" "host-tools/latency/$file" >"$copy"
    if cmp -s "host-tools/latency/$file" "$copy"; then
        fail "$what: the script changes nothing in $file"
        return
    fi
    fault_start
    run "$test" "$copy"
    status=$?
    if [ $status = 2 ]; then
        fail "$what: does not compile: $(head -n 3 "$work/log")"
    elif [ $status = 0 ]; then
        fail "$what: $test passes with it"
    elif ! grep -m 1 -E 'FAIL|not true' "$work/log" >"$work/why"; then
        fail "$what: $test ends without a word"
    else
        verdict=caught
        echo "$what: $(head -c 120 "$work/why")"
    fi
    fault_result $verdict - "latency: $what" "$test"
    rm -f "$copy"
}

for test in test_lines test_packet_ways test_strobes test_coverage; do
    run $test || fail "$test fails without a bug: $(tail -n 3 "$work/log")"
done

caught "another polynomial" line_decoder.c 's/0x0389/0x1021/'
caught "check bytes are not looked at" line_decoder.c 's/frame\.check == crc >> 8 \&\& /true \&\& /'
caught "dead heads are damage" line_decoder.c 's/ \^ PR_LINK_DEAD_MARK/ ^ 0xff/'
caught "bits are taken at their edges" line_decoder.c 's/\(bit \+ 0\.5\) \* /(bit - 0.02) * /'
caught "aborted packets count" line_decoder.c 's/= tag == PR_TAG_ABORT_PACKET;/= false;/'
caught "all packets are alike" line_decoder.c 's/^    packet->identity = .*//'
caught "glitches are not counted" line_decoder.c 's/decoder->counts.glitches \+= .*/;/'
caught "the sample before an edge is forgotten" line_clock.c 's/clock->samples\[i\] - 1\}/clock->samples[i] - 0.2}/'
caught "the first copy of a packet goes with what follows" wires.c 's/seen->began < began \&\&/seen->began < began - 1e-4 * wires->rate \&\&/'
caught "any wire leads to any board" wires.c 's/wires->wires\[seen->wire\]\.reader == \(int\)board \&\&/true \&\&/'
caught "a hop takes the time since the start of the way" wires.c 's/\(struct uncertain\)\{before->began,/(struct uncertain){before->first_began,/'
caught "the way ends where it begins" wires.c 's/\{seen->first_wire, seen->wire, seen->hops/{seen->wire, seen->wire, seen->hops/'
caught "ranks are too near" readings.c 's/tail = 0\.0015/tail = 0.2/'
caught "p99 is never open" readings.c 's/\*high = count \+ 1;/*high = count;/'
caught "the mean has no spread" readings.c 's/readings_student\(n - 1\) \* sqrt/0 * sqrt/' test_coverage
caught "errors of readings are left out" readings.c 's/sign \* \(double\)readings->errors\[i\]/0 * sign/' test_coverage
caught "the analyser's clock is perfect" analysis.c 's/analysis->slowest = low < high \? low : least;/analysis->slowest = 0;/'
caught "clocks run the wrong way" analysis.c 's/line->nominal \/ bit - 1/bit \/ line->nominal - 1/'
caught "clocks are not compared" analysis.c 's/suspicious = 1\.9/suspicious = 100/'
caught "swapped channels pass" analysis.c 's/"the two channels are swapped"/"it"/'
caught "the fit forgets how many packets a group has" analysis.c 's/slope\[h\] = sums\[h\]\.count \* \(h/slope[h] = (h/'
caught "the slope within packets counts the first hop" wires.c 's/seen->began - seen->second_began\)/seen->began - seen->first_began)/'
caught "missing channels pass" analysis.c 's/if \(!wire->seen\) \{/if (false) {/'
caught "ways of other sources" packet_ways.c 's/ != ways->source\)/ == 0xffff)/' test_packet_ways
caught "ways to other targets" packet_ways.c 's/packet->target != ways->target/false/' test_packet_ways
caught "the words of a packet's header are mixed up" line_decoder.c 's/header\[packet->words\] = /header[PR_HEADER_WORDS - 1 - packet->words] = /' test_packet_ways
caught "gaps end a way" packet_ways.c 's/bool gap = .*/bool gap = false;/' test_packet_ways
caught "a packet that is sent again goes the same way" packet_ways.c 's/bool gap = wire->board != ways->from/bool gap = true/' test_packet_ways
caught "a line is passed twice" packet_ways.c 's/return !\(way->lines >> index \& 1\) \&\& /return /' test_packet_ways
caught "a packet is on its way for ever" packet_ways.c 's/memory_seconds = 1;/memory_seconds = 1e9;/' test_packet_ways
caught "control packets have sequence numbers" packet_ways.c 's/way->control \? way->identity == packet->identity : //' test_packet_ways
caught "a gap leads over lines that were looked at" packet_ways.c 's/if \(unseen \&\& leg\.wire\)/if (false)/' test_packet_ways
caught "the end of a way is left out" packet_ways.c 's/^    add_gap\(ways, \&all, at, ways->to\);//' test_packet_ways
caught "aborted packets look whole" packet_ways.c 's/\.aborted = packet->aborted\}/.aborted = false}/' test_packet_ways

# strobe WHAT SCRIPT
strobe() {
    caught "$1" strobes.c "$2" test_strobes
}
strobe "a head leaves before its frame" 's/\(packet, began\.value, until/\&/; s/take_event\(\&wires->wires\[index\], began\.value, until/take_event(\&wires->wires[index], 0, began.value/'
strobe "two events in a place are one" 's/return inside == 1;/return inside > 0;/'
strobe "aborted packets have readings" 's/\|\| packet->aborted\)/|| false)/; s/ \&\& !wire->last_aborted//'
strobe "terminators are sought in the place of the head" 's/wire->last\.value \+ place_bits \* bit/wire->last.value/; s/from, until, \&when\)/from, from + place_bits * bit, \&when)/'
strobe "any number of heads is one turn" 's/end->heads == 1/end->heads > 0/'
strobe "packets for other boards are waited for" 's/return packet->multicast \|\|/return true ||/'
strobe "the first of several packets is taken" 's/candidates != 1 \|\| doubtful/candidates < 1 || doubtful/'
strobe "doubt ends with the event" 's/\+\+strobe->doubted >= candidates/true/'
strobe "damage hides no packet" 's/if \(harm != strobe->damage\)/if (false)/'
strobe "packets that are still on the line are not waited for" 's/known = fmin\(known, .*/;/'
strobe "some lines into the board are enough" 's/if \(!line_at\(wires, far->board, far->link\)\)/if (false)/'
strobe "disorder passes" 's/from->disorder \&\& /false \&\& /'
strobe "two packets between boards pass" 's/before->under_way == 1/before->under_way > 0/; s/before->disorder \+= before->under_way > 0;//'
strobe "a head may arrive before it has left" 's/when - before->began >= least/true/'

echo "$planted bugs planted"
[ $failed = 0 ] && echo "all were caught"
exit $failed
