/* The back end under QEMU, on a virtio console that is not there: start, packets both ways, turns, counters, console;
 * then devices that lie and a port that says anything, for seconds each.
 *
 * SPDX-License-Identifier: ISC
 */
#include <string.h>

#include "check.h"
#include "fake_virtio.h"
#include "platform/qemu/virt_machine.h"

enum { WORDS = 300, PACKETS = 64, RECORDS = 64 };

static struct pr_ni_records qemu;
static struct pr_site_identity identity;
static uint64_t random_state;
static struct pr_packet *packets[PACKETS]; /* each in memory of its own, so that sanitizers see its end */
static struct pr_record_reader host_reader;
static uint32_t told[RECORDS][PR_RECORD_WORDS_MAX]; /* records of the guest, in order */
static unsigned told_length[RECORDS], told_count;
static size_t read_bytes;
static uint32_t clock_now;
static bool mute; /* the host does not answer turns */

static unsigned below(unsigned limit)
{
    return check_below(&random_state, limit);
}

static void say(uint32_t *words, unsigned count)
{
    uint8_t bytes[PR_RECORD_WIRE(PR_RECORD_WORDS_MAX)];
    size_t length = pr_record_encode(words, count, bytes);
    CHECK_EQUAL(fake_virtio_push(bytes, length), length);
}

static void say_identity(void)
{
    uint32_t words[PR_RECORD_IDENTITY_BLOCK + PR_SITE_IDENTITY_WORDS + 1] = {PR_RECORD_IDENTITY, 1000, 1};
    for (unsigned k = 0; k < PR_SITE_IDENTITY_WORDS; k++)
        words[PR_RECORD_IDENTITY_BLOCK + k] = 7 * k + 1;
    say(words, PR_RECORD_IDENTITY_BLOCK + PR_SITE_IDENTITY_WORDS);
}

static void say_go(uint32_t console)
{
    uint32_t words[PR_RECORD_GO_WORDS + 1] = {PR_RECORD_GO, clock_now, console};
    say(words, PR_RECORD_GO_WORDS);
}

static void say_counters(void)
{
    uint32_t words[PR_RECORD_COUNTERS_WORDS + 1] = {PR_RECORD_COUNTERS};
    say(words, 5); /* too short: no answer */
    for (unsigned k = 0; k < PR_COUNTER_DELIVERED; k++)
        words[PR_RECORD_COUNTERS_VALUES + k] = clock_now + k;
    say(words, PR_RECORD_COUNTERS_WORDS);
}

/* Takes apart what the guest has sent since the last time; what needs an answer gets one. */
static void listen(void)
{
    for (; read_bytes < fake_virtio.out_length; read_bytes++) {
        unsigned count = pr_record_push(&host_reader, fake_virtio.out[read_bytes]);
        if (count == 0)
            continue;
        memcpy(told[told_count % RECORDS], host_reader.words, 4 * count);
        told_length[told_count++ % RECORDS] = count;
        if (host_reader.words[0] == PR_RECORD_HELLO)
            say_identity();
        if (host_reader.words[0] == PR_RECORD_TURN && !mute) {
            clock_now += 10;
            say_go(0);
        }
        if (host_reader.words[0] == PR_RECORD_ASK)
            say_counters();
    }
    CHECK_EQUAL(host_reader.bad, 0);
    read_bytes = fake_virtio.out_length = 0;
}

static const uint32_t *last_told(uint32_t type)
{
    for (unsigned back = 1; back <= RECORDS && back <= told_count; back++)
        if (told[(told_count - back) % RECORDS][0] == type)
            return told[(told_count - back) % RECORDS];
    CHECK(!"a record of this type");
    return NULL;
}

static void start(void)
{
    fake_virtio_reset();
    fake_virtio.wait = listen;
    memset(&host_reader, 0, sizeof host_reader);
    read_bytes = told_count = 0;
    clock_now = 1000;
    mute = false;
    CHECK(pr_ni_records_start(&qemu, WORDS, &identity));
}

