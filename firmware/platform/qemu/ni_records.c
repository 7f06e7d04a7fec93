/* See qemu_interface.h. */
#include "platform/qemu/ni_records.h"

#include <string.h>

#include "drivers/uart.h"
#include "platform/qemu/virt_machine.h"

enum { LOOKS_MAX = 64 };

_Static_assert(VIRTIO_SEND_BYTES >= RECORD_WIRE(RECORD_WORDS_MAX), "every record fits an empty buffer");

static struct qemu_interface *qemu_of(struct network_interface *interface)
{
    return (struct qemu_interface *)interface;    /* its first member */
}

/* Sends what has been written, if anything. */
static void flush(struct qemu_interface *qemu)
{
    if (qemu->space_used > 0)
        virtio_console_send(&qemu->console, qemu->space_used);
    qemu->space = NULL;
    qemu->space_used = 0;
}

/* Writes qemu->record; records that follow each other share a buffer. */
static void put(struct qemu_interface *qemu, unsigned count)
{
    if (qemu->space_used + RECORD_WIRE(count) > VIRTIO_SEND_BYTES)
        flush(qemu);
    while (qemu->space == NULL && (qemu->space = virtio_console_space(&qemu->console)) == NULL)
        virtio_console_wait(&qemu->console);
    qemu->space_used += record_encode(qemu->record, count, qemu->space + qemu->space_used);
}

/* A record of a type and one field. */
static void put_field(struct qemu_interface *qemu, uint32_t type, uint32_t field)
{
    qemu->record[0] = type;
    qemu->record[1] = field;
    put(qemu, 2);
}

static bool take_identity(struct qemu_interface *qemu, const uint32_t *words, unsigned count)
{
    if (qemu->identified || count != RECORD_IDENTITY_BLOCK + NODE_IDENTITY_WORDS)
        return false;
    qemu->clock = words[RECORD_IDENTITY_CLOCK];
    qemu->interface.multicast = words[RECORD_IDENTITY_MULTICAST];
    memcpy(qemu->identity, words + RECORD_IDENTITY_BLOCK, sizeof *qemu->identity);
    qemu->identified = qemu->in_turn = true;
    return true;
}

/* Of the lengths in a record, so of the stream: they are held against each other, and against the buffer. */
static bool take_received(struct qemu_interface *qemu, const uint32_t *words, unsigned count)
{
    unsigned targets = words[RECORD_RECEIVED_COUNTS] >> PACKET_COUNTS_TARGET_SHIFT;
    unsigned data = words[RECORD_RECEIVED_COUNTS] & 0xffff, info = record_info_words(targets);
    unsigned terminator = words[RECORD_RECEIVED_KIND] & KIND_TERMINATOR_MASK;
    struct packet *packet;

    if (count < RECORD_RECEIVED_INFO || targets > PACKET_TARGET_WORDS_MAX || targets + data > qemu->receive_words ||
        count != RECORD_RECEIVED_INFO + info + targets + data || qemu->filled == qemu->posted ||
        words[RECORD_RECEIVED_KIND] & ~(uint32_t)(KIND_TERMINATOR_MASK | KIND_MULTICAST | KIND_OVERSIZE) ||
        (terminator != TAG_END_OF_PACKET && terminator != TAG_LOCAL_END_OF_PACKET))
        return false;
    packet = qemu->posts[qemu->filled++ % RECORD_POSTS_MAX];
    packet->counts = words[RECORD_RECEIVED_COUNTS];
    packet->kind = words[RECORD_RECEIVED_KIND];
    packet->stamp_first = words[RECORD_RECEIVED_FIRST];
    packet->stamp_last = words[RECORD_RECEIVED_LAST];
    memset(packet->info, 0, sizeof packet->info);
    memcpy(packet->info, words + RECORD_RECEIVED_INFO, 4 * info);
    memcpy(packet->words, words + RECORD_RECEIVED_INFO + info, 4 * (targets + data));
    return true;
}

static bool take_sent(struct qemu_interface *qemu, const uint32_t *words, unsigned count)
{
    struct packet *packet = qemu->sends[qemu->left % RECORD_SENDS_MAX];

    if (count != RECORD_SENT_WORDS || qemu->left == qemu->queued)
        return false;
    packet->stamp_first = words[RECORD_SENT_FIRST];
    packet->stamp_last = words[RECORD_SENT_LAST];
    qemu->left++;
    return true;
}

