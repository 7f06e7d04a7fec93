/* See terminal.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "cli/terminal.h"

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

int terminal_width(int descriptor)
{
    int columns = size_of(descriptor).ws_col;
    return columns ? columns : TERMINAL_DEFAULT_WIDTH;
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
