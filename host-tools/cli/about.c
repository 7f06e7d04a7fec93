/* See about.h: one line `key value` for each field.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "cli/about.h"

#include "libpostroad/own_file.h"
#include "support/shown_text.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ERROR_SIZE = 1024, LINE_SIZE = PATH_MAX + 16 };

static const char ready[] = "ready";

static int open_about(const char *directory, int flags)
{
    char path[PATH_MAX], error[ERROR_SIZE];
    int at = pr_own_directory_open(AT_FDCWD, directory, directory, error, sizeof error);
    if (at < 0)
        return -1;
    snprintf(path, sizeof path, "%s/about", directory);
    int file = pr_own_file_open(at, "about", path, flags, error, sizeof error);
    close(at);
    return file;
}

bool about_write(const char *directory, const struct about *about)
{
    struct about lines = *about; /* a line break in the name of a folder makes no line */
    shown_text_line(lines.mesh);
    shown_text_line(lines.nodes);
    int file = open_about(directory, O_WRONLY | O_CREAT);
    bool good = file >= 0 && ftruncate(file, 0) == 0 &&
                dprintf(file, "mesh %s\nnodes %s\nsites %d\nsince %lld\nkey %s\noldest %lu\n", lines.mesh, lines.nodes,
                        about->sites, (long long)about->since, about->key, (unsigned long)about->oldest) > 0;
    if (file >= 0)
        close(file);
    return good;
}

bool about_ready(const char *directory)
{
    int file = open_about(directory, O_WRONLY | O_APPEND);
    bool good = file >= 0 && dprintf(file, "%s \n", ready) > 0;
    if (file >= 0)
        close(file);
    return good;
}

static void read_line(struct about *out, const char *key, const char *value)
{
    if (strcmp(key, "mesh") == 0)
        snprintf(out->mesh, sizeof out->mesh, "%s", value);
    else if (strcmp(key, "nodes") == 0)
        snprintf(out->nodes, sizeof out->nodes, "%s", value);
    else if (strcmp(key, "sites") == 0)
        out->sites = atoi(value);
    else if (strcmp(key, "since") == 0)
        out->since = (time_t)atoll(value);
    else if (strcmp(key, "key") == 0)
        snprintf(out->key, sizeof out->key, "%s", value);
    else if (strcmp(key, "oldest") == 0)
        out->oldest = (uint32_t)strtoul(value, NULL, 10);
    else if (strcmp(key, ready) == 0)
        out->ready = true;
}

void about_read(const char *directory, struct about *out)
{
    char line[LINE_SIZE];
    int file = open_about(directory, O_RDONLY);
    FILE *stream = file < 0 ? NULL : fdopen(file, "r");
    *out = (struct about){.sites = 0};
    if (!stream)
        return;
    while (fgets(line, sizeof line, stream)) {
        char *value = strchr(line, ' ');
        line[strcspn(line, "\n")] = 0;
        if (!value)
            continue;
        *value++ = 0;
        read_line(out, line, value);
    }
    fclose(stream);
}

bool about_has_boards(const struct about *about)
{
    return strcmp(about->nodes, ABOUT_BOARDS) == 0 || strcmp(about->nodes, ABOUT_BITSTREAM) == 0;
}
