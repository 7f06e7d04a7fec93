#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The tests of the small operator can fail: each bug below, planted in a copy of one source, makes the test beside it fail.
# A line: rule, test, image, source, what sed does to the source. time limit: 900 s
# needs: build/tests/firmware/test_small build/tests/firmware/test_small_soak
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
bugs() {
    cat <<'BUGS'
O1 small reliable receive.c s/    if (targets.own > 0)/    if (targets.own > 0 \&\& !holds)/
O1 small raw receive.c s/            survey.first = k;/            survey.first = 0;/
O1 small raw receive.c s/if (pr_packet_is_info(packet, k))/if (0)/
O1 small reliable receive.c s/end_of_entry(packet, own - 1) - own/1/
O1 small reliable targets.c s/    packet->words\[k\] &= ~(uint32_t)MARK;//
O1 small raw targets.c s/(uint8_t)end_of_entry(packet, k)/(uint8_t)(k + 1)/
O1 small receiver operator.c s/    if (index < PR_COUNTER_DELIVERED || index >= PR_COUNTER_LINKS)/    if (0)/
O1 small reliable receive.c s/stamp_last = packet->stamp_last;/stamp_last = packet->stamp_first;/
O2 small reliable receive.c s/PR_TAG_LOCAL_END_OF_PACKET ? MARK : 0/PR_TAG_LOCAL_END_OF_PACKET ? 0 : 0/
O2 small reliable receive.c s/    packet->grouping = required;/    packet->grouping = 0;/
O2 small_soak reliable receive.c s/ == PR_TAG_LOCAL_END_OF_PACKET ? MARK : 0/ == PR_TAG_LOCAL_END_OF_PACKET ? MARK : MARK/
O3 small raw receive.c s/(end != PR_TAG_END_OF_PACKET \&\& end != PR_TAG_LOCAL_END_OF_PACKET) ||//
O4 small raw operator.c s/        post(packet);/        ;/
O6 small raw operator.c s/else if (goes_on(packet))/else if (0)/
O7 small raw sender.c s/if (packet->words\[k\] == address)/if (0)/
hostile small receiver receive.c s/ || targets + words > PACKET_WORDS//
hostile small reliable receive.c s/packet->info\[0\] \& 1 ||//
hostile small reliable receive.c s/words != 1 + PR_ACKNOWLEDGEMENT_WORDS \&\&/0 \&\&/
hostile small raw receive.c s/return source < here.sites;/return true;/
hostile small reliable receive.c s/(source \& ~(uint32_t)KIND) < here.sites/true/
hostile small reliable targets.c s/ \&\& is_site(site_word)//
hostile small reliable service.c s/delivery->data_words < SERVICE_VALUES/0/
hostile small reliable service.c s/values > IDENTITY_WORDS || //
hostile small raw console.c s/ || delivery->data_words < SERVICE_VALUES + 2 \* values//
hostile small raw console.c s/data\[SERVICE_TYPE\] == PR_CONSOLE_IDENTIFY \&\& values == IDENTITY_WORDS/false/
hostile small reliable receive.c s/else if (source == here.site)/else if (0)/
storage small reliable receive.c s/return !RELIABLE || buffers_posted > 0;/return true;/
storage small_soak reliable buffers.c s/    smalls_back++;/    ;/
storage small reliable operator.c s/bool wanted = .*/bool wanted = false;/
storage small reliable operator.c s/port_clock() - packet->next > HELD_CLOCKS_MAX/false/
duplicate small reliable peers.c s/    peer->received |= 1u/    peer->received |= 0u/
duplicate small_soak reliable peers.c s/(peer->received << 1 | 1) << (ahead - 1)/(peer->received << 1) << (ahead - 1)/
duplicate small reliable peers.c s/if (ahead < -SPAN)/if (0)/
duplicate small reliable receive.c s/        if (arrival == PEER_DUPLICATE)/        if (0)/
duplicate small_soak receiver receive.c s/    peer_receive(peer, sequence);/    if (sequence \& 1) peer_receive(peer, sequence);/
acknowledge small reliable peers.c s/ || port_clock() - arrived > AGE_MAX//
acknowledge small reliable peers.c s/peer->received >> behind \& BITMAP_MASK/0/
epoch small reliable receive.c s/    if (!(peer->flags \& PEER_KNOWN)) {/    if (0) {/
epoch small reliable receive.c s/return ((flags >> PR_HEADER_EPOCH_SHIFT ^ peer->epoch) \& EPOCH_MASK) == 0;/return true;/
epoch small reliable control.c s/(int16_t)(epoch - peer->epoch) <= 0/(int16_t)(epoch - peer->epoch) == 0/
epoch small reliable control.c s/    peer->flags |= PEER_EPOCH_SEEN | PEER_FRESH;/    peer->flags |= PEER_EPOCH_SEEN;/
epoch small reliable control.c s/ || (int32_t)(base - 1 - peer->highest) > 0//
epoch small reliable control.c s/(peer->flags \& (PEER_KNOWN | PEER_FRESH)) != PEER_KNOWN ||/true ||/
epoch small reliable control.c s/is_base \&\& control\[PR_CONTROL_PEER_EPOCH\] != here.epoch/false/
epoch small reliable control.c s/        sender_peer_restarted(site);/        ;/
restart small reliable control.c s/    announced++;/    announced += 2;/
restart small reliable peers.c s/            peer->age = PEER_STALE;/            ;/
sender small reliable sender.c s/behind == 1 \&\& was_sent/behind == 1/
sender small reliable sender.c s/ != (here.epoch \& EPOCH_MASK))/ == 99)/
sender small reliable sender.c s/return next - is_missing(site);/return next;/
sender small reliable sender.c /is_settled = true;/{n;s/if .*/if (true)/}
sender small reliable sender.c s/TRIES_MAX = 8/TRIES_MAX = 7/
sender small reliable sender.c s/        tries = BUSY_TRIES;/        ;/
sender small reliable sender.c s/ \&\& port_clock() - started < BUSY_CLOCKS//
sender small reliable sender.c s/    age_a_peer();//
sender small reliable sender.c s/    if (behind <= AGE_SEQUENCES)/    if (true)/
sender small reliable sender.c s/^        tries = 0;/        ;/
sender small_soak reliable sender.c s/    was_sent = is_settled = false;/    was_sent = false;/
sender small reliable sender.c s/ > port_identity(PR_ID_MAX_PACKET)/ > PACKET_WORDS + 1/
console small receiver console.c s/return !(listens \& PR_CONSOLE_LISTEN_DELIVERED) ||/return true ||/
console small receiver receive.c s/ \&\& !console_is_ready()/ \&\& false/
console small receiver operator.c s/    if (CONSOLE) /    if (CONSOLE \&\& !busy) /
console small raw frame.c s/end + OVERHEAD + bytes <= sizeof output/true/
console small raw frame.c s/        code = at;//
console small raw console.c s/if (input_length < INPUT_BYTES)/if (true)/
console small raw console.c s/ || payload->at != payload->length//
console small raw console.c s/    if (wide > HALF_MASK)/    if (0)/
console small raw console.c s/        if (site >= here.sites)/        if (0)/
console small receiver console.c s/first + count > IDENTITY_WORDS/false/
start small reliable operator.c s/port_identity(PR_ID_MAX_PACKET) <= PACKET_WORDS \&\&//
start small receiver operator.c s/here.sites <= SITES_MAX/true/
BUGS
}

