#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# postroad trace --capture: the ways of packets in captures whose true times are known; lines without channels; bad input.
# usage: test_trace_capture.sh [CHECK...]      default: all of them, see the end
# needs: build/tests/latency/make_capture
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash trace-capture
bench=$directory/bench.ini

# testbed: four boards in a row.
testbed() {
    printf '%s\n' '[mesh]' 'fabric = cutthrough' 'topology = grid' 'size = 4x1' '[links]' 'board = yes' '[buffers]' \
        'max_packet = 56' >"$directory/row.mesh"
    printf '%s\n' '[testbed]' 'mesh = row.mesh' '[board a]' 'type = icebreaker' '[board b]' 'type = icebreaker' '[board c]' \
        'type = icebreaker' '[board d]' 'type = icebreaker' '[cables]' 'a.east = b.west' 'b.east = c.west' 'c.east = d.west' \
        '[analyser]' 'rate = 24m' 'D0 = a.east' 'D1 = b.east' 'D2 = c.east' >"$bench"
}

# capture FILE [CHANNELS [PACKETS]]: the truth is in $truth: mean nanoseconds from a to b, from b to c, from a to c.
capture() {
    read -ra truth < <(build/tests/latency/make_capture "$1" 24e6 35 200 3e6 "${3:-40}" "${2:-D0,D1,D2}")
}

# is FILTER [ARGUMENT...]: of the JSON in $said is true.
is() {
    [ "$(jq -r "${@:2}" "$1" <<<"$said")" = true ] || fault "not true: ${*}: $(head -c 2000 <<<"$said")"
}

# The mean of what a line is behind the one before has the truth inside of its mean interval.
after='[.packets[].lines[$line | tonumber].after] | ((map(.low_ns) | add / length) <= ($truth | tonumber))
    and ((map(.high_ns) | add / length) >= ($truth | tonumber)) and (map(.high_ns - .low_ns) | max < 170)'

check_formats() {
    local format
    testbed
    for format in sr vcd; do
        capture "$directory/all.$format"
        expect 0 '"left_out":.0' "$postroad" trace 0 3 --capture "$directory/all.$format" --testbed "$bench" --json
        is '.from == 0 and .to == 3 and .notes == [] and [.packets[].sequence] == [range(40)]'
        is '[.packets[] | .complete and .attempt == 1] | all'
        is '[.packets[] | [.lines[].line] == ["a.east", "b.east", "c.east"] and [.lines[].channel] == ["D0", "D1", "D2"]] | all'
        is '[.packets[] | [.lines[].to] == ["b", "c", "d"] and (.lines | all(.data_words == 4 and (.broken_off | not)))] | all'
        is '[.packets[].lines[0] | has("after")] | any | not'
        is '[.packets[].lines[0].start.value_ns] | . == sort and .[0] > 150e3'
        is "$after" --arg line 1 --arg truth "${truth[0]}"
        is "$after" --arg line 2 --arg truth "${truth[1]}"
    done
}

# Samples are lost while packet 205 goes from a to b: how long that took is not known.
check_lost() {
    testbed
    expect 0 'frames left their places 1 times' \
        "$postroad" trace 0 3 --capture tests/latency/data/lost_bit.sr --testbed "$bench" --json
    expect 0 . "$postroad" trace 0 3 --capture tests/latency/data/lost_bit.sr --testbed "$bench" --json --quiet
    is '[.packets[] | select(.lines[1] | has("after") | not) | .sequence] == [205]'
    expect 3 'its channels contradict each other' \
        "$postroad" trace 0 3 --capture tests/latency/data/second_analyser.sr --testbed "$bench"
}

check_gap() {
    testbed
    capture "$directory/gap.sr" D0,X,D2
    expect 0 'no channel D1, which shows b.east' "$postroad" trace 0 3 --capture "$directory/gap.sr" --testbed "$bench"
    expect 0 . "$postroad" trace 0 3 --capture "$directory/gap.sr" --testbed "$bench" --json --quiet
    is '[.packets[] | .complete] | any | not'
    is '[.packets[].lines[1] | .line == "b.east" and .channel == null and (.seen | not) and (has("start") | not)] | all'
    is "$after" --arg line 2 --arg truth "${truth[2]}"
}

check_text() {
    testbed
    capture "$directory/text.sr" D0,X,D2 2
    expect 0 '^Packets of site 0 to site 3 in .*/text.sr' "$postroad" trace 0 3 --capture "$directory/text.sr" --testbed "$bench"
    grep -Eq '^ +1 +1 +a.east +b +[0-9]+\.[0-9]{3} +0\.0[0-9]{2}' <<<"$said" || fault "the first line: $said"
    grep -Eq '^ +1 +1 +b.east +c +no channel' <<<"$said" || fault "the line without a channel: $said"
    grep -Eq '^ +1 +1 +c.east +d +[0-9.]+ +[0-9.]+ +[0-9.]+ us \+[0-9.]+ -[0-9.]+' <<<"$said" || fault "the last line: $said"
}

check_refused() {
    testbed
    capture "$directory/bad.sr"
    expect 4 'no packet of site 1 to site 3 was seen; the capture shows 2 of the 2 lines between' \
        "$postroad" trace 1 3 --capture "$directory/bad.sr" --testbed "$bench"
    expect 1 'both on board b' "$postroad" trace 1 1 --capture "$directory/bad.sr" --testbed "$bench"
    expect 1 'TARGET 4: expected a site, 0 to 3' "$postroad" trace 0 4 --capture "$directory/bad.sr" --testbed "$bench"
    expect 1 'no --testbed' "$postroad" trace 0 3 --capture "$directory/bad.sr"
    expect 1 'no --capture' "$postroad" trace 0 3 --testbed "$bench"
    expect 1 'nothing.sr: No such file' "$postroad" trace 0 3 --capture "$directory/nothing.sr" --testbed "$bench"
    expect 1 'nothing.ini' "$postroad" trace 0 3 --capture "$directory/bad.sr" --testbed "$directory/nothing.ini"
    capture "$directory/swap.sr" D1,D0,D2
    expect 3 'a channel shows another line than the testbed says' \
        "$postroad" trace 0 3 --capture "$directory/swap.sr" --testbed "$bench"
}

[ $# -gt 0 ] || set -- formats lost gap text refused
run_checks "$@"
