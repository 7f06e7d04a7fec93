/* See table.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _DEFAULT_SOURCE
#include "cli/table.h"

#include "cli/screen.h"
#include "support/or_abort.h"
#include "support/shown_text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 32, GAP = 2 };

/* The columns to print, and their widths. */
struct layout {
    bool shown[COLUMNS_MAX];
    int widths[COLUMNS_MAX];
};

void table_begin(struct table *table, const struct table_column *columns, size_t count)
{
    *table = (struct table){.columns = columns, .column_count = count < COLUMNS_MAX ? count : COLUMNS_MAX};
}

void table_end(struct table *table)
{
    free(table->cells);
    free(table->styles);
}

static void *resized(void *memory, size_t count, size_t size)
{
    memory = or_abort(reallocarray(memory, count, size));
    return memory;
}

static char *cell(const struct table *table, size_t row, size_t column)
{
    return table->cells[row * table->column_count + column];
}

void table_row(struct table *table, enum style style)
{
    if (table->row_count == table->room) {
        table->room = table->room ? 2 * table->room : 16;
        table->cells = resized(table->cells, table->room * table->column_count, sizeof *table->cells);
        table->styles = resized(table->styles, table->room, sizeof *table->styles);
    }
    memset(cell(table, table->row_count, 0), 0, table->column_count * sizeof *table->cells);
    table->styles[table->row_count++] = style;
}

void table_cell(struct table *table, size_t column, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cell(table, table->row_count - 1, column), TABLE_CELL, format, arguments);
    shown_text_line(cell(table, table->row_count - 1, column));
    va_end(arguments);
}

static int width_of(const struct table *table, size_t column, size_t rows)
{
    size_t width = strlen(table->columns[column].title);
    for (size_t row = 0; row < rows; row++)
        if (strlen(cell(table, row, column)) > width)
            width = strlen(cell(table, row, column));
    return (int)width;
}

static bool has_something(const struct table *table, size_t column, size_t rows)
{
    if (!table->columns[column].if_not_zero)
        return true;
    for (size_t row = 0; row < rows; row++)
        if (*cell(table, row, column) && strcmp(cell(table, row, column), "0") != 0)
            return true;
    return false;
}

/* The column of the lowest rank that is not chosen yet and has something to show; column_count if there is none. */
static size_t next_column(const struct table *table, const struct layout *layout, size_t rows)
{
    size_t best = table->column_count;
    for (size_t column = 0; column < table->column_count; column++)
        if (!layout->shown[column] && has_something(table, column, rows) &&
            (best == table->column_count || table->columns[column].rank < table->columns[best].rank))
            best = column;
    return best;
}

/* The first column that does not fit ends the choice, so the choice depends on ranks alone. */
static size_t choose(const struct table *table, size_t rows, int width, struct layout *layout)
{
    int used = -GAP;
    size_t column, left_out = 0;
    *layout = (struct layout){0};
    while ((column = next_column(table, layout, rows)) < table->column_count) {
        layout->widths[column] = width_of(table, column, rows);
        if (width && table->columns[column].rank && used + GAP + layout->widths[column] > width)
            break;
        layout->shown[column] = true;
        used += GAP + layout->widths[column];
    }
    for (column = 0; column < table->column_count; column++)
        left_out += !layout->shown[column] && has_something(table, column, rows);
    return left_out;
}

static void print_cells(const struct table *table, const struct layout *layout, FILE *out, size_t row, bool title)
{
    size_t behind = 0; /* blanks that are owed before the next text: none at a line's end */
    for (size_t column = 0; column < table->column_count; column++) {
        const char *text = title ? table->columns[column].title : cell(table, row, column);
        size_t width = (size_t)layout->widths[column], length = strlen(text);
        if (!layout->shown[column])
            continue;
        if (!table->columns[column].left)
            behind += width - length;
        if (length) {
            fprintf(out, "%*s%s", (int)behind, "", text);
            behind = 0;
        }
        behind += GAP + (table->columns[column].left ? width - length : 0);
    }
}

size_t table_print(const struct table *table, FILE *out, size_t rows, int width)
{
    struct layout layout;
    if (rows > table->row_count)
        rows = table->row_count;
    size_t left_out = choose(table, rows, width, &layout);
    print_cells(table, &layout, out, 0, true);
    fputc('\n', out);
    for (size_t row = 0; row < rows; row++) {
        enum style style = table->styles[row];
        screen_control(out, style == STYLE_PLAIN ? "" : terminal_style(style));
        print_cells(table, &layout, out, row, false);
        screen_control(out, style == STYLE_PLAIN ? "" : terminal_style(STYLE_PLAIN));
        fputc('\n', out);
    }
    return left_out;
}
