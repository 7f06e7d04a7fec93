/* A fake node: answers a console's requests as a mesh would, with faults on request. One client at a time, on a unix
 * socket, on a pty whose name it prints, or on a TCP port whose number it prints.
 *
 * usage: fake_node [OPTION...] PATH|pty|tcp
 *   -x N -y N   size of the mesh (default 4x4 grid)     -t N  topology code     -H N  .mesh hash
 *   -s SITE     this site is silent (may be repeated)   -c SITE:LINK  this site says that the link is not connected
 *   -a SITE     this site has a wrong address           -m    mute: no answer to anything
 *   -g N        N random bytes before every answer      -d N  dies after N answers    -r SEED
 *   -z N        every answer takes N milliseconds
 *   -w          the other way round: copies standard input to the socket PATH, a stream or of packets, and ends
 *   -b N        refuses the first N requests for want of a buffer       -l  every answer goes out twice
 *   -B N        refuses the first N sends, since its window is full
 *   -R          reliable: tells what becomes of packets  -F SITE  with -R: no acknowledgement from this site
 *   -Q          with -R: loses its events                -O    says who it is in as few words as an old node
 *   -p N        the mesh's max_packet                   -k COUNTER:VALUE[:MORE]  of every site, whose others are 0;
 *               MORE is added after each time that site 0 is asked for it
 *   -P PINS[:N] every site has so many probe pins, and something reads other rows in between the first N choices
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "console/remote_service.h"
#include "protocol.h"
#include "wire/console_messages.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

enum { SITES_MAX = 4096, COUNTERS_MAX = 256, SIGNATURE = PR_ID_SIGNATURE_VALUE };

static struct {
    struct pr_site_identity identity;
    bool silent[SITES_MAX], misplaced[SITES_MAX];
    uint32_t cut[SITES_MAX];
    bool mute, twice, quiet, old, deaf[SITES_MAX];
    unsigned garbage, answers_left, refusals, full, slowness;
    bool counted; /* the counters of a site are these, and not a number of their own each */
    uint32_t counters[COUNTERS_MAX], growth[COUNTERS_MAX];
    uint8_t listen;
    unsigned sequence;
    unsigned pins, disturbed;                       /* -P */
    uint8_t strobes[SITES_MAX][PR_PROBE_MOST_PINS]; /* and one more: 0 is none */
    unsigned named[SITES_MAX];                      /* the pin of the last row, and one more */
} fake = {.identity = {.map_version = PR_ID_MAP_VERSION_VALUE,
                       .signature = SIGNATURE,
                       .size_x = 4,
                       .size_y = 4,
                       .word_width = 16,
                       .clock_hz = 12000000,
                       .ram_bytes = 65536,
                       .mesh_hash = 0x1234,
                       .link_clocks = 144,
                       .max_packet = 128},
          .answers_left = ~0u};

static void give(int line, const uint8_t *bytes, size_t count)
{
    while (count) {
        ssize_t written = write(line, bytes, count);
        if (written <= 0)
            return;
        bytes += written;
        count -= (size_t)written;
    }
}

static void give_frame(int line, const struct pr_frame *frame)
{
    uint8_t wire[PR_FRAMES_WIRE_MAX];
    give(line, wire, pr_frames_encode(frame, wire, sizeof wire));
}

static void answer(int line, const struct pr_frame *frame)
{
    usleep(1000 * fake.slowness);
    for (unsigned i = 0; i < fake.garbage; i++) {
        uint8_t byte = (uint8_t)rand();
        give(line, &byte, 1);
    }
    give_frame(line, frame);
    if (fake.twice)
        give_frame(line, frame);
    if (--fake.answers_left == 0)
        exit(0);
}

/* Links of a grid. */
static uint32_t links_of(unsigned site)
{
    unsigned x = site % fake.identity.size_x, y = site / fake.identity.size_x;
    uint32_t links = (x + 1 < fake.identity.size_x) | (x > 0) << 1 | (y + 1 < fake.identity.size_y) << 2 | (y > 0) << 3;
    return links & ~fake.cut[site];
}

