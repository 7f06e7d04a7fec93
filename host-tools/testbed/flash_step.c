/* See flash_step.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "testbed/flash_step.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "testbed/board_lock.h"
#include "testbed/flash_command.h"
#include "testbed/flash_progress.h"
#include "testbed/remote.h"

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

/* --- The lock of the node that the board has now. --- */

/* False: another run has it, or it cannot be had. */
static bool take_lock(struct run_board *board)
{
    bool here = flash_is_on_usb(board->board) && !*board->board->host;
    return !here || board_lock_take(&board->lock, board->device.node);
}

static enum flash_look lock_fault(struct run_board *board)
{
    static const char busy[] = "another postroad flash, or a programmer that it started, is at work on it";
    const char *host = board->board->host, *node = board->device.node;
    char holder[PR_PROCESS_NAME];
    board->hopeless = true;
    if (*host)
        return flash_fault(board, EXIT_TRANSPORT, "%s: `ssh %s postroad boards` names it", busy, host);
    if (board_lock_is_held(node, holder))
        return flash_fault(board, EXIT_TRANSPORT, "%s: %s", busy, holder);
    return flash_fault(board, EXIT_TRANSPORT, "its lock is not to be had at %s: %s", node,
                       usb_access_to(node) == USB_MAY_USE ? "try again" : usb_access_trouble(usb_access_to(node)));
}

enum flash_look flash_lock_look(struct run_board *board)
{
    if (take_lock(board))
        return LOOK_DONE;
    return flash_now(board) < board->deadline ? LOOK_AGAIN : lock_fault(board);
}

static void ignore_bytes(void *context, const char *bytes, size_t count)
{
    (void)context, (void)bytes, (void)count;
}

/* At another host flock(1) has it, until its input ends. */
bool flash_keeper_begin(struct run_board *board, void (*line)(void *board, const char *text),
                        void (*ended)(void *board))
{
    struct programmer_command command;
    int ends[2];
    remote_keep_lock(board->board->host, board->device.node, &command);
    if (pipe2(ends, O_CLOEXEC) != 0) {
        flash_fault(board, EXIT_TRANSPORT, "cannot start ssh: %s", strerror(errno));
        return false;
    }
    struct flash_process_start start = {command.argv, ends[0], -1, -1, INFINITY};
    board->lock = ends[1];
    board->keeper.output = ignore_bytes;
    board->keeper.line = line;
    board->keeper.ended = ended;
    flash_process_start(&board->keeper, &board->run->loop, &start);
    close(ends[0]);
    return true;
}

enum flash_look flash_keeper_look(struct run_board *board, const char *line)
{
    bool locked = !board->kept && board->phase != ENDED && strcmp(line, REMOTE_LOCKED) == 0;
    board->kept |= locked;
    if (!locked && board->log)
        fprintf(board->log, "# lock: %s\n", line);
    return locked ? LOOK_DONE : LOOK_AGAIN;
}

enum flash_look flash_keeper_end(struct run_board *board)
{
    const char *host = board->board->host;
    if (board->phase == ENDED)
        return LOOK_DONE;
    if (board->kept) {
        flash_tell(board, FLASH_NOTE, 0, "the connection to %s that keeps its lock is cut", host);
        return LOOK_DONE;
    }
    board->hopeless = true;
    if (board->keeper.status == 255)
        return flash_fault(board, EXIT_TRANSPORT, "ssh does not reach %s, or was cut", host);
    if (board->keeper.status == REMOTE_BUSY)
        return lock_fault(board);
    return flash_fault(board, EXIT_TRANSPORT, "its lock is not to be had at %s: flock(1) and %s are needed there", host,
                       board->device.node);
}

/* --- A programmer at work. --- */

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

static enum flash_look spawn(struct run_board *board)
{
    struct programmer_command command;
    const struct flash_options *options = board->run->options;
    enum programmer_action action = board->state->action;
    unsigned index = flash_index(board);
    char error[FLASH_REASON / 2], line[2 * PROGRAMMER_TEXT];
    flash_file(board->board, options->folder, action, board->state->part, index, board->file);
    if (!flash_command(board->board, &board->device, board->state, index, board->file, &command, error, sizeof error))
        return flash_fault(board, EXIT_TRANSPORT, "%s", error);
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
    return LOOK_DONE;
}

void flash_step_begin(struct run_board *board, void (*ended)(void *board))
{
    board->process.output = take_output;
    board->process.line = take_line;
    board->process.ended = ended;
    board->deadline = flash_now(board) + FLASH_ABSENCE;
}

enum flash_look flash_step_look(struct run_board *board)
{
    bool there = flash_look_up(board);
    if (there && take_lock(board))
        return spawn(board);
    if (flash_now(board) < board->deadline)
        return LOOK_AGAIN;
    return there ? lock_fault(board)
                 : flash_fault(board, EXIT_TRANSPORT, "no board of this type at USB port %s any more",
                               board->board->device.path);
}

enum flash_look flash_step_end(struct run_board *board)
{
    const struct flash_process *process = &board->process;
    char reason[FLASH_REASON / 2];
    if (board->log)
        fprintf(board->log, "\n# ended: %lld, signal %d\n", (long long)process->status, process->signal);
    if (process->interrupted)
        return flash_fault(board, EXIT_INTERRUPTED, "interrupted");
    if (process->silent)
        return flash_fault(board, EXIT_TIMEOUT, "no sign of life of %s for %g s%s%s", flash_programmer(board)->name,
                           board->run->options->patience, *board->reading.phase ? ", at " : "", board->reading.phase);
    if (*board->board->host && process->status == REMOTE_BUSY)
        return lock_fault(board);
    if (*board->board->host && process->status == 255)
        return flash_fault(board, EXIT_TRANSPORT, "ssh does not reach %s, or was cut", board->board->host);
    enum exit_code code = programmer_verdict(flash_programmer(board), &board->reading, process->status, process->signal,
                                             reason, sizeof reason);
    return code ? flash_fault(board, code, "%s", reason) : LOOK_DONE;
}
