/* See load_line.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "loader/load_line.h"

#include "cli/exit_code.h"
#include "cli/report.h"
#include "libpostroad/client.h"
#include "wire/console_messages.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK = 256 };

/* Parts of the time-out. Two orders to enter have to fall into the 2^21 clocks in which a boot program listens behind a
 * restart by the watchdog: 84 ms at 25 MHz. */
static const double enter_pause = 1.0 / 300, patience = 1.0 / 8, rest = 1.0 / 50;

static const char announcement[] = "boot ";

/* The letter of an answer that ends with this byte; 0: none does. */
static char push(struct load_line *line, char byte)
{
    const unsigned length = sizeof announcement - 1;
    if (line->heard == length) {
        line->letter = byte;
        line->heard++;
        return 0;
    }
    char answer = line->heard > length && byte == '\n' ? line->letter : 0;
    if (line->heard < length && byte == announcement[line->heard])
        line->heard++;
    else
        line->heard = byte == *announcement;
    return answer;
}

/* Waits for `events` until `end`. EXIT_OK: they are there, or the time is over. */
static int await(const struct load_line *line, short events, double end)
{
    struct pollfd poll_end = {.fd = line->descriptor, .events = events};
    double left = fmax(end - pr_client_now(), 0);
    struct timespec time = {(time_t)left, (long)((left - (double)(time_t)left) * 1e9)};
    sigset_t none;
    sigemptyset(&none);
    return ppoll(&poll_end, 1, &time, &none) < 0 ? EXIT_INTERRUPTED : EXIT_OK;
}

static int report_gone(const struct load_line *line, const char *why)
{
    report_error("load", "site %u: its serial line is gone: %s", line->way.targets->site, why);
    return EXIT_TRANSPORT;
}

/* Reads what has come into `text`. EXIT_OK with *count 0: nothing has. */
static int read_chunk(const struct load_line *line, char *text, size_t *count)
{
    ssize_t found = read(line->descriptor, text, CHUNK);
    *count = found > 0 ? (size_t)found : 0;
    if (found > 0 || (found < 0 && (errno == EAGAIN || errno == EINTR)))
        return EXIT_OK;
    return report_gone(line, found == 0 ? "end of file" : strerror(errno));
}

/* Drops what comes, until the line has been silent for some time; not longer than the time-out, since firmware that
 * writes all the time may run there. */
static int let_rest(struct load_line *line)
{
    char text[CHUNK];
    double end = pr_client_now() + line->timeout;
    int status;
    size_t count;
    line->heard = 0;
    do {
        status = await(line, POLLIN, fmin(end, pr_client_now() + line->timeout * rest));
        if (status == EXIT_OK)
            status = read_chunk(line, text, &count);
    } while (status == EXIT_OK && count > 0 && pr_client_now() < end);
    return status;
}

static int write_all(const struct load_line *line, const uint8_t *bytes, size_t length)
{
    double end = pr_client_now() + line->timeout;
    int status = EXIT_OK;
    while (length > 0 && status == EXIT_OK) {
        ssize_t count = write(line->descriptor, bytes, length);
        if (count < 0 && errno != EAGAIN && errno != EINTR)
            return report_gone(line, strerror(errno));
        if (count > 0) {
            bytes += count;
            length -= (size_t)count;
        } else if (pr_client_now() > end)
            return report_gone(line, "it takes no more bytes");
        else
            status = await(line, POLLOUT, end);
    }
    return status;
}

/* The order for firmware: a packet to its own site with the record. */
static int order_firmware(const struct load_line *line, const struct load_record *record)
{
    uint32_t data[LOAD_PACKET_WORDS];
    uint8_t wire[PR_FRAMES_WIRE_MAX];
    struct pr_frame frame;
    const uint16_t site = (uint16_t)line->way.targets->site;
    const struct pr_message_send packet = {.handler = PR_HANDLER_LOAD,
                                           .targets = 1,
                                           .data_words = load_record_packet(record, 0, 0, data),
                                           .sites = &site,
                                           .data = data};
    pr_message_send(&frame, &packet);
    frame.id = 0;
    return write_all(line, wire, pr_frames_encode(&frame, wire, sizeof wire));
}

static bool is_enter(const struct load_record *record)
{
    return record->words[PR_LOAD_ADDRESS] == PR_LOAD_ENTER;
}

static int write_record(const struct load_line *line, const struct load_record *record)
{
    uint8_t wire[LOAD_RECORD_WIRE];
    int status = is_enter(record) ? order_firmware(line, record) : EXIT_OK;
    return status == EXIT_OK ? write_all(line, wire, load_record_wire(record, wire)) : status;
}

/* Is this the answer to the record? A boot program that starts announces itself. To an order to enter only one counts:
 * the boot program takes the packet for firmware as a damaged record. */
static bool is_answer(const struct load_record *record, char letter)
{
    return is_enter(record) ? letter == PR_LOAD_DONE
                            : letter != 0 && letter != PR_LOAD_WAITS && letter != PR_LOAD_UNCOUNTED;
}

/* Reads until the answer has come, or `end`. */
static int await_answer(struct load_line *line, const struct load_record *record, double end)
{
    struct load_target *target = line->way.targets;
    char text[CHUNK];
    size_t count;
    do {
        int status = await(line, POLLIN, end);
        if (status == EXIT_OK)
            status = read_chunk(line, text, &count);
        if (status != EXIT_OK)
            return status;
        for (size_t k = 0; k < count; k++) {
            char answer = push(line, text[k]);
            if (is_answer(record, answer))
                target->answer = answer;
        }
    } while (target->answer == 0 && pr_client_now() < end);
    return EXIT_OK;
}

static int try_record(struct load_line *line, const struct load_record *record, bool again)
{
    double pause = line->timeout * (is_enter(record) ? enter_pause : patience);
    int status = again && !is_enter(record) ? let_rest(line) : EXIT_OK;
    line->way.targets->answer = 0;
    line->way.sent++;
    line->way.repeats += again;
    if (status == EXIT_OK)
        status = write_record(line, record);
    return status == EXIT_OK ? await_answer(line, record, pr_client_now() + pause) : status;
}

/* Nothing has come of the record, or it was damaged on its way. */
static bool is_open(const struct load_target *target)
{
    return target->answer == 0 || target->answer == PR_LOAD_BAD_CHECK || target->answer == PR_LOAD_BAD_LENGTH;
}

static int send_record(struct load_way *way, const struct load_record *record)
{
    struct load_line *line = (struct load_line *)way;
    struct load_target *target = way->targets;
    double end = pr_client_now() + line->timeout;
    bool again = false;
    if (!load_way_is_wanted(target))
        return EXIT_OK;
    do {
        int status = try_record(line, record, again);
        if (status != EXIT_OK)
            return status;
        again = true;
    } while (is_open(target) && pr_client_now() < end);
    target->lost = target->answer == 0;
    return is_enter(record) ? let_rest(line) : EXIT_OK;
}

void load_line_open(struct load_line *line, int descriptor, struct load_target *target, double timeout)
{
    *line = (struct load_line){.way = {.targets = target, .count = 1, .room = PR_LOAD_DATA_MAX, .send = send_record},
                               .descriptor = descriptor,
                               .timeout = timeout};
}
