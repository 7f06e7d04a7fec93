/* See flash_run.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "testbed/flash_run.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#include "testbed/flash_process.h"
#include "testbed/hello.h"
#include "testbed/remote.h"

enum { HELLO_TICK = 50, PLACE_TICK = 200, RETRY_PAUSE = 500 /* milliseconds */, PATH_ROOM = PATH_MAX, DIFFERENT = 64 };

/* Seconds until a board that is not on USB is given up: it may be coming back after a reset. */
static const double absence = 5;

/* Seconds between two looks for a console's tty. */
static const double look_time = 0.25;

enum phase { WAITS, READS_LABEL, VERIFIES, CLEARS, CHECKS_CLEAR, WRITES, CHECKS, LOADS, GREETS, ENDED };

struct run;

struct run_board {
    struct run *run;
    const struct flash_board *board;
    struct flash_result *result;
    unsigned index, region;
    enum phase phase;
    struct usb_device device; /* where it is now */
    struct flash_process process;
    struct programmer_reading reading;
    struct hello hello;
    uv_timer_t timer;               /* for a board to come back, a pause, and the console */
    double since, deadline, looked; /* looked: when it was sought on USB for its console */
    bool cleared;                   /* its label was cleared in this run */
    bool places, timer_open;
    int lock, percent_shown;
    FILE *log;
    char file[PATH_ROOM];
};

struct run {
    const struct flash_options *options;
    struct run_board *boards;
    unsigned count;
    uv_loop_t loop;
    uv_signal_t signals[2];
    bool interrupted, stopped;
};

static void pump(struct run *run);
static void begin_phase(struct run_board *board, enum phase phase);

static double now(struct run_board *board)
{
    return (double)uv_now(&board->run->loop) / 1000;
}

static bool is_ram(const struct run_board *board)
{
    return strcmp(board->board->conf->memory, "ram") == 0;
}

static const struct programmer *programmer_of(const struct run_board *board)
{
    return programmer_find(board->board->conf->programmer);
}

static const struct board_region *label_of(const struct run_board *board)
{
    const struct board_image *image = board->board->image;
    return &image->regions[image->count - 1];
}

/* What the present phase is about. */
static const struct board_region *region_of(const struct run_board *board)
{
    bool label = board->phase == READS_LABEL || board->phase == CLEARS || board->phase == CHECKS_CLEAR;
    return label ? label_of(board) : &board->board->image->regions[board->region];
}

/* --- What is reported. --- */

