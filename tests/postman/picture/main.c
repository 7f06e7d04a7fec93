/* Draws the mesh of a trace of `postman` (tests/postman/trace) as an SVG file: animated, or one clock of it.
 *
 * usage: picture SIZE_X SIZE_Y FLIT TRACE PICTURE [--frame CLOCK]
 * exit: 0; 1 usage, or a file that is no such trace; 2 the picture cannot be written
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postman/picture/picture.h"
#include "support/output_file.h"

enum { ERROR_SIZE = 5000, DIGITS_MOST = 6 };

static const char usage[] = "usage: picture SIZE_X SIZE_Y FLIT TRACE PICTURE [--frame CLOCK]\n";

/* The number that an argument is, if it is one from `least` to `most`; else the program ends. */
static unsigned number(const char *name, const char *text, unsigned least, unsigned most)
{
    bool whole = *text && strspn(text, "0123456789") == strlen(text) && strlen(text) <= DIGITS_MOST;
    unsigned long value = whole ? strtoul(text, NULL, 10) : 0;
    if (!whole || value < least || value > most) {
        fprintf(stderr, "picture: %s %s: expected %u to %u\n", name, text, least, most);
        exit(1);
    }
    return (unsigned)value;
}

static int write_picture(const struct trace *trace, const char *path, int frame)
{
    char error[ERROR_SIZE];
    struct output_file output;
    if (output_file_open(&output, path, error, sizeof error) == 0) {
        picture_write(output.file, trace, frame);
        if (output_file_close(&output, error, sizeof error) == 0)
            return 0;
    }
    fprintf(stderr, "picture: %s\n", error);
    return 2;
}

int main(int count, char **arguments)
{
    static struct trace trace;
    char error[ERROR_SIZE];
    if (count != 6 && (count != 8 || strcmp(arguments[6], "--frame") != 0)) {
        fputs(usage, stderr);
        return 1;
    }
    trace.flit_bits = number("FLIT", arguments[3], POSTMAN_LEAST_FLIT_BITS, POSTMAN_MOST_FLIT_BITS);
    unsigned coordinates = 1u << (trace.flit_bits - 1);
    unsigned most = coordinates < TRACE_MOST_SIDE ? coordinates : TRACE_MOST_SIDE;
    trace.size_x = number("SIZE_X", arguments[1], 1, most);
    trace.size_y = number("SIZE_Y", arguments[2], 1, most);
    if (trace_read(&trace, arguments[4], error, sizeof error) != 0) {
        fprintf(stderr, "picture: %s\n", error);
        return 1;
    }
    int frame = count == 8 ? (int)number("--frame", arguments[7], 0, trace.clocks - 1) : PICTURE_ANIMATED;
    return write_picture(&trace, arguments[5], frame);
}
