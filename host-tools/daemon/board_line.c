/* See board_line.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "daemon/board_line.h"

#include "libpostroad/client.h"
#include "libpostroad/tty.h"
#include "libpostroad/tty_rate.h"
#include "wire/console_messages.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { CHUNKS_AT_ONCE = 16, QUESTION_ID = 1, RATES_TEXT = 80 };

/* A node that may be starting is asked so often. Seconds: the limits of the back-off. */
static const double questions = 10, shortest_pause = 0.25, longest_pause = 4;

/* Seconds until a console must be there: ssh takes up to ten to connect, and other hosts list their devices. */
static const double way_time = 30;

void board_line_init(struct board_line *line, const struct board_console *console, double answer_time)
{
    *line = (struct board_line){.console = *console,
                                .state = BOARD_LOST,
                                .descriptor = -1,
                                .due = pr_client_now(),
                                .pause = shortest_pause,
                                .answer_time = answer_time};
}

void board_line_close(struct board_line *line)
{
    if (line->descriptor >= 0) {
        close(line->descriptor);
        line->descriptor = -1;
        if (line->console.way->close)
            line->console.way->close(&line->console);
    }
    line->state = BOARD_LOST;
    line->rest_used = line->rest_at = 0;
    line->blocked = false;
}

const char *board_line_label(const struct board_line *line, char out[BOARD_LABEL_SIZE])
{
    const struct board_console *console = &line->console;
    snprintf(out, BOARD_LABEL_SIZE, *console->name ? "board %s (%s)" : "%s%s", console->name, console->place);
    return out;
}

/* Back-off: schedules the next attempt after a pause that doubles each time, up to a limit. */
static void put_off(struct board_line *line)
{
    line->due = pr_client_now() + line->pause;
    line->pause = fmin(2 * line->pause, longest_pause);
}

void board_line_drop(struct board_line *line, enum exit_code failure, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line->reason, sizeof line->reason, format, arguments);
    va_end(arguments);
    line->failure = failure;
    board_line_close(line);
    put_off(line);
}

void board_line_serve(struct board_line *line)
{
    line->state = BOARD_SERVES;
    line->pause = shortest_pause;
    *line->reason = 0;
    line->failure = EXIT_OK;
}

int board_line_lend(struct board_line *line)
{
    char label[BOARD_LABEL_SIZE];
    if (line->state == BOARD_LOST)
        line->due = pr_client_now();
    if (line->state != BOARD_SERVES && line->state != BOARD_ASKED)
        return -1;
    line->state = BOARD_LENT;
    line->rest_used = line->rest_at = 0;
    line->blocked = false;
    snprintf(line->reason, sizeof line->reason, "%s is in use: its site is being loaded",
             board_line_label(line, label));
    return line->descriptor;
}

/* An unplugged board has no device file. */
static int open_named(struct board_console *console, char *error, size_t error_size)
{
    int descriptor = pr_tty_open(console->line.path, console->line.baud, error, error_size);
    return descriptor < 0 && access(console->line.path, F_OK) != 0 ? BOARD_CONSOLE_ABSENT : descriptor;
}

void board_console_name(struct board_console *console, const struct pr_endpoint *line)
{
    static const struct board_way named = {.open = open_named};
    *console = (struct board_console){.way = &named, .line = *line};
    snprintf(console->place, sizeof console->place, "%s", line->path);
}

/* `code` is of a board_way. The reason of a loss stays while the board is absent. */
static void note_failure(struct board_line *line, int code, const char *error)
{
    const char *name = line->console.name;
    if (code == BOARD_CONSOLE_ABSENT && *line->reason) {
        board_line_close(line);
        put_off(line);
    } else
        board_line_drop(line, code == PR_ENDPOINT_BAD ? EXIT_USAGE : EXIT_TRANSPORT, *name ? "board %s: %s" : "%s%s",
                        name, error);
}

static void begin_asking(struct board_line *line)
{
    line->state = BOARD_ASKED;
    line->due = pr_client_now();
    line->deadline = line->due + line->answer_time;
    line->baud = pr_tty_rate(line->descriptor);
    line->asked = 0;
    *line->shown = 0;
    pr_frames_reader_init(&line->reader);
}

