/* See top_page.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "postroad/top_page.h"
#include "support/or_abort.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_SIZE = 512, PIECE_GAP = 2 };

void page_begin(struct page *page, int width, int height)
{
    size_t size = (size_t)width * (size_t)height;
    *page = (struct page){width, height, or_abort(malloc(size + 1)), or_abort(calloc(size + 1, 1))};
    memset(page->letters, ' ', size);
}

void page_end(struct page *page)
{
    free(page->letters);
    free(page->styles);
}

static bool is_on_page(const struct page *page, int x, int y)
{
    return x >= 0 && x < page->width && y >= 0 && y < page->height;
}

static int put_text(struct page *page, int x, int y, int style, const char *text)
{
    for (; *text; text++, x++)
        if (is_on_page(page, x, y)) {
            page->letters[y * page->width + x] = *text;
            page->styles[y * page->width + x] = (unsigned char)style;
        }
    return x;
}

int page_put(struct page *page, int x, int y, int style, const char *format, ...)
{
    char text[TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return put_text(page, x, y, style, text);
}

void page_flow(struct page *page, const struct box *box, int *x, int *y, int style, const char *format, ...)
{
    char text[TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    int start = *x > box->x ? *x + PIECE_GAP : box->x;
    if (start > box->x && start + (int)strlen(text) > box->x + box->width) {
        start = box->x;
        ++*y;
    }
    *x = put_text(page, start, *y, style, text);
}

void page_style(struct page *page, const struct box *box, int style)
{
    for (int y = box->y; y < box->y + box->height; y++)
        for (int x = box->x; x < box->x + box->width; x++)
            if (is_on_page(page, x, y))
                page->styles[y * page->width + x] = (unsigned char)style;
}

size_t page_table_rows(const struct box *box, size_t count)
{
    size_t rows = box->height > 1 ? (size_t)box->height - 1 : 0;
    return count > rows && rows > 1 ? rows - 1 : rows;
}

void page_table(struct page *page, const struct box *box, const struct table *table, size_t count, size_t first,
                long marked)
{
    size_t size = 0, shown = 0, rows = page_table_rows(box, count);
    char *text = NULL, *rest, *line;
    struct table plain = *table;
    int y = box->y;
    FILE *out = or_abort(open_memstream(&text, &size));
    plain.styles = or_abort(calloc(table->row_count + 1, sizeof *plain.styles));
    table_print(&plain, out, plain.row_count, box->width);
    fclose(out);
    free(plain.styles);
    rest = text;
    for (size_t number = 0; (line = strsep(&rest, "\n")) && rest && shown < rows; number++) {
        if (number > 0 && number - 1 < first)
            continue;
        int style = number == 0 ? PAGE_BOLD : (int)table->styles[number - 1];
        put_text(page, box->x, y, style, line);
        if (number > 0 && (long)number - 1 == marked)
            page_style(page, &(struct box){box->x, y, box->width, 1}, PAGE_REVERSE);
        shown += number > 0;
        y++;
    }
    free(text);
    if (count > shown && y < box->y + box->height)
        page_put(page, box->x, y, PAGE_PLAIN, "%zu more", count - shown);
}

void page_clear(struct page *page, const struct box *box)
{
    for (int y = box->y; y < box->y + box->height; y++)
        page_put(page, box->x, y, PAGE_PLAIN, "%*s", box->width, "");
}