static void report(struct run_board *board, enum flash_event_kind kind, int percent, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void report(struct run_board *board, enum flash_event_kind kind, int percent, const char *format, ...)
{
    char text[FLASH_REASON + 100];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (board->log && kind != FLASH_PROGRESS)
        fprintf(board->log, "# %s\n", text);
    struct flash_event event = {kind, board->index, percent, text};
    board->run->options->event(board->run->options->context, &event);
}

/* The share of the board's bytes that lies behind it: each region is written and read. */
static int percent_of(const struct run_board *board, int percent)
{
    const struct board_image *image = board->board->image;
    double all = 0, done = 0;
    for (unsigned k = 0; k < image->count; k++) {
        double bytes = 2 * (double)image->regions[k].size;
        all += bytes;
        if (board->phase == GREETS || k < board->region)
            done += bytes;
        else if (k == board->region && board->phase == CHECKS)
            done += bytes / 2;
    }
    if (board->phase == WRITES || board->phase == CHECKS || board->phase == LOADS)
        done += (double)image->regions[board->region].size * (percent > 0 ? percent : 0) / 100;
    if (board->phase == VERIFIES)
        done += (double)image->regions[board->region].size * (percent > 0 ? percent : 0) / 50;
    return (int)(100 * done / all);
}

static const char *step_text(const struct run_board *board, char *out, size_t size)
{
    const char *region = region_of(board)->name;
    switch (board->phase) {
    case READS_LABEL:
        snprintf(out, size, "reads the label");
        break;
    case CLEARS:
        snprintf(out, size, "clears the label");
        break;
    case CHECKS_CLEAR:
        snprintf(out, size, "reads the cleared label");
        break;
    case WRITES:
        snprintf(out, size, "writes %s", region);
        break;
    case CHECKS:
    case VERIFIES:
        snprintf(out, size, "reads %s", region);
        break;
    case LOADS:
        snprintf(out, size, "loads %s", region);
        break;
    default:
        snprintf(out, size, "waits for the node");
        break;
    }
    return out;
}

/* --- The end of a board, or of an attempt. --- */

static void timer_closed(uv_handle_t *handle)
{
    ((struct run_board *)handle->data)->timer_open = false;
}

static void end_board(struct run_board *board, enum exit_code code)
{
    struct flash_result *result = board->result;
    board->phase = ENDED;
    result->code = code;
    result->ended = true;
    result->seconds = result->started ? now(board) - board->since : 0;
    hello_end(&board->hello);
    flash_process_stop(&board->process); /* the way to a console at another host */
    if (board->timer_open)
        uv_close((uv_handle_t *)&board->timer, timer_closed);
    if (board->lock >= 0)
        close(board->lock);
    board->lock = -1;
    report(board, FLASH_ENDED, 100, "%s", code ? result->reason : result->skipped ? "was right" : "written");
    FILE *log = board->log;
    board->log = NULL;
    if (log && fclose(log) != 0)
        report(board, FLASH_NOTE, 100, "its log is not complete: %s", strerror(errno));
    if (code && !board->run->options->keep_going)
        board->run->stopped = true;
    pump(board->run);
}

static void retry(uv_timer_t *timer)
{
    struct run_board *board = timer->data;
    if (board->process.running) { /* its end takes a moment */
        uv_timer_start(timer, retry, PLACE_TICK, 0);
        return;
    }
    board->region = 0;
    begin_phase(board, is_ram(board) ? LOADS : board->cleared || board->run->options->force ? CLEARS : READS_LABEL);
}

static void fail(struct run_board *board, enum exit_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void fail(struct run_board *board, enum exit_code code, const char *format, ...)
{
    struct flash_result *result = board->result;
    char text[FLASH_REASON - 40], step[40];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(result->reason, sizeof result->reason, "%s: %s", step_text(board, step, sizeof step), text);
    if (board->run->interrupted)
        code = EXIT_INTERRUPTED;
    if (code == EXIT_INTERRUPTED || result->attempts > board->run->options->retries) {
        end_board(board, code);
        return;
    }
    result->attempts++;
    report(board, FLASH_NOTE, 0, "%s; tried again", result->reason);
    hello_end(&board->hello);
    uv_timer_start(&board->timer, retry, RETRY_PAUSE, 0);
}

/* --- Comparing. --- */

/* Where a file that was read differs from what it should be: -1 nowhere, -2 it is too short. */
static long difference(const char *path, const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "re");
    long found = -1;
    uint8_t *read = malloc(size + 1);
    if (!read)
        abort();
    size_t count = file ? fread(read, 1, size, file) : 0;
    if (file)
        fclose(file);
    for (size_t k = 0; k < count && found < 0; k++)
        if (read[k] != bytes[k])
            found = (long)k;
    free(read);
    return found < 0 && count < size ? -2 : found;
}

/* Compares what was read with a region. False: the board has failed. `differs` NULL: a difference is a failure. */
static bool compare(struct run_board *board, const uint8_t *bytes, bool *differs)
{
    const struct board_region *region = region_of(board);
    long at = difference(board->file, bytes, region->size);
    if (at == -2) {
        fail(board, EXIT_TRANSPORT, "%s ended with success, but read less than %zu bytes", programmer_of(board)->name,
             region->size);
        return false;
    }
    if (differs)
        *differs = at >= 0;
    else if (at >= 0)
        fail(board, EXIT_MISMATCH, "the flash differs from what was written, at %#lx", region->offset + at);
    return differs || at < 0;
}

/* --- From one phase to the next. --- */

static void greet(struct run_board *board)
{
    begin_phase(board, GREETS);
    pump(board->run); /* its programmer is free for another board */
}

/* The label that the board has, whatever it should have. */
static void look_at_label(struct run_board *board)
{
    uint8_t bytes[FLASH_LABEL_BYTES];
    FILE *file = fopen(board->file, "re");
    size_t count = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file)
        fclose(file);
    board->result->has_label = flash_label_decode(bytes, count, &board->result->label);
    board->result->skipped = true;
    end_board(board, EXIT_OK);
}