/* All of it, or the part that the request names. */
static void put_identity(const struct pr_frame *request, struct pr_payload_writer *writer, unsigned site)
{
    struct pr_site_identity identity = fake.identity;
    const uint32_t *words = &identity.map_version;
    unsigned first = 0, end = fake.old ? PR_MESSAGE_IDENTITY_WORDS_OLD : PR_SITE_IDENTITY_WORDS;
    identity.site = site;
    identity.address = (site % identity.size_x | site / identity.size_x << 7) ^ fake.misplaced[site];
    identity.links = links_of(site);
    if (request->type == PR_CONSOLE_IDENTIFY_PART) {
        first = request->payload[2];
        end = first + request->payload[3];
        pr_payload_append(writer, 1, first);
        pr_payload_append(writer, 1, end - first);
    }
    for (unsigned i = first; i < end && i < PR_SITE_IDENTITY_ALL_WORDS; i++)
        pr_payload_append(writer, 4, words[i]);
}

/* As hw/soc/strobe_probe.v. False: the row is not about a pin. */
static bool probe_row(unsigned site, unsigned row, uint32_t *value)
{
    unsigned pin = fake.named[site];
    bool to_pin = row >= PR_PROBE_ROW_PIN && row < PR_PROBE_ROW_PIN + PR_PROBE_MOST_PINS;
    bool to_strobe = row >= PR_PROBE_ROW_STROBE && row <= PR_PROBE_ROW_STROBE + PR_STROBE_NONE && pin;
    if (to_pin)
        pin = row - PR_PROBE_ROW_PIN + 1;
    fake.named[site] = to_pin ? pin : 0;
    if (to_strobe && fake.disturbed)
        fake.disturbed--;
    else if (to_strobe && pin <= fake.pins)
        fake.strobes[site][pin - 1] = (uint8_t)(row - PR_PROBE_ROW_STROBE + 1);
    if (to_pin || to_strobe) {
        unsigned strobe = pin <= fake.pins && fake.strobes[site][pin - 1] ? fake.strobes[site][pin - 1] - 1u
                                                                          : PR_STROBE_NONE;
        *value = PR_PROBE_MARK << 8 | fake.pins << 4 | strobe;
    }
    return fake.pins && (to_pin || to_strobe);
}

static uint32_t counter_of(unsigned site, unsigned counter)
{
    uint32_t value, row = counter - PR_COUNTER_LINKS;
    if (counter >= PR_COUNTER_LINKS && probe_row(site, row + (row & 0x40), &value))
        return 3 << 16 | value; /* and links that are up */
    return fake.counted || fake.pins ? fake.counters[counter % COUNTERS_MAX] : 1000 * site + counter;
}

static void put_counters(struct pr_payload_writer *writer, unsigned site, unsigned first, unsigned count)
{
    pr_payload_append(writer, 1, first);
    pr_payload_append(writer, 1, count);
    for (unsigned i = first; i < first + count; i++) {
        pr_payload_append(writer, 4, counter_of(site, i));
        if (site == 0)
            fake.counters[i % COUNTERS_MAX] += fake.growth[i % COUNTERS_MAX];
    }
}

static void put_answer(const struct pr_frame *request, struct pr_payload_writer *writer, unsigned site)
{
    switch (request->type) {
    case PR_CONSOLE_IDENTIFY:
    case PR_CONSOLE_IDENTIFY_PART:
        put_identity(request, writer, site);
        break;
    case PR_CONSOLE_PING:
        for (unsigned i = 0; i < 3; i++)
            pr_payload_append(writer, 4, 100 * (i + 1) + site);
        break;
    case PR_CONSOLE_COUNTERS:
        put_counters(writer, site, request->payload[2], request->payload[3]);
        break;
    }
}

static void deliver(int line, unsigned sequence)
{
    struct pr_frame event;
    struct pr_payload_writer writer = pr_frames_begin(&event, PR_CONSOLE_DELIVERED, 0);
    pr_payload_append(&writer, 2, 0);
    pr_payload_append(&writer, 2, sequence);
    pr_payload_append(&writer, 4, 1);
    for (unsigned i = 0; i < 3; i++)
        pr_payload_append(&writer, 4, 7);
    pr_frames_end(&event, &writer);
    give_frame(line, &event);
}

static void operator_event(int line, unsigned what, unsigned sequence, unsigned remaining, unsigned site)
{
    struct pr_frame event;
    struct pr_payload_writer writer = pr_frames_begin(&event, PR_CONSOLE_EVENT, 0);
    pr_payload_append(&writer, 1, what);
    pr_payload_append(&writer, 2, 0);
    pr_payload_append(&writer, 2, sequence);
    pr_payload_append(&writer, 2, remaining);
    pr_payload_append(&writer, 4, 1042);
    pr_payload_append(&writer, 2, site);
    pr_payload_append(&writer, 1, what == PR_CONSOLE_KIND_FAILED ? PR_CONSOLE_REASON_TIME_OUT : 0);
    pr_frames_end(&event, &writer);
    give_frame(line, &event);
}

