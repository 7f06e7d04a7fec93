/* A testbed file: boards, what they are flashed with, and the cables between them. README.md has the keys.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_MODEL_TESTBED_H
#define POSTROAD_MODEL_TESTBED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TESTBED_BOARDS = 256, TESTBED_CABLES = 1024, TESTBED_LINKS = 4, TESTBED_NAME = 32, TESTBED_PATH = 1024 };

struct testbed_board {
    char name[TESTBED_NAME], board[TESTBED_NAME];      /* `board`: a folder of boards/ */
    char bitstream[TESTBED_PATH], flash[TESTBED_PATH]; /* files; flash may be "" */
    uint32_t flash_offset;
    double clock_hz, ppm, jitter_ps;
};

struct testbed_end {
    unsigned board, link;
};

struct testbed_cable {
    struct testbed_end ends[2];
    double delay_ns, skew_ns, errors; /* the way back takes `skew` longer; `errors`: share of bits that are inverted */
};

struct testbed {
    double baud, boot_ms, bit_ns;
    unsigned board_count, cable_count;
    struct testbed_board *boards;
    struct testbed_cable *cables;
};

/* 0, or -1 with "FILE:LINE: reason, expected ...". */
int testbed_load(const char *path, struct testbed *out, char *error, size_t error_size);
void testbed_free(struct testbed *testbed);

/* "a.east": a board and one of its links. False: there is none of this name. */
bool testbed_end(const struct testbed *testbed, const char *text, struct testbed_end *out);

const char *testbed_link_name(unsigned link);

#endif
