/* State of a run of `postroad flash`: what its parts share. Private to flash_*; lowest first:
 *
 *   flash_command    what a step of a programmer is about: its files and its command line
 *   flash_progress   what is told: words, shares, why an attempt has failed
 *   flash_step       a board's lock, its place, and a programmer at work on it
 *   flash_greeting   the node's answer
 *   flash_machine    the states of a board as a table
 *   flash_run        which boards are at work, attempts, before and after
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTBED_FLASH_STATE_H
#define POSTROAD_TESTBED_FLASH_STATE_H

#include <limits.h>
#include <stdio.h>
#include <uv.h>

#include "testbed/flash_process.h"
#include "testbed/flash_run.h"
#include "testbed/hello.h"

enum { FLASH_PATH = PATH_MAX, FLASH_FAULT = FLASH_REASON - 60, FLASH_PLACE_TICK = 200 /* milliseconds */ };

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
    ENDED,
    FAILS /* the attempt, in the state that the board has */
};

enum flash_part { PART_REGION, PART_LABEL, PART_CLEARED, PART_ALIAS };

struct run_board;

/* A state of a board: what its programmer does, with which part of the flash, and what follows when that is done. */
struct flash_state {
    const char *does; /* in words, */
    bool names_part;  /* with the name of the part behind them */
    enum programmer_action action;
    enum flash_part part;
    enum flash_phase (*next)(struct run_board *board);
    enum flash_phase then; /* where `next` is NULL */
};

struct run_board {
    struct flash_run *run;
    const struct flash_board *board;
    struct flash_result *result;
    unsigned index, region, clearing; /* clearing: which of the regions that are cleared */
    enum flash_phase phase;
    const struct flash_state *state; /* of this phase */
    struct usb_device device;        /* where it is now */
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
    struct {
        enum exit_code code;
        char text[FLASH_FAULT];
    } fault; /* why the attempt has failed */
    FILE *log;
    char file[FLASH_PATH];
};

struct flash_run {
    const struct flash_options *options;
    struct run_board *boards;
    unsigned count;
    uv_loop_t loop;
    uv_signal_t signals[FLASH_PROCESS_SIGNALS];
    uv_timer_t beat;          /* four times a second */
    uint64_t beat_at, passed; /* milliseconds: at the last beat, of the loop's clock and of flash_now() */
    bool interrupted, stopped;
};

/* What a board does, at a look. */
enum flash_look { LOOK_AGAIN, LOOK_DONE, LOOK_FAILED };

#endif
