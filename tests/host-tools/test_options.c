/* The tables of the verbs' options, and the parser that reads them. Of all verbs: a letter stands for one option, and
 * an option has one letter; no text of an option repeats its default; each verb takes the default that its help names.
 * Of the parser: names are whole, and what is refused names what was meant.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "check.h"
#include "cli/guess.h"
#include "postroad/verbs.h"

#include <string.h>
#include <unistd.h>

enum { LETTERS = 128, ERROR_SIZE = 400 };

/* ---- The tables. */

static const char *same(const char *one, const char *other)
{
    return one == other || (one && other && strcmp(one, other) == 0) ? "" : "not ";
}

/* One letter, one option: in a verb, and in all of them, so that what the hand has learned holds. */
static void check_letters(void)
{
    const char *names[LETTERS] = {NULL};
    for (size_t v = 0; verbs[v]; v++) {
        const struct option_row *row;
        const char *here[LETTERS] = {NULL};
        for (size_t i = 0; (row = options_row(verbs[v], i)); i++) {
            size_t letter = (unsigned char)row->letter;
            if (!letter)
                continue;
            check(letter < LETTERS && !here[letter], "%s: -%c is --%s, too", verbs[v]->name, row->letter, row->name);
            check(!names[letter] || !*same(names[letter], row->name), "%s: -%c is --%s, with other verbs --%s",
                  verbs[v]->name, row->letter, row->name, names[letter]);
            here[letter] = names[letter] = row->name;
        }
    }
}

/* An option has its letter with every verb. */
static void check_names(void)
{
    for (size_t v = 0; verbs[v]; v++)
        for (size_t w = 0; verbs[w]; w++) {
            const struct option_row *row, *other;
            for (size_t i = 0; (row = options_row(verbs[v], i)); i++)
                for (size_t k = 0; (other = options_row(verbs[w], k)); k++) {
                    check(row == other || v != w || *same(row->name, other->name), "%s: --%s twice", verbs[v]->name,
                          row->name);
                    check(*same(row->name, other->name) || row->letter == other->letter,
                          "--%s: -%c with %s, -%c with %s", row->name, row->letter ? row->letter : ' ', verbs[v]->name,
                          other->letter ? other->letter : ' ', verbs[w]->name);
                }
        }
}

/* A default stands in its place alone: a text that says it again would go on saying it when it is another one. */
static void check_texts(void)
{
    for (size_t v = 0; verbs[v]; v++) {
        const struct option_row *row;
        for (size_t i = 0; (row = options_row(verbs[v], i)); i++) {
            check(!strstr(row->help, "default"), "%s --%s: a default in the help", verbs[v]->name, row->name);
            check(!row->manual || !strcasestr(row->manual, "the default is"), "%s --%s: a default in the manual's text",
                  verbs[v]->name, row->name);
            check(!row->manual || strcmp(row->manual, row->help) != 0, "%s --%s: one text twice", verbs[v]->name,
                  row->name);
            check(!row->initial || !row->otherwise, "%s --%s: two defaults", verbs[v]->name, row->name);
        }
        check(!verbs[v]->manual || !strstr(verbs[v]->manual, "--timeout` is"), "%s: --timeout in the verb's text",
              verbs[v]->name);
    }
}

/* ---- A verb for the parser. */

struct sample {
    struct options common;
    bool fast;
    long count;
    double again;
    const char *file;
};

static struct sample got; /* of the last run */
static int runs;

static int run(const struct options *options)
{
    got = *(const struct sample *)(const void *)options;
    runs++;
    return EXIT_OK;
}

static const struct option_row rows[] = {
    {.name = "fast-start", .letter = 'f', .kind = OPTION_FLAG, OPTION_FIELD(struct sample, fast), .help = "h"},
    {.name = "count",
     .letter = 'c',
     .kind = OPTION_NUMBER,
     .argument = "N",
     OPTION_FIELD(struct sample, count),
     .minimum = 1,
     .maximum = 9,
     .initial = "7",
     .help = "h"},
    {.name = "watch",
     .letter = 'w',
     .kind = OPTION_SECONDS_OPTIONAL,
     .argument = "SECONDS",
     OPTION_FIELD(struct sample, again),
     .otherwise = "2.5",
     .help = "h"},
    {.name = "file", .kind = OPTION_TEXT, .argument = "FILE", OPTION_FIELD(struct sample, file), .help = "h"},
    {OPTION_TIMEOUT, .initial = "44", .help = "h"},
    {.name = NULL},
};

static const struct sample defaults = {.again = -1};

