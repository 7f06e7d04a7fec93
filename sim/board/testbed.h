/* A testbed file: which board is which site of a mesh, how each is found on USB, and the cables between them. Real and
 * simulated boards have the same format; boards/testbeds/README.md has the keys.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BOARD_TESTBED_H
#define POSTROAD_BOARD_TESTBED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mesh/mesh.h"

enum { TESTBED_BOARDS = 256, TESTBED_CABLES = 1024, TESTBED_NAME = 32, TESTBED_PATH = 1024, TESTBED_USB = 64 };

/* Connectors of a board: east, west, north, south; a board of two by two sites has east2, ... behind them. */
enum { TESTBED_LINKS = 8, TESTBED_BOARD_SITES = 4, TESTBED_HOST = 128 };

/* A logic analyser's channels, and probe pins of a board. A strobe of the port TESTBED_LOCAL is about words that are
 * handed to the operator (of a board's first site). */
enum { TESTBED_CHANNELS = 32, TESTBED_PROBES = 8, TESTBED_LOCAL = TESTBED_LINKS };

struct testbed_board {
    char name[TESTBED_NAME], type[TESTBED_NAME];       /* type: a folder of boards/ */
    char serial[TESTBED_USB], path[TESTBED_USB];       /* on USB: the board's own, and its port, "1-2.3"; "": any */
    char host[TESTBED_HOST];                           /* [USER@]HOST that it is plugged in at; "": this one */
    char probe[TESTBED_HOST], console[TESTBED_PATH];   /* xvc:HOST:PORT and an endpoint, of a board not on USB; "" */
    char bitstream[TESTBED_PATH], flash[TESTBED_PATH]; /* files; flash may be "" */
    char golden[TESTBED_PATH];                         /* file of its golden image; "": its flash has none */
    uint32_t flash_offset;
    double baud;                     /* of its console; 0 in the file: that of its type */
    double clock_hz, ppm, jitter_ps; /* of its oscillator; clock_hz 0 in the file: that of its type */

    /* Only of a testbed with a mesh; a board's first site is that in the south-west. */
    unsigned site_count, sites[TESTBED_BOARD_SITES];

    unsigned side;       /* sites of the FPGA, each way: 1 or 2 */
    unsigned link_hz;    /* clock of its links ... */
    unsigned link_ratio; /* ... which is so many times that of its sites */
    bool eager_links;    /* else the shared engine */
    int first_site;      /* as the file has it; -1: it has none */
    int line, site_line; /* of its section, and of the key `site` */
};

struct testbed_end {
    unsigned board, link; /* link: of TESTBED_LINKS */
};

struct testbed_cable {
    struct testbed_end ends[2];
    double delay_ns, skew_ns, errors; /* the way back takes `skew` longer; `errors`: share of bits that are inverted */
    int line;                         /* 0: the file has no section [cables] */
};

/* What is seen: the levels of a line, or a strobe, which changes its level at each event. */
enum testbed_strobe { TESTBED_LINE = -1, STROBE_HEAD, STROBE_TERMINATOR, STROBE_STALL };

struct testbed_channel {
    char name[TESTBED_NAME]; /* the analyser's: D0 */
    unsigned board, link; /* TESTBED_LINE: what the board drives at this connector. Strobe: the port, of TESTBED_LINKS
                             or TESTBED_LOCAL */
    int probe;            /* number of the probe pin that shows the strobe; TESTBED_LINE: -1 */
    enum testbed_strobe strobe;
    int line; /* of the file */
};

struct testbed {
    char path[TESTBED_PATH], firmware[TESTBED_PATH]; /* files */
    char key[TESTBED_PATH];                          /* public key: its boards are locked; "": they are not */
    uint32_t oldest;                                 /* earliest version that locked boards accept */
    bool has_mesh;                                   /* else boards and cables are as listed, and have no sites */
    struct mesh_config mesh;
    double boot_ms, bit_ns;
    unsigned board_count, cable_count;
    struct testbed_board *boards;
    struct testbed_cable *cables;
    int cables_line; /* of the section, 0: there is none */

    char analyser_driver[TESTBED_HOST]; /* as sigrok-cli takes it; "": not given */
    uint64_t analyser_rate;             /* samples per second; 0: not given */
    unsigned channel_count;
    struct testbed_channel channels[TESTBED_CHANNELS];
};

/* Reads the file, the .mesh file that it names and the board.conf of each type, and checks them against each other.
 * Names of files in `out` are relative to the working folder. 0, or -1 with "FILE:LINE: reason, expected ...". */
int testbed_load(const char *path, struct testbed *out, char *error, size_t error_size);

/* The same for text in memory (not necessarily zero-terminated); files are sought beside `path`. */
int testbed_parse(const char *path, const char *text, size_t length, struct testbed *out, char *error,
                  size_t error_size);
void testbed_free(struct testbed *testbed);

/* The mesh of the testbed as simulated sites have it: links of the kind and the clock that the boards have. 0, or -1
 * with "FILE: reason, expected ..." if no such mesh is simulated. */
int testbed_simulated_mesh(const struct testbed *testbed, struct mesh_config *out, char *error, size_t error_size);

/* The number of the board of this name, -1: there is none. */
int testbed_board(const struct testbed *testbed, const char *name);

/* "a.east": a board and one of its links. False: there is none of this name. */
bool testbed_end(const struct testbed *testbed, const char *text, struct testbed_end *out);

/* east, ...; TESTBED_LOCAL: local. */
const char *testbed_link_name(unsigned link);

/* head, terminator or stall. */
const char *testbed_strobe_name(enum testbed_strobe strobe);

/* "east.head": a port and an event. False: there is none of this name. */
bool testbed_strobe(const char *text, unsigned *port, enum testbed_strobe *out);

/* Samples per second: a number from 1 to 100e9, whole when multiplied out, with k, m or g behind it if it is thousands,
 * millions or thousands of millions. False: it is none. */
bool testbed_rate(const char *text, uint64_t *out);

/* Is this the name of a port on USB as the kernel has it: BUS-PORT[.PORT]...? */
bool testbed_is_port(const char *text);

/* Is this a probe that is no USB device: xvc:HOST:PORT? */
bool testbed_is_probe(const char *text);

#endif
