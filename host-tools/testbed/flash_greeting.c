/* See flash_greeting.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "testbed/flash_greeting.h"

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "testbed/flash_progress.h"
#include "testbed/flash_step.h"
#include "testbed/remote.h"

/* Seconds between two looks for a console's tty. */
static const double look_time = 0.25;

/* NULL: there is none. */
static const char *console_tty(const struct run_board *board)
{
    return usb_device_console(&board->device, board->board->conf->console_interface);
}

static bool is_unknown(const void *build_id)
{
    static const uint8_t unknown[FLASH_BUILD_ID];
    return memcmp(build_id, unknown, sizeof unknown) == 0;
}

/* Not compared if the node reports no build id, or the firmware is part of the bitstream (flash_label.build_id 0). */
static bool has_firmware(const struct pr_site_identity *identity, const struct flash_label *wanted)
{
    return is_unknown(identity->build_id) || is_unknown(wanted->build_id) ||
           memcmp(identity->build_id, wanted->build_id, FLASH_BUILD_ID) == 0;
}

static enum flash_look check_identity(struct run_board *board)
{
    char found[FLASH_HEX], expected[FLASH_HEX];
    const struct flash_label *wanted = &board->board->image->label;
    const struct pr_site_identity *identity = &board->hello.identity;
    board->result->answered = true;
    board->result->identity = *identity;
    if (identity->mesh_hash != wanted->mesh_hash)
        return flash_fault(board, EXIT_MISMATCH, "the node has another mesh, hash 0x%08x, expected 0x%08x",
                           (unsigned)identity->mesh_hash, (unsigned)wanted->mesh_hash);
    if (identity->site != wanted->site)
        return flash_fault(board, EXIT_MISMATCH, "the node is site %u, expected site %u", (unsigned)identity->site,
                           (unsigned)wanted->site);
    if (!has_firmware(identity, wanted))
        return flash_fault(board, EXIT_MISMATCH, "the node runs other firmware, build %s, expected %s",
                           flash_label_hex((const uint8_t *)identity->build_id, FLASH_BUILD_ID, found),
                           flash_label_hex(wanted->build_id, FLASH_BUILD_ID, expected));
    return LOOK_DONE;
}

/* Where the console is now. False: nowhere yet. */
static bool find_console(struct run_board *board, struct pr_endpoint *out)
{
    if (*board->board->host || !flash_look_up(board))
        return false;
    *out = board->board->console;
    if (*board->board->probe)
        return true;
    const char *tty = console_tty(board);
    *out = (struct pr_endpoint){.kind = PR_ENDPOINT_TTY, .baud = board->board->baud};
    snprintf(out->path, sizeof out->path, "%s", tty ? tty : "");
    return tty;
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
    if (!tty || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
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

void flash_greeting_begin(struct run_board *board)
{
    hello_begin(&board->hello);
    board->deadline = flash_now(board) + board->run->options->hello_time;
    if (*board->board->host)
        open_remote_console(board);
}

enum flash_look flash_greeting_look(struct run_board *board)
{
    double hello_time = board->run->options->hello_time;
    struct pr_endpoint console;
    bool found = false;
    if (!board->hello.client && flash_now(board) >= board->looked + look_time) {
        found = find_console(board, &console);
        board->looked = flash_now(board);
    }
    if (hello_step(&board->hello, found ? &console : NULL))
        return check_identity(board);
    if (flash_now(board) < board->deadline)
        return LOOK_AGAIN;
    flash_process_stop(&board->process);
    if (board->reading.configured == 0)
        return flash_fault(board, EXIT_MISMATCH, "no hello within %g s: the FPGA has not started, its DONE is low",
                           hello_time);
    return flash_fault(board, EXIT_TIMEOUT, "no hello within %g s: %s", hello_time, board->hello.reason);
}
