#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# target_info from end to end: each target of a multicast gets its own words and no other's, through console, operator,
# network_interface and the RTL fabric, on cores, also when the multicast is aborted, split on its way, or falls back to unicasts.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash info
targets=0-8 rounds=5 senders=(0 1 2 3 5 6 7 8)
fillers=(1 3 5 7) filler_rounds=4 filler_handler=9    # 16 packets: more than a site posts buffers for

# Time-outs as short as the rules allow; one abort, and the rest goes as unicasts. A full site shows `wait` as long as possible.
cat >"$directory/meet.mesh" <<'MESH'
[mesh]
topology = grid
size = 3x3
[thresholds]
divert = 8
abort = 4
retry_limit = 1
patience = 65535
[buffers]
max_packet = 40
MESH

# Site S gets two words from site F: F * 256 + S and S. Site 7 gets none, site 3 three.
infos() {
    local from=$1 site
    for site in 0 1 2 4 5 6 8; do echo --info "$site:$((from * 256 + site)),$site"; done
    echo --info "3:$((from * 256 + 3)),3,$((from + 1000))"
}

check_deliveries() {
    python3 - "$1" $filler_handler <<'PYTHON'
import json, sys
seen = {}
for line in open(sys.argv[1]):
    one = json.loads(line)
    if one.get("kind") != "delivery" or one["handler"] == int(sys.argv[2]):
        continue
    site, source, info = one["site"], one["source"], one["info"]
    expected = [] if site == 7 else [source * 256 + site, site] + ([source + 1000] if site == 3 else [])
    assert info == expected, (site, source, info, expected)
    assert one["data"] == [25960, 27756, 111], one
    key = (site, source, one["sequence"])
    assert key not in seen, key
    seen[key] = True
print(len(seen), "deliveries with their own target_info")
PYTHON
}

send_from() {
    # shellcheck disable=SC2046  # words on purpose
    $postroad send "$targets" --from "$1" --data text:hello --count "$rounds" $(infos "$1") --quiet --timeout 60
}

total() { grep -o "\"$1\":[^,]*" "$directory/stats" | awk -F: '{ sum += $2 } END { print sum }'; }

# The operator of site 4 stops, and its buffers are filled up with packets that its neighbours send there. Trees through it wait
# then, and are aborted, whenever they are sent: the sites are calm, and the first multicast of each is a tree.
fill_site_4() {
    local from jobs=()
    $postroad console 4 <<<'hold 1000000' >"$directory/hold"
    for from in "${fillers[@]}"; do
        $postroad send 4 --handler $filler_handler --from "$from" --count $filler_rounds --no-wait \
            --data "words:$(seq -s, 1 30)" --quiet &
        jobs+=($!)
    done
    for from in "${jobs[@]}"; do wait "$from" || fault "site 4 was not filled up"; done
}

check_mesh() {
    local sender jobs=() packets=$((9 * rounds * ${#senders[@]} + filler_rounds * ${#fillers[@]}))
    : >"$directory/listen"
    $postroad listen all --json --count $packets --timeout 90 >"$directory/heard" 2>"$directory/listen" &
    local listener=$!
    await "$directory/listen" 'listening at 9 sites'
    fill_site_4
    for sender in "${senders[@]}"; do
        send_from "$sender" >"$directory/sent-$sender" 2>&1 &
        jobs+=($!)
    done
    for sender in "${jobs[@]}"; do wait "$sender" || fault "a sender failed: $(cat "$directory"/sent-*)"; done
    wait "$listener" || fault "the listener failed: $(cat "$directory/listen")"
    check_deliveries "$directory/heard" || fault "target_info is wrong"
    $postroad stats --json --quiet >"$directory/stats"
    echo "$(total aborts) aborts, $(total splits) splits, $(total unicast_fallbacks) fall-backs," \
        "$(total resent_after_abort) resent"
}

all_happened() {
    local name
    for name in aborts splits unicast_fallbacks resent_after_abort; do [ "$(total $name)" -gt 0 ] || return 1; done
}

check_usage() {
    expect 1 'site 5 is not one of the targets' $postroad send 1,2 --info 5:1
    expect 1 'site 2 has target_info already' $postroad send 1,2 --info 2:1 --info 1-2:3
    expect 1 'another --info is for all the rest' $postroad send 1,2 --info 2 --info 3
    expect 1 'unknown site 9' $postroad send 1,2 --info 9:1
    expect 1 'wider than the mesh' $postroad send 1,2 --info 1:65536
    expect 1 'packet too long: 40 target words' $postroad send 1,2 --info "1:$(seq -s, 1 38)"
    expect 0 'delivered' $postroad send 1,2 --info 7 --info 2:8,9
}

expect 0 '' $postroad up "$directory/meet.mesh" --nodes core --name info
for ((try = 0; try < 4; try++)); do    # where the host is so slow that site 4 gives up its patience first, again
    check_mesh
    if all_happened; then break; fi
done
all_happened || fault "no multicast was aborted, and went on as unicasts"
check_usage
expect 0 '' $postroad down
echo "$faults faults"
[ "$faults" = 0 ]