/* The targets of a SEND are acknowledged, or not. */
static void settle(int line, const struct pr_frame *request, unsigned sequence)
{
    struct pr_payload_reader reader = pr_frames_payload(request);
    unsigned targets = pr_payload_get(&reader, PR_MESSAGE_SEND_TARGETS), failed = 0;
    pr_payload_get(&reader, PR_MESSAGE_SEND_DATA_WORDS);
    for (unsigned i = 0; i < targets; i++) {
        unsigned site = pr_payload_next(&reader, 2);
        reader.at += 4 * pr_payload_next(&reader, 2);
        if (site >= SITES_MAX || !fake.deaf[site])
            continue;
        operator_event(line, PR_CONSOLE_KIND_FAILED, sequence, 0, site);
        failed++;
    }
    operator_event(line, PR_CONSOLE_KIND_SETTLED, sequence, failed, 0);
}

static void do_send(int line, const struct pr_frame *request, struct pr_frame *out, struct pr_payload_writer *writer)
{
    pr_payload_append(writer, 1, fake.full ? PR_CONSOLE_WINDOW_FULL : PR_CONSOLE_OK);
    pr_payload_append(writer, 2, fake.sequence);
    pr_payload_append(writer, 4, 42);
    pr_frames_end(out, writer);
    answer(line, out);
    if (fake.full) {
        fake.full--;
        return;
    }
    deliver(line, fake.sequence);
    if (fake.identity.reliable && !fake.quiet && fake.listen & PR_CONSOLE_LISTEN_OUTCOMES)
        settle(line, request, fake.sequence);
    fake.sequence++;
}

static void do_request(int line, const struct pr_frame *request)
{
    struct pr_frame out;
    bool ranged = request->type == PR_CONSOLE_IDENTIFY_PART || request->type == PR_CONSOLE_COUNTERS;
    bool remote = ranged || request->type == PR_CONSOLE_IDENTIFY || request->type == PR_CONSOLE_PING;
    unsigned site = remote && request->length >= 2 ? request->payload[0] | request->payload[1] << 8 : 0;
    site = site == PR_CONSOLE_THIS_SITE ? 0 : site;
    if (fake.mute || site >= SITES_MAX || fake.silent[site])
        return;
    if (ranged && site && request->payload[3] > pr_service_values_fit(fake.identity.max_packet))
        return; /* its answer would not fit a packet */
    struct pr_payload_writer writer = pr_frames_begin(&out, request->type | PR_CONSOLE_ANSWER, request->id);
    if (request->type == PR_CONSOLE_SEND) {
        do_send(line, request, &out, &writer);
        return;
    }
    if (request->type == PR_CONSOLE_LISTEN && request->length == 1)
        fake.listen = request->payload[0];
    pr_payload_append(&writer, 1, remote && site && fake.refusals ? PR_CONSOLE_NO_BUFFER : PR_CONSOLE_OK);
    if (remote)
        pr_payload_append(&writer, 2, site);
    if (remote && site && fake.refusals)
        fake.refusals--;
    else
        put_answer(request, &writer, site);
    pr_frames_end(&out, &writer);
    answer(line, &out);
}

static void serve(int line)
{
    static struct pr_frames_reader reader;
    static struct pr_frame frame;
    uint8_t bytes[256];
    ssize_t count;
    pr_frames_reader_init(&reader);
    while ((count = read(line, bytes, sizeof bytes)) > 0)
        for (ssize_t i = 0; i < count; i++)
            if (pr_frames_push(&reader, bytes[i], &frame) == PR_FRAMES_READY)
                do_request(line, &frame);
}

static void accept_clients(int listener)
{
    fflush(stdout);
    for (;;) {
        int line = accept(listener, NULL, NULL);
        serve(line);
        close(line);
    }
}

static int serve_socket(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 4) != 0) {
        perror(path);
        return 1;
    }
    puts("ready");
    accept_clients(listener);
    return 0;
}

static int serve_tcp(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&address, length) != 0 || listen(listener, 4) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &length) != 0) {
        perror("tcp");
        return 1;
    }
    printf("%u\n", ntohs(address.sin_port));
    accept_clients(listener);
    return 0;
}

