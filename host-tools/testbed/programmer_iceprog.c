/* iceprog: flash of iCE40 boards behind an FT2232. It prints to stderr, lines end with a carriage return while it
 * works, and its exit codes are true: 1 file or usage, 2 hardware, 3 not verified. After every step the FPGA starts
 * anew.
 *
 * SPDX-License-Identifier: ISC
 */
#include "testbed/programmer.h"

#include <stdio.h>
#include <string.h>

/* Sectors of 4 KB: larger ones would take the neighbours of a region with them. libftdi 0.20, which Debian's iceprog
 * has, compares bus and device with the names below /dev/bus/usb, so they have three digits; libftdi 1 reads numbers.
 */
static bool arguments(const struct programmer_job *job, struct programmer_command *out, char *error, size_t error_size)
{
    (void)error, (void)error_size;
    programmer_add(out, "-d");
    programmer_add(out, "d:%03u/%03u", job->bus, job->device);
    programmer_add_words(out, job->conf->programmer_options);
    programmer_add(out, "-o");
    programmer_add(out, "%u", (unsigned)job->offset);
    programmer_add(out, job->action == PROGRAMMER_READ ? "-R" : "-i");
    programmer_add(out, "%u", job->action == PROGRAMMER_READ ? (unsigned)job->size : 4);
    programmer_add(out, "%s", job->file);
    return true;
}

static const struct programmer_fault faults[] = {
    {"Found difference between flash and file", EXIT_MISMATCH, "the flash differs from what was written"},
    {"Can't find iCE FTDI USB device", EXIT_TRANSPORT,
     "the board is gone, or another program or driver has it, or permission is missing (postroad doctor)"},
    {"Read error", EXIT_TRANSPORT, "the USB connection was lost"},
    {"Write error", EXIT_TRANSPORT, "the USB connection was lost"},
    {"flash ID: 0xFF 0xFF 0xFF", EXIT_TRANSPORT, PROGRAMMER_NO_FLASH},
    {"flash ID: 0x00 0x00 0x00", EXIT_TRANSPORT, PROGRAMMER_NO_FLASH},
    {"can't open", EXIT_TRANSPORT, NULL},
    {"Failed to", EXIT_TRANSPORT, NULL},
    {NULL, EXIT_OK, NULL},
};

static void read_line(struct programmer_reading *reading, const char *line)
{
    unsigned address;
    int percent;
    char state[8];
    if (sscanf(line, "addr 0x%x %d%%", &address, &percent) == 2 && percent >= 0 && percent <= 100)
        reading->percent = percent;
    else if (strcmp(line, "programming..") == 0 || strcmp(line, "reading..") == 0) {
        snprintf(reading->phase, sizeof reading->phase, "%.*s", (int)strcspn(line, "."), line);
        reading->percent = 0;
    } else if (strcmp(line, "VERIFY OK") == 0)
        reading->confirmed |= reading->action == PROGRAMMER_WRITE;
    else if (strcmp(line, "done.") == 0)
        reading->confirmed |= reading->action == PROGRAMMER_READ;
    else if (sscanf(line, "cdone: %7s", state) == 1)
        reading->configured = strcmp(state, "high") == 0;
    else
        programmer_take_fault(reading, faults, line);
}

const struct programmer programmer_iceprog = {"iceprog", arguments, read_line};