static void label_read(struct run_board *board)
{
    bool differs;
    if (board->run->options->look) {
        look_at_label(board);
        return;
    }
    if (!compare(board, label_of(board)->bytes, &differs))
        return;
    board->result->skipped = !differs;
    board->region = 0;
    if (differs) {
        report(board, FLASH_NOTE, 0, "its label is missing, or is that of something else");
        begin_phase(board, CLEARS);
    } else if (board->run->options->verify)
        begin_phase(board, VERIFIES);
    else
        greet(board);
}

static void verified(struct run_board *board)
{
    const struct board_region *region = region_of(board);
    bool differs;
    if (!compare(board, region->bytes, &differs))
        return;
    if (differs) {
        report(board, FLASH_NOTE, 0, "%s differs from its label; written again", region->name);
        board->result->skipped = false;
        board->region = 0;
        begin_phase(board, CLEARS);
    } else if (++board->region < board->board->image->count)
        begin_phase(board, VERIFIES);
    else
        greet(board);
}

/* Any bytes but a label would do; these are what programming leaves least work for. */
static const uint8_t cleared[FLASH_LABEL_BYTES];

static void checked(struct run_board *board)
{
    if (!compare(board, region_of(board)->bytes, NULL))
        return;
    if (++board->region < board->board->image->count) {
        begin_phase(board, WRITES);
        return;
    }
    board->result->half_written = false;
    greet(board);
}

static void step_done(struct run_board *board)
{
    switch (board->phase) {
    case READS_LABEL:
        label_read(board);
        break;
    case VERIFIES:
        verified(board);
        break;
    case CLEARS:
        begin_phase(board, CHECKS_CLEAR);
        break;
    case CHECKS_CLEAR:
        if (compare(board, cleared, NULL))
            begin_phase(board, WRITES);
        break;
    case WRITES:
        begin_phase(board, CHECKS);
        break;
    case CHECKS:
        checked(board);
        break;
    default:
        board->result->half_written = false;
        greet(board);
        break;
    }
}

/* --- A step of a programmer. --- */

static void take_output(void *context, const char *bytes, size_t count)
{
    struct run_board *board = context;
    if (board->log)
        fwrite(bytes, 1, count, board->log);
}

static void take_line(void *context, const char *line)
{
    struct run_board *board = context;
    unsigned signs = board->reading.signs;
    programmer_read(programmer_of(board), &board->reading, line);
    if (board->reading.signs == signs)
        return;
    flash_process_alive(&board->process);
    int percent = percent_of(board, board->reading.percent);
    if (percent != board->percent_shown)
        report(board, FLASH_PROGRESS, percent, "%s", board->reading.phase);
    board->percent_shown = percent;
}

static void process_ended(void *context)
{
    struct run_board *board = context;
    const struct flash_process *process = &board->process;
    char reason[FLASH_REASON / 2];
    if (board->log)
        fprintf(board->log, "\n# ended: %lld, signal %d\n", (long long)process->status, process->signal);
    if (process->interrupted)
        fail(board, EXIT_INTERRUPTED, "interrupted");
    else if (process->silent)
        fail(board, EXIT_TIMEOUT, "no sign of life of %s for %g s%s%s", programmer_of(board)->name,
             board->run->options->patience, *board->reading.phase ? ", at " : "", board->reading.phase);
    else if (*board->board->host && process->status == 255)
        fail(board, EXIT_TRANSPORT, "ssh does not reach %s, or was cut", board->board->host);
    else {
        enum exit_code code = programmer_verdict(programmer_of(board), &board->reading, process->status,
                                                 process->signal, reason, sizeof reason);
        if (code)
            fail(board, code, "%s", reason);
        else
            step_done(board);
    }
}

static enum programmer_action action_of(enum phase phase)
{
    if (phase == LOADS)
        return PROGRAMMER_LOAD;
    return phase == WRITES || phase == CLEARS ? PROGRAMMER_WRITE : PROGRAMMER_READ;
}