static void starts_only_on_what_it_knows(void)
{
    fake_virtio_reset();
    fake_virtio.slot = PR_VIRT_DEVICES;
    CHECK(!pr_ni_records_start(&qemu, WORDS, &identity));
    fake_virtio_reset();
    fake_virtio.version = 1;
    CHECK(!pr_ni_records_start(&qemu, WORDS, &identity));
    fake_virtio_reset();
    fake_virtio.features = 0;
    CHECK(!pr_ni_records_start(&qemu, WORDS, &identity));
    fake_virtio_reset();
    fake_virtio.refuse_features = true;
    CHECK(!pr_ni_records_start(&qemu, WORDS, &identity));
    fake_virtio_reset();
    fake_virtio.queue_size = PR_VIRTIO_QUEUE_SIZE - 1;
    CHECK(!pr_ni_records_start(&qemu, WORDS, &identity));
}

static void says_hello_first(void)
{
    start();
    CHECK_EQUAL(told_count, 1);
    CHECK_EQUAL(told_length[0], PR_RECORD_HELLO_WORDS);
    CHECK_EQUAL(told[0][0], PR_RECORD_HELLO);
    CHECK_EQUAL(told[0][PR_RECORD_HELLO_VERSION], PR_RECORD_VERSION);
    CHECK_EQUAL(told[0][PR_RECORD_HELLO_PACKET_WORDS], WORDS);
    CHECK_EQUAL(identity.map_version, 1);
    CHECK_EQUAL(identity.reliable, 7 * (PR_SITE_IDENTITY_WORDS - 1) + 1);
    CHECK(qemu.interface.capabilities.multicast);
    CHECK_EQUAL(pr_network_interface_clock(&qemu.interface), 1000);
    CHECK_EQUAL(fake_virtio_buffers(), PR_VIRTIO_QUEUE_SIZE);
}

static struct pr_packet *random_packet(struct pr_packet *packet)
{
    unsigned targets = 1 + below(40), data = below(WORDS - targets + 1);
    pr_packet_set_counts(packet, targets, data);
    packet->kind = below(2) ? PR_KIND_MULTICAST : 0;
    if (below(3) == 0)
        packet->first_target = (uint8_t)below(targets);
    if (below(3) == 0)
        packet->end_target = (uint8_t)(packet->first_target + 1 + below(targets - packet->first_target));
    memset(packet->info, 0, sizeof packet->info);
    packet->info[0] = check_random(&random_state);
    packet->info[1] = check_random(&random_state);
    for (unsigned k = 0; k < targets + data; k++)
        packet->words[k] = check_random(&random_state);
    return packet;
}

/* What is left out of a packet is not in its record. */
static void check_send_record(const uint32_t *record, unsigned length, const struct pr_packet *packet)
{
    unsigned first = packet->first_target, targets = pr_packet_end_target(packet) - first,
             info = pr_record_info_words(targets);
    unsigned data = pr_packet_data_words(packet);
    const uint32_t *words = record + PR_RECORD_SEND_INFO + info;
    CHECK_EQUAL(length, PR_RECORD_SEND_INFO + info + targets + data);
    CHECK_EQUAL(record[0], PR_RECORD_SEND);
    CHECK_EQUAL(record[PR_RECORD_SEND_COUNTS], targets << PR_PACKET_COUNTS_TARGET_SHIFT | data);
    CHECK_EQUAL(record[PR_RECORD_SEND_KIND], packet->kind & PR_KIND_MULTICAST);
    for (unsigned k = 0; k < 32 * info; k++) {
        bool is_info = record[PR_RECORD_SEND_INFO + k / 32] >> k % 32 & 1;
        CHECK(is_info == (k < targets && pr_packet_is_info(packet, first + k)));
    }
    CHECK(memcmp(words, packet->words + first, 4 * targets) == 0);
    CHECK(memcmp(words + targets, packet->words + pr_packet_target_words(packet), 4 * data) == 0);
}

