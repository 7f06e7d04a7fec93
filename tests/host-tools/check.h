/* Checks for the tests of this folder.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_HOST_TOOLS_CHECK_H
#define POSTROAD_TESTS_HOST_TOOLS_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                    \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                        \
        }                                                                   \
    } while (0)

/* The seed of this run, from SEED; printed. */
static inline unsigned check_seed(void)
{
    const char *text = getenv("SEED");
    unsigned seed = text ? (unsigned)strtoul(text, NULL, 0) : 1;
    printf("SEED=%u\n", seed);
    srand(seed);
    return seed;
}

#endif
