/* See ni_records.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "platform/qemu/ni_records.h"

#include <string.h>

#include "drivers/uart.h"
#include "platform/qemu/virt_machine.h"

enum { LOOKS_MAX = 64 };

_Static_assert(PR_VIRTIO_SEND_BYTES >= PR_RECORD_WIRE(PR_RECORD_WORDS_MAX), "every record fits an empty buffer");

static struct pr_ni_records *qemu_of(struct pr_network_interface *interface)
{
    return (struct pr_ni_records *)interface; /* its first member */
}

/* Sends the records that are buffered, if there are any. */
static void flush(struct pr_ni_records *qemu)
{
    if (qemu->space_used > 0)
        pr_virtio_console_send(&qemu->console, qemu->space_used);
    qemu->space = NULL;
    qemu->space_used = 0;
}

/* Writes qemu->record; consecutive records share a buffer. */
static void put(struct pr_ni_records *qemu, unsigned count)
{
    if (qemu->space_used + PR_RECORD_WIRE(count) > PR_VIRTIO_SEND_BYTES)
        flush(qemu);
    while (!qemu->space && !(qemu->space = pr_virtio_console_space(&qemu->console)))
        pr_virtio_console_wait(&qemu->console);
    qemu->space_used += pr_record_encode(qemu->record, count, qemu->space + qemu->space_used);
}

/* A record of a type and one field. */
static void put_field(struct pr_ni_records *qemu, uint32_t type, uint32_t field)
{
    qemu->record[0] = type;
    qemu->record[1] = field;
    put(qemu, 2);
}

static bool take_identity(struct pr_ni_records *qemu, const uint32_t *words, unsigned count)
{
    if (qemu->identified || count != PR_RECORD_IDENTITY_BLOCK + PR_SITE_IDENTITY_WORDS)
        return false;
    qemu->clock = words[PR_RECORD_IDENTITY_CLOCK];
    qemu->interface.capabilities = pr_capabilities_decode(words[PR_RECORD_IDENTITY_CAPABILITIES]);
    memcpy(qemu->identity, words + PR_RECORD_IDENTITY_BLOCK, 4 * PR_SITE_IDENTITY_WORDS);
    qemu->identified = qemu->in_turn = true;
    return true;
}

/* These lengths come from a record, hence from the stream: each is checked against the other, and against the
 * buffer. */
static bool take_received(struct pr_ni_records *qemu, const uint32_t *words, unsigned count)
{
    unsigned targets = words[PR_RECORD_RECEIVED_COUNTS] >> PR_PACKET_COUNTS_TARGET_SHIFT;
    unsigned data = words[PR_RECORD_RECEIVED_COUNTS] & 0xffff, info = pr_record_info_words(targets);
    unsigned terminator = words[PR_RECORD_RECEIVED_KIND] & PR_KIND_TERMINATOR_MASK;
    struct pr_packet *packet;
    if (count < PR_RECORD_RECEIVED_INFO || targets > PR_PACKET_TARGET_WORDS_MAX ||
        targets + data > qemu->receive_words || count != PR_RECORD_RECEIVED_INFO + info + targets + data ||
        qemu->filled == qemu->posted ||
        words[PR_RECORD_RECEIVED_KIND] & ~(uint32_t)(PR_KIND_TERMINATOR_MASK | PR_KIND_MULTICAST | PR_KIND_OVERSIZE) ||
        (terminator != PR_TAG_END_OF_PACKET && terminator != PR_TAG_LOCAL_END_OF_PACKET))
        return false;
    packet = qemu->posts[qemu->filled++ % PR_RECORD_POSTS_MAX];
    packet->counts = words[PR_RECORD_RECEIVED_COUNTS];
    packet->kind = words[PR_RECORD_RECEIVED_KIND];
    packet->stamp_first = words[PR_RECORD_RECEIVED_FIRST];
    packet->stamp_last = words[PR_RECORD_RECEIVED_LAST];
    memset(packet->info, 0, sizeof packet->info);
    memcpy(packet->info, words + PR_RECORD_RECEIVED_INFO, 4 * info);
    memcpy(packet->words, words + PR_RECORD_RECEIVED_INFO + info, 4 * (targets + data));
    return true;
}

static bool take_sent(struct pr_ni_records *qemu, const uint32_t *words, unsigned count)
{
    struct pr_packet *packet = qemu->sends[qemu->left % PR_RECORD_SENDS_MAX];
    if (count != PR_RECORD_SENT_WORDS || qemu->left == qemu->queued)
        return false;
    packet->stamp_first = words[PR_RECORD_SENT_FIRST];
    packet->stamp_last = words[PR_RECORD_SENT_LAST];
    qemu->left++;
    return true;
}

