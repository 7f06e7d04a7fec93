#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# A site whose firmware forges packets (tests/firmware/hostile/main.c), on cores and under QEMU: what the others refuse, as
# firmware/README.md says, harms nobody; and what they cannot refuse does what it says there, and no more.
# needs: build/firmware/hostile.elf
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash hostile
hostile=3 handler=1 handler_forge=9 control=0x8000
kind_multicast=0x100
type_base=1 type_restarted=2
epoch=0 hold_most=100000000
others=("1,2" "0,2" "0,1")    # of the three honest sites, each one's
word=0
printf '[mesh]\ntopology=grid\nsize=2x2\nword_width=16\n' >"$directory/small.mesh"

# address SITE: as in its site word.
address() { echo $((($1 >> 1) << 7 | ($1 & 1))); }

# forge KIND TARGETS INFO DATA WORDS...: the hostile site sends a packet of these counts and words.
forge() {
    local words
    words=$(printf '%s,' "$@")
    expect 0 'delivered' $postroad send $hostile --from $hostile --handler $handler_forge --data "words:${words%,}"
}

# forge_to SITE WORDS...: a unicast as operators send it, but for its data words, the header being the first of them.
forge_to() { forge 0 1 0 $(($# - 1)) "$(address "$1")" "${@:2}"; }

# Those that are zero are left out of the answer.
counter() { $postroad console "$1" <<<"counters $2" | awk -v name="$2" '$1 == name { value = $2 } END { print value + 0 }'; }

# counts_more SITE COUNTER THAN
counts_more() { [ "$(counter "$1" "$2")" -gt "$3" ]; }

# refused SITE COUNTER COMMAND...: the command, and then SITE has counted something more.
refused() {
    local before
    before=$(counter "$1" "$2")
    "${@:3}"
    within_time counts_more "$1" "$2" "$before" || fault "site $1 has not counted as $2: ${*:3}"
}

delivery() { echo "\"site\":$1,\"source\":$2,.*\"handler\":$handler,.*\"data\":\\[$3\\]"; }

# heard SITE SOURCE WORD TIMES: what the listener has heard of this packet.
heard() {
    local times
    if [ "$4" -gt 0 ]; then await "$directory/heard" "$(delivery "$1" "$2" "$3")"; fi
    times=$(grep -Ec "$(delivery "$1" "$2" "$3")" "$directory/heard")
    [ "$times" = "$4" ] || fault "site $1 heard $3 of site $2 $times times, expected $4"
}

# delivered SITES SOURCE: a packet with the next $word, reported as delivered; the number behind its own is $next.
delivered() {
    word=$((word + 1))
    expect 0 'delivered: ' $postroad send "$1" --from "$2" --data "words:$word"
    next=$(($(sed -n 's/^accepted: sequence \([0-9]*\),.*/\1/p' <<<"$said") + 1))
}

# The honest sites reach each other, and every report is true.
honest() {
    local source site
    for source in 0 1 2; do
        delivered "${others[source]}" $source
        for site in ${others[source]/,/ }; do heard "$site" $source $word 1; done
    done
}

load() { expect 0 "loaded: site $hostile" $postroad load $hostile build/firmware/hostile.elf; }

too_long() { forge 0 1 0 300 "$(address 0)" $hostile 9 $handler 900; }
no_target() { forge 0 0 0 4 $hostile 9 $handler 900; }

# Too long, and without a target. A core's network_interface sends both: a receiver refuses the one, the first router the other.
without_shape_core() {
    refused 0 discarded too_long
    no_target
}

# Under QEMU neither is taken as a packet: what has left is never reported to the guest, which waits until it is loaded again.
without_shape_qemu() {
    too_long
    no_target
    load
}

# What cannot be true is refused: a source that is the receiver, or no site; headers and lengths that no operator writes.
check_refused() {
    local nowhere=77
    refused 0 duplicates forge_to 0 0 9 $handler 900
    refused 0 duplicates forge_to 0 $control $type_restarted 7 0 0 0
    refused 1 duplicates forge_to 1 $((control | 1)) $type_base $epoch $epoch 500 0
    refused 0 discarded forge_to 0 $nowhere 9 $handler 900
    refused 0 discarded forge_to 0 $((control | nowhere)) 0 0x7ff
    refused 0 discarded forge_to 0 $((control | nowhere)) $type_restarted 7 0 0 0
    refused 1 discarded forge_to 1 2 9
    refused 1 discarded forge_to 1 $((control | 2)) $type_base $epoch $epoch
    refused 1 discarded forge_to 1 $((control | 2)) 3 $epoch $epoch 0 0
    without_shape_"$1"
    forge 0 1 1 4 "$(address 0)" $hostile 9 $handler 900
    forge $kind_multicast 3 0x5 4 1 "$(address 0)" 1 $hostile 9 $handler 900
    honest
    [ "$(grep -c '"data":\[900' "$directory/heard")" = 0 ] || fault "a forgery was delivered: $(grep 900 "$directory/heard")"
}

# An acknowledgement of packets that wait to be sent settles none of them: they arrive.
check_never_sent() {
    delivered 1 0
    word=$((word + 1))
    $postroad console 0 <<<"hold $hold_most" >"$directory/hold"
    expect 0 'accepted' $postroad send 1 --from 0 --data "words:$word" --count 7 --no-wait
    forge_to 0 $((control | 1)) $((next + 6)) 0x7ff
    $postroad console 0 <<<'hold 1' >"$directory/hold"
    honest
    heard 1 0 $((word - 3)) 7
}

# In another site's name: its packet of that number counts as received before it came. The one behind it arrives.
check_forged_data() {
    delivered 0 1
    forge_to 0 1 "$next" $handler 901
    heard 0 1 901 1
    delivered 0 1
    honest
    heard 0 1 $((word - 3)) 0
}

# Another site's base, moved forward, has the same effect.
check_forged_base() {
    delivered 2 1
    forge_to 2 $((control | 1)) $type_base $epoch $epoch $((next + 1)) 0
    delivered 2 1
    honest
    heard 2 1 $((word - 3)) 0
}

# An acknowledgement in the name of a site that has not got the packet. It is the packet itself, sent to that site and to the
# hostile one, that carries the forgery, so that this comes in time.
check_forged_acknowledgement() {
    local late
    delivered 2 0
    late="\"site\":2,\"source\":0,\"sequence\":$next,\"handler\":$handler_forge,"
    $postroad console 2 <<<"hold $hold_most" >"$directory/hold"
    expect 0 "delivered: sequence $next, sites 2-3" $postroad send 2,$hostile --from 0 --handler $handler_forge \
        --data "words:0,1,0,3,$(address 0),$((control | 2)),$next,0"
    ! grep -q "$late" "$directory/heard" || fault "the packet was there: $(grep "$late" "$directory/heard")"
    $postroad console 2 <<<'hold 1' >"$directory/hold"
    await "$directory/heard" "$late"
    honest
}

# A restart that never was: the site that believes in it refuses the other's packets, and `send` reports them as failed. All
# else goes on.
check_forged_restart() {
    forge_to 0 $((control | 1)) $type_restarted $((epoch + 1)) 0 0 0
    word=$((word + 1))
    expect 3 'site 0' $postroad send 0 --from 1 --data "words:$word" --timeout 60
    heard 0 1 $word 0
    delivered 1 0
    heard 1 0 $word 1
    delivered 1,0 2
    heard 0 2 $word 1
    delivered 2 1
    heard 2 1 $word 1
}

check_mesh() {
    expect 0 '^up:' $postroad up "$directory/small.mesh" --name hostile --nodes "$1"
    load
    : >"$directory/listen" # or what the mesh before said is found in it
    $postroad listen all --json >"$directory/heard" 2>"$directory/listen" &
    await "$directory/listen" 'listening at 4 sites'
    honest
    check_refused "$1"
    check_never_sent
    check_forged_data
    check_forged_base
    check_forged_acknowledgement
    check_forged_restart
    expect 0 '' $postroad down
    wait
}

check_mesh core
check_mesh qemu
echo "$faults faults"
[ "$faults" = 0 ]