static void release_one(void)
{
    fake_virtio_release();
    listen();
}

/* Sends packets until the ring is full: more than a send buffer holds, in one turn; to a device that takes them at
 * once, or is slow. The host reports each. */
static void send_all(bool slow)
{
    unsigned sent = 0, first = 1; /* behind hello */
    start();
    fake_virtio.keep_sent = slow;
    fake_virtio.wait = slow ? release_one : listen;
    while (pr_network_interface_send_room(&qemu.interface) > 0)
        CHECK(pr_network_interface_send(&qemu.interface, random_packet(packets[sent++])));
    CHECK_EQUAL(sent, PR_RECORD_SENDS_MAX);
    CHECK(!pr_network_interface_send(&qemu.interface, packets[sent]));
    pr_ni_records_sleep(&qemu, false, 0);
    for (unsigned k = 0; k < sent; k++)
        check_send_record(told[first + k], told_length[first + k], packets[k]);
    for (unsigned k = 0; k < sent; k++) {
        uint32_t words[PR_RECORD_SENT_WORDS + 1] = {PR_RECORD_SENT, 5 * k, 7 * k};
        CHECK(pr_network_interface_sent(&qemu.interface) == NULL);
        say(words, PR_RECORD_SENT_WORDS);
        CHECK(pr_network_interface_sent(&qemu.interface) == packets[k]);
        CHECK_EQUAL(packets[k]->stamp_first, 5 * k);
        CHECK_EQUAL(packets[k]->stamp_last, 7 * k);
    }
    say((uint32_t[PR_RECORD_SENT_WORDS + 1]){PR_RECORD_SENT}, PR_RECORD_SENT_WORDS);
    CHECK(pr_network_interface_sent(&qemu.interface) == NULL);
    CHECK_EQUAL(pr_network_interface_counter(&qemu.interface, PR_COUNTER_BAD_RECORDS), 1);
}

static void sends(void)
{
    send_all(false);
    send_all(true);
}

/* A packet that fits, as the host says it. Returns its words. */
static unsigned random_received(uint32_t *words)
{
    unsigned targets = 1 + below(20), data = below(WORDS - targets + 1), info = pr_record_info_words(targets);
    words[0] = PR_RECORD_RECEIVED;
    words[PR_RECORD_RECEIVED_COUNTS] = targets << PR_PACKET_COUNTS_TARGET_SHIFT | data;
    words[PR_RECORD_RECEIVED_KIND] = (below(2) ? PR_TAG_END_OF_PACKET : PR_TAG_LOCAL_END_OF_PACKET) |
                                     (below(2) ? PR_KIND_MULTICAST : 0);
    for (unsigned k = PR_RECORD_RECEIVED_FIRST; k < PR_RECORD_RECEIVED_INFO + info + targets + data; k++)
        words[k] = check_random(&random_state);
    return PR_RECORD_RECEIVED_INFO + info + targets + data;
}

