#!/usr/bin/env bash
# The tests can fail: each bug below, planted in a copy of one source, makes the test beside it fail.
# A line: rule, test, source, what sed does to the source.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
scratch=$(mktemp -d "${TMPDIR:-/tmp}/planted.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
flags="-std=c11 -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -Ihw/protocol -Ifirmware -Itests/firmware"

bugs() {
    cat <<'BUGS'
O1 operator operator/operator.c s/return !is_own(operator, site_word) \&\&/return/
O1 operator operator/operator.c s/packet->kind = remaining > 1 ? KIND_MULTICAST : 0;/packet->kind = KIND_MULTICAST;/
O1 native_streams operator/operator.c s/if (survey.own > 0)/if (survey.own > 0 \&\& !resend)/
O1 frames operator/packet_edit.c s/packet_set_info(packet, kept++, is_info)/kept++/
O1 operator operator/operator.c s/count(operator, aborted ? COUNTER_RESENT : COUNTER_FORWARDED)/count(operator, COUNTER_RESENT)/
O2 operator operator/operator.c s/resend = (packet->kind . KIND_TERMINATOR_MASK) == TAG_END_OF_PACKET \&\&/resend =/
O3 operator operator/operator.c s/if (terminator != TAG_END_OF_PACKET \&\&.*/if (0)/
O3 native_streams platform/native/native_interface.c s/if (terminator == TAG_ABORT_PACKET)/if (0)/
O4 operator operator/operator.c 0,/    pool_post(operator);    .*/s///
O4 operator operator/pool.c s/while (operator->free > 0 \&\& operator->posted < wanted)/while (0)/
O4 native_streams platform/native/native_interface.c s/native->wait_shown = .*;/native->wait_shown = false;/
O4 operator operator/pool.c s/spare = unused(operator) - reserve;/spare = unused(operator);/
O4 operator operator/pool.c s/if (unused(operator) <= reserve)/if (0)/
O5 native_streams platform/native/native_interface.c s/tagged(native, TAG_END_OF_PACKET, 0)/tagged(native, TAG_ABORT_PACKET, 0)/
O6 operator operator/operator.c s/return tries >= operator->identity->retry_limit;/return false;/
O6 operator operator/operator.c s/        tries++;/        ;/
O6 operator operator/operator.c s/packet_mark_sites(packet, operator->strict_bit);//
O6 frames operator/packet_edit.c s/    shift_info(packet, done);//
O6 native_streams operator/packet_edit.c s/packet->stored -= next;/packet->stored = 0;/
O7 operator operator/compose.c s/composition->duplicate = seen_before.*/composition->duplicate = false;/
O7 operator operator/compose.c s/words <= operator->identity->max_packet/words <= operator->identity->max_packet + 1/
O7 operator operator/compose.c s/if (composition->entries == 0)/if (0)/
O7 operator operator/compose.c s/if (site >= composition->operator->sites)/if (0)/
O7 operator operator/compose.c s/if (word . composition->operator->wide_mask)/if (0)/
O8 operator operator/compose.c s/    operator->sequence++;//
hostile operator operator/operator.c s/target_words + data_words > operator->packet_words/false/
hostile hostile operator/operator.c s/header\[HEADER_SOURCE\] < operator->sites \&\& //
hostile hostile operator/operator.c s/ \&\& node_identity_has_address(operator->identity, site_word);/;/
hostile console operator/service.c s/ || delivery->data_words < least_request_words(request)//
hostile hostile operator/operator.c s/pool_release(operator, packet);/;/
console frames operator/cobs.c s/if (code == 0 || code - 1 > length - k)/if (code == 0)/
console frames operator/cobs.c s/if (code == 0xff) {/if (0) {/
console frames operator/crc16.c s/0xffff/0/
console console operator/console.c s/crc16(input, length - 2) != .*/false) {/
console console operator/console.c s/if (console->input_length < sizeof console->input)/if (true)/
console console operator/console.c s/while (taken < length \&\& room)/while (taken < length)/
console console operator/frame.c s/priority == FRAME_EVENT ? 2 \* CONSOLE_FRAME_ENCODED : 0/0/
console console operator/frame.c s/if (console->output_end + bytes > CONSOLE_OUTPUT_BYTES)/if (0)/
console console operator/console_command.c s/return !reader->bad \&\& reader->left == 0;/return true;/
console console operator/service.c s/answer.data_ok = data_came_back(delivery)/answer.data_ok = true/
console console operator/console.c s/ \&\& event->delivery->handler != HANDLER_SERVICE//
BUGS
}

compile() {
    # shellcheck disable=SC2086  # flags are words
    gcc $flags -c -o "$2" "$1"
}

sources=(firmware/operator/*.c firmware/platform/native/*.c firmware/apps/node/node.c tests/firmware/*.c)
for source in "${sources[@]}"; do
    case $source in */test_on_core.c) continue ;; esac
    compile "$source" "$scratch/$(basename "$source" .c).o" || exit 1
done

# Links test $1 with the object $2 in place of the sound one called $3; no arguments 2 and 3: all sound.
link_test() {
    local objects=() object
    for object in "$scratch"/*.o; do
        case $(basename "$object") in
            "test_$1.o") objects+=("$object") ;;
            test_* | "${3-}") ;;
            *) objects+=("$object") ;;
        esac
    done
    # shellcheck disable=SC2086
    gcc $flags -o "$scratch/test" "${objects[@]}" ${2:+"$2"}
}

faults=0
planted=0
export SEED=1
for test in operator native_streams frames console hostile; do
    if ! link_test "$test" || ! timeout 60 "$scratch/test" >"$scratch/log" 2>&1; then
        cat "$scratch/log"
        exit 1
    fi
done
mkdir "$scratch/bug"
while read -r rule test source edit; do
    planted=$((planted + 1))
    sed "$edit" "firmware/$source" >"$scratch/bug/bug.c"
    if cmp -s "$scratch/bug/bug.c" "firmware/$source"; then
        echo "$rule: not planted, the source has changed: $source: $edit"
        faults=$((faults + 1))
    elif ! compile "$scratch/bug/bug.c" "$scratch/bug/bug.o" 2>"$scratch/log"; then
        echo "$rule: does not compile: $source: $edit"
        faults=$((faults + 1))
    elif link_test "$test" "$scratch/bug/bug.o" "$(basename "$source" .c).o" &&
        timeout 20 "$scratch/test" >"$scratch/log" 2>&1; then
        echo "$rule: test_$test passes with the bug: $source: $edit"
        faults=$((faults + 1))
    fi
done < <(bugs)
echo "$planted bugs planted, $faults not caught"
[ "$faults" -eq 0 ]