/* The file of a region, or of a step that reads. */
static void file_of(const struct flash_board *board, const char *folder, enum phase phase, unsigned region, char *out)
{
    if (action_of(phase) == PROGRAMMER_READ)
        snprintf(out, PATH_ROOM, "%s/%s-read.bin", folder, board->name);
    else if (phase == CLEARS)
        snprintf(out, PATH_ROOM, "%s/%s-clear.bin", folder, board->name);
    else
        snprintf(out, PATH_ROOM, "%s/%s-%u.%s", folder, board->name, region, phase == LOADS ? "bit" : "bin");
}

/* The command line of a step. For a board at another host `local` has the file that is sent or fetched. */
static bool make_command(const struct flash_board *board, const struct usb_device *device, enum phase phase,
                         const struct board_region *region, const char *local, struct programmer_command *out,
                         char *error, size_t error_size)
{
    bool remote = *board->host;
    struct programmer_command here;
    struct programmer_job job = {
        .action = action_of(phase),
        .conf = board->conf,
        .file = !remote          ? local
                : phase == LOADS ? REMOTE_BITFILE
                                 : REMOTE_FILE,
        .offset = region->offset,
        .size = region->size,
        .bus = device->bus,
        .device = device->device,
        .path = device->path,
    };
    if (!programmer_command(&job, remote ? &here : out, error, error_size))
        return false;
    if (remote)
        remote_command(board->host, &here, job.action, out);
    return true;
}

static void spawn(struct run_board *board)
{
    struct programmer_command command;
    const struct flash_options *options = board->run->options;
    enum programmer_action action = action_of(board->phase);
    char error[FLASH_REASON / 2], line[2 * PROGRAMMER_TEXT];
    file_of(board->board, options->folder, board->phase, board->region, board->file);
    if (!make_command(board->board, &board->device, board->phase, region_of(board), board->file, &command, error,
                      sizeof error)) {
        fail(board, EXIT_TRANSPORT, "%s", error);
        return;
    }
    if (action == PROGRAMMER_READ)
        unlink(board->file); /* never the bytes of an earlier step */
    struct flash_process_start start = {command.argv, -1, -1, board->lock, options->patience};
    if (*board->board->host) {
        int flags = action == PROGRAMMER_READ ? O_WRONLY | O_CREAT | O_TRUNC : O_RDONLY;
        int file = open(board->file, flags | O_CLOEXEC, 0600);
        *(action == PROGRAMMER_READ ? &start.output : &start.input) = file;
    }
    remote_quote_line(&command, line, sizeof line);
    if (board->log)
        fprintf(board->log, "$ %s\n", line);
    board->reading = (struct programmer_reading){.action = action, .percent = -1, .configured = -1};
    int failure = flash_process_start(&board->process, &board->run->loop, &start);
    if (failure)
        snprintf(board->reading.fault, sizeof board->reading.fault, "%s", uv_strerror(failure));
    if (failure)
        board->reading.failure = EXIT_TRANSPORT;
    if (start.input >= 0)
        close(start.input);
    if (start.output >= 0)
        close(start.output);
}

/* --- Where the board is now. Its port stays; its numbers change whenever it is reset. --- */

static bool look_up(struct run_board *board)
{
    struct usb_list list;
    char error[FLASH_REASON / 2];
    if (*board->board->host)
        return true; /* as it was matched */
    if (usb_scan(&list, error, sizeof error) != 0)
        return false;
    const struct usb_device *found = usb_list_at(&list, board->board->device.path);
    bool good = found && found->vendor == board->board->conf->usb_vendor &&
                found->product == board->board->conf->usb_product;
    if (good)
        board->device = *found;
    usb_list_free(&list);
    return good;
}

static void place(uv_timer_t *timer)
{
    struct run_board *board = timer->data;
    if (look_up(board)) {
        uv_timer_stop(timer);
        board->places = false;
        spawn(board);
    } else if (now(board) >= board->deadline) {
        uv_timer_stop(timer);
        board->places = false;
        fail(board, EXIT_TRANSPORT, "no board of this type at USB port %s any more", board->board->device.path);
    }
}

/* --- The node's answer. --- */

static const char *console_tty(const struct run_board *board)
{
    const struct usb_device *device = &board->device;
    const char *only = "";
    unsigned count = 0, wanted = board->board->conf->console_interface;
    if (wanted < USB_INTERFACES && *device->tty[wanted])
        return device->tty[wanted];
    for (int k = 0; k < USB_INTERFACES; k++)
        if (*device->tty[k]) {
            only = device->tty[k];
            count++;
        }
    return count == 1 ? only : "";
}

