/* dfu-util 0.11. It prints to stdout, a bar that is redrawn after a carriage return; faults on stderr. DFU has no
 * addresses: a board has the bitstream alone. No board of boards/ is programmed so yet.
 *
 * SPDX-License-Identifier: ISC
 */
#include "testbed/programmer.h"

#include <stdio.h>
#include <string.h>

static bool arguments(const struct programmer_job *job, struct programmer_command *out, char *error, size_t error_size)
{
    if (job->offset != 0) {
        snprintf(error, error_size, "dfu-util writes no addresses, expected a region at 0, not at %#x",
                 (unsigned)job->offset);
        return false;
    }
    programmer_add(out, "-d");
    programmer_add(out, "%s", job->conf->usb);
    programmer_add(out, "-p");
    programmer_add(out, "%s", job->path);
    programmer_add_words(out, job->conf->programmer_options);
    if (job->action == PROGRAMMER_READ) {
        programmer_add(out, "-Z");
        programmer_add(out, "%zu", job->size);
    }
    programmer_add(out, job->action == PROGRAMMER_READ ? "-U" : "-D");
    programmer_add(out, "%s", job->file);
    return true;
}

static const struct programmer_fault faults[] = {
    {"No DFU capable USB device", EXIT_TRANSPORT, "the board is gone, or is not in its DFU mode (its button)"},
    {"More than one DFU capable USB device", EXIT_TRANSPORT, NULL},
    {"Cannot open DFU device", EXIT_TRANSPORT, "permission is missing, or another program has the board"},
    {"Lost device", EXIT_TRANSPORT, "the USB connection was lost"},
    {"rror", EXIT_TRANSPORT, NULL},
    {"failed", EXIT_TRANSPORT, NULL},
    {NULL, EXIT_OK, NULL},
};

static void read_line(struct programmer_reading *reading, const char *line)
{
    const char *end = strstr(line, "] ");
    int percent;
    if ((strncmp(line, "Download\t[", 10) == 0 || strncmp(line, "Upload\t[", 8) == 0) && end &&
        sscanf(end, "] %d%%", &percent) == 1 && percent >= 0 && percent <= 100) {
        snprintf(reading->phase, sizeof reading->phase, "%.*s", (int)strcspn(line, "\t"), line);
        reading->percent = percent;
        reading->complete |= percent == 100;
    } else if (strcmp(line, reading->action == PROGRAMMER_READ ? "Upload done." : "Download done.") == 0)
        reading->confirmed |= reading->complete;
    else if (!strstr(line, "No error condition is present"))
        programmer_take_fault(reading, faults, line);
}

const struct programmer programmer_dfu_util = {"dfu-util", arguments, read_line};
