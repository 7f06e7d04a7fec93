/* Option parsing for all verbs, from tables of rows.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "cli/options.h"

#include "cli/guess.h"
#include "cli/report.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 48, HELP_WIDTH = 80, HELP_COLUMN = 29, OPTION_BASE = 256, SPELLING_SIZE = 64 };

static const struct {
    unsigned which; /* enum common_options; 0: every verb */
    struct option_row row;
} common_rows[] = {
    {COMMON_NAME,
     {.name = "name",
      .letter = 'n',
      .kind = OPTION_TEXT,
      .argument = "NAME",
      OPTION_FIELD(struct options, name),
      .words = "@up",
      .help = "name of the mesh; default: the file's",
      .manual = "The name of the mesh. By default it is the name of the file without `.mesh`."}},
    {COMMON_GATEWAY,
     {.name = "gateway",
      .letter = 'g',
      .kind = OPTION_TEXT,
      .argument = "ENDPOINT",
      OPTION_FIELD(struct options, gateway),
      .words = "@endpoint",
      .help = "up:NAME, unix:PATH, tty:PATH or tcp:HOST:PORT; default: $POSTROAD_GATEWAY",
      .manual = "The endpoint where the mesh is reached: `up:`<NAME> (a mesh that `up` has started), `unix:`<PATH>, "
                "`tty:`<PATH>[`@`<BAUD>] (a serial line, opened exclusively, with 1000000 baud by default), or "
                "`tcp:`<HOST>`:`<PORT>. The default is the environment variable `POSTROAD_GATEWAY`, or else the only "
                "mesh that is up."}},
    {COMMON_FROM,
     {.name = "from",
      .kind = OPTION_TEXT,
      .argument = "SITE",
      OPTION_FIELD(struct options, from),
      .help = "ask through this site, which sends the packets; default 0",
      .manual = "The site of a mesh that is up whose console takes the requests. This site sends the packets. The "
                "default is site 0."}},
    {COMMON_FROM, {.name = "site", .kind = OPTION_FORMER, .help = "the site that is asked is --from SITE"}},
    {COMMON_TIMEOUT,
     {.name = "timeout",
      .letter = 't',
      .kind = OPTION_SECONDS,
      .argument = "SECONDS",
      OPTION_FIELD(struct options, timeout),
      .help = "give up after so long; default 10; load: 30; listen, console all: never",
      .manual = "The verb gives up when no answer has come for this time. The default is 10 seconds, and 30 seconds "
                "for `load`. The verb `send` gives up when none of its packets has been settled for this time. The "
                "verbs `listen` and `console` (of several sites) end after this time; by default they do not end."}},
    {COMMON_JSON,
     {.name = "json",
      .letter = 'j',
      .kind = OPTION_FLAG,
      OPTION_FIELD(struct options, json),
      .help = "print JSON",
      .manual = "The verb prints a JSON object with the members `schema` and `version` (the version of the program). "
                "The verbs `listen`, `stats --watch`, `sim`, and `console` of several sites print one object a line."}},
    {COMMON_QUIET,
     {.name = "quiet",
      .letter = 'q',
      .kind = OPTION_FLAG,
      OPTION_FIELD(struct options, quiet),
      .help = "no progress, no notes",
      .manual = "The verb prints no progress and no notes."}},
    {COMMON_VERBOSE,
     {.name = "verbose",
      .letter = 'v',
      .kind = OPTION_FLAG,
      OPTION_FIELD(struct options, verbose),
      .help = "print more notes",
      .manual = "The verb prints more notes; `sim` prints its progress as lines, on a terminal too."}},
    {0,
     {.name = "help",
      .letter = 'h',
      .kind = OPTION_FLAG,
      .help = "this text",
      .manual = "The verb lists its options and ends."}},
    {0,
     {.name = "version",
      .letter = 'V',
      .kind = OPTION_FLAG,
      .help = "version of this program",
      .manual = "The verb prints the version of the program and ends."}},
};

enum { COMMON_ROWS = sizeof common_rows / sizeof *common_rows };

const struct option_row *options_common_row(size_t index)
{
    return index < COMMON_ROWS ? &common_rows[index].row : NULL;
}

bool options_is_common(const struct option_row *row)
{
    for (size_t i = 0; i < COMMON_ROWS; i++)
        if (row == &common_rows[i].row)
            return true;
    return false;
}

/* All rows of a verb, the former options too. NULL behind the last. */
static const struct option_row *any_row(const struct verb *verb, size_t index)
{
    for (const struct option_row *row = verb->rows; row && row->name; row++)
        if (index-- == 0)
            return row;
    for (size_t i = 0; i < COMMON_ROWS; i++)
        if ((!common_rows[i].which || (common_rows[i].which & verb->common)) && index-- == 0)
            return &common_rows[i].row;
    return NULL;
}

