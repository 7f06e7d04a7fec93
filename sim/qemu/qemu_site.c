/* See qemu_site.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "qemu/qemu_site.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "protocol.h"
#include "support/or_abort.h"

enum { READ_SIZE = 16384 };

double qemu_site_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void set_ended(struct qemu_site *site, int status)
{
    site->state = QEMU_ENDED;
    site->status = status;
    site->out_length = 0;
}

/* The site cannot continue: this process ends its QEMU. */
static void end(struct qemu_site *site, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void end(struct qemu_site *site, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(site->reason, sizeof site->reason, format, arguments);
    va_end(arguments);
    qemu_process_kill(&site->process);
    set_ended(site, 0);
}

/* QEMU itself ends with status 0 or 1 and writes the reason: a signal that it handles, or an error of its own. */
static void note_exit(struct qemu_site *site)
{
    char words[QEMU_SITE_REASON];
    int status = qemu_process_reap(&site->process, words, sizeof words);
    if (status <= 1)
        snprintf(site->reason, sizeof site->reason, "%s", words);
    set_ended(site, status);
}

static bool make_memory(struct qemu_site *site)
{
    site->memory = malloc(sizeof(uint32_t) * QEMU_SITE_PACKETS * PR_PACKET_BUFFER_WORDS(PR_RECORD_PACKET_WORDS_MAX));
    return site->memory;
}

int qemu_site_start(struct qemu_site *site, const struct qemu_site_options *options, char *error, size_t error_size)
{
    if (!site->memory && !make_memory(site)) {
        snprintf(error, error_size, "no memory for a site under QEMU");
        return -1;
    }
    *site = (struct qemu_site){
        .identity = options->identity,
        .now = options->now,
        .to_site = options->to_site,
        .from_site = options->from_site,
        .console_base = options->to_site->written,
        .console_announced = options->to_site->written,
        .memory = site->memory,
        .out = site->out,
        .out_room = site->out_room,
        .slice_began = qemu_site_time(),
        .slice_clock = *options->now,
        .packets_free = QEMU_SITE_PACKETS,
    };
    for (size_t i = 0; i < QEMU_SITE_PACKETS; i++)
        site->packets[i] = (struct pr_packet *)(site->memory + i * PR_PACKET_BUFFER_WORDS(PR_RECORD_PACKET_WORDS_MAX));
    ni_model_init(&site->interface, site->identity.word_width, site->now, PR_RECORD_PACKET_WORDS_MAX);
    site->interface.interface.capabilities = pr_capabilities_decode(options->capabilities);
    site->interface.receive_patience = (uint16_t)options->receive_patience;
    return qemu_process_start(&site->process, options->directory, site->identity.site, options->elf, error, error_size);
}

void qemu_site_stop(struct qemu_site *site)
{
    qemu_process_kill(&site->process);
    set_ended(site, 0);
}

void qemu_site_free(struct qemu_site *site)
{
    qemu_process_kill(&site->process);
    free(site->memory);
    free(site->out);
    *site = (struct qemu_site){.state = QEMU_ENDED};
}

/* Sends as many queued bytes as the port accepts. */
static void flush(struct qemu_site *site)
{
    ssize_t count;
    if (site->out_length == 0 || site->process.port.connection < 0)
        return;
    count = send(site->process.port.connection, site->out, site->out_length, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count <= 0)
        return;
    site->out_length -= (size_t)count;
    memmove(site->out, site->out + count, site->out_length);
}

/* Queues site->record. */
static void put(struct qemu_site *site, unsigned count)
{
    if (site->out_length + PR_RECORD_WIRE(count) > site->out_room) {
        site->out_room = 2 * site->out_room + PR_RECORD_WIRE(count);
        site->out = or_abort(realloc(site->out, site->out_room));
    }
    site->out_length += pr_record_encode(site->record, count, site->out + site->out_length);
}

/* Begins a time slice: the clock of the firmware stands still until the slice ends. */
static void note_slice(struct qemu_site *site)
{
    site->state = QEMU_IN_SLICE;
    site->news = false;
    site->console_announced = site->to_site->written;
    site->slice_began = qemu_site_time();
    site->slice_clock = *site->now;
    flush(site);
}

void qemu_site_begin_slice(struct qemu_site *site)
{
    site->record[0] = PR_RECORD_GO;
    site->record[PR_RECORD_GO_CLOCK] = (uint32_t)*site->now;
    site->record[PR_RECORD_GO_CONSOLE] = site->to_site->written - site->console_base;
    put(site, PR_RECORD_GO_WORDS);
    note_slice(site);
}

bool qemu_site_wants_slice(const struct qemu_site *site)
{
    return site->state == QEMU_ASLEEP && (site->news || site->console_announced != site->to_site->written);
}

static bool take_hello(struct qemu_site *site, const uint32_t *words, unsigned count)
{
    if (count != PR_RECORD_HELLO_WORDS)
        return false;
    if (site->state != QEMU_STARTING) {
        site->restarts = site->has_rested; /* else it would restart without end */
        end(site, "its firmware has started again%s", site->restarts ? "" : " before it came to rest");
        return true;
    }
    if (words[PR_RECORD_HELLO_VERSION] != PR_RECORD_VERSION ||
        words[PR_RECORD_HELLO_PACKET_WORDS] > PR_RECORD_PACKET_WORDS_MAX) {
        end(site,
            "its firmware speaks version %u of the records and has packets of %u words, expected version %d and at most %d",
            (unsigned)words[PR_RECORD_HELLO_VERSION], (unsigned)words[PR_RECORD_HELLO_PACKET_WORDS], PR_RECORD_VERSION,
            PR_RECORD_PACKET_WORDS_MAX);
        return true;
    }
    site->interface.receive_words = (uint16_t)words[PR_RECORD_HELLO_PACKET_WORDS];
    site->record[0] = PR_RECORD_IDENTITY;
    site->record[PR_RECORD_IDENTITY_CLOCK] = (uint32_t)*site->now;
    site->record[PR_RECORD_IDENTITY_CAPABILITIES] = pr_capabilities_encode(site->interface.interface.capabilities);
    memcpy(site->record + PR_RECORD_IDENTITY_BLOCK, &site->identity, 4 * PR_SITE_IDENTITY_WORDS);
    put(site, PR_RECORD_IDENTITY_BLOCK + PR_SITE_IDENTITY_WORDS);
    note_slice(site);
    site->console_announced = site->console_base;
    return true;
}

static bool take_post(struct qemu_site *site, const uint32_t *words, unsigned count)
{
    if (count != PR_RECORD_POST_WORDS)
        return false;
    for (uint32_t i = 0; i < words[PR_RECORD_POST_COUNT]; i++, site->packets_free--)
        if (site->packets_free == 0 ||
            !pr_network_interface_post(&site->interface.interface, site->packets[site->packets_free - 1]))
            return false;
    return true;
}

static bool take_send(struct qemu_site *site, const uint32_t *words, unsigned count)
{
    unsigned targets = words[PR_RECORD_SEND_COUNTS] >> PR_PACKET_COUNTS_TARGET_SHIFT,
             info = pr_record_info_words(targets);
    unsigned length = targets + (words[PR_RECORD_SEND_COUNTS] & 0xffff);
    if (count < PR_RECORD_SEND_INFO || targets == 0 || targets > PR_PACKET_TARGET_WORDS_MAX ||
        length > site->identity.max_packet || count != PR_RECORD_SEND_INFO + info + length || site->packets_free == 0 ||
        pr_network_interface_send_room(&site->interface.interface) == 0)
        return false;
    struct pr_packet *packet = site->packets[--site->packets_free];
    uint32_t mask = site->identity.word_width == 32 ? UINT32_MAX : (1u << site->identity.word_width) - 1;
    *packet = (struct pr_packet){.counts = words[PR_RECORD_SEND_COUNTS],
                                 .kind = words[PR_RECORD_SEND_KIND] & PR_KIND_MULTICAST};
    memcpy(packet->info, words + PR_RECORD_SEND_INFO, sizeof(uint32_t) * info);
    for (unsigned i = 0; i < length; i++)
        packet->words[i] = words[PR_RECORD_SEND_INFO + info + i] & mask;
    return pr_network_interface_send(&site->interface.interface, packet);
}

static bool take_ask(struct qemu_site *site, unsigned count)
{
    if (count != PR_RECORD_ASK_WORDS)
        return false;
    site->record[0] = PR_RECORD_COUNTERS;
    for (unsigned i = 0; i < PR_COUNTER_DELIVERED; i++)
        site->record[PR_RECORD_COUNTERS_VALUES + i] = pr_network_interface_counter(&site->interface.interface, i);
    put(site, PR_RECORD_COUNTERS_WORDS);
    flush(site);
    return true;
}

/* recv() has returned 0: the other end has closed the connection. */
static void note_end(int *connection, ssize_t count)
{
    if (count != 0)
        return;
    close(*connection);
    *connection = -1;
}

/* Moves bytes of the UART both ways. Bytes that meet a full ring are lost, as on a wire: the speed of this reader must
 * not affect the firmware's run. */
static void move_console_bytes(struct qemu_site *site)
{
    uint8_t bytes[1024];
    ssize_t count = 1;
    int *connection = &site->process.serial.connection;
    while (*connection >= 0 && count > 0) {
        count = recv(*connection, bytes, sizeof bytes, MSG_DONTWAIT);
        if (count > 0)
            byte_ring_write(site->from_site, bytes, (size_t)count);
        note_end(connection, count);
    }
    if (site->state == QEMU_STARTING) /* its UART would lose bytes that come early */
        return;
    count = 1;
    while (*connection >= 0 && count > 0 && !byte_ring_empty(site->to_site)) {
        size_t at = site->to_site->read % BYTE_RING_SIZE, length = site->to_site->written - site->to_site->read;
        if (length > BYTE_RING_SIZE - at)
            length = BYTE_RING_SIZE - at;
        count = send(*connection, site->to_site->bytes + at, length, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count > 0)
            site->to_site->read += (uint32_t)count;
    }
}

/* Ends the slice. By now the bytes that the firmware has written to the UART in its slice have arrived. */
static bool take_slice(struct qemu_site *site, const uint32_t *words, unsigned count)
{
    if (count != PR_RECORD_TURN_WORDS || site->state != QEMU_IN_SLICE)
        return false;
    move_console_bytes(site);
    site->state = QEMU_ASLEEP;
    site->slice_over = site->has_rested = true;
    site->timed = words[PR_RECORD_TURN_TIMED];
    site->wake = words[PR_RECORD_TURN_WAKE];
    return true;
}

static bool take(struct qemu_site *site, const uint32_t *words, unsigned count)
{
    if (words[0] != PR_RECORD_HELLO && site->state == QEMU_STARTING)
        return false;
    switch (words[0]) {
    case PR_RECORD_HELLO:
        return take_hello(site, words, count);
    case PR_RECORD_SEND:
        return take_send(site, words, count);
    case PR_RECORD_POST:
        return take_post(site, words, count);
    case PR_RECORD_RELIEF:
        if (count == PR_RECORD_RELIEF_WORDS)
            pr_network_interface_relieve(&site->interface.interface, words[PR_RECORD_RELIEF_ON]);
        return count == PR_RECORD_RELIEF_WORDS;
    case PR_RECORD_ASK:
        return take_ask(site, count);
    case PR_RECORD_TURN:
        return take_slice(site, words, count);
    default:
        return false;
    }
}

static void take_bytes(struct qemu_site *site, const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length && site->state != QEMU_ENDED; i++) {
        unsigned count = pr_record_push(&site->reader, bytes[i]);
        if (count > 0 && !take(site, site->reader.words, count))
            site->refused++;
    }
}