void board_line_take_back(struct board_line *line)
{
    if (line->state == BOARD_LENT)
        begin_asking(line);
}

static void open_line(struct board_line *line)
{
    char error[BOARD_REASON_SIZE];
    struct board_console *console = &line->console;
    int descriptor = console->way->open(console, error, sizeof error);
    if (descriptor < 0) {
        note_failure(line, descriptor, error);
        return;
    }
    line->descriptor = descriptor;
    line->state = BOARD_ON_ITS_WAY;
    line->deadline = pr_client_now() + way_time;
}

static void go_on(struct board_line *line)
{
    char error[BOARD_REASON_SIZE];
    struct board_console *console = &line->console;
    int arrived = console->way->arrive ? console->way->arrive(console, line->descriptor, error, sizeof error) : 1;
    if (arrived > 0)
        begin_asking(line);
    else if (arrived < 0)
        note_failure(line, arrived, error);
    else if (line->deadline <= pr_client_now()) {
        snprintf(error, sizeof error, "%s is not reached within %g s", console->place, way_time);
        note_failure(line, PR_ENDPOINT_UNREACHABLE, error);
    }
}

/* The identity request is repeated: the node may be starting, and noise may have damaged the last request. */
static void ask(struct board_line *line)
{
    uint8_t wire[PR_FRAMES_WIRE_MAX];
    struct pr_frame question;
    pr_message_identify(&question, PR_CONSOLE_THIS_SITE);
    question.id = QUESTION_ID;
    if (line->baud)
        pr_tty_set_rate(line->descriptor, pr_tty_next_rate(line->baud, line->asked++));
    board_line_write(line, wire, pr_frames_encode(&question, wire, sizeof wire));
    line->due = pr_client_now() + line->answer_time / questions;
}

static bool is_answer(const struct pr_frame *frame)
{
    return frame->type == (PR_CONSOLE_IDENTIFY | PR_CONSOLE_ANSWER) && frame->id == QUESTION_ID;
}

static void to_log(const void *context, const char *text)
{
    (void)context;
    fprintf(stderr, "%s\n", text);
}

static void (*on_note)(const void *context, const char *text) = to_log;
static const void *note_context;

void board_line_on_note(void (*function)(const void *context, const char *text), const void *context)
{
    on_note = function ? function : to_log;
    note_context = context;
}

static void say_rate(const struct board_line *line)
{
    char label[BOARD_LABEL_SIZE], text[BOARD_REASON_SIZE];
    int rate = pr_tty_rate(line->descriptor);
    if (rate == line->baud)
        return;
    snprintf(text, sizeof text,
             "%s answers at %d baud, not at %d: `baud = %d` in the testbed file, or tty:PATH@%d, saves the search",
             board_line_label(line, label), rate, line->baud, rate, rate);
    on_note(note_context, text);
}

static void take_answer(struct board_line *line, const struct pr_frame *frame)
{
    unsigned site;
    char label[BOARD_LABEL_SIZE];
    if (pr_message_status(frame) == PR_CONSOLE_OK && pr_message_read_identity(frame, &site, &line->identity)) {
        line->state = BOARD_ANSWERED;
        say_rate(line);
    } else
        board_line_drop(line, EXIT_TRANSPORT, "%s: answers, but not as a node of this kit",
                        board_line_label(line, label));
}

/* Searches the bytes read for the answer, and keeps the bytes behind it for the stream. */
static void find_answer(struct board_line *line, size_t count)
{
    struct pr_frame frame;
    line->rest_at = 0;
    line->rest_used = count;
    while (line->rest_at < line->rest_used && line->state == BOARD_ASKED) {
        enum pr_frames_result result = pr_frames_push(&line->reader, line->rest[line->rest_at++], &frame);
        if (result == PR_FRAMES_READY && is_answer(&frame))
            take_answer(line, &frame);
        else if (result == PR_FRAMES_TEXT)
            console_text_line(&frame, line->shown);
    }
}

