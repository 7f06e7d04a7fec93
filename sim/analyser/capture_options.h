/* What the option --capture and the commands of simulated boards say: FILE[,rate=24m][,ppm=37][,jitter=100p].
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_ANALYSER_CAPTURE_OPTIONS_H
#define POSTROAD_ANALYSER_CAPTURE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CAPTURE_PATH = 1024, CAPTURE_SITES = 256 };

/* For messages and help. */
#define CAPTURE_OPTIONS_FORM "FILE.sr or FILE.vcd[,rate=24m][,ppm=37][,jitter=100p]"

struct capture_options {
    char path[CAPTURE_PATH];
    uint64_t rate_hz;          /* 0: not given */
    double ppm, jitter_ps;     /* 0: not given */
    char sites[CAPTURE_SITES]; /* of a simulated mesh, "0-3+8+9.east"; "": not given */
};

/* What is captured: only a mesh has `sites`. */
enum capture_of { CAPTURE_OF_BOARDS, CAPTURE_OF_MESH };

/* 0, or -1 with "TEXT: reason, expected ...". */
int capture_options_parse(const char *text, enum capture_of of, struct capture_options *out, char *error,
                          size_t error_size);

#endif
