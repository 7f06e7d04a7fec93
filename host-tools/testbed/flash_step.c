/* See flash_run_private.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "testbed/flash_run_private.h"

#include <fcntl.h>
#include <unistd.h>

#include "testbed/board_lock.h"
#include "testbed/remote.h"

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
    programmer_read(flash_programmer(board), &board->reading, line);
    if (board->reading.signs == signs)
        return;
    flash_process_alive(&board->process);
    int percent = flash_percent(board, board->reading.percent);
    if (percent != board->percent_shown)
        flash_tell(board, FLASH_PROGRESS, percent, "%s", board->reading.phase);
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
        flash_fail(board, EXIT_INTERRUPTED, "interrupted");
    else if (process->silent)
        flash_fail(board, EXIT_TIMEOUT, "no sign of life of %s for %g s%s%s", flash_programmer(board)->name,
                   board->run->options->patience, *board->reading.phase ? ", at " : "", board->reading.phase);
    else if (*board->board->host && process->status == REMOTE_BUSY)
        flash_fail_for_lock(board);
    else if (*board->board->host && process->status == 255)
        flash_fail(board, EXIT_TRANSPORT, "ssh does not reach %s, or was cut", board->board->host);
    else {
        enum exit_code code = programmer_verdict(flash_programmer(board), &board->reading, process->status,
                                                 process->signal, reason, sizeof reason);
        if (code)
            flash_fail(board, code, "%s", reason);
        else
            board->run->moves.step_done(board);
    }
}

static void spawn(struct run_board *board)
{
    struct programmer_command command;
    const struct flash_options *options = board->run->options;
    enum programmer_action action = flash_action(board->phase);
    char error[FLASH_REASON / 2], line[2 * PROGRAMMER_TEXT];
    flash_file(board->board, options->folder, board->phase, board->region, board->file);
    if (!flash_command(board->board, &board->device, board->phase, flash_region(board), board->file, &command, error,
                       sizeof error)) {
        flash_fail(board, EXIT_TRANSPORT, "%s", error);
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

bool flash_look_up(struct run_board *board)
{
    struct usb_list list;
    char error[FLASH_REASON / 2];
    if (*board->board->host || *board->board->probe)
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

bool flash_is_on_usb(const struct run_board *board)
{
    return !*board->board->probe;
}

bool flash_take_lock(struct run_board *board)
{
    bool here = flash_is_on_usb(board) && !*board->board->host;
    return !here || board_lock_take(&board->lock, board->device.node);
}

void flash_fail_for_lock(struct run_board *board)
{
    static const char busy[] = "another postroad flash, or a programmer that it started, is at work on it";
    const char *host = board->board->host, *node = board->device.node;
    char holder[PR_PROCESS_NAME];
    board->hopeless = true;
    if (*host)
        flash_fail(board, EXIT_TRANSPORT, "%s: `ssh %s postroad boards` names it", busy, host);
    else if (board_lock_is_held(node, holder))
        flash_fail(board, EXIT_TRANSPORT, "%s: %s", busy, holder);
    else
        flash_fail(board, EXIT_TRANSPORT, "its lock is not to be had at %s: %s", node,
                   usb_access_to(node) == USB_MAY_USE ? "try again" : usb_access_trouble(usb_access_to(node)));
}

static void place(uv_timer_t *timer)
{
    struct run_board *board = timer->data;
    bool there = flash_look_up(board), locked = there && flash_take_lock(board);
    if (!locked && flash_now(board) < board->deadline)
        return;
    uv_timer_stop(timer);
    if (locked)
        spawn(board);
    else if (there)
        flash_fail_for_lock(board);
    else
        flash_fail(board, EXIT_TRANSPORT, "no board of this type at USB port %s any more", board->board->device.path);
}

void flash_begin_step(struct run_board *board)
{
    board->process.output = take_output;
    board->process.line = take_line;
    board->process.ended = process_ended;
    board->deadline = flash_now(board) + FLASH_ABSENCE;
    uv_timer_start(&board->timer, place, 0, FLASH_PLACE_TICK);
}