const struct option_row *options_row(const struct verb *verb, size_t index)
{
    const struct option_row *row;
    for (size_t i = 0; (row = any_row(verb, i)); i++)
        if (row->kind != OPTION_FORMER && index-- == 0)
            return row;
    return NULL;
}

bool options_number(const char *text, long minimum, long maximum, long *out)
{
    char *end;
    errno = 0;
    *out = strtol(text, &end, 0);
    return end != text && !*end && errno == 0 && *out >= minimum && *out <= maximum;
}

void options_print_row(FILE *out, const char *left, int column, const char *meaning)
{
    size_t room = (size_t)(HELP_WIDTH - column);
    if (strlen(left) > (size_t)column - 3)
        fprintf(out, "  %s\n%*s", left, column, "");
    else
        fprintf(out, "  %-*s ", column - 3, left);
    while (strlen(meaning) > room) {
        size_t end = room;
        while (end > 0 && meaning[end] != ' ')
            end--;
        fprintf(out, "%.*s\n%*s", (int)end, meaning, column, "");
        meaning += end + 1;
    }
    fprintf(out, "%s\n", meaning);
}

void options_spell(const struct option_row *row, char *out, size_t size)
{
    bool optional = row->kind == OPTION_SECONDS_OPTIONAL;
    snprintf(out, size, "--%s%s%s%s%s", row->name, optional ? "[" : "", row->argument ? "=" : "",
             row->argument ? row->argument : "", optional ? "]" : "");
}

static void print_row(const struct option_row *row)
{
    char spelling[SPELLING_SIZE], left[SPELLING_SIZE + 4], letter[8] = "    ";
    if (row->letter)
        snprintf(letter, sizeof letter, "-%c, ", row->letter);
    options_spell(row, spelling, sizeof spelling);
    snprintf(left, sizeof left, "%s%s", letter, spelling);
    options_print_row(stdout, left, HELP_COLUMN, row->help);
}

static void print_help(const struct verb *verb)
{
    const struct option_row *row;
    printf("Usage: postroad %s%s%s [OPTION...]\n%s\n\n", verb->name, *verb->operands ? " " : "", verb->operands,
           verb->summary);
    for (size_t i = 0; (row = options_row(verb, i)); i++)
        print_row(row);
    if (verb->notes)
        printf("\n%s", verb->notes);
    printf("\nThe manual page, postroad(1), has more.\n");
}

static bool read_seconds(const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return end != text && !*end && isfinite(*out) && *out >= 0;
}

static bool read_number(const struct option_row *row, const char *text, void *field)
{
    long value;
    if (!options_number(text, row->minimum, row->maximum, &value))
        return false;
    if (row->size == sizeof(uint32_t))
        *(uint32_t *)field = (uint32_t)value;
    else
        *(uint64_t *)field = (uint64_t)value;
    return true;
}

static bool read_list(const struct option_row *row, const char *text, struct option_list *list)
{
    if (list->count == OPTION_LIST_MAX || (row->expected && !*text))
        return false;
    list->items[list->count++] = text;
    return true;
}

/* Stores a value in the verb's struct; false: the value is refused. */
static bool read_value(const struct option_row *row, const char *text, void *options)
{
    void *field = (char *)options + row->offset;
    switch (row->kind) {
    case OPTION_FLAG:
        return *(bool *)field = true;
    case OPTION_TEXT:
        *(const char **)field = text;
        return *text || !row->expected;
    case OPTION_LIST:
        return read_list(row, text, field);
    case OPTION_NUMBER:
        return read_number(row, text, field);
    case OPTION_SECONDS:
    case OPTION_SECONDS_OPTIONAL:
        return read_seconds(text ? text : "2", field);
    case OPTION_READ:
        return row->read(text, options);
    case OPTION_FORMER:
        break;
    }
    return false;
}

static int refuse_value(const struct verb *verb, const struct option_row *row, const char *text)
{
    char limits[64] = "seconds";
    bool full = row->kind == OPTION_LIST && *text;
    if (full)
        snprintf(limits, sizeof limits, "at most %d %ss", OPTION_LIST_MAX, row->name);
    else if (row->kind == OPTION_NUMBER && row->maximum == LONG_MAX)
        snprintf(limits, sizeof limits, "a number from %ld up", row->minimum);
    else if (row->kind == OPTION_NUMBER)
        snprintf(limits, sizeof limits, "a number from %ld to %ld", row->minimum, row->maximum);
    report_error(verb->name, "--%s %s: expected %s", row->name, text, row->expected && !full ? row->expected : limits);
    return EXIT_USAGE;
}

/* Builds the arguments of getopt_long from the rows of one verb. */
struct tables {
    char letters[3 * ROWS_MAX + 4];
    struct option longs[ROWS_MAX + 1];
};