static void check_identity(struct run_board *board)
{
    const struct flash_label *wanted = &board->board->image->label;
    const struct pr_site_identity *identity = &board->hello.identity;
    board->result->answered = true;
    board->result->identity = *identity;
    if (identity->mesh_hash != wanted->mesh_hash)
        fail(board, EXIT_MISMATCH, "the node has another mesh, hash 0x%08x, expected 0x%08x",
             (unsigned)identity->mesh_hash, (unsigned)wanted->mesh_hash);
    else if (identity->site != wanted->site)
        fail(board, EXIT_MISMATCH, "the node is site %u, expected site %u", (unsigned)identity->site,
             (unsigned)wanted->site);
    else
        end_board(board, EXIT_OK);
}

static void greet_tick(uv_timer_t *timer)
{
    struct run_board *board = timer->data;
    const char *tty = "";
    if (!board->hello.client && !*board->board->host && now(board) >= board->looked + look_time && look_up(board)) {
        tty = console_tty(board);
        board->looked = now(board);
    }
    if (hello_step(&board->hello, tty, board->board->baud)) {
        uv_timer_stop(timer);
        check_identity(board);
    } else if (now(board) >= board->deadline) {
        uv_timer_stop(timer);
        flash_process_stop(&board->process);
        fail(board, EXIT_TIMEOUT, "no hello within %g s: %s%s", board->run->options->hello_time, board->hello.reason,
             board->reading.configured == 0 ? "; the FPGA did not start (its DONE is low)" : "");
    }
}

static void console_ended(void *context)
{
    (void)context;
}

static void ignore_line(void *context, const char *line)
{
    (void)context, (void)line;
}

/* A console at another host comes through ssh, whose standard input and output are a socket here. */
static void open_remote_console(struct run_board *board)
{
    struct programmer_command command;
    int ends[2];
    const char *tty = console_tty(board);
    if (!*tty || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return;
    remote_console(board->board->host, tty, board->board->baud, &command);
    struct flash_process_start start = {command.argv, ends[1], ends[1], -1, board->run->options->hello_time + 60};
    board->process.line = ignore_line;
    board->process.ended = console_ended;
    flash_process_start(&board->process, &board->run->loop, &start);
    close(ends[1]);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    hello_take(&board->hello, ends[0]);
}

static void begin_greeting(struct run_board *board)
{
    hello_begin(&board->hello);
    board->deadline = now(board) + board->run->options->hello_time;
    if (*board->board->host)
        open_remote_console(board);
    uv_timer_start(&board->timer, greet_tick, HELLO_TICK, HELLO_TICK);
}

static void begin_phase(struct run_board *board, enum phase phase)
{
    char text[40];
    board->phase = phase;
    if (board->run->interrupted) {
        fail(board, EXIT_INTERRUPTED, "interrupted");
        return;
    }
    report(board, FLASH_STEP, percent_of(board, 0), "%s", step_text(board, text, sizeof text));
    if (phase == GREETS) {
        begin_greeting(board);
        return;
    }
    if (phase == CLEARS || phase == LOADS)
        board->cleared = board->result->half_written = true;
    board->process.line = take_line;
    board->process.ended = process_ended;
    board->places = true;
    board->deadline = now(board) + absence;
    uv_timer_start(&board->timer, place, 0, PLACE_TICK);
}

/* --- Which boards are at work. --- */

static bool works(const struct run_board *board)
{
    return board->phase != WAITS && board->phase != GREETS && board->phase != ENDED;
}

static bool has_room(const struct run *run, const struct run_board *board)
{
    unsigned all = 0, here = 0;
    for (unsigned k = 0; k < run->count; k++) {
        const struct run_board *other = &run->boards[k];
        all += works(other);
        here += works(other) && strcmp(other->board->host, board->board->host) == 0 &&
                strcmp(other->board->device.hub, board->board->device.hub) == 0;
    }
    return all < run->options->jobs && here < run->options->per_hub;
}

/* The lock of a USB port, which a programmer of an earlier run may still hold for a moment. */
static bool take_lock(struct run_board *board)
{
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/usb-%s%s%s.lock", board->run->options->lock, board->board->host,
             *board->board->host ? "-" : "", board->board->device.path);
    board->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (board->lock < 0) {
        fail(board, EXIT_TRANSPORT, "%s: %s", path, strerror(errno));
        return false;
    }
    return true;
}

