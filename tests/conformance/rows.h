/* The table tests/conformance/rows: kinds of site, work, meshes, single runs and sets. Its head has the format.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_CONFORMANCE_ROWS_H
#define POSTROAD_TESTS_CONFORMANCE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "mesh/mesh.h"

enum { ROWS_MOST = 400, ROW_FIELDS = 6, ROW_MESH_TEXT = 4096, ROW_OPTIONS = 1024 };

enum row_kind { ROW_KIND, ROW_WORK, ROW_MESH, ROW_RUN, ROW_SET, ROW_KEY, ROW_KINDS };

struct row {
    enum row_kind kind;
    unsigned line;
    const char *name, *fields[ROW_FIELDS]; /* without blanks at both ends; "" where nothing stands */
};

struct rows {
    struct row rows[ROWS_MOST];
    unsigned count;
};

/* The fields, by kind of row. */
enum { KIND_OPTIONS = 0 };
enum { WORK_KINDS, WORK_PACKETS, WORK_OPTIONS, WORK_MUST };
enum { MESH_WHEN, MESH_FILE, MESH_KINDS, MESH_WORK };
enum { RUN_WHEN, RUN_MESH, RUN_PACKETS, RUN_OPTIONS, RUN_MUST };
enum { SET_WHEN };
enum { KEY_VALUES, KEY_VALUES_LONG };

/* Reads the table; prints what is wrong with it, and ends the program. seed: of all that is drawn from it. */
void rows_load(const char *path, uint64_t seed, struct rows *rows);

/* The row of that kind and name; ends the program if there is none. */
const struct row *rows_find(const struct rows *rows, enum row_kind kind, const char *name);

/* Is the word one of those of a text, which may be globs? */
bool row_has_word(const char *text, const char *word);

/* Is the row one of `make test`? The others run with LONG=1. */
bool row_is_short(const char *when);

/* By what the packets are divided: 3 of `test/3`. */
unsigned row_share(const char *when);

/* What follows its name in a list of words "native functional:same": "same", "" without a colon. False: not in the
 * list. */
bool row_kind_of(const char *list, const char *name, char *claim, unsigned size);

/* The text of a mesh: the file that the row names, with the row's settings SECTION.KEY=VALUE in the place of the
 * file's. Each (A;B;...) of them is one of these, drawn for the row. Ends the program if the parser refuses it. */
void row_mesh(const struct row *row, char text[ROW_MESH_TEXT], struct mesh_config *mesh);

/* Options with one of each (A;B;...), drawn for the run of this name; and with what stands for numbers of this mesh: W,
 * the clocks of a word on a link, by which a number is multiplied (4000*W) or divided (0.2/W); MOST, as many targets as
 * it has, at most 8; LONGEST, the data words of its longest packet, at most 48. */
void row_options(const char *options, const char *name, const struct mesh_config *mesh, char out[ROW_OPTIONS]);

#endif