static bool take_counters(struct pr_ni_records *qemu, const uint32_t *words, unsigned count)
{
    if (count != PR_RECORD_COUNTERS_WORDS || !qemu->asked)
        return false;
    memcpy(qemu->counters, words + PR_RECORD_COUNTERS_VALUES, sizeof qemu->counters);
    qemu->asked = false;
    return true;
}

static bool take_go(struct pr_ni_records *qemu, const uint32_t *words, unsigned count)
{
    if (count != PR_RECORD_GO_WORDS || qemu->in_turn || !qemu->identified)
        return false;
    qemu->clock = words[PR_RECORD_GO_CLOCK];
    qemu->console_given = words[PR_RECORD_GO_CONSOLE];
    qemu->in_turn = true;
    return true;
}

static bool take(struct pr_ni_records *qemu, const uint32_t *words, unsigned count)
{
    switch (words[0]) {
    case PR_RECORD_IDENTITY:
        return take_identity(qemu, words, count);
    case PR_RECORD_RECEIVED:
        return take_received(qemu, words, count);
    case PR_RECORD_SENT:
        return take_sent(qemu, words, count);
    case PR_RECORD_COUNTERS:
        return take_counters(qemu, words, count);
    case PR_RECORD_GO:
        return take_go(qemu, words, count);
    default:
        return false;
    }
}

/* Handles every record that has arrived. */
static void take_all(struct pr_ni_records *qemu)
{
    const uint8_t *bytes;
    size_t length;
    while ((bytes = pr_virtio_console_received(&qemu->console, &length))) {
        for (size_t k = 0; k < length; k++) {
            unsigned count = pr_record_push(&qemu->reader, bytes[k]);
            if (count > 0 && !take(qemu, qemu->reader.words, count))
                qemu->refused++;
        }
        pr_virtio_console_done(&qemu->console);
    }
}

/* Sends the buffered records, and sleeps until *until has the wanted value. */
static void wait_until(struct pr_ni_records *qemu, const bool *until, bool wanted)
{
    flush(qemu);
    take_all(qemu);
    while (*until != wanted) {
        pr_virtio_console_wait(&qemu->console);
        take_all(qemu);
    }
}

static void tell_posts(struct pr_ni_records *qemu)
{
    if (qemu->posts_untold > 0)
        put_field(qemu, PR_RECORD_POST, qemu->posts_untold);
    qemu->posts_untold = 0;
}

void pr_ni_records_sleep(struct pr_ni_records *qemu, bool timed, uint32_t wake_clock)
{
    tell_posts(qemu);
    qemu->record[0] = PR_RECORD_TURN;
    qemu->record[PR_RECORD_TURN_TIMED] = timed;
    qemu->record[PR_RECORD_TURN_WAKE] = wake_clock;
    put(qemu, PR_RECORD_TURN_WORDS);
    qemu->in_turn = qemu->counted = false;
    qemu->looks = 0;
    wait_until(qemu, &qemu->in_turn, true);
}

static bool post(struct pr_network_interface *interface, struct pr_packet *packet)
{
    struct pr_ni_records *qemu = qemu_of(interface);
    if (qemu->posted - qemu->received == PR_RECORD_POSTS_MAX)
        return false;
    qemu->posts[qemu->posted++ % PR_RECORD_POSTS_MAX] = packet;
    qemu->posts_untold++;
    return true;
}

/* The clock stands still during a turn, so a program that polls for packets would poll for ever. */
static struct pr_packet *received(struct pr_network_interface *interface)
{
    struct pr_ni_records *qemu = qemu_of(interface);
    take_all(qemu);
    if (qemu->received != qemu->filled)
        return qemu->posts[qemu->received++ % PR_RECORD_POSTS_MAX];
    if (++qemu->looks == LOOKS_MAX)
        pr_ni_records_sleep(qemu, true, qemu->clock + 1);
    return NULL;
}

static unsigned send_room(struct pr_network_interface *interface)
{
    const struct pr_ni_records *qemu = qemu_of(interface);
    return PR_RECORD_SENDS_MAX - (qemu->queued - qemu->returned);
}

/* The target_info words of the targets that leave. */
static void copy_info(uint32_t *info, const struct pr_packet *packet, unsigned targets)
{
    memset(info, 0, 4 * pr_record_info_words(targets));
    for (unsigned k = 0; k < targets; k++)
        info[k / 32] |= (uint32_t)pr_packet_is_info(packet, packet->first_target + k) << k % 32;
}

