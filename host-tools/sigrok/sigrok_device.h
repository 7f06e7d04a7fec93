/* What a logic analyser can do, as `sigrok-cli --driver DRIVER --show` prints it.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_SIGROK_SIGROK_DEVICE_H
#define POSTROAD_SIGROK_SIGROK_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "sigrok/sigrok_run.h"

enum { SIGROK_RATES = 128, SIGROK_TEXT = FLASH_PROCESS_LINE, SIGROK_TRIGGERS = 16 };

struct sigrok_device {
    char driver[SIGROK_TEXT];       /* to look for; set by the caller */
    char name[SIGROK_TEXT];         /* "Saleae Logic"; "": there is none */
    char channels[SIGROK_TEXT];     /* " D0 D1 ", blanks around each */
    char triggers[SIGROK_TRIGGERS]; /* characters that sigrok-cli takes: "01rfe"; "": none */
    char problem[SIGROK_TEXT];      /* the first error of the library, else the last line that reports no property */
    bool logged;                    /* it is of the library */
    double rates[SIGROK_RATES];     /* samples per second */
    double lowest, highest, step;   /* instead of a list; highest 0: there is neither */
    uint64_t samples_max;           /* that it holds; 0: not said */
    unsigned rate_count;
    bool listing; /* the next lines may be rates */
};

/* Takes a line of the output, without its end. */
void sigrok_device_line(struct sigrok_device *device, const char *line);

/* The device of the driver, which the caller has set. EXIT_OK, or a reason of SIGROK_REASON characters. */
enum exit_code sigrok_device_find(struct sigrok_device *device, char *reason);

/* True if it samples at this rate, or does not say at which. */
bool sigrok_device_samples_at(const struct sigrok_device *device, uint64_t rate);
bool sigrok_device_has_channel(const struct sigrok_device *device, const char *name);

#endif
