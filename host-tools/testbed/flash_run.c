/* See flash_run.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "testbed/flash_run.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/or_abort.h"
#include "support/output_file.h"
#include "testbed/flash_command.h"
#include "testbed/flash_greeting.h"
#include "testbed/flash_machine.h"
#include "testbed/flash_progress.h"
#include "testbed/flash_step.h"

enum { BEAT = 250, RETRY_PAUSE = 500 /* milliseconds */ };

static void give_turns(struct flash_run *run);
static void begin_attempt(struct run_board *board);

/* --- The end of an attempt, and of a board. --- */

static void end_board(struct run_board *board, enum exit_code code)
{
    struct flash_result *result = board->result;
    flash_machine_put(board, ENDED);
    result->code = code;
    result->ended = true;
    result->seconds = result->started ? flash_now(board) - board->since : 0;
    hello_end(&board->hello);
    flash_process_stop(&board->process); /* the way to a console at another host */
    if (!uv_is_closing((uv_handle_t *)&board->timer))
        uv_close((uv_handle_t *)&board->timer, NULL);
    if (board->lock >= 0)
        close(board->lock);
    board->lock = -1;
    flash_process_stop(&board->keeper);
    flash_tell(board, FLASH_ENDED, 100, "%s", code ? result->reason : result->skipped ? "was right" : "written");
    FILE *log = board->log;
    board->log = NULL;
    if (log && fclose(log) != 0)
        flash_tell(board, FLASH_NOTE, 100, "its log is not complete: %s", strerror(errno));
    if (code && !board->run->options->keep_going)
        board->run->stopped = true;
    give_turns(board->run);
}

static void try_again(uv_timer_t *timer)
{
    struct run_board *board = timer->data;
    if (board->process.running) /* its end takes a moment */
        uv_timer_start(timer, try_again, FLASH_PLACE_TICK, 0);
    else
        begin_attempt(board);
}

/* The attempt has failed: the board is tried again, or ends. */
static void fail(struct run_board *board)
{
    struct flash_result *result = board->result;
    char step[40];
    if (board->run->interrupted)
        board->fault.code = EXIT_INTERRUPTED;
    bool final = board->fault.code == EXIT_INTERRUPTED || board->hopeless ||
                 result->attempts > board->run->options->retries;
    snprintf(result->reason, sizeof result->reason, "%s: %s%s", flash_step_text(board, step, sizeof step),
             board->fault.text, final && result->holds == FLASH_HOLDS_ALL ? "; all is written" : "");
    if (final) {
        end_board(board, board->fault.code);
        return;
    }
    result->attempts++;
    flash_tell(board, FLASH_NOTE, 0, "%s; tried again", result->reason);
    hello_end(&board->hello);
    uv_timer_start(&board->timer, try_again, RETRY_PAUSE, 0);
}

/* --- From state to state. --- */

/* What a timer waits for is done. It ends then, and where the attempt has failed. */
static bool is_done(uv_timer_t *timer, enum flash_look look)
{
    if (look != LOOK_AGAIN)
        uv_timer_stop(timer);
    if (look == LOOK_FAILED)
        fail(timer->data);
    return look == LOOK_DONE;
}

static void await_hello(uv_timer_t *timer)
{
    if (is_done(timer, flash_greeting_look(timer->data)))
        end_board(timer->data, EXIT_OK);
}

static void await_place(uv_timer_t *timer)
{
    is_done(timer, flash_step_look(timer->data));
}

static void step_ended(void *board);

static void begin(struct run_board *board)
{
    char text[40];
    flash_tell(board, FLASH_STEP, flash_percent(board, 0), "%s", flash_step_text(board, text, sizeof text));
    if (board->phase == GREETS) {
        flash_greeting_begin(board);
        uv_timer_start(&board->timer, await_hello, FLASH_HELLO_TICK, FLASH_HELLO_TICK);
        return;
    }
    if (board->phase == CLEARS || board->phase == LOADS) {
        board->cleared = true;
        board->result->holds = FLASH_HALF_WRITTEN;
    }
    flash_step_begin(board, step_ended);
    uv_timer_start(&board->timer, await_place, 0, FLASH_PLACE_TICK);
}

static void enter(struct run_board *board, enum flash_phase phase)
{
    if (phase == FAILS) {
        fail(board);
    } else if (phase == ENDED) {
        end_board(board, EXIT_OK);
    } else {
        flash_machine_put(board, phase);
        if (phase == GREETS) /* whatever becomes of the greeting, what had to be written is there */
            board->result->holds = FLASH_HOLDS_ALL;
        if (board->run->interrupted) {
            flash_fault(board, EXIT_INTERRUPTED, "interrupted");
            fail(board);
        } else
            begin(board);
        if (phase == GREETS)
            give_turns(board->run); /* its programmer is free for another board */
    }
}

static void step_ended(void *context)
{
    struct run_board *board = context;
    enter(board, flash_step_end(board) == LOOK_DONE ? flash_machine_next(board) : FAILS);
}

static void begin_attempt(struct run_board *board)
{
    enter(board, flash_machine_first(board));
}

/* --- Which boards are at work. --- */

static void await_lock(uv_timer_t *timer)
{
    if (is_done(timer, flash_lock_look(timer->data)))
        begin_attempt(timer->data);
}

static void keeper_says(void *context, const char *line)
{
    if (flash_keeper_look(context, line) == LOOK_DONE)
        begin_attempt(context);
}

static void keeper_ended(void *context)
{
    if (flash_keeper_end(context) == LOOK_FAILED)
        fail(context);
}

/* Is its programmer at work? */
static bool works(const struct run_board *board)
{
    return board->phase != WAITS && board->phase != GREETS && board->phase != ENDED;
}

