#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# postroad trace: the way of a packet in simulated meshes, idle and under load, with diversions and with links that damage words;
# the stamps of the receiving site and one-way times of ping are the cross-check.
# usage: test_trace.sh [CHECK...]      default: all of them, see the end
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash trace

# What every trace must be. One of its attempts is whole: its way begins at the source, each link begins where the one before has
# ended, later, the last leads to the target, and its terminator is stamped there two clocks later.
sound='. as $trace | .delivered and if .from == .to then .links == [] else
    any(([.links[].attempt] | unique)[];
        . as $attempt
        | [$trace.links[] | select(.attempt == $attempt)] as $way
        | $way[0].site == $trace.from and $way[-1].to == $trace.to
        and all(range(1; $way | length); $way[.].site == $way[. - 1].to and $way[.].head_clock > $way[. - 1].head_clock)
        and all($way[]; .terminator_clock > .head_clock)
        and $trace.terminator_clock - $way[-1].terminator_clock == 2) end'

# trace FROM TO [OPTION...]: its JSON goes to $directory/trace, and is sound.
trace() {
    timeout 60 $postroad trace "$@" --json >"$directory/trace" 2>"$directory/said" </dev/null ||
        fault "exit status $? of trace $*: $(cat "$directory/said")"
    [ "$(jq -r "$sound" "$directory/trace")" = true ] || fault "trace $* is not sound: $(jq -c . "$directory/trace")"
}

# is FILTER: true of the last trace.
is() {
    [ "$(jq -r "$1" "$directory/trace")" = true ] || fault "not true: $1: $(jq -c . "$directory/trace")"
}

# load COUNT: eight sites send so many packets each, to several targets at once.
load() {
    local site
    for site in 1 2 3 4 6 8 9 12; do
        start "$directory/load-$site" $postroad send 15,5,10 --from "$site" --count "$1" --data words:1,2,3,4,5,6,7,8,9,10 -q
    done
}

end_load() {
    kill -KILL "${helpers[@]}" 2>/dev/null
    wait "${helpers[@]}" 2>/dev/null
    helpers=()
}

check_idle() {
    local nodes
    for nodes in native core; do
        expect 0 '^up:' $postroad up hw/mesh/grid-4x4.mesh --nodes $nodes --name trace --quiet
        trace 0 15
        is '(.links | length) == 6 and ([.links[] | .stored or .aborted or .attempt > 1] | any | not)'
        is '.links[1].head_clock - .links[0].head_clock == 1 and .links[3].head_clock - .links[2].head_clock == 3'
        trace 5 4 --words 20
        is '(.links | length) == 1 and .links[0].words == 25 and .links[0].link == "west"'
        trace 7 7
        expect 0 'Packet [0-9]+ of site 0 to site 3' $postroad trace 0 3
        expect 0 'Site 3: first word in at clock [0-9]+, terminator at clock' $postroad trace 0 3
        expect 0 '' $postroad down
    done
}

check_loaded() {
    local try
    expect 0 '^up:' $postroad up hw/mesh/grid-4x4.mesh --nodes native --name trace --quiet
    load 2000
    for ((try = 0; try < 12; try++)); do trace $((try % 4)) 15 --words 12; done
    end_load
    expect 0 '' $postroad down
}

# Traces until one is FILTER.
trace_until() {
    local tries
    for ((tries = 0; tries < 60; tries++)); do
        trace "${@:2}"
        if [ "$(jq -r "$1" "$directory/trace")" = true ]; then return; fi
    done
    fault "no trace is '$1'"
}

check_diverted() {
    sed 's/^divert = .*/divert = 1/' hw/mesh/grid-4x4.mesh >"$directory/divert.mesh"
    expect 0 '^up:' $postroad up "$directory/divert.mesh" --nodes native --name trace --quiet
    load 5000
    trace_until '[.links[].stored] | any' 0 15 --words 30
    end_load
    expect 0 '' $postroad down
}

check_damaged() {
    expect 0 '^up:' $postroad up hw/mesh/grid-4x4.mesh --nodes native --name trace --quiet --fault corrupt:0.002 --seed 3
    trace_until '[.links[] | .attempt > 1] | any' 0 15 --words 30
    expect 0 '' $postroad down
}

check_refused() {
    expect 2 'no mesh is up' $postroad trace 0 1
    expect 0 '^up:' $postroad up hw/mesh/grid-2x2.mesh --nodes native --name trace --quiet
    expect 1 'words on the links cannot be seen' $postroad trace 0 3
    expect 1 'TARGET 4: expected a site, 0 to 3' $postroad trace 0 4
    expect 1 'expected SITE TARGET' $postroad trace 0
    expect 0 '' $postroad down
    expect 0 '^up:' $postroad up hw/mesh/grid-4x4.mesh --nodes native --name trace --quiet
    expect 1 'words 900: expected at most' $postroad trace 0 4 --words 900
    expect 0 '' $postroad down
}