static int connect_to(const char *path, int type)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    int line = socket(AF_UNIX, type, 0);
    if (connect(line, (struct sockaddr *)&address, sizeof address) == 0)
        return line;
    close(line);
    return -1;
}

static int write_to_socket(const char *path)
{
    uint8_t bytes[4096];
    ssize_t count;
    int line = connect_to(path, SOCK_STREAM);
    if (line < 0)
        line = connect_to(path, SOCK_SEQPACKET);
    if (line < 0) {
        perror(path);
        return 1;
    }
    while ((count = read(STDIN_FILENO, bytes, sizeof bytes)) > 0)
        give(line, bytes, (size_t)count);
    return 0;
}

static int serve_pty(void)
{
    struct termios settings;
    int line = posix_openpt(O_RDWR | O_NOCTTY), other;
    if (line < 0 || grantpt(line) != 0 || unlockpt(line) != 0)
        return 1;
    puts(ptsname(line));
    fflush(stdout);
    for (;;) { /* the pty hangs up whenever nobody has the other side open */
        struct pollfd wait = {.fd = line, .events = POLLIN};
        other = poll(&wait, 1, 20);
        if (other > 0 && wait.revents & POLLIN && tcgetattr(line, &settings) == 0)
            serve(line);
        else if (other > 0)
            usleep(20000);
    }
}

static int usage(void)
{
    fprintf(stderr, "usage: fake_node [OPTION...] PATH|pty|tcp (the options are listed at the top of its source)\n");
    return 1;
}

static bool take_counter(const char *text)
{
    unsigned counter, value, growth = 0;
    if (sscanf(text, "%u:%u:%u", &counter, &value, &growth) < 2 || counter >= COUNTERS_MAX)
        return false;
    fake.growth[counter] = growth;
    fake.counters[counter] = value;
    return fake.counted = true;
}

int main(int argc, char **argv)
{
    int option;
    bool writes = false;
    unsigned site, link;
    signal(SIGPIPE, SIG_IGN); /* a client need not stay for the events of what it sent */
    while ((option = getopt(argc, argv, "x:y:t:H:s:c:a:mg:d:r:b:lwz:RF:QOB:p:k:P:")) != -1) {
        unsigned long number = optarg ? strtoul(optarg, NULL, 0) : 0;
        switch (option) {
        case 'x':
            fake.identity.size_x = (uint32_t)number;
            break;
        case 'y':
            fake.identity.size_y = (uint32_t)number;
            break;
        case 't':
            fake.identity.topology = (uint32_t)number;
            break;
        case 'H':
            fake.identity.mesh_hash = (uint32_t)number;
            break;
        case 's':
            fake.silent[number % SITES_MAX] = true;
            break;
        case 'a':
            fake.misplaced[number % SITES_MAX] = true;
            break;
        case 'm':
            fake.mute = true;
            break;
        case 'g':
            fake.garbage = (unsigned)number;
            break;
        case 'd':
            fake.answers_left = (unsigned)number;
            break;
        case 'r':
            srand((unsigned)number);
            break;
        case 'b':
            fake.refusals = (unsigned)number;
            break;
        case 'l':
            fake.twice = true;
            break;
        case 'w':
            writes = true;
            break;
        case 'R':
            fake.identity.reliable = 1;
            break;
        case 'F':
            fake.deaf[number % SITES_MAX] = true;
            break;
        case 'Q':
            fake.quiet = true;
            break;
        case 'O':
            fake.old = true;
            break;
        case 'p':
            fake.identity.max_packet = (uint32_t)number;
            break;
        case 'B':
            fake.full = (unsigned)number;
            break;
        case 'z':
            fake.slowness = (unsigned)number;
            break;
        case 'k':
            if (!take_counter(optarg))
                return usage();
            break;
        case 'P':
            if (sscanf(optarg, "%u:%u", &fake.pins, &fake.disturbed) < 1 || fake.pins > PR_PROBE_MOST_PINS)
                return usage();
            break;
        case 'c':
            if (sscanf(optarg, "%u:%u", &site, &link) != 2 || site >= SITES_MAX)
                return usage();
            fake.cut[site] |= 1u << link;
            break;
        default:
            return usage();
        }
    }
    if (optind + 1 != argc)
        return usage();
    if (writes)
        return write_to_socket(argv[optind]);
    if (strcmp(argv[optind], "tcp") == 0)
        return serve_tcp();
    return strcmp(argv[optind], "pty") == 0 ? serve_pty() : serve_socket(argv[optind]);
}
