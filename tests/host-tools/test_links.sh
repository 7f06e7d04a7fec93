#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# `postroad links` and `postroad soak`: states, order, damaged frames, rate and bound of bit errors, of nodes with given counters.
# That boards count right is the business of tests/rtl/test_board_link.sh.
# usage: test_links.sh [CHECK...]      default: all of them, see the end
# needs: build/tests/host-tools/imitate build/sim/fabric-cutthrough-16-4-32-64-boardlinks/site.so
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash links
socket=$directory/node
alive=$((1 << 11))

# row ROW LINK: the counter with this row of a link.
row() { echo $((128 + (($1 >> 1 & 0x40) | ($1 & 0x3f)) + $2)); }

# links_of EXIT TEXT [OPTION...] -- ROW:LINK:VALUE...: what `links` makes of two sites with these rows; soak_of, map_of: the same
# of other verbs. ROW:LINK:VALUE:MORE grows with every reading.
links_of() { verb_of links "$@"; }
soak_of() { verb_of soak "$@"; }
map_of() { verb_of map "$@"; }

verb_of() {
    local verb=$1 code=$2 text=$3 options=() counters=() one
    shift 3
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    for one; do
        IFS=: read -r row link value <<<"$one" # with what is added to it
        counters+=(-k "$(row "$row" "$link"):$value")
    done
    node_at "$socket" -x 2 -y 1 "${counters[@]}"
    expect "$code" "$text" "$postroad" "$verb" -g "unix:$socket" "${options[@]}"
    node_gone
}

both=$((3 << 16))
east=0x88:0:$((both | 1)) west=0x88:1:$((both | 0)) # both links up, each to its neighbour

check_states() {
    links_of 0 'east +1 +up +0 +5' -- $east $west 0:0:$((both | alive)) 0:1:$((both | alive)) 0xbc:0:5
    links_of 3 'west +0 +down, nothing is heard' -- 0:0:$((1 << 16 | alive)) 0:1:0 8:1:0 \
        0x88:0:$((1 << 16 | 1)) 0x88:1:$((1 << 16 | 1))
    links_of 3 'east +1 +down, not heard at its far end' -- 0:0:$((2 << 16 | alive)) 0:1:$((2 << 16 | alive)) 8:0:1
    links_of 3 'east +1 +down, wrong cable: pull it now' -- 0:0:0 0x88:0:$((1 << 20)) 0:1:$((2 << 16 | alive))
    links_of 3 'north +down, wrong cable: pull it now' -- $east $west 0x88:2:$((both | 4 << 20))
    links_of 3 '"to":[[:space:]]*null' --json -- $east $west 0x88:2:$((both | 4 << 20))
    links_of 3 'east +1 +down, leads to a link east' -- 0:0:$((2 << 16)) 0:1:$((2 << 16 | alive)) 8:0:0
}

# Nothing to show and nothing to test is no success; it is said before a test begins.
check_nothing() {
    links_of 1 'links: no link counts frames' -- 69:0:1
    EXPECT_SECONDS=20 soak_of 1 'soak: no link counts frames' --seconds 1000 -- 69:0:1
    soak_of 1 '--seconds 0: expected seconds, more than 0' --seconds 0 -- $east $west
    expect 0 '^up:' "$postroad" up hw/mesh/grid-2x2.mesh --nodes native # cables, which are simulated
    expect 1 'no link counts frames' "$postroad" links
    if grep -q chip: <<<"$said"; then fault "a cable is inside of a chip: $said"; fi
    expect 1 'no link counts frames' "$postroad" soak --json
    expect 1 'simulated mesh without board links' "$postroad" trace 0 3
    expect 0 '' "$postroad" down
}

# A cable that trains, but leads to another board: to `links` and to `map`.
check_wrong_board() {
    local up=(0:0:$((both | alive)) 0:1:$((both | alive)))
    map_of 0 '1 of 1 links are good' -- $east $west "${up[@]}"
    map_of 4 'link 0 east to 1: wrong' -- 0x88:0:$((both | 5)) $west "${up[@]}"
    grep -q 'the cable at 0 east leads to 5' <<<"$said" || fault "which board: $said"
    map_of 4 'the cable at 1 west leads to 3' -- $east 0x88:1:$((both | 1 << 15 | 3)) "${up[@]}"
    map_of 4 '"leads_to":[[:space:]]*5' --json -- 0x88:0:$((both | 5)) $west "${up[@]}"
    map_of 0 '1 of 1 links are good' -- 0x88:0:5 0x88:1:3 "${up[@]}" # neither is up: of an earlier cable
    links_of 3 'east +1 +up, leads to site 5' -- 0x88:0:$((both | 5)) $west "${up[@]}"
}