static bool take_counters(struct qemu_interface *qemu, const uint32_t *words, unsigned count)
{
    if (count != RECORD_COUNTERS_WORDS || !qemu->asked)
        return false;
    memcpy(qemu->counters, words + RECORD_COUNTERS_VALUES, sizeof qemu->counters);
    qemu->asked = false;
    return true;
}

static bool take_go(struct qemu_interface *qemu, const uint32_t *words, unsigned count)
{
    if (count != RECORD_GO_WORDS || qemu->in_turn || !qemu->identified)
        return false;
    qemu->clock = words[RECORD_GO_CLOCK];
    qemu->console_given = words[RECORD_GO_CONSOLE];
    qemu->in_turn = true;
    return true;
}

static bool take(struct qemu_interface *qemu, const uint32_t *words, unsigned count)
{
    switch (words[0]) {
    case RECORD_IDENTITY:
        return take_identity(qemu, words, count);
    case RECORD_RECEIVED:
        return take_received(qemu, words, count);
    case RECORD_SENT:
        return take_sent(qemu, words, count);
    case RECORD_COUNTERS:
        return take_counters(qemu, words, count);
    case RECORD_GO:
        return take_go(qemu, words, count);
    default:
        return false;
    }
}

/* Takes every record that has come. */
static void take_all(struct qemu_interface *qemu)
{
    const uint8_t *bytes;
    size_t length;

    while ((bytes = virtio_console_received(&qemu->console, &length)) != NULL) {
        for (size_t k = 0; k < length; k++) {
            unsigned count = record_push(&qemu->reader, bytes[k]);

            if (count > 0 && !take(qemu, qemu->reader.words, count))
                qemu->refused++;
        }
        virtio_console_done(&qemu->console);
    }
}

/* Sends what has been written, and sleeps until *until is what is wanted. */
static void wait_until(struct qemu_interface *qemu, const bool *until, bool wanted)
{
    flush(qemu);
    take_all(qemu);
    while (*until != wanted) {
        virtio_console_wait(&qemu->console);
        take_all(qemu);
    }
}

static void tell_posts(struct qemu_interface *qemu)
{
    if (qemu->posts_untold > 0)
        put_field(qemu, RECORD_POST, qemu->posts_untold);
    qemu->posts_untold = 0;
}

void qemu_interface_sleep(struct qemu_interface *qemu, bool timed, uint32_t wake_clock)
{
    tell_posts(qemu);
    qemu->record[0] = RECORD_TURN;
    qemu->record[RECORD_TURN_TIMED] = timed;
    qemu->record[RECORD_TURN_WAKE] = wake_clock;
    put(qemu, RECORD_TURN_WORDS);
    qemu->in_turn = qemu->counted = false;
    qemu->looks = 0;
    wait_until(qemu, &qemu->in_turn, true);
}

static bool post(struct network_interface *interface, struct packet *packet)
{
    struct qemu_interface *qemu = qemu_of(interface);

    if (qemu->posted - qemu->received == RECORD_POSTS_MAX)
        return false;
    qemu->posts[qemu->posted++ % RECORD_POSTS_MAX] = packet;
    qemu->posts_untold++;
    return true;
}

/* Who looks and looks would look for ever at a clock that stands still. */
static struct packet *received(struct network_interface *interface)
{
    struct qemu_interface *qemu = qemu_of(interface);

    take_all(qemu);
    if (qemu->received != qemu->filled)
        return qemu->posts[qemu->received++ % RECORD_POSTS_MAX];
    if (++qemu->looks == LOOKS_MAX)
        qemu_interface_sleep(qemu, true, qemu->clock + 1);
    return NULL;
}

static unsigned send_room(struct network_interface *interface)
{
    const struct qemu_interface *qemu = qemu_of(interface);

    return RECORD_SENDS_MAX - (qemu->queued - qemu->returned);
}

/* The info words of the targets that go. */
static void copy_info(uint32_t *info, const struct packet *packet, unsigned targets)
{
    memset(info, 0, 4 * record_info_words(targets));
    for (unsigned k = 0; k < targets; k++)
        info[k / 32] |= (uint32_t)packet_is_info(packet, packet->first_target + k) << k % 32;
}