static void receives(void)
{
    uint32_t words[PR_RECORD_WORDS_MAX + 1];
    start();
    for (unsigned k = 0; k < PR_RECORD_POSTS_MAX; k++)
        CHECK(pr_network_interface_post(&qemu.interface, packets[k]));
    CHECK(!pr_network_interface_post(&qemu.interface, packets[PR_RECORD_POSTS_MAX]));
    CHECK(pr_network_interface_received(&qemu.interface) == NULL);
    pr_ni_records_sleep(&qemu, false, 0);
    CHECK_EQUAL(last_told(PR_RECORD_POST)[PR_RECORD_POST_COUNT], PR_RECORD_POSTS_MAX);
    for (unsigned k = 0; k < PR_RECORD_POSTS_MAX; k++) {
        unsigned count = random_received(words), targets;
        struct pr_packet *packet;
        say(words, count);
        packet = pr_network_interface_received(&qemu.interface);
        CHECK(packet == packets[k]);
        targets = pr_packet_target_words(packet);
        CHECK_EQUAL(packet->counts, words[PR_RECORD_RECEIVED_COUNTS]);
        CHECK_EQUAL(packet->kind, words[PR_RECORD_RECEIVED_KIND]);
        CHECK_EQUAL(packet->stamp_first, words[PR_RECORD_RECEIVED_FIRST]);
        CHECK_EQUAL(packet->stamp_last, words[PR_RECORD_RECEIVED_LAST]);
        CHECK_EQUAL(packet->info[0], words[PR_RECORD_RECEIVED_INFO]);
        CHECK(packet->info[1] == 0);
        CHECK(memcmp(packet->words, words + PR_RECORD_RECEIVED_INFO + 1,
                     4 * (targets + pr_packet_data_words(packet))) == 0);
    }
    say(words, random_received(words)); /* nothing is posted */
    CHECK(pr_network_interface_received(&qemu.interface) == NULL);
    CHECK_EQUAL(pr_network_interface_counter(&qemu.interface, PR_COUNTER_BAD_RECORDS), 1);
}

/* The guest counts one more bad record, and does nothing else. */
static void check_refused(uint32_t *words, unsigned count)
{
    uint32_t bad = pr_network_interface_counter(&qemu.interface, PR_COUNTER_BAD_RECORDS);
    say(words, count);
    CHECK(pr_network_interface_received(&qemu.interface) == NULL);
    CHECK_EQUAL(pr_network_interface_counter(&qemu.interface, PR_COUNTER_BAD_RECORDS), bad + 1);
}

static void check_refused_packet(unsigned targets, unsigned data, uint32_t kind, unsigned count)
{
    uint32_t words[PR_RECORD_WORDS_MAX + 1] = {PR_RECORD_RECEIVED};
    words[PR_RECORD_RECEIVED_COUNTS] = targets << PR_PACKET_COUNTS_TARGET_SHIFT | data;
    words[PR_RECORD_RECEIVED_KIND] = kind;
    check_refused(words, count);
}

static void refuses_what_does_not_fit(void)
{
    uint32_t words[PR_RECORD_WORDS_MAX + 1] = {0};
    start();
    CHECK(pr_network_interface_post(&qemu.interface, packets[0]));
    check_refused_packet(257, 0, PR_TAG_END_OF_PACKET, PR_RECORD_RECEIVED_INFO + 9 + 257);
    check_refused_packet(1, WORDS, PR_TAG_END_OF_PACKET, PR_RECORD_RECEIVED_INFO + 1 + 1 + WORDS);
    check_refused_packet(2, 3, PR_TAG_END_OF_PACKET, PR_RECORD_RECEIVED_INFO + 1 + 4);
    check_refused_packet(2, 3, PR_TAG_END_OF_PACKET, PR_RECORD_RECEIVED_INFO + 1 + 6);
    check_refused_packet(2, 3, PR_TAG_ABORT_PACKET, PR_RECORD_RECEIVED_INFO + 1 + 5);
    check_refused_packet(2, 3, PR_TAG_END_OF_PACKET | 0x1000, PR_RECORD_RECEIVED_INFO + 1 + 5);
    check_refused_packet(0, 0, PR_TAG_END_OF_PACKET, PR_RECORD_RECEIVED_INFO - 1);
    for (uint32_t type = 0; type < 30; type++)
        if (type != PR_RECORD_RECEIVED)
            check_refused((words[0] = type, words), 4);
    mute = true;
    words[0] = PR_RECORD_GO;
    words[PR_RECORD_GO_CLOCK] = 77;
    CHECK_EQUAL(pr_network_interface_counter(&qemu.interface, 5), clock_now + 5);
    check_refused(words, PR_RECORD_GO_WORDS); /* in a turn */
    CHECK_EQUAL(pr_network_interface_clock(&qemu.interface), 1000);
    words[0] = PR_RECORD_COUNTERS;
    check_refused(words, PR_RECORD_COUNTERS_WORDS); /* not asked for */
    say((words[0] = PR_RECORD_GO, words), PR_RECORD_GO_WORDS + 1);
    say((words[0] = PR_RECORD_GO, words), PR_RECORD_GO_WORDS - 1);
    clock_now = 2000;
    say_go(0);
    pr_ni_records_sleep(&qemu, false, 0);
    CHECK_EQUAL(pr_network_interface_clock(&qemu.interface), 2000);
}

