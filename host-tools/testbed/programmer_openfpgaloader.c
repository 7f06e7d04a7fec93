/* openFPGALoader 0.10 and later. It prints to stdout; a bar is redrawn after a carriage return, and 0.10 does not end
 * its line before it is done. Faults come on stderr, often with exit code 0:
 *
 *   a verification that failed (iCE40), a flash that cannot be read (every board), a RAM load after which the FPGA does
 *   not start (ECP5: DONE stays low). With -v it prints the status register of the FPGA, which tells.
 *
 * It also prints FAIL, with exit code 1 after a write, if the FPGA does not start from the flash (Refresh). The line is
 * split over both streams: "Refresh: " and the status register on stdout, "FAIL" on stderr.
 *
 * What it prints was compared with the real 0.10 of Debian at an ECP5 that is imitated (tests/host-tools/test_xvc.sh).
 *
 * Numbers of --busdev-num are read as in C, where 010 is eight: they are given without zeroes in front. 0 would mean
 * the first board that is found.
 *
 * SPDX-License-Identifier: ISC
 */
#include "testbed/programmer.h"

#include <stdio.h>
#include <string.h>

static void add_server(const struct xvc_probe *xvc, struct programmer_command *out)
{
    programmer_add_words(out, "--cable xvc-client --ip");
    programmer_add(out, "%s", xvc->address);
    programmer_add(out, "--port");
    programmer_add(out, "%s", xvc->port);
}

static bool arguments(const struct programmer_job *job, struct programmer_command *out, char *error, size_t error_size)
{
    if (!job->xvc && (job->bus == 0 || job->device == 0)) {
        snprintf(error, error_size, "openFPGALoader cannot choose bus %u, device %u: with 0 it takes any board",
                 job->bus, job->device);
        return false;
    }
    programmer_add_words(out, job->conf->programmer_options);
    if (job->xvc)
        add_server(job->xvc, out);
    else {
        programmer_add(out, "--busdev-num");
        programmer_add(out, "%u:%u", job->bus, job->device);
    }
    if (job->action == PROGRAMMER_LOAD)
        programmer_add_words(out, "-m -v");
    else {
        programmer_add(out, job->action == PROGRAMMER_READ ? "--dump-flash" : "-f");
        programmer_add(out, "-o");
        programmer_add(out, "%u", (unsigned)job->offset);
    }
    if (job->action == PROGRAMMER_READ) {
        programmer_add(out, "--file-size");
        programmer_add(out, "%u", (unsigned)job->size);
    }
    programmer_add(out, "%s", job->file);
    return true;
}

static const char lost_server[] = "the connection to the JTAG server was lost";

static const struct programmer_fault faults[] = {
    {"Verification failed", EXIT_MISMATCH, NULL},
    {"unable to claim usb device", EXIT_TRANSPORT,
     "another program or driver (ftdi_sio) has the board (postroad doctor)"},
    {"device not found", EXIT_TRANSPORT, "the board is gone"},
    {"unable to open ftdi device", EXIT_TRANSPORT,
     "the board is gone, or another program or driver has it, or permission is missing (postroad doctor)"},
    {"more than one device", EXIT_TRANSPORT, "there are several probes of this kind, and it cannot choose among them"},
    {"mismatch between target's idcode", EXIT_MISMATCH, "the bitstream is for another FPGA than the board's"},
    {"Jedec ID          : ff", EXIT_TRANSPORT, PROGRAMMER_NO_FLASH},
    {"Jedec ID          : 00", EXIT_TRANSPORT, PROGRAMMER_NO_FLASH},
    {"block protection is set", EXIT_TRANSPORT, "the flash is locked: openFPGALoader --unprotect-flash"},
    {"cannot find board", EXIT_TRANSPORT, "this version does not have the board: a newer openFPGALoader is needed"},
    {"wait: Error", EXIT_TRANSPORT, "the flash stays busy"},
    {"Connection error", EXIT_TRANSPORT, "no JTAG server answers there"},
    {"Receive error", EXIT_TRANSPORT, lost_server},
    {"Send instruction failed", EXIT_TRANSPORT, lost_server},
    {"Send error", EXIT_TRANSPORT, lost_server},
    {"Send failed", EXIT_TRANSPORT, lost_server},
    {"shut down the connection", EXIT_TRANSPORT, lost_server},
    {"Failed to read flash", EXIT_TRANSPORT, NULL},
    {NULL, EXIT_OK, NULL},
};

/* Lines that report a failure of some step, whose reason is elsewhere, if anywhere. */
static void take_vague(struct programmer_reading *reading, const char *line)
{
    static const char *const words[] = {"FAIL", "Fail", "fail", "Error", "error"};
    for (size_t k = 0; k < sizeof words / sizeof *words && !*reading->vague; k++)
        if (strstr(line, words[k]))
            snprintf(reading->vague, sizeof reading->vague, "%s", line);
}

/* NAME: [=====     ] 12.34% */
static bool read_bar(struct programmer_reading *reading, const char *line)
{
    const char *name_end = strstr(line, ": ["), *end = strstr(line, "] ");
    float percent;
    if (!name_end || !end || end < name_end || sscanf(end, "] %f%%", &percent) != 1 || percent < 0 || percent > 100)
        return false;
    while (name_end > line && name_end[-1] == ' ')
        name_end--;
    snprintf(reading->phase, sizeof reading->phase, "%.*s", (int)(name_end - line), line);
    reading->percent = (int)percent;
    static const char *const work[] = {"Writing", "Read flash", "Loading"};
    reading->complete |= percent >= 100 && strcmp(reading->phase, work[reading->action]) == 0;
    return true;
}

/* The status register: lines behind tabs. It counts only once the configuration mode has been left. */
static void read_register(struct programmer_reading *reading, const char *line)
{
    static const struct programmer_fault flags[] = {
        {"Fail Flag", EXIT_MISMATCH, "the FPGA refused the bitstream (Fail Flag)"}, {NULL, EXIT_OK, NULL}};
    if (!reading->disabled)
        return;
    if (strstr(line, "Done Flag"))
        reading->configured = 1;
    else if (reading->configured == 1)
        programmer_take_fault(reading, flags, line);
    if (strstr(line, "Config Target") && reading->configured < 0)
        reading->configured = 0;
    reading->confirmed = reading->complete && reading->configured == 1;
}

/* 1.1 with -v prints all that its xvc-client receives, so that DONE comes some lines later. */
static const char left_configuration[] = "Disable configuration: ";

static void read_line(struct programmer_reading *reading, const char *line)
{
    if (*line == '\t')
        read_register(reading, line);
    else if (strncmp(line, left_configuration, strlen(left_configuration)) == 0)
        reading->disabled = true;
    else if (strcmp(line, "Done") == 0)
        reading->confirmed |= reading->complete && reading->action != PROGRAMMER_LOAD;
    else if (strcmp(line, "Refresh: displayReadReg") == 0) {
        reading->refreshed = true;
        reading->configured = 0;
    } else if (!read_bar(reading, line) && !programmer_take_fault(reading, faults, line))
        take_vague(reading, line);
}

const struct programmer programmer_openfpgaloader = {"openFPGALoader", arguments, read_line};