static const struct verb verb = {.name = "sample",
                                 .operands = "A [B]",
                                 .summary = "s",
                                 .operands_max = 2,
                                 .common = COMMON_JSON,
                                 .rows = rows,
                                 .size = sizeof(struct sample),
                                 .defaults = &defaults,
                                 .run = run};

/* Runs the verb with words between spaces. What it says on stderr is in `said`. */
static char said[ERROR_SIZE];
static int runs_with(const char *words)
{
    static char text[ERROR_SIZE], *argv[16]; /* the options point into both */
    char *rest = text, *word;
    int argc = 0, kept = dup(STDERR_FILENO);
    FILE *out = tmpfile();
    CHECK(out && kept >= 0);
    snprintf(text, sizeof text, "%s", words);
    memset(argv, 0, sizeof argv);
    argv[argc++] = "sample";
    while ((word = strsep(&rest, " ")))
        if (*word)
            argv[argc++] = word;
    fflush(NULL);
    dup2(fileno(out), STDERR_FILENO);
    got = (struct sample){.count = 0};
    int status = options_run(&verb, argc, argv);
    fflush(NULL);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(out);
    said[fread(said, 1, sizeof said - 1, out)] = 0;
    fclose(out);
    return status;
}

static void takes(const char *words)
{
    int before = runs, status = runs_with(words);
    check(status == EXIT_OK && runs == before + 1, "'%s': exit code %d, %s", words, status, said);
}

static void refuses(const char *words, const char *reason)
{
    int before = runs, status = runs_with(words);
    check(status == EXIT_USAGE && runs == before, "'%s': exit code %d", words, status);
    check(strstr(said, reason) != NULL, "'%s' says '%s', not '%s'", words, said, reason);
}

static void check_parser(void)
{
    takes("");
    check(got.count == 7 && got.common.timeout == 44 && got.again == -1 && !got.fast && !got.file, "defaults");
    takes("x --count=3 -f y --file -f --json");
    check(got.count == 3 && got.fast && got.common.json && strcmp(got.file, "-f") == 0, "values");
    check(got.common.operand_count == 2 && strcmp(got.common.operands[0], "x") == 0 &&
              strcmp(got.common.operands[1], "y") == 0,
          "operands among options");
    takes("-fjc 4 -- -x");
    check(got.fast && got.common.json && got.count == 4 && strcmp(got.common.operands[0], "-x") == 0, "letters");
    takes("-c5 --watch -");
    check(got.count == 5 && got.again == 2.5 && strcmp(got.common.operands[0], "-") == 0,
          "a value that may be left out");
    takes("-w0.5 --timeout 3");
    check(got.again == 0.5 && got.common.timeout == 3, "a value at its letter");
}

static void check_refused(void)
{
    refuses("--fast", "--fast: no such option; did you mean --fast-start?");
    refuses("--fa=3", "did you mean --fast-start?");
    refuses("--coutn 3", "did you mean --count?");
    refuses("--elephant", "--elephant: no such option (see postroad sample --help)");
    refuses("--fast-start=1", "takes no argument");
    refuses("-x", "-x: no such option");
    refuses("-fx", "-x: no such option");
    refuses("--count", "--count: expected N");
    refuses("-c", "-c: expected N");
    refuses("--count 10", "--count 10: expected a number from 1 to 9");
    refuses("a b c", "c: expected A [B]");
}

/* No verb takes the beginning of an option for the option, whatever would be unique today. */
static void check_beginnings(void)
{
    for (size_t v = 0; verbs[v]; v++) {
        const struct option_row *row;
        for (size_t i = 0; (row = options_row(verbs[v], i)); i++) {
            struct guess guess;
            char typed[64];
            snprintf(typed, sizeof typed, "%.*s", (int)strlen(row->name) - 1, row->name);
            guess_begin(&guess, typed);
            guess_try(&guess, row->name);
            check(guess.nearest == row->name || strlen(typed) < 2, "--%s: not what --%s may have meant", row->name,
                  typed);
        }
    }
}

/* Each default that a help names is one that its option takes: options_begin ends the program otherwise. */
static void check_begin(void)
{
    for (size_t v = 0; verbs[v]; v++) {
        struct options *options = malloc(verbs[v]->size);
        CHECK(options);
        options_begin(verbs[v], options);
        check(options->verb == verbs[v]->name, "%s", verbs[v]->name);
        free(options);
    }
}

int main(void)
{
    check_letters();
    check_names();
    check_texts();
    check_parser();
    check_refused();
    check_beginnings();
    check_begin();
    return verdict("test_options");
}
