/* See top_screen.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "postroad/top_screen.h"

#include "postroad/top_view.h"

#include <ncurses.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { ESCAPE = 27, ESCAPE_MILLISECONDS = 25 /* in which the rest of a key follows */ };

/* ncurses writes to descriptors, not to the streams of cli/screen.h: what it shows are letters of pages. */
static FILE *out;
static SCREEN *screen;

static void begin_colours(void)
{
    static const short colours[] = {
        [STYLE_GOOD] = COLOR_GREEN, [STYLE_DOUBTFUL] = COLOR_YELLOW, [STYLE_BAD] = COLOR_RED};
    const char *refused = getenv("NO_COLOR");
    if (!has_colors() || (refused && *refused))
        return;
    start_color();
    use_default_colors();
    for (short style = STYLE_GOOD; style <= STYLE_BAD; style++)
        init_pair(style, colours[style], -1);
}

bool top_screen_begin(void)
{
    out = fdopen(dup(STDOUT_FILENO), "w");
    screen = out ? newterm(NULL, out, stdin) : NULL;
    if (!screen)
        return false;
    set_escdelay(ESCAPE_MILLISECONDS);
    cbreak();
    noecho();
    nonl();
    curs_set(0);
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    begin_colours();
    return true;
}

void top_screen_end(void)
{
    endwin();
    delscreen(screen);
    fclose(out);
}

void top_screen_size(int *width, int *height)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col && size.ws_row &&
        (size.ws_col != COLS || size.ws_row != LINES))
        resizeterm(size.ws_row, size.ws_col);
    *width = COLS;
    *height = LINES;
}

static attr_t attributes(int style)
{
    switch (style) {
    case PAGE_BOLD:
        return A_BOLD;
    case PAGE_REVERSE:
        return A_REVERSE;
    default:
        return style == PAGE_PLAIN ? A_NORMAL : (attr_t)COLOR_PAIR(style);
    }
}

void top_screen_show(const struct page *page)
{
    struct pollfd reader = {.fd = STDOUT_FILENO, .events = POLLOUT};
    if (poll(&reader, 1, 0) != 1 || !(reader.revents & POLLOUT))
        return;
    for (int y = 0; y < page->height; y++)
        for (int x = 0; x < page->width; x++) {
            int at = y * page->width + x;
            mvaddch(y, x, (chtype)(unsigned char)page->letters[at] | attributes(page->styles[at]));
        }
    refresh();
}

int top_screen_key(void)
{
    int key = getch();
    switch (key) {
    case ERR:
        return -1;
    case KEY_UP:
        return TOP_KEY_UP;
    case KEY_DOWN:
        return TOP_KEY_DOWN;
    case '\r':
    case '\n':
    case KEY_ENTER:
        return TOP_KEY_ENTER;
    case ESCAPE:
        return TOP_KEY_ESCAPE;
    default:
        return key < 128 ? key : 0;
    }
}