static void await_lock(uv_timer_t *timer)
{
    struct run_board *board = timer->data;
    if (flock(board->lock, LOCK_EX | LOCK_NB) == 0) {
        uv_timer_stop(timer);
        retry(timer);
    } else if (now(board) >= board->deadline) {
        uv_timer_stop(timer);
        board->result->attempts = UINT_MAX;
        fail(board, EXIT_TRANSPORT, "another postroad flash, or a programmer that it started, is at work on it");
    }
}

static void start_board(struct run_board *board)
{
    board->since = now(board);
    board->result->started = true;
    board->result->attempts = 1;
    board->phase = is_ram(board) ? LOADS : READS_LABEL;
    board->deadline = now(board) + absence;
    if (is_ram(board) && board->run->options->look) {
        board->result->attempts = UINT_MAX;
        fail(board, EXIT_TRANSPORT, "its programmer writes RAM, which cannot be read");
    } else if (take_lock(board))
        uv_timer_start(&board->timer, await_lock, 0, PLACE_TICK);
}

/* Starts the boards that there is room for; ends those that will not start. */
static void pump(struct run *run)
{
    bool all_ended = true;
    for (unsigned k = 0; k < run->count; k++) {
        struct run_board *board = &run->boards[k];
        if (board->phase == WAITS && (run->interrupted || run->stopped)) {
            snprintf(board->result->reason, sizeof board->result->reason, "not started: %s",
                     run->interrupted ? "interrupted" : "another board has failed");
            end_board(board, run->interrupted ? EXIT_INTERRUPTED : EXIT_PARTIAL);
        } else if (board->phase == WAITS && has_room(run, board))
            start_board(board);
        all_ended &= board->phase == ENDED;
    }
    for (int k = 0; all_ended && k < 2; k++)
        if (!uv_is_closing((uv_handle_t *)&run->signals[k]))
            uv_close((uv_handle_t *)&run->signals[k], NULL);
}

/* A programmer is ended, and its board with it; a board that only waits ends at once. */
static void interrupt(uv_signal_t *handle, int number)
{
    struct run *run = handle->data;
    (void)number;
    run->interrupted = true;
    for (unsigned k = 0; k < run->count; k++) {
        struct run_board *board = &run->boards[k];
        bool ends_itself = works(board) && board->process.running;
        flash_process_stop(&board->process);
        if (board->phase != WAITS && board->phase != ENDED && !ends_itself) {
            uv_timer_stop(&board->timer);
            fail(board, EXIT_INTERRUPTED, "interrupted");
        }
    }
    pump(run);
}

/* --- Before and after. --- */

static bool write_file(struct run_board *board, enum phase phase, unsigned region, const uint8_t *bytes, size_t size)
{
    char path[PATH_ROOM];
    file_of(board->board, board->run->options->folder, phase, region, path);
    FILE *file = fopen(path, "we");
    bool good = file && fwrite(bytes, 1, size, file) == size;
    if (file && fclose(file) != 0)
        good = false;
    if (!good)
        snprintf(board->result->reason, FLASH_REASON, "%.300s: %s", path, strerror(errno));
    return good;
}

/* All files that programmers take, and the log, before a board is touched. */
static bool prepare(struct run_board *board)
{
    const struct board_image *image = board->board->image;
    const char *log = board->run->options->log;
    char path[PATH_ROOM];
    bool good = is_ram(board) || write_file(board, CLEARS, 0, cleared, sizeof cleared);
    for (unsigned k = 0; k < image->count && good; k++)
        good = write_file(board, is_ram(board) ? LOADS : WRITES, k, image->regions[k].bytes, image->regions[k].size);
    if (log && good) {
        snprintf(path, sizeof path, "%s/%s.log", log, board->board->name);
        board->log = fopen(path, "we");
        if (!board->log)
            snprintf(board->result->reason, FLASH_REASON, "%.300s: %s, expected a folder for logs", path,
                     strerror(errno));
        good = board->log != NULL;
    }
    return good;
}

