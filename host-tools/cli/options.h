/* Options: one table for all verbs. It gives the parser, --help, and through that the shell completion.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_OPTIONS_H
#define POSTROAD_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/exit_code.h"

enum verb_mask {
    VERB_UP = 1,
    VERB_DOWN = 2,
    VERB_MAP = 4,
    VERB_SEND = 8,
    VERB_LISTEN = 16,
    VERB_PING = 32,
    VERB_STATS = 64,
    VERB_CONSOLE = 128,
    VERB_GDB = 256,
    VERB_LOAD = 512,
    VERB_LIST = 2048,
    VERB_SIM = 1024, /* has a table of its own */
};

enum { OPTION_LIST_MAX = 32 };

/* What an option that may be given often was given. */
struct option_list {
    size_t count;
    const char *items[OPTION_LIST_MAX];
};

struct options {
    const char *verb;
    /* common */
    const char *gateway; /* NULL: $POSTROAD_GATEWAY, or the only mesh that is up */
    const char *from;    /* the site that is asked, and sends; NULL: 0 */
    double timeout;      /* seconds; negative: not given */
    bool json, quiet, verbose;
    /* up */
    const char *level, *nodes, *fabric, *name, *firmware;
    struct option_list faults;
    long pool, stall, seed, window, quantum;
    long reliable; /* -1: as the file has it */
    bool foreground;
    /* down */
    bool all;
    /* map */
    const char *mesh;
    /* send */
    const char *data;
    struct option_list info;
    long handler;
    bool no_wait;
    /* listen, ping, send */
    long count; /* 0: not given */
    bool events;
    long words;
    /* stats */
    double watch; /* seconds between two tables; negative: one table */
    bool full, wide;
    /* console */
    const char *filter, *log;
    /* gdb */
    bool halt_mesh;
    /* what is left: points into argv */
    char **operands;
    int operand_count;
};

struct verb {
    enum verb_mask mask;
    const char *name, *operands, *summary;
    int operands_min, operands_max;
    int (*run)(const struct options *options); /* exit code */
};

/* Parses argv[1...] of a verb. Returns -1 to go on, or an exit code: 0 after --help and --version. */
int options_parse(const struct verb *verb, int argc, char **argv, struct options *out);

/* A row of a --help text: what is on the left, from a column on its meaning, in lines of 80 columns. */
void options_print_row(FILE *out, const char *left, int column, const char *meaning);

/* A whole number within limits, in any base of C. False: it is not; nothing is printed. */
bool options_number(const char *text, long minimum, long maximum, long *out);

#endif