# shellcheck source=tests/faults/result.bash
source tests/faults/result.bash
scratch=$(mktemp -d "${TMPDIR:-/tmp}/planted.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
objects=build/tests/firmware
export SEED=1 SOAK_SECONDS=2 SMALL_OBJECTS=$scratch/objects

# The command that make builds an image's shared object with, for a source in another folder.
build_command() {
    make --no-print-directory -n -W firmware/small/small.h "$objects/small-$1.so" | grep -- '-shared' | sed 's/ -O1 / -O0 /'
}

declare -A commands
for image in reliable receiver raw; do
    commands[$image]=$(build_command $image)
done
faults=0
planted=0
while read -r rule test image source edit; do
    planted=$((planted + 1))
    verdict=MISSED
    fault_start
    rm -rf "$SMALL_OBJECTS" "$scratch/bug"
    mkdir -p "$SMALL_OBJECTS" "$scratch/bug"
    cp "$objects"/small-*.so "$SMALL_OBJECTS"
    sed "$edit" "firmware/small/$source" >"$scratch/bug/$source"
    command=${commands[$image]//firmware\/small\/$source/$scratch/bug/$source}
    command=${command/-o $objects/-o $SMALL_OBJECTS}
    if cmp -s "$scratch/bug/$source" "firmware/small/$source"; then
        echo "$rule: not planted, the source has changed: $source: $edit"
        faults=$((faults + 1))
    elif ! bash -c "$command -Wno-error -w" 2>"$scratch/log"; then
        echo "$rule: does not compile: $source: $edit: $(head -n 3 "$scratch/log")"
        faults=$((faults + 1))
    elif timeout 60 "$objects/test_$test" >"$scratch/log" 2>&1; then
        echo "$rule: test_$test passes with the bug: $source: $edit"
        faults=$((faults + 1))
    else
        verdict=caught
    fi
    fault_result $verdict "$rule" "$source: $edit" "test_$test"
done < <(bugs)
echo "$planted bugs planted, $faults not caught"
[ "$faults" -eq 0 ]
