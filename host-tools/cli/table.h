/* Tables that fit a width: unimportant columns are left out, and lines are never wrapped.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_TABLE_H
#define POSTROAD_CLI_TABLE_H

#include "cli/terminal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { TABLE_CELL = 32 };

struct table_column {
    const char *title;
    int rank;         /* the lower, the longer it stays; 0: always shown */
    bool if_not_zero; /* shown only where some row has more than "0" in it */
    bool left;        /* aligned */
};

struct table {
    const struct table_column *columns;
    size_t column_count, row_count, room;
    char (*cells)[TABLE_CELL]; /* row by row */
    enum style *styles;        /* of rows */
};

void table_begin(struct table *table, const struct table_column *columns, size_t count);
void table_end(struct table *table);

/* Adds a row of empty cells. table_cell fills the cells of the last row, a line of text each, whatever the text is. */
void table_row(struct table *table, enum style style);
void table_cell(struct table *table, size_t column, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Prints the first rows. width 0: all columns. Returns the number of columns left out that have something to show. */
size_t table_print(const struct table *table, FILE *out, size_t rows, int width);

#endif
