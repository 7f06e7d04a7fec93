/* See csr_routes.h: a path table from a file, read twice, first to count.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csr/csr_routes.h"
#include "support/input_file.h"
#include "support/or_abort.h"

enum { MOST_NODES = 1 << 20, MOST_LINKS = 1 << 22, FILE_MAX = 256 << 20 };

struct reader {
    const char *path;
    FILE *file;
    int line;
    char *text; /* getline's */
    size_t room;
    char *error;
    size_t error_size;
};

static bool refuse(struct reader *reader, const char *what, const char *expected)
{
    snprintf(reader->error, reader->error_size, "%s:%d: %s, expected %s", reader->path, reader->line, what, expected);
    return false;
}

/* The next line that is not empty, without its comment. */
static bool next_line(struct reader *reader)
{
    while (getline(&reader->text, &reader->room, reader->file) >= 0) {
        reader->line++;
        reader->text[strcspn(reader->text, "#\n")] = 0;
        if (reader->text[strspn(reader->text, " \t\r")])
            return true;
    }
    return false;
}

static bool read_nodes(struct reader *reader, unsigned *nodes)
{
    char more;
    if (!next_line(reader) || sscanf(reader->text, " nodes %u %c", nodes, &more) != 1 || *nodes < 1 ||
        *nodes > MOST_NODES)
        return refuse(reader, "bad first line", "nodes N");
    return true;
}

/* The links of a line, to `path` unless that is NULL; *length of them. */
static bool read_path(struct reader *reader, uint32_t *path, unsigned *length, unsigned *links)
{
    char *rest = reader->text, *word;
    for (*length = 0; (word = strtok_r(rest, " \t\r", &rest)); ++*length) {
        char *end;
        unsigned long value = strtoul(word, &end, 10);
        if (end == word || *end || *word == '-' || value >= MOST_LINKS)
            return refuse(reader, "bad link", "a number below 4194304");
        if (path)
            path[*length] = (uint32_t)value;
        if (value >= *links)
            *links = (unsigned)value + 1;
    }
    return true;
}

static struct csr_routes *read_table(struct reader *reader)
{
    unsigned nodes, length, links = 0;
    size_t paths = 0, words = 0;
    if (!read_nodes(reader, &nodes))
        return NULL;
    for (; next_line(reader); paths++, words += length)
        if (!read_path(reader, NULL, &length, &links))
            return NULL;
    if (!paths) {
        refuse(reader, "no path", "links of a path in a line behind the first");
        return NULL;
    }
    struct csr_routes *routes = csr_routes_empty(nodes, links, paths, words);
    uint32_t *path = routes->memory;
    rewind(reader->file);
    read_nodes(reader, &nodes);
    for (; next_line(reader); path += length) {
        read_path(reader, path, &length, &links);
        csr_routes_add(routes, path, length);
    }
    return routes;
}

struct csr_routes *csr_routes_read(const char *path, char *error, size_t error_size)
{
    char reason[INPUT_FILE_REASON];
    size_t length;
    char *text = input_file_read(path, FILE_MAX, &length, reason);
    if (!text) {
        snprintf(error, error_size, "%s: %s, expected a path table", path, reason);
        return NULL;
    }
    struct reader reader = {
        .path = path, .file = or_abort(fmemopen(text, length, "r")), .error = error, .error_size = error_size};
    struct csr_routes *routes = read_table(&reader);
    free(reader.text);
    fclose(reader.file);
    free(text);
    return routes;
}
