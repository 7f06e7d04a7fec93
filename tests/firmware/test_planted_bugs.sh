#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The tests can fail: each bug below, planted in a copy of one source, makes the test beside it fail.
# A line: rule, test, source, what sed does to the source. time limit: 900 s
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
bugs() {
    cat <<'BUGS'
O1 operator firmware/operator/receive.c s/return !is_own(op, site_word) \&\&/return/
O1 operator firmware/operator/groups.c s/packet->kind_bits = 0;/;/
O1 operator firmware/operator/groups.c s/words\[first\] \&= ~op->mark_bit;/words[first] |= 0;/
O1 native_streams firmware/operator/receive.c s/if (arrival->targets.own > 0)/if (arrival->targets.own > 0 \&\& !resend)/
O1 operator firmware/operator/receive.c s/delivery->info = packet->words + k;/delivery->info = packet->words + 3;/
O1 operator firmware/operator/receive.c s/        .stamp_last = arrival->stamp_last,/        .stamp_last = packet->stamp_last,/
O1 frames firmware/operator/target_list.c s/    mark_entry(packet, place, words);//
O1 operator firmware/operator/receive.c s/arrival->multicast ? PR_COUNTER_RESENT_AFTER_ABORT : PR_COUNTER_FORWARDED/PR_COUNTER_RESENT_AFTER_ABORT/
O1 operator firmware/operator/receive.c s/\.handler = header->handler,/.handler = header->handler == 255 ? 255 : header->handler \& 0x7f,/
O1 operator firmware/operator/receive.c s/    HANDLER_MASK = 0xff,/    HANDLER_MASK = 0x7f,/
O1 operator firmware/operator/send.c s/= composition->handler;/= composition->handler \& 0x7f;/
O2 operator firmware/operator/receive.c s/return is_local ? op->mark_bit : 0;/return 0;/
O2 operator firmware/operator/receive.c s/return is_local ? op->mark_bit : 0;/return op->mark_bit;/
O2 native_streams firmware/operator/receive.c s/ || required != 0,/,/
O2 native_streams firmware/operator/receive.c s/is_to_serve(site_word, entries->required) \&\&//
O3 operator firmware/operator/receive.c s/if (PR_UNLIKELY(end != PR_TAG_END_OF_PACKET) .*/if (0)/
O3 native_streams sim/network_interface/ni_model.c s/if (terminator == PR_TAG_ABORT_PACKET)/if (0)/
O4 operator firmware/operator/operator.c s/pr_pool_post(op); .*/;/
O4 operator firmware/operator/pool.c s/while (op->pool.free > 0 \&\& op->pool.posted < wanted)/while (0)/
O4 native_streams sim/network_interface/ni_model.c s/native->wait_shown = .*;/native->wait_shown = false;/
O4 operator firmware/operator/pool.c s/spare = pr_pool_unused(op) - reserve;/spare = pr_pool_unused(op);/
O4 operator firmware/operator/pool.c s/if (pr_pool_unused(op) <= reserve)/if (0)/
O5 native_streams sim/network_interface/ni_model.c s/tagged(native, PR_TAG_END_OF_PACKET, 0)/tagged(native, PR_TAG_ABORT_PACKET, 0)/
O6 operator firmware/operator/receive.c s/return tries >= op->identity->retry_limit;/return false;/
O6 operator firmware/operator/receive.c s/        tries++;/        ;/
O6 operator firmware/operator/receive.c s/bool falls_back = .*;/bool falls_back = false;/
O6 operator firmware/operator/groups.c s/if (!op->may_multicast)/if (!op->interface->capabilities.multicast)/
O6 operator firmware/operator/groups.c s/choose(op, packet, packet->end_target);/choose(op, packet, packet->first_target + 1);/
O6 operator firmware/operator/transmit.c s/else if (pr_group_next(op, packet))/else if (0)/
O6 native_streams sim/network_interface/ni_model.c s/        position += packet->first_target;//
O6 qemu_interface firmware/platform/qemu/ni_records.c s/pr_packet_is_info(packet, packet->first_target + k)/pr_packet_is_info(packet, k)/
O7 operator firmware/operator/send.c s/composition->duplicate = seen_before.*/composition->duplicate = false;/
O7 operator firmware/operator/send.c s/words <= op->identity->max_packet/words <= op->identity->max_packet + 1/
O7 operator firmware/operator/send.c s/if (composition->entries == 0)/if (0)/
O7 operator firmware/operator/send.c s/if (site >= composition->op->sites)/if (0)/
O7 operator firmware/operator/send.c s/if (word . composition->op->wide_mask)/if (0)/
O8 operator firmware/operator/send.c s/return (uint16_t)op->window.next++;/return (uint16_t)op->window.next;/
O9 operator firmware/operator/send.c s/        pr_group_sort(op, packet);/        ;/
O9 operator firmware/operator/groups.c s/        traffic->clock = clock;//
O9 operator firmware/operator/groups.c s/        traffic->obstructed = count;//
O9 operator firmware/operator/groups.c s/> BUSY_CLOCKS/>= BUSY_CLOCKS/
O9 operator firmware/operator/groups.c s/        traffic->busy = false;//
O9 operator firmware/operator/groups.c s/pr_network_interface_counter(op->interface, PR_COUNTER_DEFERRALS) +/0 +/
O9 operator firmware/operator/groups.c s/? PR_GROUPING_PATHS : PR_GROUPING_TREE;/? PR_GROUPING_TREE : PR_GROUPING_TREE;/
O9 operator firmware/operator/groups.c s/           pr_network_interface_counter(op->interface, PR_COUNTER_ABORTS)/           0/
O9 operator firmware/operator/groups.c s/return 2 + (pr_packet/return 3 + (pr_packet/
O9 frames firmware/operator/target_list.c s/if (!precedes(context, word, packet->words\[before\]))/if (precedes(context, packet->words[before], word))/
O9 frames firmware/operator/target_list.c s/while (pr_packet_is_info(packet, --entry))/while (--entry, 0)/
O9 route firmware/operator/route.c s/2 \* forward > (int32_t)ring/2 * forward >= (int32_t)ring/
O9 route firmware/operator/route.c s/        if (forward < 0)/        if (0)/
O9 route firmware/operator/route.c s/first < second : first > second/first < second : first < second/
O9 route firmware/operator/route.c s/        return first >= 0;/        return second >= 0;/
O9 route firmware/operator/route.c s/(site_word ^ route->x) \& route->y_mask/site_word ^ route->x/
O9 route firmware/operator/route.c s/differs \& -differs/differs/
O9 route firmware/operator/route.c s/ \&\& turns > near//
O9 route firmware/operator/route.c s/(turns \& (turns - 1)) == 0 \&\& //
O9 route firmware/operator/route.c s/to_near == 0 || //
O9 route firmware/operator/route.c s/((to_near ^ to_far) >= 0 \&\& comes_first(to_near, to_far))/comes_first(to_near, to_far)/
hostile operator firmware/operator/receive.c s/target_words + pr_packet_data_words(packet) > op->pool.packet_words/false/
hostile hostile firmware/operator/receive.c s/return source < op->sites \&\& /return /
hostile hostile firmware/operator/receive.c /is_to_serve(site_word, entries->required) \&\&$/{s/ \&\&$/;/;n;d}
hostile console firmware/console/remote_service.c s/ || delivery->data_words < WORDS_COMMON + 2//
hostile hostile firmware/operator/transmit.c s/        pr_pool_release(op, packet);/        ;/
console frames firmware/wire/cobs.c s/if (code == 0 || code - 1 > length - k)/if (code == 0)/
console frames firmware/wire/cobs.c s/if (code == 0xff) {/if (0) {/
console frames firmware/wire/crc16.c s/high = 0xff/high = 0/
console console firmware/wire/envelope.c s/return pr_crc16(out, decoded) == .*/return decoded;/
console console firmware/wire/payload.c s/reader->at + count > reader->length/false/
console frames firmware/wire/payload.c s/writer->length + count > writer->limit/false/
console frames firmware/wire/payload.c s/PR_FIELD_OFFSET(field)/0/
console console firmware/console/console.c s/if (console->input_length < sizeof console->input)/if (true)/
console console firmware/console/console.c s/while (taken < length \&\& room)/while (taken < length)/
console frames firmware/console/frame_writer.c s/value >= powers/value > powers/
console console firmware/console/frame_writer.c s/priority == PR_FRAME_EVENT ? 2 \* PR_CONSOLE_FRAME_ENCODED : 0/0/
console console firmware/console/frame_writer.c s/if (output->end + bytes > PR_CONSOLE_OUTPUT_BYTES)/if (0)/
console console firmware/console/console_command.c s/return pr_payload_is_complete(request);/return true;/
console console firmware/console/remote_service.c s/answer.data_ok = data_came_back(delivery)/answer.data_ok = true/
console console firmware/console/console.c s/ \&\& event->delivery->handler != PR_HANDLER_SERVICE//
qemu qemu_interface firmware/platform/qemu/virtio_console.c s/ \&\& console->taken_length <= PR_VIRTIO_RECEIVE_BYTES//
qemu qemu_interface firmware/platform/qemu/virtio_console.c s/if (\*id < PR_VIRTIO_QUEUE_SIZE)/if (1)/
qemu qemu_interface firmware/platform/qemu/virtio_console.c s/(uint16_t)(index - queue->seen) > PR_VIRTIO_QUEUE_SIZE/0/
qemu qemu_interface firmware/platform/qemu/virtio_console.c s/if (slot == PR_VIRT_DEVICES .. !negotiate(console)/if (slot == PR_VIRT_DEVICES/
qemu qemu_interface firmware/platform/qemu/virtio_console.c s/ .. get(console, QUEUE_SIZE_MAX) < PR_VIRTIO_QUEUE_SIZE//
qemu qemu_interface firmware/platform/qemu/virtio_console.c s/while (id < PR_VIRTIO_QUEUE_SIZE \&\& .*/while (0)/
qemu qemu_interface firmware/platform/qemu/virtio_console.c 0,/    console->taken = false;/s///
qemu qemu_interface firmware/wire/record.c s/ .. count > PR_RECORD_WORDS_MAX//
qemu qemu_interface firmware/wire/envelope.c s/return pr_crc16(out, decoded) == .*/return decoded;/
qemu qemu_interface firmware/wire/record.c s/reader->length < sizeof reader->bytes/true/
qemu qemu_interface firmware/wire/record.c s/reader->overlong = false;//
qemu qemu_interface firmware/platform/qemu/ni_records.c s/targets + data > qemu->receive_words/false/
qemu qemu_interface firmware/platform/qemu/ni_records.c s/targets > PR_PACKET_TARGET_WORDS_MAX/false/
qemu qemu_interface firmware/platform/qemu/ni_records.c s/qemu->filled == qemu->posted/false/
qemu qemu_interface firmware/platform/qemu/ni_records.c s/ .. qemu->left == qemu->queued//
qemu qemu_interface firmware/platform/qemu/ni_records.c s/count != PR_RECORD_COUNTERS_WORDS .. //
qemu qemu_interface firmware/platform/qemu/ni_records.c s/count != PR_RECORD_GO_WORDS .. //
qemu qemu_interface firmware/platform/qemu/ni_records.c s/qemu->in_turn = qemu->counted = false;/qemu->in_turn = false;/
qemu qemu_interface firmware/platform/qemu/ni_records.c s/if (++qemu->looks == LOOKS_MAX)/if (0)/
qemu qemu_interface firmware/platform/qemu/ni_records.c s/if (qemu->console_taken == qemu->console_given)/if (0)/
qemu qemu_interface firmware/platform/qemu/ni_records.c s/if (qemu->space_used + PR_RECORD_WIRE(count) > PR_VIRTIO_SEND_BYTES)/if (0)/
O1 frames firmware/operator/target_list.c s/        packet->words\[k\] = packet->words\[--first\];/        first--;/
O2 operator firmware/operator/receive.c s/uint32_t word = .target \& ~op->mark_bit;/uint32_t word = *target;/
rings packet_rings firmware/drivers/packet_rings.h s/if (rings->send_room == 0)/if (false)/
rings packet_rings firmware/drivers/packet_rings.h s/ % (2 \* PR_RINGS_RECEIVE_SLOTS) ==/ ==/
rings packet_rings firmware/drivers/packet_rings.h s/rings->send_room++;/;/
rings packet_rings firmware/drivers/packet_rings.h s/rings->receive_seen = (uint8_t)(seen + 1);/rings->seen++;/
BUGS
}

. tests/firmware/planted.bash operator route native_streams frames console hostile qemu_interface packet_rings
