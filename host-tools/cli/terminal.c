/* See terminal.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "cli/terminal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static struct winsize size_of(int descriptor)
{
    struct winsize size = {0};
    if (!isatty(descriptor) || ioctl(descriptor, TIOCGWINSZ, &size) != 0)
        return (struct winsize){0};
    return size;
}

int terminal_descriptor(FILE *out)
{
    return out == stderr ? STDERR_FILENO : STDOUT_FILENO;
}

int terminal_width(int descriptor)
{
    int columns = size_of(descriptor).ws_col;
    return columns ? columns : TERMINAL_DEFAULT_WIDTH;
}

/* Where the line ends: at a newline, or behind the last word that fits, or behind the first. */
static int line_end(const char *text, int room)
{
    int end = (int)strcspn(text, "\n");
    if (end <= room)
        return end;
    for (end = room > 0 ? room : 0; end > 0 && text[end] != ' ';)
        end--;
    return end > 0 ? end : (int)strcspn(text, " \n");
}

void terminal_wrap(FILE *out, const char *text, int used, int indent, int width)
{
    int end = line_end(text, width - used);
    fprintf(out, "%.*s\n", end, text);
    for (text += end; *text; text += end) {
        text++;
        end = line_end(text, width - indent);
        fprintf(out, "%*s%.*s\n", indent, "", end, text);
    }
}

void terminal_print(FILE *out, const char *text, int indent)
{
    int descriptor = terminal_descriptor(out);
    terminal_wrap(out, text, 0, indent, isatty(descriptor) ? terminal_width(descriptor) : INT_MAX);
}

int terminal_height(int descriptor)
{
    return size_of(descriptor).ws_row;
}

bool terminal_can_draw(int descriptor)
{
    const char *kind = getenv("TERM");
    return isatty(descriptor) && kind && *kind && strcmp(kind, "dumb") != 0;
}

const char *terminal_style(enum style style)
{
    static const char *const codes[] = {"\033[0m", "\033[32m", "\033[33m", "\033[31m"};
    const char *refused = getenv("NO_COLOR");
    if (!terminal_can_draw(STDOUT_FILENO) || (refused && *refused))
        return "";
    return codes[style];
}
