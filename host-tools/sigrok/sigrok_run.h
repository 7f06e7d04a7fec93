/* Runs sigrok-cli, and says in one sentence why it has failed. It ends with 0 after many errors, so that what it was to
 * make has to be looked at all the same.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_SIGROK_SIGROK_RUN_H
#define POSTROAD_SIGROK_SIGROK_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/exit_code.h"
#include "testbed/flash_process.h"

enum { SIGROK_REASON = FLASH_PROCESS_LINE + 128, SIGROK_ARGUMENTS = 24 };

extern const char sigrok_program[];

struct sigrok_run {
    char *argv[SIGROK_ARGUMENTS]; /* [0] is sigrok_program, NULL behind the last */
    double limit;                 /* seconds without a sign of life: then it is ended */

    /* Either may be NULL. */
    void (*line)(void *context, const char *line); /* of its output */
    bool (*tick)(void *context, double elapsed);   /* several times a second; true: a sign of life */
    void *context;

    char said[FLASH_PROCESS_LINE]; /* the last line of its output that is not empty */
};

/* Runs it to its end; Ctrl-C ends it. SIGINT and SIGTERM are blocked behind it. EXIT_OK if it has ended with 0; else
 * `reason` has SIGROK_REASON characters. */
enum exit_code sigrok_run(struct sigrok_run *run, char *reason);

#endif