/* No board is touched, because a file of one of them cannot be written. */
static void leave_out(struct run_board *board)
{
    struct flash_result *result = board->result;
    result->code = *result->reason ? EXIT_TRANSPORT : EXIT_PARTIAL;
    board->phase = ENDED;
    if (*result->reason)
        report(board, FLASH_ENDED, 0, "%s", result->reason);
    else
        snprintf(result->reason, sizeof result->reason, "not started: a file of another board cannot be written");
    if (board->log)
        fclose(board->log);
    uv_close((uv_handle_t *)&board->timer, timer_closed);
}

static void init_board(struct run *run, unsigned index, const struct flash_board *board, struct flash_result *result)
{
    struct run_board *made = &run->boards[index];
    *result = (struct flash_result){.ended = false};
    *made = (struct run_board){
        .run = run, .board = board, .result = result, .index = index, .device = board->device, .lock = -1};
    made->process = (struct flash_process){.context = made, .output = take_output};
    uv_timer_init(&run->loop, &made->timer);
    made->timer.data = made;
    made->timer_open = true;
}

static void init_signals(struct run *run)
{
    static const int numbers[2] = {SIGINT, SIGTERM};
    sigset_t set;
    sigemptyset(&set);
    for (int k = 0; k < 2; k++) {
        uv_signal_init(&run->loop, &run->signals[k]);
        run->signals[k].data = run;
        uv_signal_start(&run->signals[k], interrupt, numbers[k]);
        sigaddset(&set, numbers[k]);
    }
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
}

enum exit_code flash_exit_code(const struct flash_result *results, unsigned count)
{
    unsigned well = 0;
    enum exit_code code = EXIT_OK;
    for (unsigned k = 0; k < count; k++) {
        if (results[k].code == EXIT_INTERRUPTED)
            return EXIT_INTERRUPTED;
        well += results[k].code == EXIT_OK;
        if (results[k].code && results[k].started && code == EXIT_OK)
            code = results[k].code;
    }
    return well && well < count ? EXIT_PARTIAL : code;
}

enum exit_code flash_run(const struct flash_board *boards, unsigned count, const struct flash_options *options,
                         struct flash_result *results)
{
    struct run run = {.options = options, .count = count};
    bool good = true;
    run.boards = calloc(count, sizeof *run.boards);
    if (!run.boards || uv_loop_init(&run.loop) != 0)
        abort();
    for (unsigned k = 0; k < count; k++)
        init_board(&run, k, &boards[k], &results[k]);
    for (unsigned k = 0; k < count; k++)
        good = prepare(&run.boards[k]) && good;
    init_signals(&run);
    for (unsigned k = 0; k < count && !good; k++)
        leave_out(&run.boards[k]);
    pump(&run);
    uv_run(&run.loop, UV_RUN_DEFAULT);
    uv_loop_close(&run.loop);
    free(run.boards);
    return good ? flash_exit_code(results, count) : EXIT_TRANSPORT;
}

bool flash_plan(const struct flash_board *board, const char *folder, void (*line)(void *context, const char *text),
                void *context, char *error, size_t error_size)
{
    const struct board_image *image = board->image;
    bool ram = strcmp(board->conf->memory, "ram") == 0;
    struct {
        enum phase phase;
        unsigned region;
    } steps[3 + 2 * BOARD_IMAGE_REGIONS];
    unsigned count = 0, label = image->count - 1;
    static const enum phase before[] = {READS_LABEL, CLEARS, CHECKS_CLEAR};
    for (unsigned k = 0; k < 3 && !ram; k++) {
        steps[count].phase = before[k];
        steps[count++].region = label;
    }
    for (unsigned k = 0; k < image->count; k++)
        for (enum phase phase = ram ? LOADS : WRITES; phase <= (ram ? LOADS : CHECKS); phase++) {
            steps[count].phase = phase;
            steps[count++].region = k;
        }
    for (unsigned k = 0; k < count; k++) {
        struct programmer_command command;
        char text[2 * PROGRAMMER_TEXT], file[PATH_ROOM];
        file_of(board, folder, steps[k].phase, steps[k].region, file);
        if (!make_command(board, &board->device, steps[k].phase, &image->regions[steps[k].region], file, &command,
                          error, error_size))
            return false;
        remote_quote_line(&command, text, sizeof text);
        line(context, text);
    }
    return true;
}
