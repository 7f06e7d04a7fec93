/* Captures as text, for tests: files that are made for a test, and what a reader makes of them.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_CAPTURE_MADE_CAPTURES_H
#define POSTROAD_TESTS_CAPTURE_MADE_CAPTURES_H

#include <stddef.h>

/* A member of a .sr file; length 0: that of the text. */
struct sr_member {
    const char *name, *bytes;
    size_t length;
};

/* A file in $TMPDIR with this name. Returns its path in a buffer that the next call overwrites. */
const char *test_path(const char *name);
const char *write_bytes(const char *name, const char *bytes, size_t length);
const char *write_archive(const char *name, const struct sr_member *members, unsigned count);

/* Reads the capture into text: "24000000 D0=0 D1=1 | 5:D0=1 5:D1=0 | 12 step 4.17e-08" (rate, first levels, edges,
 * length), or the error. */
void read_as_text(const char *path, char *out, size_t size);

#endif