/* Whatever bit of a record is damaged, and however long it is: it is none. */
static void records_are_whole(void)
{
    static struct pr_record_reader reader;
    uint32_t words[PR_RECORD_WORDS_MAX + 10] = {PR_RECORD_GO, 0x12003400, 7};
    uint8_t bytes[PR_RECORD_WIRE(PR_RECORD_WORDS_MAX + 10)];
    size_t length = pr_record_encode(words, PR_RECORD_GO_WORDS, bytes);
    for (size_t bit = 8; bit < 8 * (length - 1); bit++) {
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        for (size_t k = 0; k < length; k++)
            CHECK_EQUAL(pr_record_push(&reader, bytes[k]), 0);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        for (size_t k = 0; k < length; k++)
            CHECK_EQUAL(pr_record_push(&reader, bytes[k]), k == length - 1 ? PR_RECORD_GO_WORDS : 0);
    }
    for (unsigned count = PR_RECORD_WORDS_MAX - 1; count < PR_RECORD_WORDS_MAX + 10; count++) {
        unsigned got = 0;
        memset(words, 0, sizeof words);
        length = pr_record_encode(words, count, bytes);
        for (size_t k = 0; k < length; k++)
            got += pr_record_push(&reader, bytes[k]);
        CHECK_EQUAL(got, count <= PR_RECORD_WORDS_MAX ? count : 0);
    }
    memset(bytes, 1, sizeof bytes);
    for (size_t k = 0; k < 3 * sizeof bytes; k++)
        CHECK_EQUAL(pr_record_push(&reader, bytes[k % sizeof bytes]), 0);
    CHECK_EQUAL(pr_record_push(&reader, 0), 0);
    words[0] = PR_RECORD_GO;
    length = pr_record_encode(words, PR_RECORD_GO_WORDS, bytes);
    for (size_t k = 0; k < length; k++)
        CHECK_EQUAL(pr_record_push(&reader, bytes[k]), k == length - 1 ? PR_RECORD_GO_WORDS : 0);
}

static void time_goes_by_in_turns(void)
{
    unsigned looks = 0;
    start();
    pr_ni_records_sleep(&qemu, true, 123456);
    CHECK_EQUAL(last_told(PR_RECORD_TURN)[PR_RECORD_TURN_TIMED], 1);
    CHECK_EQUAL(last_told(PR_RECORD_TURN)[PR_RECORD_TURN_WAKE], 123456);
    CHECK_EQUAL(pr_network_interface_clock(&qemu.interface), 1010);
    pr_ni_records_sleep(&qemu, false, 0);
    CHECK_EQUAL(last_told(PR_RECORD_TURN)[PR_RECORD_TURN_TIMED], 0);
    CHECK_EQUAL(pr_network_interface_clock(&qemu.interface), 1020);
    while (pr_network_interface_clock(&qemu.interface) == 1020 && ++looks < 1000)
        CHECK(pr_network_interface_received(&qemu.interface) == NULL);
    CHECK(looks < 1000);
    CHECK_EQUAL(last_told(PR_RECORD_TURN)[PR_RECORD_TURN_WAKE], 1021);
}

static void asks_for_counters_once_a_turn(void)
{
    start();
    for (unsigned k = 0; k < PR_COUNTER_DELIVERED; k++)
        if (k != PR_COUNTER_BAD_RECORDS)
            CHECK_EQUAL(pr_network_interface_counter(&qemu.interface, k), 1000 + k);
    CHECK_EQUAL(pr_network_interface_counter(&qemu.interface, PR_COUNTER_DELIVERED), 0);
    CHECK_EQUAL(told_count, 2);
    pr_ni_records_sleep(&qemu, false, 0);
    CHECK_EQUAL(pr_network_interface_counter(&qemu.interface, 0), 1010);
}

