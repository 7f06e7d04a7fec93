/* What boards hold that are simulated from their bitstreams: the same as `postroad flash` would write.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTBED_SIMULATED_CONTENTS_H
#define POSTROAD_TESTBED_SIMULATED_CONTENTS_H

#include <stddef.h>

/* For each board that starts from its flash, and whose testbed names no file of it: DIRECTORY/flash-NAME, the whole
 * flash, where simulate_boards looks for it. 0, or -1 with a reason. */
int simulated_contents_write(const char *testbed, const char *directory, char *error, size_t error_size);

#endif
