/* dfu-util 0.11. It prints to stdout, a bar that is redrawn after a carriage return; faults on stderr. DFU has no
 * addresses, and an upload ends where the device says: a board has the bitstream alone, which is not read back. No
 * board of boards/ is programmed so yet.
 *
 * SPDX-License-Identifier: ISC
 */
#include "testbed/programmer.h"

#include <stdio.h>
#include <string.h>

static bool arguments(const struct programmer_job *job, struct programmer_command *out, char *error, size_t error_size)
{
    (void)error, (void)error_size;
    programmer_add(out, "-d");
    programmer_add(out, "%s", job->conf->usb);
    programmer_add(out, "-p");
    programmer_add(out, "%s", job->path);
    programmer_add_words(out, job->conf->programmer_options);
    programmer_add(out, "-D");
    programmer_add(out, "%s", job->file);
    return true;
}

static const struct programmer_fault faults[] = {
    {"No DFU capable USB device", EXIT_TRANSPORT, "the board is gone, or is not in its DFU mode (its button)"},
    {"More than one DFU capable USB device", EXIT_TRANSPORT, NULL},
    {"Cannot open DFU device", EXIT_TRANSPORT, "permission is missing, or another program has the board"},
    {"Cannot claim interface", EXIT_TRANSPORT, "another program has the board"},
    {"LIBUSB_ERROR_NO_DEVICE", EXIT_TRANSPORT, "the USB connection was lost"},
    {"Lost device", EXIT_TRANSPORT, "the USB connection was lost"},
    {"dfuERROR", EXIT_TRANSPORT, NULL},
    {"rror", EXIT_TRANSPORT, NULL},
    {"failed", EXIT_TRANSPORT, NULL},
    {NULL, EXIT_OK, NULL},
};

/* Before it downloads: as an earlier run left the board, which is cleared. */
static bool is_left_over(const struct programmer_reading *reading, const char *line)
{
    return !*reading->phase && strncmp(line, "DFU state(", 10) == 0;
}

static void read_line(struct programmer_reading *reading, const char *line)
{
    const char *end = strstr(line, "] ");
    int percent;
    if (strncmp(line, "Download\t[", 10) == 0 && end && sscanf(end, "] %d%%", &percent) == 1 && percent >= 0 &&
        percent <= 100) {
        snprintf(reading->phase, sizeof reading->phase, "Download");
        reading->percent = percent;
        reading->complete |= percent == 100;
    } else if (strcmp(line, "Download done.") == 0)
        reading->confirmed |= reading->complete;
    else if (!is_left_over(reading, line) && !strstr(line, "No error condition is present"))
        programmer_take_fault(reading, faults, line);
}

const struct programmer programmer_dfu_util = {"dfu-util", arguments, read_line};
