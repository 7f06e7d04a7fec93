/* Programs that write boards: the command line of a step, and what its output means.
 *
 * Each program writes or reads a part of a board's flash, or loads RAM. An exit code alone proves nothing:
 * openFPGALoader ends with 0 when a verification has failed and when an FPGA does not start. A step is well only if the
 * program has ended with 0, has printed what it prints at success alone, and has printed no fault. With one exception:
 * openFPGALoader takes it for a failure that an FPGA does not start from a flash that was read or written well. That is
 * so with each flash that has no bitstream yet, or half of one.
 *
 * Sources: iceprog.c of icestorm; src/ of openFPGALoader 0.10 and 1.1; dfu-util 0.11.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTBED_PROGRAMMER_H
#define POSTROAD_TESTBED_PROGRAMMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "board/board_conf.h"
#include "cli/exit_code.h"
#include "testbed/xvc_probe.h"

enum { PROGRAMMER_ARGUMENTS = 32, PROGRAMMER_TEXT = 2048, PROGRAMMER_FAULT = 200 };

enum programmer_action { PROGRAMMER_WRITE, PROGRAMMER_READ, PROGRAMMER_LOAD /* RAM */ };

struct programmer_job {
    enum programmer_action action;
    const struct board_conf *conf;
    const char *file; /* to write, or that a read makes */
    uint32_t offset;
    size_t size;
    unsigned bus, device;        /* numbers on USB, now */
    const char *path;            /* port on USB */
    const struct xvc_probe *xvc; /* a JTAG server instead; NULL: none */
};

struct programmer_command {
    char *argv[PROGRAMMER_ARGUMENTS + 1];
    unsigned count;
    char text[PROGRAMMER_TEXT]; /* of the arguments */
    size_t used;
};

/* What a program has printed so far. */
struct programmer_reading {
    enum programmer_action action;
    char phase[32];         /* what it does now, in its own word */
    int percent;            /* of that; -1: not known */
    unsigned signs;         /* counts lines that show that it is alive */
    bool complete;          /* what it had to do has reached 100 % */
    bool confirmed;         /* it has printed what it prints at success alone */
    bool disabled;          /* openFPGALoader: the configuration mode has been left */
    bool refreshed;         /* openFPGALoader: the FPGA was to start from the flash, and did not */
    int configured;         /* the FPGA's DONE pin or flag, as printed last; -1: not printed */
    enum exit_code failure; /* by its text; EXIT_OK: none */
    char fault[PROGRAMMER_FAULT];
    char vague[PROGRAMMER_FAULT]; /* a line that reports a failure, and not which; "": none */
};

struct programmer {
    const char *name;
    /* False with a reason: this program cannot do that. */
    bool (*arguments)(const struct programmer_job *job, struct programmer_command *out, char *error, size_t error_size);
    void (*read)(struct programmer_reading *reading, const char *line);
};

extern const struct programmer programmer_iceprog, programmer_openfpgaloader, programmer_dfu_util;

/* NULL: there is none of this name. */
const struct programmer *programmer_find(const char *name);

/* Makes the command line of a job. False with a reason. */
bool programmer_command(const struct programmer_job *job, struct programmer_command *out, char *error,
                        size_t error_size);

/* Adds an argument, or each word of a text. Both end the program if there is no room: the texts are limited. */
void programmer_add(struct programmer_command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
void programmer_add_words(struct programmer_command *command, const char *words);

/* A line of the output, without its end, from either stream. */
void programmer_read(const struct programmer *programmer, struct programmer_reading *reading, const char *line);

/* What a fault means whose text is an id of ones or zeroes. */
#define PROGRAMMER_NO_FLASH "the flash chip does not answer: its id is all ones or zeroes"

/* A text that a program prints when something is wrong. */
struct programmer_fault {
    const char *text;
    enum exit_code failure;
    const char *meaning; /* NULL: the line itself */
};

/* Looks for the first of the texts in a line; the table ends with NULL. Only the first fault of a run counts. */
bool programmer_take_fault(struct programmer_reading *reading, const struct programmer_fault *faults, const char *line);

/* The verdict on a program that has ended. `status`: its exit code; `signal`: that ended it, or 0. Writes a reason
 * unless EXIT_OK. */
enum exit_code programmer_verdict(const struct programmer *programmer, const struct programmer_reading *reading,
                                  int64_t status, int signal, char *reason, size_t reason_size);

#endif
