#!/usr/bin/env bash
# The tests can fail: each bug below, planted in a copy of one source, makes the test beside it fail.
# A line: rule, test, source, what sed does to the source. time limit: 900 s
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
bugs() {
    cat <<'BUGS'
O1 operator operator/receive.c s/return !is_own(operator, site_word) \&\&/return/
O1 operator operator/receive.c s/packet->kind = several ? KIND_MULTICAST : 0;/packet->kind = KIND_MULTICAST;/
O1 native_streams operator/receive.c s/if (arrival.own > 0)/if (arrival.own > 0 \&\& !resend)/
O1 operator operator/receive.c s/ ? own_info(operator, packet) : / ? packet->words + 3 : /
O1 operator operator/receive.c s/        .stamp_last = arrival->stamp_last,/        .stamp_last = packet->stamp_last,/
O1 frames operator/target_list.c s/    mark_entry(packet, place, words);//
O1 operator operator/receive.c s/arrival->multicast ? COUNTER_RESENT : COUNTER_FORWARDED/COUNTER_RESENT/
O1 operator operator/receive.c s/\.handler = header->handler,/.handler = header->handler == 255 ? 255 : header->handler \& 0x7f,/
O1 operator operator/receive.c s/    HANDLER_MASK = 0xff,/    HANDLER_MASK = 0x7f,/
O1 operator operator/send.c s/= composition->handler;/= composition->handler \& 0x7f;/
O2 operator operator/receive.c s/resend = (packet->kind . KIND_TERMINATOR_MASK) == TAG_END_OF_PACKET \&\&/resend =/
O3 operator operator/receive.c s/if (terminator != TAG_END_OF_PACKET \&\&.*/if (0)/
O3 native_streams network_interface/ni_model.c s/if (terminator == TAG_ABORT_PACKET)/if (0)/
O4 operator operator/operator.c s/^        pool_post(operator);    .*/;/
O4 operator operator/pool.c s/while (operator->free > 0 \&\& operator->posted < wanted)/while (0)/
O4 native_streams network_interface/ni_model.c s/native->wait_shown = .*;/native->wait_shown = false;/
O4 operator operator/pool.c s/spare = pool_unused(operator) - reserve;/spare = pool_unused(operator);/
O4 operator operator/pool.c s/if (pool_unused(operator) <= reserve)/if (0)/
O5 native_streams network_interface/ni_model.c s/tagged(native, TAG_END_OF_PACKET, 0)/tagged(native, TAG_ABORT_PACKET, 0)/
O6 operator operator/receive.c s/return tries >= operator->identity->retry_limit;/return false;/
O6 operator operator/receive.c s/        tries++;/        ;/
O6 operator operator/receive.c s/packet->words\[packet->first_target\] |= operator->strict_bit;//
O6 operator operator/operator.c s/packet->words\[packet->first_target\] |= strict;//
O6 operator operator/send.c s/ \&\& !may_multicast(operator)/ \&\& !operator->interface->multicast/
O6 frames operator/target_list.c s/choose_entry(packet, packet->end_target);/choose_entry(packet, packet->first_target + 1);/
O6 native_streams network_interface/ni_model.c s/        position += packet->first_target;//
O6 qemu_interface platform/qemu/ni_records.c s/packet_is_info(packet, packet->first_target + k)/packet_is_info(packet, k)/
O7 operator operator/send.c s/composition->duplicate = seen_before.*/composition->duplicate = false;/
O7 operator operator/send.c s/words <= operator->identity->max_packet/words <= operator->identity->max_packet + 1/
O7 operator operator/send.c s/if (composition->entries == 0)/if (0)/
O7 operator operator/send.c s/if (site >= composition->operator->sites)/if (0)/
O7 operator operator/send.c s/if (word . composition->operator->wide_mask)/if (0)/
O8 operator operator/send.c s/return (uint16_t)operator->window.next++;/return (uint16_t)operator->window.next;/
hostile operator operator/receive.c s/target_words + packet_data_words(packet) > operator->packet_words/false/
hostile hostile operator/receive.c s/data\[HEADER_SOURCE\] >= operator->sites || //
hostile hostile operator/receive.c s/ \&\& node_addresses_have(\&operator->addresses, site_word);/;/
hostile console console/remote_service.c s/ || delivery->data_words < WORDS_COMMON + 2//
hostile hostile operator/operator.c s/        pool_release(operator, packet);/        ;/
console frames wire/cobs.c s/if (code == 0 || code - 1 > length - k)/if (code == 0)/
console frames wire/cobs.c s/if (code == 0xff) {/if (0) {/
console frames wire/crc16.c s/high = 0xff/high = 0/
console console console/console.c s/crc16(input, length - 2) != .*/false) {/
console console console/console.c s/if (console->input_length < sizeof console->input)/if (true)/
console console console/console.c s/while (taken < length \&\& room)/while (taken < length)/
console frames console/frame_writer.c s/value >= powers/value > powers/
console console console/frame_writer.c s/priority == FRAME_EVENT ? 2 \* CONSOLE_FRAME_ENCODED : 0/0/
console console console/frame_writer.c s/if (console->output_end + bytes > CONSOLE_OUTPUT_BYTES)/if (0)/
console console console/console_command.c s/return !reader->bad \&\& reader->left == 0;/return true;/
console console console/remote_service.c s/answer.data_ok = data_came_back(delivery)/answer.data_ok = true/
console console console/console.c s/ \&\& event->delivery->handler != HANDLER_SERVICE//
qemu qemu_interface platform/qemu/virtio_console.c s/ \&\& console->taken_length <= VIRTIO_RECEIVE_BYTES//
qemu qemu_interface platform/qemu/virtio_console.c s/if (\*id < VIRTIO_QUEUE_SIZE)/if (1)/
qemu qemu_interface platform/qemu/virtio_console.c s/(uint16_t)(index - queue->seen) > VIRTIO_QUEUE_SIZE/0/
qemu qemu_interface platform/qemu/virtio_console.c s/if (slot == VIRT_DEVICES .. !negotiate(console)/if (slot == VIRT_DEVICES/
qemu qemu_interface platform/qemu/virtio_console.c s/ .. get(console, QUEUE_SIZE_MAX) < VIRTIO_QUEUE_SIZE//
qemu qemu_interface platform/qemu/virtio_console.c s/while (id < VIRTIO_QUEUE_SIZE \&\& .*/while (0)/
qemu qemu_interface platform/qemu/virtio_console.c 0,/    console->taken = false;/s///
qemu qemu_interface wire/record.c s/ .. count > RECORD_WORDS_MAX//
qemu qemu_interface wire/record.c s/return crc16(.*/return count;/
qemu qemu_interface wire/record.c s/reader->length < sizeof reader->bytes/true/
qemu qemu_interface wire/record.c s/reader->overlong = false;//
qemu qemu_interface platform/qemu/ni_records.c s/ .. targets + data > qemu->receive_words//
qemu qemu_interface platform/qemu/ni_records.c s/targets > PACKET_TARGET_WORDS_MAX/false/
qemu qemu_interface platform/qemu/ni_records.c s/ .. qemu->filled == qemu->posted//
qemu qemu_interface platform/qemu/ni_records.c s/ .. qemu->left == qemu->queued//
qemu qemu_interface platform/qemu/ni_records.c s/count != RECORD_COUNTERS_WORDS .. //
qemu qemu_interface platform/qemu/ni_records.c s/count != RECORD_GO_WORDS .. //
qemu qemu_interface platform/qemu/ni_records.c s/qemu->in_turn = qemu->counted = false;/qemu->in_turn = false;/
qemu qemu_interface platform/qemu/ni_records.c s/if (++qemu->looks == LOOKS_MAX)/if (0)/
qemu qemu_interface platform/qemu/ni_records.c s/if (qemu->console_taken == qemu->console_given)/if (0)/
qemu qemu_interface platform/qemu/ni_records.c s/if (qemu->space_used + RECORD_WIRE(count) > VIRTIO_SEND_BYTES)/if (0)/
BUGS
}

. tests/firmware/planted.bash operator native_streams frames console hostile qemu_interface