static bool send(struct pr_network_interface *interface, struct pr_packet *packet)
{
    struct pr_ni_records *qemu = qemu_of(interface);
    unsigned targets = pr_packet_sent_targets(packet), data_words = pr_packet_data_words(packet);
    uint32_t *words = qemu->record + PR_RECORD_SEND_INFO + pr_record_info_words(targets);
    if (send_room(interface) == 0)
        return false;
    qemu->record[0] = PR_RECORD_SEND;
    qemu->record[PR_RECORD_SEND_COUNTS] = targets << PR_PACKET_COUNTS_TARGET_SHIFT | data_words;
    qemu->record[PR_RECORD_SEND_KIND] = packet->kind_bits;
    copy_info(qemu->record + PR_RECORD_SEND_INFO, packet, targets);
    memcpy(words, packet->words + packet->first_target, 4 * targets);
    memcpy(words + targets, packet->words + pr_packet_target_words(packet), 4 * data_words);
    put(qemu, PR_RECORD_SEND_INFO + pr_record_info_words(targets) + targets + data_words);
    qemu->sends[qemu->queued++ % PR_RECORD_SENDS_MAX] = packet;
    return true;
}

static struct pr_packet *sent(struct pr_network_interface *interface)
{
    struct pr_ni_records *qemu = qemu_of(interface);
    take_all(qemu);
    if (qemu->returned == qemu->left)
        return NULL;
    return qemu->sends[qemu->returned++ % PR_RECORD_SENDS_MAX];
}

/* Requests all counters at once, once a turn. */
static uint32_t counter(struct pr_network_interface *interface, unsigned index)
{
    struct pr_ni_records *qemu = qemu_of(interface);
    if (index == PR_COUNTER_BAD_RECORDS)
        return qemu->reader.bad + qemu->refused + qemu->console.faults;
    if (index >= PR_COUNTER_DELIVERED)
        return 0;
    if (!qemu->counted) {
        qemu->record[0] = PR_RECORD_ASK;
        put(qemu, PR_RECORD_ASK_WORDS);
        qemu->asked = true;
        wait_until(qemu, &qemu->asked, false);
        qemu->counted = true;
    }
    return qemu->counters[index];
}

static uint32_t clock_now(struct pr_network_interface *interface)
{
    return qemu_of(interface)->clock;
}

static void relieve(struct pr_network_interface *interface, bool on)
{
    put_field(qemu_of(interface), PR_RECORD_RELIEF, on);
}

static const struct pr_network_interface_functions qemu_functions = {
    .post = post,
    .received = received,
    .send = send,
    .sent = sent,
    .send_room = send_room,
    .counter = counter,
    .clock = clock_now,
    .relieve = relieve,
};

bool pr_ni_records_start(struct pr_ni_records *qemu, uint16_t receive_words, struct pr_site_identity *identity)
{
    memset(qemu, 0, sizeof *qemu);
    qemu->interface.functions = &qemu_functions;
    qemu->receive_words = receive_words;
    qemu->identity = identity;
    if (!pr_virtio_console_start(&qemu->console))
        return false;
    pr_virt_machine_start_uart();
    qemu->record[0] = PR_RECORD_HELLO;
    qemu->record[PR_RECORD_HELLO_VERSION] = PR_RECORD_VERSION;
    qemu->record[PR_RECORD_HELLO_PACKET_WORDS] = receive_words;
    put(qemu, PR_RECORD_HELLO_WORDS);
    wait_until(qemu, &qemu->identified, true);
    return true;
}

/* Sleeps until the UART is in the wanted state, which an interrupt announces. */
static void await_uart(struct pr_ni_records *qemu, bool (*wanted)(void), unsigned interrupts)
{
    if (wanted())
        return;
    pr_virt_machine_uart_interrupts(interrupts);
    while (!wanted())
        pr_virtio_console_wait(&qemu->console);
    pr_virt_machine_uart_interrupts(0);
}

bool pr_ni_records_console_read(struct pr_ni_records *qemu, uint8_t *byte)
{
    if (qemu->console_taken == qemu->console_given)
        return false;
    await_uart(qemu, pr_uart_has_byte, PR_VIRT_UART_DATA_READY);
    *byte = pr_uart_get();
    qemu->console_taken++;
    return true;
}

void pr_ni_records_await_room(struct pr_ni_records *qemu)
{
    await_uart(qemu, pr_uart_has_room, PR_VIRT_UART_THR_EMPTY);
}
