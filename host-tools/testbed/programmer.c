/* See programmer.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "testbed/programmer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct programmer *const programmers[] = {&programmer_iceprog, &programmer_openfpgaloader,
                                                       &programmer_dfu_util};

const struct programmer *programmer_find(const char *name)
{
    for (size_t k = 0; k < sizeof programmers / sizeof *programmers; k++)
        if (strcmp(programmers[k]->name, name) == 0)
            return programmers[k];
    return NULL;
}

bool programmer_command(const struct programmer_job *job, struct programmer_command *out, char *error,
                        size_t error_size)
{
    const struct programmer *programmer = programmer_find(job->conf->programmer);
    *out = (struct programmer_command){.count = 0};
    programmer_add(out, "%s", programmer->name);
    return programmer->arguments(job, out, error, error_size);
}

void programmer_read(const struct programmer *programmer, struct programmer_reading *reading, const char *line)
{
    int percent = reading->percent;
    char phase[sizeof reading->phase];
    memcpy(phase, reading->phase, sizeof phase);
    programmer->read(reading, line);
    if (percent != reading->percent || memcmp(phase, reading->phase, sizeof phase) != 0)
        reading->signs++;
}

enum exit_code programmer_verdict(const struct programmer *programmer, const struct programmer_reading *reading,
                                  int64_t status, int signal, char *reason, size_t reason_size)
{
    bool vague = *reading->vague && !reading->failure;
    bool only_start = reading->refreshed && reading->confirmed && !reading->failure && !signal;
    if (only_start)
        return EXIT_OK;
    if (signal && !reading->failure) {
        snprintf(reason, reason_size, "%s was ended by signal %d (%s)", programmer->name, signal, strsignal(signal));
        return EXIT_TRANSPORT;
    }
    if (reading->failure || vague) {
        snprintf(reason, reason_size, "%s%s: %s", programmer->name,
                 status || signal ? "" : " ended with 0, but printed", vague ? reading->vague : reading->fault);
        return vague ? EXIT_TRANSPORT : reading->failure;
    }
    if (status != 0) {
        snprintf(reason, reason_size, "%s ended with %lld and gave no reason", programmer->name, (long long)status);
        return EXIT_TRANSPORT;
    }
    if (reading->action == PROGRAMMER_LOAD && reading->configured == 0) {
        snprintf(reason, reason_size, "%s ended with 0, but the FPGA has not started: DONE is low", programmer->name);
        return EXIT_MISMATCH;
    }
    if (!reading->confirmed) {
        snprintf(reason, reason_size, "%s ended with 0, but did not report success", programmer->name);
        return EXIT_TRANSPORT;
    }
    return EXIT_OK;
}
