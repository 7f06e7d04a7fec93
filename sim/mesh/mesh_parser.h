/* State of the parser of .mesh files, for the files that check a part of one: mesh_parse.c, which begins it, and
 * those below it.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_MESH_MESH_PARSER_H
#define POSTROAD_MESH_MESH_PARSER_H

#include "mesh/mesh.h"
#include "mesh/mesh_keys.h"

#include <stdbool.h>
#include <stddef.h>

enum { MESH_EXPECTED_TEXT = 200 };

/* A line of [cables]. */
struct mesh_cable_line {
    struct pr_cable cable;
    int line;
};

struct mesh_parser {
    const char *path, *text;
    size_t length, position;
    int line;                     /* number of the line inih was given last */
    int key_lines[KEY_COUNT];     /* where a key was set, 0 = not */
    int own_lines[MESH_OWN_KEYS]; /* the same for the keys of the discipline */
    bool first_reading;           /* for the name of the discipline, which decides what keys there are: */
    bool fabric_known, fabric_is_bad;
    struct mesh_cable_line cables[MESH_CABLES_MAX];
    unsigned cable_count;
    char switches[MESH_EXPECTED_TEXT];
    int switches_line;
    struct mesh_config *config;
    char *error;
    size_t error_size;
    bool failed;
};

/* Keeps the first error of a file, with the line it stands in. */
void mesh_parse_fail(struct mesh_parser *parser, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The line to blame when several keys disagree: the last of those that were given. */
int mesh_parse_blame(const struct mesh_parser *parser, enum mesh_key_index a, enum mesh_key_index b,
                     enum mesh_key_index c);

/* The line of the key "SECTION.NAME" of this mesh, 0 if it is not given; the later one of two keys, or the last line of
 * the file if neither is. */
int mesh_parse_line(const struct mesh_parser *parser, const char *name);
int mesh_parse_later(const struct mesh_parser *parser, const char *name, const char *other);

#endif
