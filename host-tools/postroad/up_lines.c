/* See up_lines.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "postroad/up_lines.h"

#include "cli/report.h"
#include "libpostroad/endpoint.h"
#include "support/or_abort.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ERROR_SIZE = 1024 };

static const char prefix[] = "tty:";

bool up_lines_named(const char *operand)
{
    return strncmp(operand, prefix, strlen(prefix)) == 0;
}

static void add(struct up_lines *lines, const struct pr_endpoint *line)
{
    lines->lines = or_abort(realloc(lines->lines, (lines->count + 1) * sizeof *lines->lines));
    lines->lines[lines->count++] = *line;
}

/* The lines that one operand stands for. */
static bool add_matches(struct up_lines *lines, const struct pr_endpoint *pattern)
{
    glob_t found = {.gl_pathc = 0};
    bool good = glob(pattern->path, GLOB_NOCHECK, NULL, &found) == 0;
    for (size_t i = 0; i < found.gl_pathc && good; i++) {
        struct pr_endpoint line = *pattern;
        good = (size_t)snprintf(line.path, sizeof line.path, "%s", found.gl_pathv[i]) < sizeof line.path;
        if (good)
            add(lines, &line);
    }
    globfree(&found);
    if (!good)
        report_error("up", "%s%s: cannot be expanded, or is too long", prefix, pattern->path);
    return good;
}

bool up_lines_parse(char **operands, int count, struct up_lines *out)
{
    char error[ERROR_SIZE];
    *out = (struct up_lines){.count = 0};
    for (int i = 0; i < count; i++) {
        struct pr_endpoint pattern;
        if (!up_lines_named(operands[i])) {
            report_error("up", "%s: expected one FILE.mesh, or serial lines only, tty:PATH or tty:PATH@BAUD",
                         operands[i]);
            return false;
        }
        if (pr_endpoint_parse(operands[i], &pattern, error, sizeof error) != 0) {
            report_error("up", "%s", error);
            return false;
        }
        if (!add_matches(out, &pattern))
            return false;
    }
    return true;
}

void up_lines_free(struct up_lines *lines)
{
    free(lines->lines);
    lines->lines = NULL;
}
