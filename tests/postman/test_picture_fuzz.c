/* The reader of traces on garbage: random edits of good traces, built with the sanitizers. It accepts what has a
 * hexadecimal digit for each node in every line and nothing else, and names the first line that has not. What it
 * accepts can be drawn.
 *
 * Environment: SEED, FUZZ_RUNS (default 4000).
 *
 * SPDX-License-Identifier: ISC
 */
#define _POSIX_C_SOURCE 200809L /* open_memstream */

#include <string.h>

#include "check.h"
#include "mutate_text.h"
#include "postman/picture/picture.h"
#include "postman/trace_file.h"

/* Of 2x2, 3x1 and 1x1 nodes. */
static const char *const texts[] = {"4000\n1000\n1000\n0100\n1400\n1400\n0402\n0002\n0008\n0000\n",
                                    "400\n100\n100\n010\n110\n041\n040\n000\n",
                                    "4\n1\n3\n2\n0\nf\nc\n0\n1\n1\n1\n1\n1\n"};
static const unsigned sides[][2] = {{2, 2}, {3, 1}, {1, 1}};

enum { TEXTS = sizeof texts / sizeof *texts, TEXT_SIZE = 400, EDITS_MOST = 3, ERROR_SIZE = 5000 };

static struct trace trace;

/* The first line that is not as it has to be, 0 if all are; an empty text has none. */
static unsigned bad_line(const char *text, size_t length, unsigned nodes)
{
    unsigned line = 1;
    for (const char *end = text + length; text < end; line++) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        size_t digits = (size_t)((newline ? newline : end) - text);
        if (digits != nodes)
            return line;
        for (size_t i = 0; i < digits; i++)
            if (!(text[i] >= '0' && text[i] <= '9') && !(text[i] >= 'a' && text[i] <= 'f'))
                return line;
        text += digits + 1;
    }
    return 0;
}

static bool drawn(int frame)
{
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    CHECK(file != NULL);
    picture_write(file, &trace, frame);
    CHECK(fclose(file) == 0);
    bool good = !strncmp(text, "<svg ", 5) && !strcmp(text + size - 7, "</svg>\n");
    free(text);
    return good;
}

/* False if the answer is a wrong one. */
static bool answer_holds(const char *text, size_t length, uint64_t *seed, unsigned *accepted)
{
    char error[ERROR_SIZE] = "", expected[ERROR_SIZE];
    const char *path = trace_file_write(text, length);
    unsigned line = bad_line(text, length, trace.size_x * trace.size_y);
    int result = trace_read(&trace, path, error, sizeof error);
    if (line || !length) {
        snprintf(expected, sizeof expected, line ? "%s:%u: " : "%s: ", path, line);
        return result == -1 && !strncmp(error, expected, strlen(expected)) && strlen(error) > strlen(expected);
    }
    ++*accepted;
    return result == 0 && drawn(PICTURE_ANIMATED) && drawn((int)check_below(seed, trace.clocks));
}

int main(void)
{
    const char *runs_text = getenv("FUZZ_RUNS");
    unsigned runs = runs_text ? (unsigned)strtoul(runs_text, NULL, 10) : 4000, accepted = 0;
    uint64_t seed = check_seed();
    for (unsigned i = 0; i < runs; i++) {
        char text[TEXT_SIZE];
        unsigned which = check_below(&seed, TEXTS);
        size_t length = strlen(texts[which]);
        memcpy(text, texts[which], length);
        for (unsigned edits = check_below(&seed, EDITS_MOST + 1); edits > 0; edits--)
            length = mutate_text(&seed, texts, TEXTS, text, length, sizeof text);
        trace.size_x = sides[which][0];
        trace.size_y = sides[which][1];
        trace.flit_bits = POSTMAN_LEAST_FLIT_BITS + check_below(&seed, 3);
        check(answer_holds(text, length, &seed, &accepted), "run %u: a wrong answer to %zu bytes", i, length);
    }
    check(accepted > runs / 10 && accepted < runs, "%u of %u accepted", accepted, runs);
    trace_file_remove();
    return verdict("test_picture_fuzz");
}
