/* A capture by sigrok-cli: into a folder of its own beside the file, looked at, and moved into its place.
 *
 *   FILE.XXXXXX/capture.sr --- read as a whole: rate, channels, samples ---> FILE
 *
 * Whatever fails, the folder goes, and FILE stays as it was.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_SIGROK_SIGROK_CAPTURE_H
#define POSTROAD_SIGROK_SIGROK_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "board/testbed.h"
#include "sigrok/sigrok_run.h"

struct sigrok_capture {
    const struct testbed *testbed; /* driver, rate and channels of its [analyser] */
    const char *file;
    const char *trigger; /* D0=r,D1=1 as sigrok-cli takes it; NULL: begin at once */
    uint64_t samples;
    double limit;                                /* seconds in which nothing comes: then it has failed */
    void (*tick)(void *context, double elapsed); /* several times a second */
    void *context;

    /* What came. */
    uint64_t came;
    uint64_t edges[TESTBED_CHANNELS]; /* of the testbed's channels */
};

/* EXIT_OK, and the file is there; else a reason of SIGROK_REASON characters. Signals: as sigrok_run. */
enum exit_code sigrok_capture(struct sigrok_capture *capture, char *reason);

/* False with a reason: nothing can be written there, or it is no file that may be replaced. */
bool sigrok_capture_may_write(const char *file, char *reason);

#endif