static bool send(struct network_interface *interface, struct packet *packet)
{
    struct qemu_interface *qemu = qemu_of(interface);
    unsigned targets = packet_sent_targets(packet), data_words = packet_data_words(packet);
    uint32_t *words = qemu->record + RECORD_SEND_INFO + record_info_words(targets);

    if (send_room(interface) == 0)
        return false;
    qemu->record[0] = RECORD_SEND;
    qemu->record[RECORD_SEND_COUNTS] = targets << PACKET_COUNTS_TARGET_SHIFT | data_words;
    qemu->record[RECORD_SEND_KIND] = packet->kind_bits;
    copy_info(qemu->record + RECORD_SEND_INFO, packet, targets);
    memcpy(words, packet->words + packet->first_target, 4 * targets);
    memcpy(words + targets, packet->words + packet_target_words(packet), 4 * data_words);
    put(qemu, RECORD_SEND_INFO + record_info_words(targets) + targets + data_words);
    qemu->sends[qemu->queued++ % RECORD_SENDS_MAX] = packet;
    return true;
}

static struct packet *sent(struct network_interface *interface)
{
    struct qemu_interface *qemu = qemu_of(interface);

    take_all(qemu);
    if (qemu->returned == qemu->left)
        return NULL;
    return qemu->sends[qemu->returned++ % RECORD_SENDS_MAX];
}

/* All of them are asked for at once, once a turn. */
static uint32_t counter(struct network_interface *interface, unsigned index)
{
    struct qemu_interface *qemu = qemu_of(interface);

    if (index == COUNTER_BAD_RECORDS)
        return qemu->reader.bad + qemu->refused + qemu->console.faults;
    if (index >= COUNTER_DELIVERED)
        return 0;
    if (!qemu->counted) {
        qemu->record[0] = RECORD_ASK;
        put(qemu, RECORD_ASK_WORDS);
        qemu->asked = true;
        wait_until(qemu, &qemu->asked, false);
        qemu->counted = true;
    }
    return qemu->counters[index];
}

static uint32_t clock_now(struct network_interface *interface)
{
    return qemu_of(interface)->clock;
}

static void relieve(struct network_interface *interface, bool on)
{
    put_field(qemu_of(interface), RECORD_RELIEF, on);
}

static const struct network_interface_functions qemu_functions = {
    .post = post,
    .received = received,
    .send = send,
    .sent = sent,
    .send_room = send_room,
    .counter = counter,
    .clock = clock_now,
    .relieve = relieve,
};

bool qemu_interface_start(struct qemu_interface *qemu, uint16_t receive_words, struct node_identity *identity)
{
    memset(qemu, 0, sizeof *qemu);
    qemu->interface.functions = &qemu_functions;
    qemu->receive_words = receive_words;
    qemu->identity = identity;
    if (!virtio_console_start(&qemu->console))
        return false;
    virt_machine_start_uart();
    qemu->record[0] = RECORD_HELLO;
    qemu->record[RECORD_HELLO_VERSION] = RECORD_VERSION;
    qemu->record[RECORD_HELLO_PACKET_WORDS] = receive_words;
    put(qemu, RECORD_HELLO_WORDS);
    wait_until(qemu, &qemu->identified, true);
    return true;
}

/* Sleeps until the UART is as wanted, which an interrupt says. */
static void await_uart(struct qemu_interface *qemu, bool (*wanted)(void), unsigned interrupts)
{
    if (wanted())
        return;
    virt_machine_uart_interrupts(interrupts);
    while (!wanted())
        virtio_console_wait(&qemu->console);
    virt_machine_uart_interrupts(0);
}

bool qemu_interface_console_read(struct qemu_interface *qemu, uint8_t *byte)
{
    if (qemu->console_taken == qemu->console_given)
        return false;
    await_uart(qemu, uart_has_byte, VIRT_UART_DATA_READY);
    *byte = uart_get();
    qemu->console_taken++;
    return true;
}

void qemu_interface_await_room(struct qemu_interface *qemu)
{
    await_uart(qemu, uart_has_room, VIRT_UART_THR_EMPTY);
}
