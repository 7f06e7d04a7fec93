/* The name that a user may have meant by a mistyped one.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_GUESS_H
#define POSTROAD_CLI_GUESS_H

#include <stddef.h>

struct guess {
    const char *typed, *nearest; /* nearest: NULL, nothing is near */
    size_t distance;
};

/* Starts the search with a distance that is too large for a guess. */
void guess_begin(struct guess *guess, const char *typed);

/* Considers one name. */
void guess_try(struct guess *guess, const char *name);

#endif
