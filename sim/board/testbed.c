/* See testbed.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "board/testbed_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/input_file.h"
#include "support/or_abort.h"

enum { MAX_FILE = 1 << 20 };

int testbed_parse(const char *path, const char *text, size_t length, struct testbed *out, char *error,
                  size_t error_size)
{
    struct testbed_reader reader = {
        .text = text, .length = length, .testbed = out, .error = error, .error_size = error_size};
    *out = (struct testbed){.bit_ns = 1e9 / 3e6};
    snprintf(out->path, sizeof out->path, "%s", path);
    out->boards = or_abort(calloc(TESTBED_BOARDS, sizeof *out->boards));
    out->cables = or_abort(calloc(TESTBED_CABLES, sizeof *out->cables));
    testbed_read(&reader);
    if (!reader.failed)
        testbed_check(&reader);
    if (reader.failed)
        testbed_free(out);
    return reader.failed ? -1 : 0;
}

int testbed_load(const char *path, struct testbed *out, char *error, size_t error_size)
{
    char reason[INPUT_FILE_REASON] = "too long a path";
    size_t length;
    char *text = strlen(path) < TESTBED_PATH ? input_file_read(path, MAX_FILE, &length, reason) : NULL;
    if (!text)
        snprintf(error, error_size, "%s: %s, expected a testbed file", path, reason);
    int result = text ? testbed_parse(path, text, length, out, error, error_size) : -1;
    free(text);
    return result;
}

void testbed_free(struct testbed *testbed)
{
    free(testbed->boards);
    free(testbed->cables);
    testbed->boards = NULL;
    testbed->cables = NULL;
}