static bool has_room(const struct flash_run *run, const struct run_board *board)
{
    unsigned all = 0, here = 0;
    for (unsigned k = 0; k < run->count; k++) {
        const struct run_board *other = &run->boards[k];
        all += works(other);
        here += works(other) && flash_is_on_usb(other->board) && strcmp(other->board->host, board->board->host) == 0 &&
                strcmp(other->board->device.hub, board->board->device.hub) == 0;
    }
    return all < run->options->jobs && (here < run->options->per_hub || !flash_is_on_usb(board->board));
}

static void start_board(struct run_board *board)
{
    board->since = flash_now(board);
    board->result->started = true;
    board->result->attempts = 1;
    flash_machine_put(board, flash_is_ram(board->board) ? LOADS : READS_LABEL);
    board->deadline = flash_now(board) + FLASH_ABSENCE;
    if (flash_is_ram(board->board) && board->run->options->look) {
        board->hopeless = true;
        flash_fault(board, EXIT_TRANSPORT, "its programmer writes RAM, which cannot be read");
        fail(board);
    } else if (!*board->board->host || !flash_is_on_usb(board->board))
        uv_timer_start(&board->timer, await_lock, 0, FLASH_PLACE_TICK);
    else if (!flash_keeper_begin(board, keeper_says, keeper_ended))
        fail(board);
}

/* Starts the boards that there is room for; ends those that will not start. */
static void give_turns(struct flash_run *run)
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
    if (!all_ended || uv_is_closing((uv_handle_t *)&run->beat))
        return;
    uv_close((uv_handle_t *)&run->beat, NULL);
    for (int k = 0; k < FLASH_PROCESS_SIGNALS; k++)
        uv_close((uv_handle_t *)&run->signals[k], NULL);
}

/* A programmer is ended, and its board with it; a board that only waits ends at once. */
static void interrupt(uv_signal_t *handle, int number)
{
    struct flash_run *run = handle->data;
    (void)number;
    run->interrupted = true;
    for (unsigned k = 0; k < run->count; k++) {
        struct run_board *board = &run->boards[k];
        bool ends_itself = works(board) && board->process.running;
        flash_process_stop(&board->process);
        if (board->phase != WAITS && board->phase != ENDED && !ends_itself) {
            uv_timer_stop(&board->timer);
            flash_fault(board, EXIT_INTERRUPTED, "interrupted");
            fail(board);
        }
    }
    give_turns(run);
}

/* --- Before and after. --- */

/* Of the time in which this program is stopped, no more than a moment counts: whoever has to answer meanwhile has all
 * of its time left. */
static void take_beat(uv_timer_t *timer)
{
    struct flash_run *run = timer->data;
    run->passed = flash_passed(run);
    run->beat_at = uv_now(&run->loop);
}

static bool write_file(struct run_board *board, enum flash_part part, unsigned region, const uint8_t *bytes,
                       size_t size)
{
    char path[FLASH_PATH];
    enum programmer_action action = flash_is_ram(board->board) ? PROGRAMMER_LOAD : PROGRAMMER_WRITE;
    flash_file(board->board, board->run->options->folder, action, part, region, path);
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
    char path[FLASH_PATH];
    bool good = flash_is_ram(board->board) || write_file(board, PART_CLEARED, 0, board->number, sizeof board->number);
    for (unsigned k = 0; k < image->count && good; k++)
        good = write_file(board, PART_REGION, k, image->regions[k].bytes, image->regions[k].size);
    if (log && good) {
        snprintf(path, sizeof path, "%s/%s.log", log, board->board->name);
        board->log = output_file_log(path, true);
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
    flash_machine_put(board, ENDED);
    if (*result->reason)
        flash_tell(board, FLASH_ENDED, 0, "%s", result->reason);
    else
        snprintf(result->reason, sizeof result->reason, "not started: a file of another board cannot be written");
    if (board->log)
        fclose(board->log);
    uv_close((uv_handle_t *)&board->timer, NULL);
}

static void init_board(struct flash_run *run, unsigned index, const struct flash_board *board,
                       struct flash_result *result)
{
    struct run_board *made = &run->boards[index];
    *result = (struct flash_result){.ended = false};
    *made = (struct run_board){
        .run = run, .board = board, .result = result, .index = index, .device = board->device, .lock = -1};
    made->process = (struct flash_process){.context = made};
    made->keeper = (struct flash_process){.context = made};
    flash_machine_put(made, WAITS);
    flash_run_number(made->number);
    uv_timer_init(&run->loop, &made->timer);
    made->timer.data = made;
}

/* Of several boards: one that all failed boards share if none is well, EXIT_PARTIAL if some are. */
static enum exit_code exit_code_of(const struct flash_result *results, unsigned count)
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
    struct flash_run run = {.options = options, .count = count};
    bool good = true;
    run.boards = or_abort(calloc(count, sizeof *run.boards));
    if (uv_loop_init(&run.loop) != 0)
        abort();
    for (unsigned k = 0; k < count; k++)
        init_board(&run, k, &boards[k], &results[k]);
    for (unsigned k = 0; k < count; k++)
        good = prepare(&run.boards[k]) && good;
    flash_process_signals(&run.loop, run.signals, interrupt, &run);
    signal(SIGPIPE, SIG_IGN);
    uv_timer_init(&run.loop, &run.beat);
    run.beat.data = &run;
    run.beat_at = uv_now(&run.loop);
    uv_timer_start(&run.beat, take_beat, BEAT, BEAT);
    for (unsigned k = 0; k < count && !good; k++)
        leave_out(&run.boards[k]);
    give_turns(&run);
    uv_run(&run.loop, UV_RUN_DEFAULT);
    uv_loop_close(&run.loop);
    free(run.boards);
    return good ? exit_code_of(results, count) : EXIT_TRANSPORT;
}