static void asks_for_relief(void)
{
    start();
    pr_network_interface_relieve(&qemu.interface, true);
    pr_ni_records_sleep(&qemu, false, 0);
    CHECK_EQUAL(last_told(PR_RECORD_RELIEF)[PR_RECORD_RELIEF_ON], 1);
    pr_network_interface_relieve(&qemu.interface, false);
    pr_ni_records_sleep(&qemu, false, 0);
    CHECK_EQUAL(last_told(PR_RECORD_RELIEF)[PR_RECORD_RELIEF_ON], 0);
}

static void uart_gets_room(void)
{
    fake_virtio.uart_full = fake_virtio.waits < 5;
}

static void waits_for_room_in_the_uart(void)
{
    start();
    pr_ni_records_await_room(&qemu);
    CHECK_EQUAL(fake_virtio.uart_waits, 0);
    fake_virtio.uart_full = true;
    fake_virtio.waits = 0;
    fake_virtio.wait = uart_gets_room;
    pr_ni_records_await_room(&qemu);
    CHECK_EQUAL(fake_virtio.uart_waits, 1);
    CHECK(fake_virtio.waits >= 5);
}

static void byte_comes_late(void)
{
    fake_virtio.uart_length = 3;
}

/* As many bytes as were announced are taken from the UART, also if they come later, and no more. */
static void takes_console_bytes_as_announced(void)
{
    uint8_t byte = 0;
    start();
    memcpy(fake_virtio.uart, "abcd", 4);
    fake_virtio.uart_length = 2;
    CHECK(!pr_ni_records_console_read(&qemu, &byte));
    mute = true;
    clock_now = 2000;
    say_go(3);
    pr_ni_records_sleep(&qemu, false, 0);
    fake_virtio.wait = byte_comes_late;
    listen();
    for (unsigned k = 0; k < 3; k++) {
        CHECK(pr_ni_records_console_read(&qemu, &byte));
        CHECK_EQUAL(byte, "abc"[k]);
    }
    CHECK(fake_virtio.uart_waits > 0);
    fake_virtio.uart_length = 4;
    CHECK(!pr_ni_records_console_read(&qemu, &byte));
}

/* A device that is slow to give sent buffers back: nothing is lost, the driver sleeps. */
static void waits_for_a_send_buffer(void)
{
    start();
    fake_virtio.keep_sent = true;
    fake_virtio.wait = release_one;
    for (unsigned k = 0; k < 100; k++) {
        uint32_t clock = clock_now;
        pr_network_interface_relieve(&qemu.interface, k & 1);
        pr_ni_records_sleep(&qemu, false, 0);
        CHECK_EQUAL(last_told(PR_RECORD_RELIEF)[PR_RECORD_RELIEF_ON], k & 1);
        CHECK_EQUAL(pr_network_interface_clock(&qemu.interface), clock + 10);
    }
}

/* A record of some type, right or not quite, or just bytes. */
static void say_anything(void)
{
    uint32_t words[PR_RECORD_WORDS_MAX + 1] = {0};
    uint8_t bytes[PR_RECORD_WIRE(PR_RECORD_WORDS_MAX)];
    unsigned count = below(4) ? random_received(words) : 1 + below(PR_RECORD_WORDS_MAX), changes = below(4);
    size_t length;
    if (below(3) == 0)
        words[0] = 14 + below(9);
    if (below(4) == 0)
        count = 1 + below(70);
    for (unsigned k = 0; k < changes; k++)
        words[below(count < 8 ? count : 8)] = below(2) ? check_random(&random_state) : below(80);
    length = pr_record_encode(words, count, bytes);
    if (below(3) == 0)
        for (unsigned k = below(20); k > 0; k--)
            bytes[below((unsigned)length)] = (uint8_t)check_random(&random_state);
    if (below(8) == 0)
        length = below((unsigned)length);
    fake_virtio_push(bytes, length);
}