static void read_port(struct qemu_site *site)
{
    static uint8_t bytes[READ_SIZE];
    ssize_t count = READ_SIZE;
    while (count == READ_SIZE && site->process.port.connection >= 0) {
        count = recv(site->process.port.connection, bytes, sizeof bytes, MSG_DONTWAIT);
        if (count > 0)
            take_bytes(site, bytes, (size_t)count);
        note_end(&site->process.port.connection, count);
    }
}

static void accept_waiting(struct qemu_socket *socket)
{
    if (socket->listener >= 0)
        qemu_socket_accept(socket);
}

static bool has_ended(const struct qemu_site *site)
{
    struct pollfd poll_end = {.fd = site->process.end, .events = POLLIN};
    return poll(&poll_end, 1, 0) > 0;
}

void qemu_site_serve(struct qemu_site *site)
{
    if (site->state == QEMU_ENDED)
        return;
    bool ended = has_ended(site); /* what it wrote before is read first */
    accept_waiting(&site->process.serial);
    accept_waiting(&site->process.port);
    move_console_bytes(site);
    read_port(site);
    flush(site);
    if (ended && site->state != QEMU_ENDED)
        note_exit(site);
}

static struct pollfd poll_of(const struct qemu_socket *socket, bool out)
{
    if (socket->connection < 0)
        return (struct pollfd){.fd = socket->listener, .events = POLLIN};
    return (struct pollfd){.fd = socket->connection, .events = (short)(POLLIN | (out ? POLLOUT : 0))};
}