/* Reads bytes from the line itself, as read(). At end of file or an error the line is lost. */
static size_t read_line(struct board_line *line, uint8_t *bytes, size_t length)
{
    char label[BOARD_LABEL_SIZE];
    ssize_t count = read(line->descriptor, bytes, length);
    if (count > 0) {
        line->read_last = pr_client_now();
        return (size_t)count;
    }
    if (count == 0 || (errno != EAGAIN && errno != EINTR))
        board_line_drop(line, EXIT_TRANSPORT, "%s is gone: %s", board_line_label(line, label),
                        count == 0 ? "end of file" : strerror(errno));
    return 0;
}

bool board_line_is_starting(const struct board_line *line)
{
    return line->state == BOARD_ON_ITS_WAY || line->state == BOARD_ASKED;
}

/* " at 1000000, 250000, 230400 or 115200 baud", or nothing if the line has no rate. */
static const char *rates_asked(const struct board_line *line, char out[RATES_TEXT])
{
    size_t used = line->baud ? (size_t)snprintf(out, RATES_TEXT, " at %d", line->baud) : 0;
    unsigned left = PR_TTY_RATES;
    for (unsigned i = 0; i < PR_TTY_RATES; i++)
        left -= pr_tty_rates[i] == line->baud;
    for (unsigned i = 0; line->baud && i < PR_TTY_RATES; i++)
        if (pr_tty_rates[i] != line->baud)
            used += (size_t)snprintf(out + used, RATES_TEXT - used, --left ? ", %d" : " or %d baud", pr_tty_rates[i]);
    out[used] = 0;
    return out;
}

void board_line_step(struct board_line *line)
{
    size_t count;
    char label[BOARD_LABEL_SIZE], rates[RATES_TEXT];
    if (line->state == BOARD_LOST && line->due <= pr_client_now())
        open_line(line);
    if (line->state == BOARD_ON_ITS_WAY)
        go_on(line);
    if (line->state == BOARD_ASKED && line->due <= pr_client_now())
        ask(line);
    for (int i = 0; line->state == BOARD_ASKED && i < CHUNKS_AT_ONCE; i++) {
        count = read_line(line, line->rest, sizeof line->rest);
        if (!count)
            break;
        find_answer(line, count);
    }
    if (line->state == BOARD_ASKED && line->deadline <= pr_client_now())
        board_line_drop(line, EXIT_TIMEOUT, "%s: no node answers within %g s%s%s%s", board_line_label(line, label),
                        line->answer_time, rates_asked(line, rates), *line->shown ? "; the console shows: " : "",
                        line->shown);
}

double board_line_due(const struct board_line *line)
{
    if (line->state == BOARD_LOST)
        return line->due;
    if (line->state == BOARD_ON_ITS_WAY)
        return line->deadline;
    return line->state == BOARD_ASKED ? fmin(line->due, line->deadline) : INFINITY;
}

size_t board_line_read(struct board_line *line, uint8_t *bytes, size_t length)
{
    size_t count = line->rest_used - line->rest_at;
    if (line->state != BOARD_SERVES)
        return 0;
    if (!count)
        return read_line(line, bytes, length);
    count = count < length ? count : length;
    memcpy(bytes, line->rest + line->rest_at, count);
    line->rest_at += count;
    return count;
}

size_t board_line_write(struct board_line *line, const uint8_t *bytes, size_t length)
{
    char label[BOARD_LABEL_SIZE];
    ssize_t count = write(line->descriptor, bytes, length);
    if (count < 0 && errno != EAGAIN && errno != EINTR) {
        board_line_drop(line, EXIT_TRANSPORT, "%s is gone: %s", board_line_label(line, label), strerror(errno));
        return 0;
    }
    line->blocked = count < (ssize_t)length;
    return count > 0 ? (size_t)count : 0;
}

struct pollfd board_line_poll(const struct board_line *line)
{
    short events = (short)(POLLIN | (line->blocked ? POLLOUT : 0));
    return (struct pollfd){.fd = line->state == BOARD_LENT ? -1 : line->descriptor,
                           .events = line->state == BOARD_ON_ITS_WAY ? line->console.way->events : events};
}
