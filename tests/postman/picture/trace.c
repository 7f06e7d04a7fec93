/* See trace.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "postman/picture/trace.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The value of a digit, -1 of another character. */
static int digit_value(int character)
{
    static const char digits[] = "0123456789abcdef";
    const char *digit = character > 0 ? strchr(digits, character) : NULL;
    return digit ? (int)(digit - digits) : -1;
}

/* The rest of a line whose first character has been read. 0, or -1 with a reason. */
static int read_clock(struct trace *trace, FILE *file, int character, char *reason, size_t size)
{
    unsigned nodes = trace->size_x * trace->size_y;
    if (trace->clocks == TRACE_MOST_CLOCKS) {
        snprintf(reason, size, "a picture has no more than %d clocks", TRACE_MOST_CLOCKS);
        return -1;
    }
    for (unsigned node = 0; node < nodes; node++, character = getc(file)) {
        int value = digit_value(character);
        if (character == '\n' || character == EOF) {
            snprintf(reason, size, "%u digits, expected %u, one for each node", node, nodes);
            return -1;
        }
        if (value < 0) {
            snprintf(reason, size, "character %u: expected a hexadecimal digit, 0-9 or a-f", node + 1);
            return -1;
        }
        trace->nodes[trace->clocks][node] = (uint8_t)value;
    }
    if (character != '\n' && character != EOF) {
        snprintf(reason, size, "more than %u digits, one for each node", nodes);
        return -1;
    }
    trace->clocks++;
    return 0;
}

static int read_clocks(struct trace *trace, FILE *file, const char *path, char *error, size_t error_size)
{
    char reason[100];
    for (int character; (character = getc(file)) != EOF;)
        if (read_clock(trace, file, character, reason, sizeof reason) != 0) {
            snprintf(error, error_size, "%s:%u: %s", path, trace->clocks + 1, reason);
            return -1;
        }
    if (ferror(file) || trace->clocks == 0) {
        snprintf(error, error_size, "%s: %s", path, ferror(file) ? strerror(errno) : "no clocks");
        return -1;
    }
    return 0;
}

int trace_read(struct trace *trace, const char *path, char *error, size_t error_size)
{
    FILE *file = fopen(path, "r");
    if (!file) {
        snprintf(error, error_size, "%s: %s", path, strerror(errno));
        return -1;
    }
    trace->clocks = 0;
    int result = read_clocks(trace, file, path, error, error_size);
    fclose(file);
    return result;
}

bool trace_bit(const struct trace *trace, unsigned clock, unsigned node, enum postman_dimension line)
{
    return trace->nodes[clock][node] >> line & 1;
}

bool trace_busy(const struct trace *trace, unsigned clock, unsigned node, enum postman_dimension machine)
{
    return trace->nodes[clock][node] >> (2 + machine) & 1;
}
