#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# What postroad stats says is true: no alarm about a healthy mesh that only the host tools use, one about a site that is short of
# buffers, and none about what its own requests to a silent site did.
# usage: test_stats.sh [CHECK...]      default: all of them, see the end
# needs: build/firmware/node.elf build/firmware/node.hex build/tests/host-tools/imitate
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash stats

# counter NAME FILE: its values, a site a line
counter() {
    grep -o "\"$1\":[[:space:]]*[0-9]*" "$2" | grep -o '[0-9]*$'
}

# Cores take their time for a packet: requests must not outrun them. Nothing is resent on an idle mesh.
check_cores() { see_healthy; }
check_native() { see_healthy --nodes native; }
see_healthy() {
    expect 0 '^up:idle$' $postroad up hw/mesh/grid-4x4.mesh --quiet --name idle "$@"
    expect 0 '16 of 16 sites answer, 24 of 24 links are good' $postroad map
    $postroad stats --json --quiet >"$directory/counters" || fault "exit status $? of stats --json"
    jq -e 'all(.sites[]; .refused == 0 and .relayed == 0 and (has("links") | not))' "$directory/counters" >/dev/null ||
        fault "counters that nothing has counted, or of a board: $(cat "$directory/counters")"
    for name in time_outs received_discarded answers_lost targets_failed; do
        [ "$(counter $name "$directory/counters" | sort -nu)" = 0 ] || fault "$* $name: $(counter $name "$directory/counters")"
    done
    expect 0 ' 15 .* 1/1 ' $postroad ping all --count 1
    expect 0 'delivered: .* sites 0-15' $postroad send all --data hello
    for _ in 1 2; do
        expect 0 '^site +sent' $postroad stats --quiet
        if grep -E '^site [0-9]' <<<"$said"; then fault "an alarm about a healthy mesh ($*)"; fi
    done
    expect 0 '' $postroad down
}

# What the verb's own requests have added is marked as such: on a mesh that does nothing else it is all that a site sends, beside
# packets that a router has diverted to it. Those are read some clocks apart: of a site that gets them one may be missing in the
# first table or the last, and most sites get none.
check_own() {
    local own='[.[] | select(.since_last) | .sites[] | select(.site != 0)] | group_by(.site) |
        map(map(.sent_packets - .own_packets - .forwarded) | add) |
        min >= -2 and max <= 2 and (map(select(. == 0)) | length) > 10'
    expect 0 '^up:own$' $postroad up hw/mesh/grid-4x4.mesh --nodes native --quiet --name own
    timeout 3 $postroad stats --watch=0.2 --json --quiet >"$directory/watched"
    [ "$(jq -s "$own" "$directory/watched")" = true ] ||
        fault "traffic of nobody: $(jq -c '.sites[] | [.site, .sent_packets, .own_packets]' "$directory/watched" | xargs)"
    said=$(timeout 1 $postroad stats --watch=0.2 --quiet)
    grep -q '^site  own  sent' <<<"$said" || fault "no column of its own: $said"
    expect 0 '' $postroad down
}

# Requests to a site that is silent fail, and the gateway's site is not blamed for it.
check_silent_site() {
    expect 0 '^up:silent$' $postroad up hw/mesh/grid-4x4.mesh --nodes native --quiet --name silent --fault stop:5:10
    expect 4 'site 5: silent' $postroad map --timeout 1
    for _ in 1 2; do
        expect 4 '^ +5 +silent' $postroad stats --timeout 1 --quiet
        if grep -E '^site [0-9]' <<<"$said"; then fault "an alarm about what stats did itself"; fi
    done
    expect 4 'site 5: no acknowledgement' $postroad send 4-6 --data hello
    expect 4 '^site 0 has given up 1 target of its packets$' $postroad stats --timeout 1 --quiet
    expect 0 '' $postroad down
}

# stats_of OPTION...: stats of an imitated node with these options, in $said.
stats_of() {
    local socket=$directory/node
    node_at "$socket" -R "$@"
    said=$($postroad stats 0 --quiet --gateway "unix:$socket" "${shown[@]}")
    node_gone
}

# alarms_at TEXT COUNTER VALUE...: what stats reports of a site with these counters, the others 0; TEXT "": nothing.
alarms_at() {
    local text=$1 options=() found
    shift
    while [ $# -gt 0 ]; do
        options+=(-k "$(counter "$1" "$directory/numbers"):$2")
        shift 2
    done
    stats_of "${options[@]}"
    found=$(grep '^site [0-9]' <<<"$said")
    if [[ -z $text && -n $found ]] || ! grep -q "$text" <<<"$found"; then
        fault "expected '$text' from counters ${options[*]}, found '$found'"
    fi
}

# Where each alarm begins. A counter's value at the fake node's site 0 is its number.
check_alarms() {
    local shown=(--json) plenty=(free_buffers 20)
    stats_of
    echo "$said" >"$directory/numbers"
    shown=()
    alarms_at '' "${plenty[@]}" fewest_free_buffers 3
    alarms_at '^site 0 is short of buffers: at the least 2 of them' "${plenty[@]}" fewest_free_buffers 2
    alarms_at '; it discarded 1 packet of other sites' "${plenty[@]}" fewest_free_buffers 3 foreign_discarded 1
    alarms_at '' "${plenty[@]}" fewest_free_buffers 3 received_packets 100 received_discarded 10
    alarms_at '^site 0 received packets faster .* 11 of 111$' "${plenty[@]}" fewest_free_buffers 3 received_packets 100 \
        received_discarded 11
}

[ $# -gt 0 ] || set -- cores native own silent_site alarms
run_checks "$@"
