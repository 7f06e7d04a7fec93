/* A page of letters, each with a style, that is drawn on before it goes to a terminal or a file. What lies outside of
 * it is cut off.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTROAD_TOP_PAGE_H
#define POSTROAD_POSTROAD_TOP_PAGE_H

#include "cli/table.h"

/* The first are those of cli/terminal.h. */
enum page_style { PAGE_PLAIN = STYLE_PLAIN, PAGE_BAD = STYLE_BAD, PAGE_BOLD, PAGE_REVERSE };

struct page {
    int width, height;
    char *letters;         /* row by row; blanks at first */
    unsigned char *styles; /* enum page_style */
};

struct box {
    int x, y, width, height;
};

void page_begin(struct page *page, int width, int height);
void page_end(struct page *page);

/* Writes text into the row; returns the column behind it. */
int page_put(struct page *page, int x, int y, int style, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Writes a piece behind the others of a box, with two blanks between, or at the beginning of the next row if there is
 * no room. *x and *y are where the last piece ended; those of the box at first. */
void page_flow(struct page *page, const struct box *box, int *x, int *y, int style, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* Of so many rows of a table, those that fit into a box below the titles. If not all do, one line less says how many
 * more there are. */
size_t page_table_rows(const struct box *box, size_t count);

/* Writes a table of `count` rows from row `first` on, and gives the row `marked` (counted from 0; -1: none) the style
 * PAGE_REVERSE. Those that do not fit it need not have. */
void page_table(struct page *page, const struct box *box, const struct table *table, size_t count, size_t first,
                long marked);

void page_style(struct page *page, const struct box *box, int style);
void page_clear(struct page *page, const struct box *box);

#endif