# The worst first.
check_order() {
    links_of 0 '"damaged_frames":[[:space:]]*12' --json -- $east $west 0:0:$((both | alive)) 0:1:$((both | alive)) \
        0xa0:1:9 0xb0:1:3 0xa0:0:4
    [ "$(grep -o '"damaged_frames":[^,]*' <<<"$said" | tr -dc '0-9\n' | xargs)" = '12 4' ] ||
        fault "not the worst first: $said"
    links_of 3 '"up":[[:space:]]*false' --json -- 0:0:$((2 << 16)) 0:1:$((2 << 16 | alive)) 0xa0:1:9 \
        0x88:0:$((2 << 16 | 1)) 0x88:1:$((2 << 16))
    [[ $(grep -o '"link":[^,]*' <<<"$said") =~ ^[^$'\n']*east ]] || fault "not the one that is down first: $said"
}

# No damaged frame in n bits: below 3 / n. A second of 3 Mbit/s, of which 33 bits of 72 belong to frames.
check_bound() {
    soak_of 0 '"bits_per_second":[[:space:]]*3000000' --json --seconds 2 -- $east $west 0:0:$((both | alive)) \
        0:1:$((both | alive)) 0xa0:1:9
    python3 - "$said" <<'PYTHON' || fault "bound: $said"
import json, sys
found = json.loads(sys.argv[1])
assert 2 <= found["tested_seconds"] < 20
bits = found["tested_seconds"] * 3e6 * 33 / 72
for link in found["links"]:
    assert link["damaged_frames"] == 0 and link["trained_again"] == 0 and link["bit_error_rate"] == 0
    assert abs(link["tested_bits"] / bits - 1) < 1e-6
    assert abs(link["bit_error_rate_below"] * bits / 2.9957 - 1) < 1e-3
PYTHON
}

# Frames that are damaged meanwhile, on one link of two; the count wraps. Of 9 events the mean is below 15.705, of 800 below
# 848.11: half of the chi-squared distribution's 95 % point with 20 and 1602 degrees of freedom.
check_soak() {
    local up=("$east" "$west" 0:0:$((both | alive)) 0:1:$((both | alive)))
    soak_of 0 'east +1 +up +9 +[0-9.e+]+ +[0-9.]+e-0[0-9] +[0-9.]+e-0[0-9]' --seconds 0.2 -- "${up[@]}" 0xa0:0:65530:9
    grep -Eq 'west +0 +up +0 +[0-9.e+]+ +0 +[0-9.]+e-0[0-9]' <<<"$said" || fault "the other link: $said"
    soak_of 0 '"damaged_frames":[[:space:]]*9,' --seconds 0.2 --json -- "${up[@]}" 0xa0:0:65530:9
    is_bound 9 15.705
    soak_of 0 '"damaged_frames":[[:space:]]*800,' --seconds 0.2 --json -- "${up[@]}" 0xb0:0:7:800
    is_bound 800 848.11
    soak_of 3 'east +1 +up, was down meanwhile' --seconds 0.2 -- "${up[@]}" 0xbc:0:5:1
    soak_of 3 '"trained_again":[[:space:]]*1' --seconds 0.2 --json -- "${up[@]}" 0xbc:0:5:1
    soak_of 3 'west +0 +down, nothing is heard' --seconds 0.2 -- $east 0x88:1:$((1 << 16)) 0:0:$((both | alive))
}

# is_bound EVENTS MEAN: of the first link in $said.
is_bound() {
    python3 - "$said" "$@" <<'PYTHON' || fault "not below $2 of $1 events: $said"
import json, sys
link = json.loads(sys.argv[1])["links"][0]
events, mean = int(sys.argv[2]), float(sys.argv[3])
assert abs(link["bit_error_rate"] * link["tested_bits"] / events - 1) < 1e-6
assert abs(link["bit_error_rate_below"] * link["tested_bits"] / mean - 1) < 1e-3
PYTHON
}

# Control-C ends it with the result so far.
check_interrupted() {
    node_at "$socket" -x 2 -y 1 -k "$(row 0x88 0):$((both | 1))" -k "$(row 0x88 1):$both"
    expect 130 'east +1' timeout --preserve-status -s INT 2.5 "$postroad" soak -g "unix:$socket" --seconds 1000
    node_gone
}

check_refused() {
    expect 2 'none' "$postroad" links -g "unix:$socket.none"
}

[ $# -gt 0 ] || set -- states nothing wrong_board order bound soak interrupted refused
run_checks "$@"
