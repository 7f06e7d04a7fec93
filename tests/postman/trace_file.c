/* See trace_file.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _POSIX_C_SOURCE 200809L /* getpid */

#include "postman/trace_file.h"

#include <unistd.h>

#include "check.h"

static char path[4096];

const char *trace_file_write(const char *text, size_t length)
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/postman_trace.%d", folder ? folder : "/tmp", (int)getpid());
    unlink(path); /* some file systems write one that is cut off to the disk at once */
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    CHECK(fwrite(text, 1, length, file) == length);
    CHECK(fclose(file) == 0);
    return path;
}

void trace_file_remove(void)
{
    unlink(path);
}
