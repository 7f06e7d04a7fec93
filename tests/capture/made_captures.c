/* See made_captures.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "made_captures.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyser/zip_writer.h"
#include "capture/capture_read.h"
#include "check.h"

enum { PATH_SIZE = 4096, ERROR_SIZE = 1200 };

const char *test_path(const char *name)
{
    static char path[PATH_SIZE];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/%s", folder ? folder : "/tmp", name);
    return path;
}

/* A file that is there is removed: some file systems write one that is cut off to the disk at once. */
static const char *new_path(const char *name)
{
    const char *path = test_path(name);
    unlink(path);
    return path;
}

const char *write_bytes(const char *name, const char *bytes, size_t length)
{
    const char *path = new_path(name);
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    CHECK_EQUAL(fwrite(bytes, 1, length, file), length);
    CHECK_EQUAL(fclose(file), 0);
    return path;
}

const char *write_archive(const char *name, const struct sr_member *members, unsigned count)
{
    const char *path = new_path(name);
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    struct zip_writer *zip = zip_writer_create(file);
    for (unsigned i = 0; i < count; i++) {
        size_t length = members[i].length ? members[i].length : strlen(members[i].bytes);
        zip_writer_add(zip, members[i].name, members[i].bytes, (unsigned)length);
    }
    zip_writer_finish(zip);
    CHECK_EQUAL(fclose(file), 0);
    return path;
}

static void append(char *out, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void append(char *out, size_t size, const char *format, ...)
{
    size_t used = strlen(out);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(out + used, size - used, format, arguments);
    va_end(arguments);
}

void read_as_text(const char *path, char *out, size_t size)
{
    char error[ERROR_SIZE];
    struct capture_edge edge;
    int result;
    *out = 0;
    struct capture *capture = capture_open(path, error, sizeof error);
    if (!capture) {
        append(out, size, "%s", error);
        return;
    }
    append(out, size, "%.10g", capture_rate(capture));
    for (unsigned i = 0; i < capture_channels(capture); i++)
        append(out, size, " %s=%d", capture_channel_name(capture, i), capture_level(capture, i));
    append(out, size, " |");
    while ((result = capture_next(capture, &edge)) > 0)
        append(out, size, " %" PRIu64 ":%s=%d", edge.sample, capture_channel_name(capture, edge.channel), edge.level);
    append(out, size, " | %" PRIu64 " step %.3g", capture_length(capture), capture_sampling(capture).step);
    if (result < 0)
        snprintf(out, size, "%s", capture_error(capture));
    capture_close(capture);
}
