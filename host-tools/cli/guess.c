/* See guess.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/guess.h"

#include <stdbool.h>
#include <string.h>

enum { NAME_MAX_LENGTH = 31 };

static size_t least(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;
    return least < c ? least : c;
}

/* Letters to insert, delete, replace, or swap with the next one (a row of the table for each letter of `a`). */
static size_t distance(const char *a, const char *b)
{
    size_t rows[NAME_MAX_LENGTH + 1][NAME_MAX_LENGTH + 1], i, j, na = strlen(a), nb = strlen(b);
    if (na > NAME_MAX_LENGTH || nb > NAME_MAX_LENGTH)
        return NAME_MAX_LENGTH;
    for (i = 0; i <= na; i++)
        for (j = 0; j <= nb; j++) {
            rows[i][j] = i + j;
            if (!i || !j)
                continue;
            rows[i][j] = least(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && rows[i - 2][j - 2] + 1 < rows[i][j])
                rows[i][j] = rows[i - 2][j - 2] + 1;
        }
    return rows[na][nb];
}

enum { PREFIX_MIN = 2 };

/* The beginning of a name counts as one wrong letter. */
static bool is_beginning(const char *typed, const char *name)
{
    size_t length = strlen(typed);
    return length >= PREFIX_MIN && strncmp(typed, name, length) == 0;
}

/* A third of the letters may be wrong, one at least. */
void guess_begin(struct guess *guess, const char *typed)
{
    size_t length = strlen(typed);
    *guess = (struct guess){.typed = typed, .distance = (length < 3 ? 1 : length / 3) + 1};
}

void guess_try(struct guess *guess, const char *name)
{
    size_t away = is_beginning(guess->typed, name) ? 1 : distance(guess->typed, name);
    if (away >= guess->distance)
        return;
    guess->distance = away;
    guess->nearest = name;
}
