/* What the parts of a run of `postroad flash` share. Lowest first; a part calls those above it in this list only:
 *
 *   flash_command    the command line of a step, and its files
 *   flash_progress   what is reported
 *   flash_verdict    the end of a step, an attempt, a board: what was read is compared, failures are tried again
 *   flash_step       one step of a programmer, where the board is now
 *   flash_greeting   the node's answer
 *   flash_sequence   from one step to the next
 *   flash_turns      which boards are at work
 *   flash_run        before and after
 *
 * A part that has to set one of a higher floor going does so through `struct flash_moves`.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTBED_FLASH_RUN_PRIVATE_H
#define POSTROAD_TESTBED_FLASH_RUN_PRIVATE_H

#include <limits.h>
#include <stdio.h>
#include <uv.h>

#include "testbed/flash_process.h"
#include "testbed/flash_run.h"
#include "testbed/hello.h"

enum { FLASH_PATH = PATH_MAX, FLASH_PLACE_TICK = 200 /* milliseconds */ };

/* Seconds until a board that is not on USB is given up: it may be coming back after a reset. The same for a lock. */
#define FLASH_ABSENCE 5.0

enum flash_phase {
    WAITS,
    READS_LABEL,
    VERIFIES,
    CLEARS,
    CHECKS_CLEAR,
    READS_ALIAS,
    LOOKS,
    READS_NUMBER,
    WRITES,
    CHECKS,
    LOADS,
    GREETS,
    ENDED
};

struct flash_run;

struct run_board {
    struct flash_run *run;
    const struct flash_board *board;
    struct flash_result *result;
    unsigned index, region, clearing; /* clearing: which of the regions that are cleared */
    enum flash_phase phase;
    struct usb_device device; /* where it is now */
    struct flash_process process;
    struct programmer_reading reading;
    struct hello hello;
    uv_timer_t timer;               /* for a board to come back, a pause, and the console */
    double since, deadline, looked; /* looked: when it was sought on USB for its console */
    bool cleared;                   /* its label was cleared in this run */
    int lock, percent_shown;        /* lock: a descriptor, -1: none; of a board at another host, the keeper's input */
    struct flash_process keeper;    /* of the lock at another host */
    bool kept;
    uint8_t number[FLASH_LABEL_BYTES]; /* of this run, in the label's place */
    long differs_at;                   /* where a region has other bytes than were written; -1: nowhere */
    unsigned disputes;                 /* how often another run was found at work */
    bool hopeless;                     /* it is not tried again */
    FILE *log;
    char file[FLASH_PATH];
};

struct flash_moves {
    void (*step_done)(struct run_board *board);
    void (*begin_attempt)(struct run_board *board);
    void (*give_turns)(struct flash_run *run);
};

struct flash_run {
    const struct flash_options *options;
    struct flash_moves moves;
    struct run_board *boards;
    unsigned count;
    uv_loop_t loop;
    uv_signal_t signals[FLASH_PROCESS_SIGNALS];
    uv_timer_t beat;          /* four times a second */
    uint64_t beat_at, passed; /* milliseconds: at the last beat, of the loop's clock and of flash_now() */
    bool interrupted, stopped;
};

/* ---- flash_command.c ---- */

enum programmer_action flash_action(enum flash_phase phase);
bool flash_is_ram(const struct flash_board *board);

/* Where a flash that is too small has the label's place, too. */
extern const struct board_region flash_alias;

/* Is the number of the run looked for before this region of the image is written? */
bool flash_needs_number(const struct flash_board *board, unsigned region);

/* The file of a region, or of a step that reads, of FLASH_PATH characters. */
void flash_file(const struct flash_board *board, const char *folder, enum flash_phase phase, unsigned region,
                char *out);

/* For a board at another host `local` has the file that is sent or fetched. False with a reason. */
bool flash_command(const struct flash_board *board, const struct usb_device *device, enum flash_phase phase,
                   const struct board_region *region, const char *local, struct programmer_command *out, char *error,
                   size_t error_size);

/* ---- flash_progress.c ---- */

/* Seconds of a clock that stands still while this program is stopped. */
double flash_now(const struct run_board *board);
uint64_t flash_passed(const struct flash_run *run); /* the same in milliseconds */

const struct programmer *flash_programmer(const struct run_board *board);

/* The label's region, and that which the present phase is about. */
const struct board_region *flash_label_region(const struct run_board *board);
const struct board_region *flash_region(const struct run_board *board);

void flash_tell(struct run_board *board, enum flash_event_kind kind, int percent, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The share of the board's bytes that lies behind it, with `percent` of the present step. */
int flash_percent(const struct run_board *board, int percent);

/* What the present phase does, in words. Returns `out`. */
const char *flash_step_text(const struct run_board *board, char *out, size_t size);

/* ---- flash_verdict.c ---- */

void flash_end_board(struct run_board *board, enum exit_code code);

/* The attempt has failed: the board is tried again, or ends. */
void flash_fail(struct run_board *board, enum exit_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Compares the file that was read with the bytes of the present region. False: the board has failed. */
bool flash_compare(struct run_board *board, const uint8_t *bytes, bool *differs);

/* A region has other bytes than were written: the attempt has failed. */
void flash_differs(struct run_board *board);

/* The first bytes of the file that was read; returns how many. */
size_t flash_read_bytes(const struct run_board *board, uint8_t out[FLASH_LABEL_BYTES]);

/* ---- flash_step.c ---- */

/* Where the board is now: its port stays, its numbers change whenever it is reset. False: it is not there. */
bool flash_look_up(struct run_board *board);

bool flash_is_on_usb(const struct run_board *board);

/* Takes the lock of the node that it has now; false: another run has it, or it cannot be had. */
bool flash_take_lock(struct run_board *board);
void flash_fail_for_lock(struct run_board *board);

/* Looks the board up, and runs the programmer of the present phase. */
void flash_begin_step(struct run_board *board);

/* ---- flash_greeting.c ---- */

void flash_begin_greeting(struct run_board *board);

/* ---- flash_sequence.c ---- */

/* The first step of a first or further attempt. */
void flash_begin_attempt(struct run_board *board);

/* The present step has ended well: the next one begins. */
void flash_step_done(struct run_board *board);

/* ---- flash_turns.c ---- */

/* Is its programmer at work? */
bool flash_works(const struct run_board *board);

/* Starts the boards that there is room for; ends those that will not start. */
void flash_give_turns(struct flash_run *run);

#endif
