/* Names of boards with commas between them, as the option --only takes them.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTBED_BOARD_NAMES_H
#define POSTROAD_TESTBED_BOARD_NAMES_H

#include <stdbool.h>

#include "board/testbed.h"

/* Is the name among them? NULL: every name is. */
bool board_names_have(const char *names, const char *name);

/* The next name that no board of the testbed has, from *at on, which moves behind it; *at begins with the names. False:
 * there is none. */
bool board_names_unknown(const char **at, const struct testbed *testbed, char out[TESTBED_NAME]);

#endif