static void make_tables(const struct verb *verb, struct tables *tables)
{
    const struct option_row *row;
    size_t letters = 0;
    memset(tables, 0, sizeof *tables);
    tables->letters[letters++] = ':';
    for (size_t i = 0; i < ROWS_MAX && (row = options_row(verb, i)); i++) {
        int argument = row->kind == OPTION_FLAG               ? no_argument
                       : row->kind == OPTION_SECONDS_OPTIONAL ? optional_argument
                                                              : required_argument;
        tables->longs[i] = (struct option){row->name, argument, NULL, OPTION_BASE + (int)i};
        if (!row->letter)
            continue;
        tables->letters[letters++] = row->letter;
        for (int colons = argument; colons > 0; colons--)
            tables->letters[letters++] = ':';
    }
}

static const struct option_row *find_row(const struct verb *verb, int code)
{
    const struct option_row *row;
    if (code >= OPTION_BASE)
        return options_row(verb, (size_t)(code - OPTION_BASE));
    for (size_t i = 0; (row = options_row(verb, i)); i++)
        if (row->letter == code)
            return row;
    return NULL;
}

/* Refuses an option of former versions: the message names today's spelling. */
static bool refuse_former(const struct verb *verb, const char *text)
{
    const struct option_row *row;
    size_t length = strcspn(text, "=");
    for (size_t i = 0; (row = any_row(verb, i)); i++)
        if (row->kind == OPTION_FORMER && length == strlen(row->name) + 2 && strncmp(text, "--", 2) == 0 &&
            strncmp(text + 2, row->name, length - 2) == 0) {
            report_error(verb->name, "--%s: %s", row->name, row->help);
            return true;
        }
    return false;
}

static void refuse_unknown(const struct verb *verb, const char *text)
{
    const struct option_row *row;
    char name[64];
    struct guess guess;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "="), text);
    guess_begin(&guess, strncmp(name, "--", 2) == 0 ? name + 2 : "");
    for (size_t i = 0; (row = options_row(verb, i)); i++)
        guess_try(&guess, row->name);
    if (guess.nearest && guess.distance > 0)
        report_error(verb->name, "%s: no such option; did you mean --%s?", text, guess.nearest);
    else
        report_error(verb->name, "%s: no such option, or not with an argument (see postroad %s --help)", text,
                     verb->name);
}

static int refuse(const struct verb *verb, int code, char **argv)
{
    char letter[3] = {'-', (char)optopt, 0};
    const struct option_row *row = optopt ? find_row(verb, optopt) : NULL;
    const char *text = optopt && optopt < OPTION_BASE ? letter : argv[optind - 1];
    if (code == ':')
        report_error(verb->name, "%s: expected %s", text,
                     row && row->expected   ? row->expected
                     : row && row->argument ? row->argument
                                            : "an argument");
    else if (!refuse_former(verb, text))
        refuse_unknown(verb, text);
    return EXIT_USAGE;
}

static int check_operands(const struct verb *verb, const struct options *out)
{
    if (out->operand_count >= verb->operands_min && out->operand_count <= verb->operands_max)
        return -1;
    if (out->operand_count > verb->operands_max)
        report_error(verb->name, "%s: expected %s", out->operands[verb->operands_max],
                     verb->operands_max ? verb->operands : "options only");
    else
        report_error(verb->name, "expected %s (see postroad %s --help)", verb->operands, verb->name);
    return EXIT_USAGE;
}

/* Returns -1 to continue, or an exit code: 0 after --help and --version. */
static int parse(const struct verb *verb, int argc, char **argv, struct options *out)
{
    struct tables tables;
    int code;
    make_tables(verb, &tables);
    opterr = 0;
    unsetenv("POSIXLY_CORRECT"); /* with it, options behind operands would be operands */
    while ((code = getopt_long(argc, argv, tables.letters, tables.longs, NULL)) != -1) {
        const struct option_row *row = code == '?' || code == ':' ? NULL : find_row(verb, code);
        if (!row)
            return refuse(verb, code, argv);
        if (row->letter == 'h')
            return print_help(verb), EXIT_OK;
        if (row->letter == 'V')
            return report_version(), EXIT_OK;
        if (!read_value(row, optarg, out))
            return refuse_value(verb, row, optarg);
    }
    out->operands = argv + optind;
    out->operand_count = argc - optind;
    return check_operands(verb, out);
}

int options_run(const struct verb *verb, int argc, char **argv)
{
    struct options *options = calloc(1, verb->size);
    if (!options)
        abort();
    if (verb->defaults)
        memcpy(options, verb->defaults, verb->size);
    options->verb = verb->name;
    options->timeout = -1;
    int status = parse(verb, argc, argv, options);
    if (status < 0)
        status = verb->run(options);
    free(options);
    return status;
}