# Lines: a packet takes a slot a link, in the order that its first dimension gives, and of several segments the first is shown.
check_lines() {
    local words said
    expect 0 '^up:' $postroad up hw/mesh/csr-hypercube-4.mesh --nodes native --name trace --quiet
    for words in 0 40; do
        said=$($postroad trace 0 15 --words $words --json)
        jq -e '[.links[].head_clock] as $heads | ($heads | length) == 4 and .links[3].to == 15
            and ([range(3) | $heads[. + 1] - $heads[.]] | unique) == [28]' <<<"$said" >/dev/null ||
            fault "a way of $words words over lines: $said"
    done
    expect 0 '' $postroad down
    expect 0 '^up:' $postroad up hw/mesh/wormlan-torus-4x4.mesh --nodes native --name trace --quiet
    said=$($postroad trace 0 10 --words 20 --json)
    jq -e '[.links[].head_clock] as $heads | ($heads | length) == 4 and .links[3].to == 10
        and ([range(3) | $heads[. + 1] - $heads[.]] | unique) == [5]' <<<"$said" >/dev/null ||
        fault "a way of a worm: $said"
    expect 0 '' $postroad down
}

# A group: all copies, also those that members pass on; of an ordered one the way through the leader. Packets between members
# that are not data are not taken for others of their number.
check_group() {
    local said
    expect 0 '^up:' $postroad up hw/mesh/grid-4x4.mesh --nodes native --name trace --quiet
    expect 0 '' $postroad group 0,3,5,10,15 --join 7 --shape gt --quiet
    expect 0 '' $postroad group 0,3,5 --join 8 --shape gt-order --quiet
    said=$($postroad trace 0 15 --group 7 --words 2 --json)
    jq -e '.delivered and .group == 7 and .sequence == 0 and ([.links[] | select(.stored)] | length) >= 1
        and ([.links[] | select(.site == 0)] | length) >= 1 and ([.links[].to] | contains([15, 5, 3]))' <<<"$said" >/dev/null ||
        fault "a packet to group 7: $said"
    said=$($postroad trace 3 5 --group 8 --json)
    jq -e '.delivered and ([.links[] | select(.to == 0)] | length) == 1
        and ([.links[] | select(.site == 0)] | length >= 1 and all(.stored))' <<<"$said" >/dev/null ||
        fault "a packet to group 8: $said"
    trace 5 3
    is '([.links[].site] == [5, 6, 7]) and ([.links[].attempt] | unique) == [1]'
    expect 0 'Packet 1 of site 3 to group 8, until site 5 has it' $postroad trace 3 5 --group 8
    expect 3 'site 9, group 8: the site is no member' $postroad trace 9 3 --group 8
    expect 0 '' $postroad down
}

# One clock: the ways are known, and none is shorter than the links take. Through the socket of one node nothing is known of its
# clock: then out and back are unknown, their sum is the same, and the bounds of the offset include the true one, 0.
check_ping() {
    local one two socket
    socket=unix:$XDG_RUNTIME_DIR/postroad-$(id -u)/trace/site-0
    expect 0 '^up:' $postroad up hw/mesh/grid-4x4.mesh --nodes native --name trace --quiet
    one=$($postroad ping 15 --json)
    two=$($postroad ping 15 --json --gateway "$socket")
    trace 0 15
    [ "$(jq -r '.one_clock and (.sites[0] | .clock_offset == {min: 0, max: 0} and .out_clocks_mean >= 15
        and .back_clocks_mean >= 15 and .out_clocks_mean + .back_clocks_mean == .both_ways_clocks.mean
        and .both_ways_clocks.mean <= .round_trip_clocks.mean)' <<<"$one")" = true ] ||
        fault "ping, one clock: $one"
    [ "$(jq -r '(.one_clock | not) and (.sites[0] | .out_clocks_mean == null and .back_clocks_mean == null
        and .clock_offset.min < 0 and .clock_offset.max > 0
        and .clock_offset.max - .clock_offset.min <= .both_ways_clocks.min)' <<<"$two")" = true ] ||
        fault "ping, two clocks: $two"
    jq -e --argjson one "$one" '.sites[0].both_ways_clocks.min <= 2 * $one.sites[0].both_ways_clocks.min' <<<"$two" >/dev/null ||
        fault "the sums differ: $one $two"
    expect 0 'hops +answered +minimum +mean +maximum +out +back$' $postroad ping 15
    expect 0 'both +offset +to$' $postroad ping 15 --gateway "$socket"
    expect 0 '' $postroad down
}

if [ $# = 0 ]; then set -- ping idle loaded diverted damaged lines group refused; fi
run_checks "$@"
