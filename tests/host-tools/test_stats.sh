#!/usr/bin/env bash
# What postroad stats says is true: no alarm about a healthy mesh that only the host tools use, one about a site that is short of
# buffers, and none about what its own requests to a silent site did.
# needs: build/firmware/node.elf build/firmware/node.hex
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash stats

# counter NAME FILE: its values, a site a line
counter() {
    grep -o "\"$1\":[[:space:]]*[0-9]*" "$2" | grep -o '[0-9]*$'
}

# Cores take their time for a packet: requests must not outrun them. Nothing is resent on an idle mesh.
check_healthy() {
    expect 0 '^sim:idle$' $postroad up sim/meshes/grid-4x4.mesh --quiet --name idle "$@"
    expect 0 '16 of 16 sites answer, 24 of 24 links are good' $postroad map
    $postroad stats --json --quiet >"$directory/counters" || fault "exit status $? of stats --json"
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

# Requests to a site that is silent fail, and the gateway's site is not blamed for it.
check_silent_site() {
    expect 0 '^sim:silent$' $postroad up sim/meshes/grid-4x4.mesh --level fabric --quiet --name silent --fault stop:5:10
    expect 4 'site 5: silent' $postroad map --timeout 1
    for _ in 1 2; do
        expect 4 '^ +5 +silent' $postroad stats --timeout 1 --quiet
        if grep -E '^site [0-9]' <<<"$said"; then fault "an alarm about what stats did itself"; fi
    done
    expect 4 'site 5: no acknowledgement' $postroad send 4-6 --data hello
    expect 4 '^site 0 has given up 1 target of its packets$' $postroad stats --timeout 1 --quiet
    expect 0 '' $postroad down
}

check_healthy
check_healthy --nodes native
check_silent_site
[ $faults = 0 ] && echo "all good"
[ $faults = 0 ]
