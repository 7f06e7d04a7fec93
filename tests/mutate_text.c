/* See mutate_text.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "mutate_text.h"

#include <string.h>

#include "check.h"

enum { STRETCH_MOST = 12, PIECE_MOST = 40 };

size_t mutate_text(uint64_t *state, const char *const *files, unsigned count, char *text, size_t length, size_t room)
{
    static const char interesting[] = "[]=:;#.x0123456789abcde \t\r\n\0\xff\"-,";
    const char *other = files[check_below(state, count)];
    const char *piece = other + check_below(state, (unsigned)strlen(other));
    size_t at = length ? check_below(state, (unsigned)length) : 0, stretch = 1 + check_below(state, STRETCH_MOST);
    size_t piece_length = strlen(piece) < PIECE_MOST ? strlen(piece) : PIECE_MOST;
    switch (check_below(state, 4)) {
    case 0:
        if (length)
            text[at] = interesting[check_below(state, sizeof interesting - 1)];
        return length;
    case 1:
        if (at + stretch > length)
            return length;
        memmove(text + at, text + at + stretch, length - at - stretch);
        return length - stretch;
    case 2:
        if (length + stretch > room || at + stretch > length)
            return length;
        memmove(text + at + stretch, text + at, length - at);
        return length + stretch;
    default:
        if (at + piece_length <= length)
            memcpy(text + at, piece, piece_length);
        return length;
    }
}