size_t qemu_site_poll_prepare(const struct qemu_site *site, struct pollfd *polls)
{
    if (site->state == QEMU_ENDED)
        return 0;
    polls[0] = poll_of(&site->process.port, site->out_length > 0);
    polls[1] = poll_of(&site->process.serial, site->state != QEMU_STARTING && !byte_ring_empty(site->to_site));
    polls[2] = (struct pollfd){.fd = site->process.end, .events = POLLIN};
    return QEMU_SITE_POLLS;
}

static void tell_received(struct qemu_site *site, const struct pr_packet *packet)
{
    unsigned targets = pr_packet_target_words(packet), words = targets + pr_packet_data_words(packet);
    unsigned info = pr_record_info_words(targets);
    site->record[0] = PR_RECORD_RECEIVED;
    site->record[PR_RECORD_RECEIVED_COUNTS] = packet->counts;
    site->record[PR_RECORD_RECEIVED_KIND] = packet->kind;
    site->record[PR_RECORD_RECEIVED_FIRST] = packet->stamp_first;
    site->record[PR_RECORD_RECEIVED_LAST] = packet->stamp_last;
    memcpy(site->record + PR_RECORD_RECEIVED_INFO, packet->info, sizeof(uint32_t) * info);
    memcpy(site->record + PR_RECORD_RECEIVED_INFO + info, packet->words, sizeof(uint32_t) * words);
    put(site, PR_RECORD_RECEIVED_INFO + info + words);
}

static void tell_sent(struct qemu_site *site, const struct pr_packet *packet)
{
    site->record[0] = PR_RECORD_SENT;
    site->record[PR_RECORD_SENT_FIRST] = packet->stamp_first;
    site->record[PR_RECORD_SENT_LAST] = packet->stamp_last;
    put(site, PR_RECORD_SENT_WORDS);
}

void qemu_site_collect(struct qemu_site *site)
{
    struct pr_packet *packet;
    if (site->state == QEMU_IN_SLICE)
        return;
    while ((packet = pr_network_interface_received(&site->interface.interface))) {
        tell_received(site, packet);
        site->packets[site->packets_free++] = packet;
        site->news = true;
    }
    while ((packet = pr_network_interface_sent(&site->interface.interface))) {
        tell_sent(site, packet);
        site->packets[site->packets_free++] = packet;
        site->news = true;
    }
    if (site->state == QEMU_ENDED)
        site->out_length = 0;
}
