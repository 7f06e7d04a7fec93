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

#include "support/output_file.h"
#include "testbed/flash_run_private.h"

enum { BEAT = 250 /* milliseconds */ };

/* A programmer is ended, and its board with it; a board that only waits ends at once. */
static void interrupt(uv_signal_t *handle, int number)
{
    struct flash_run *run = handle->data;
    (void)number;
    run->interrupted = true;
    for (unsigned k = 0; k < run->count; k++) {
        struct run_board *board = &run->boards[k];
        bool ends_itself = flash_works(board) && board->process.running;
        flash_process_stop(&board->process);
        if (board->phase != WAITS && board->phase != ENDED && !ends_itself) {
            uv_timer_stop(&board->timer);
            flash_fail(board, EXIT_INTERRUPTED, "interrupted");
        }
    }
    flash_give_turns(run);
}

/* Of the time in which this program is stopped, no more than a moment counts: whoever has to answer meanwhile has all
 * of its time left. */
static void take_beat(uv_timer_t *timer)
{
    struct flash_run *run = timer->data;
    run->passed = flash_passed(run);
    run->beat_at = uv_now(&run->loop);
}

static bool write_file(struct run_board *board, enum flash_phase phase, unsigned region, const uint8_t *bytes,
                       size_t size)
{
    char path[FLASH_PATH];
    flash_file(board->board, board->run->options->folder, phase, region, path);
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
    bool good = flash_is_ram(board->board) || write_file(board, CLEARS, 0, board->number, sizeof board->number);
    for (unsigned k = 0; k < image->count && good; k++)
        good = write_file(board, flash_is_ram(board->board) ? LOADS : WRITES, k, image->regions[k].bytes,
                          image->regions[k].size);
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
    board->phase = ENDED;
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
    flash_run_number(made->number);
    uv_timer_init(&run->loop, &made->timer);
    made->timer.data = made;
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
    struct flash_run run = {
        .options = options, .moves = {flash_step_done, flash_begin_attempt, flash_give_turns}, .count = count};
    bool good = true;
    run.boards = calloc(count, sizeof *run.boards);
    if (!run.boards || uv_loop_init(&run.loop) != 0)
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
    flash_give_turns(&run);
    uv_run(&run.loop, UV_RUN_DEFAULT);
    uv_loop_close(&run.loop);
    free(run.boards);
    return good ? flash_exit_code(results, count) : EXIT_TRANSPORT;
}
