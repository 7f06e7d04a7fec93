/* See board_names.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "testbed/board_names.h"

#include <stdio.h>
#include <string.h>

bool board_names_have(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = names; at && *at; at += strspn(at, ",")) {
        size_t word = strcspn(at, ",");
        if (word == length && strncmp(at, name, length) == 0)
            return true;
        at += word;
    }
    return !names;
}

bool board_names_unknown(const char **at, const struct testbed *testbed, char out[TESTBED_NAME])
{
    while (**at) {
        size_t word = strcspn(*at, ",");
        snprintf(out, TESTBED_NAME, "%.*s", (int)word, *at);
        *at += word;
        *at += strspn(*at, ",");
        if (testbed_board(testbed, out) < 0)
            return true;
    }
    return false;
}