static void check_received(void)
{
    struct pr_packet *packet = pr_network_interface_received(&qemu.interface);
    if (!packet)
        return;
    CHECK(pr_packet_target_words(packet) + pr_packet_data_words(packet) <= WORDS);
    CHECK(pr_packet_tag_ends(packet->kind & PR_KIND_TERMINATOR_MASK));
    pr_network_interface_post(&qemu.interface, packet);
}

/* After whatever was said: the next records are taken again. */
static void still_listens(void)
{
    uint32_t bad = pr_network_interface_counter(&qemu.interface, PR_COUNTER_BAD_RECORDS);
    while (pr_network_interface_received(&qemu.interface) != NULL)
        continue;
    pr_ni_records_sleep(&qemu, false, 0);
    CHECK_EQUAL(pr_network_interface_counter(&qemu.interface, 3), clock_now + 3);
    /* One was cut off, and one answer is short. */
    CHECK(pr_network_interface_counter(&qemu.interface, PR_COUNTER_BAD_RECORDS) <= bad + 2);
}

static void hostile_records(void)
{
    uint32_t bad = 0;
    for (unsigned long rounds = check_rounds(2000); rounds > 0; rounds--) {
        start();
        for (unsigned k = 0; k < PR_RECORD_POSTS_MAX; k++)
            CHECK(pr_network_interface_post(&qemu.interface, packets[k]));
        for (unsigned k = 0; k < 20; k++) {
            say_anything();
            check_received();
            (void)pr_network_interface_sent(&qemu.interface);
        }
        still_listens();
        bad += pr_network_interface_counter(&qemu.interface, PR_COUNTER_BAD_RECORDS);
    }
    CHECK(bad > 0);
}

/* Used entries that are none: the driver counts them, and goes on with those that are. */
static void lying_device(void)
{
    for (unsigned long rounds = check_rounds(5000); rounds > 0; rounds--) {
        size_t length;
        start();
        for (unsigned k = 1 + below(10); k > 0; k--) {
            bool wild = below(2);
            fake_virtio_lie(below(2) ? below(12) : check_random(&random_state),
                            below(2) ? PR_VIRTIO_RECEIVE_BYTES + 1 + below(9) : 0, wild ? 1 + below(0xffff) : 1);
            for (unsigned got = 0; pr_virtio_console_received(&qemu.console, &length) != NULL; got++) {
                CHECK(length > 0 && length <= PR_VIRTIO_RECEIVE_BYTES && got <= PR_VIRTIO_QUEUE_SIZE);
                pr_virtio_console_done(&qemu.console);
            }
        }
        CHECK(qemu.console.faults > 0);
        CHECK_EQUAL(pr_network_interface_counter(&qemu.interface, PR_COUNTER_BAD_RECORDS), qemu.console.faults);
    }
}

int main(void)
{
    random_state = check_seed();
    for (unsigned k = 0; k < PACKETS; k++)
        CHECK((packets[k] = calloc(PR_PACKET_BUFFER_WORDS(WORDS), 4)) != NULL);
    RUN(starts_only_on_what_it_knows);
    RUN(says_hello_first);
    RUN(sends);
    RUN(receives);
    RUN(refuses_what_does_not_fit);
    RUN(records_are_whole);
    RUN(time_goes_by_in_turns);
    RUN(asks_for_counters_once_a_turn);
    RUN(asks_for_relief);
    RUN(takes_console_bytes_as_announced);
    RUN(waits_for_room_in_the_uart);
    RUN(waits_for_a_send_buffer);
    RUN(hostile_records);
    RUN(lying_device);
    for (unsigned k = 0; k < PACKETS; k++)
        free(packets[k]);
    return 0;
}
