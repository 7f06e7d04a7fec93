/*
 * The rows of the disciplines: each is a file discipline.ini in the folder of its discipline.
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_HW_PROTOCOL_GENERATOR_DISCIPLINES_H
#define POSTROAD_HW_PROTOCOL_GENERATOR_DISCIPLINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "generator/discipline_keys.h"
#include "generator/protocol_model.h"

enum { ROW_COUNTERS = 16 };

struct row_counter {
    char name[NAME_SIZE]; /* what the discipline calls it */
    unsigned index;
};

struct discipline_row {
    char name[NAME_SIZE], title[TEXT_SIZE];
    char keys[TEXT_SIZE]; /* SECTION.KEY, blanks between */
    struct row_counter counters[ROW_COUNTERS];
    size_t counter_count;
    uint32_t number, capabilities; /* capabilities: bits of NI_CAPABILITIES */
    uint32_t topologies;           /* a bit for each TOPOLOGY_* that it runs on */
    /* A link carries words, with tag bits beside each, or lines: then it has link_bits, or as many as a word and
     * link_tag_bits, and 8 bits of a packet take byte_clocks. */
    bool lines;
    uint32_t link_tag_bits, link_bits, torus_link_bits, byte_clocks;
    bool clocked;        /* its sites never rest */
    bool has_code;       /* discipline.c stands beside the row */
    struct own_rows own; /* keys that no other discipline has */
};

/* Reads the row in the file `path`; the names of capabilities are fields of NI_CAPABILITIES in `model`, which also
 * has the counters and must outlive the row. 0, or -1 with "FILE:LINE: reason" in error. */
int discipline_row_load(const char *path, const struct protocol_model *model, struct discipline_row *row, char *error,
                        size_t error_size);

/* Bits of a link at words of this width. */
uint32_t discipline_row_link_width(const struct discipline_row *row, uint32_t word_width, bool torus);

/* Prints the keys of the row as the Verilog include NAME.vh beside it. */
void discipline_row_emit_verilog(const struct discipline_row *row, FILE *out);

/* Prints the rows as the C table of sim/mesh/discipline.h. */
void discipline_rows_emit(const struct discipline_row *rows, size_t count, FILE *out);

#endif
