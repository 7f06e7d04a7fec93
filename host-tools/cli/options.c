/* Option parsing for all verbs, from tables of rows.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "cli/options.h"

#include "cli/guess.h"
#include "cli/option_files.h"
#include "cli/report.h"
#include "cli/terminal.h"
#include "support/or_abort.h"
#include "support/shown_text.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    HELP_WIDTH = 80,
    HELP_WIDTH_LEAST = 60,
    HELP_COLUMN = 29,
    HELP_INDENT = 8,
    SPELLING_SIZE = 64,
    USAGE_SIZE = 160,
    USAGE_INDENT = 4
};

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
      .otherwise = "the file's, without its suffix",
      .help = "name of the mesh"}},
    {COMMON_GATEWAY,
     {.name = "gateway",
      .letter = 'g',
      .kind = OPTION_TEXT,
      .argument = "ENDPOINT",
      OPTION_FIELD(struct options, gateway),
      .words = "@endpoint",
      .otherwise = "$POSTROAD_GATEWAY, or the only mesh that is up",
      .help = "up:NAME, unix:PATH, tty:PATH or tcp:HOST:PORT",
      .manual = "The endpoint where the mesh is reached: `up:`<NAME> (a mesh that `up` has started), `unix:`<PATH>, "
                "`tty:`<PATH>[`@`<BAUD>] (a serial line, opened exclusively, with 1000000 baud by default), or "
                "`tcp:`<HOST>`:`<PORT>."}},
    {COMMON_FROM,
     {.name = "from",
      .kind = OPTION_TEXT,
      .argument = "SITE",
      OPTION_FIELD(struct options, from),
      .otherwise = "the first with a console",
      .help = "ask through this site, which sends the packets"}},
    {COMMON_TIMEOUT,
     {OPTION_TIMEOUT, .initial = OPTION_CONSTANT(OPTION_ANSWER_TIME),
      .help = "give up when no answer has come for so long",
      .manual = "The verb gives up when no answer has come for this time. The verb `send` gives up when none of its "
                "packets has been settled for this time. Where `--timeout` means something else it is described with "
                "the verb."}},
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
      .help = "no progress, no notes"}},
    {COMMON_VERBOSE,
     {.name = "verbose",
      .letter = 'v',
      .kind = OPTION_FLAG,
      OPTION_FIELD(struct options, verbose),
      .help = "print more notes",
      .manual = "The verb prints more notes; `sim` prints its progress as lines, on a terminal too."}},
    {0, {.name = "help", .letter = 'h', .kind = OPTION_FLAG, .help = "list the options and end"}},
    {0, {.name = "version", .letter = 'V', .kind = OPTION_FLAG, .help = "print the version of the program and end"}},
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

const struct option_row *options_row(const struct verb *verb, size_t index)
{
    for (const struct option_row *row = verb->rows; row && row->name; row++)
        if (index-- == 0)
            return row;
    for (size_t i = 0; i < COMMON_ROWS; i++)
        if ((!common_rows[i].which || (common_rows[i].which & verb->common)) && index-- == 0)
            return &common_rows[i].row;
    return NULL;
}

bool options_number(const char *text, long minimum, long maximum, long *out)
{
    char *end;
    errno = 0;
    *out = strtol(text, &end, 0);
    return end != text && !*end && errno == 0 && *out >= minimum && *out <= maximum;
}

/* The width of what the text goes to, where that is a terminal, and 80 at most. */
static int help_width(FILE *out)
{
    int width = terminal_width(terminal_descriptor(out));
    return width < HELP_WIDTH ? width : HELP_WIDTH;
}

void options_print_row(FILE *out, const char *left, int column, const char *meaning)
{
    int width = help_width(out);
    if (width < HELP_WIDTH_LEAST && column > HELP_INDENT)
        column = HELP_INDENT;
    if (strlen(left) > (size_t)column - 3)
        fprintf(out, "  %s\n%*s", left, column, "");
    else
        fprintf(out, "  %-*s ", column - 3, left);
    terminal_wrap(out, meaning, column, column, width);
}

void options_print_text(FILE *out, const char *text, int indent)
{
    terminal_wrap(out, text, 0, indent, help_width(out));
}

const char *options_default(const struct option_row *row)
{
    return row->initial ? row->initial : row->otherwise;
}

const char *options_help(const struct option_row *row, char *out, size_t size)
{
    const char *text = options_default(row);
    snprintf(out, size, "%s%s%s", row->help, text ? "; default: " : "", text ? text : "");
    return out;
}

void options_spell(const struct option_row *row, char *out, size_t size)
{
    bool optional = row->kind == OPTION_SECONDS_OPTIONAL;
    snprintf(out, size, "--%s%s%s%s%s", row->name, optional ? "[" : "", row->argument ? "=" : "",
             row->argument ? row->argument : "", optional ? "]" : "");
}

static void print_row(const struct option_row *row)
{
    char spelling[SPELLING_SIZE], left[SPELLING_SIZE + 4], letter[5] = "    ", help[OPTION_HELP_SIZE];
    if (row->letter)
        snprintf(letter, sizeof letter, "-%c, ", row->letter);
    options_spell(row, spelling, sizeof spelling);
    snprintf(left, sizeof left, "%s%s", letter, spelling);
    options_print_row(stdout, left, HELP_COLUMN, options_help(row, help, sizeof help));
}

static void print_help(const struct verb *verb)
{
    const struct option_row *row;
    char usage[USAGE_SIZE];
    snprintf(usage, sizeof usage, "Usage: postroad %s%s%s [OPTION...]", verb->name, *verb->operands ? " " : "",
             verb->operands);
    options_print_text(stdout, usage, USAGE_INDENT);
    options_print_text(stdout, verb->summary, 0);
    printf("\n");
    for (size_t i = 0; (row = options_row(verb, i)); i++)
        print_row(row);
    if (verb->notes)
        printf("\n%s", verb->notes);
    printf("\nThe manual page, postroad(1), has more.\n");
}

static bool read_seconds(const struct option_row *row, const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return end != text && !*end && isfinite(*out) && *out >= 0 && (*out > 0 || !row->minimum);
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
        return read_seconds(row, text ? text : row->otherwise, field);
    case OPTION_READ:
        return row->read(text, options);
    }
    return false;
}

static void explain_refusal(const struct option_row *row, const char *text, char *out, size_t size)
{
    char limits[64];
    bool full = row->kind == OPTION_LIST && *text;
    snprintf(limits, sizeof limits, "seconds%s", row->minimum ? ", more than 0" : "");
    if (full)
        snprintf(limits, sizeof limits, "at most %d %ss", OPTION_LIST_MAX, row->name);
    else if (row->kind == OPTION_FLAG)
        snprintf(limits, sizeof limits, "yes or no");
    else if (row->kind == OPTION_NUMBER && row->maximum == LONG_MAX)
        snprintf(limits, sizeof limits, "a number from %ld up", row->minimum);
    else if (row->kind == OPTION_NUMBER)
        snprintf(limits, sizeof limits, "a number from %ld to %ld", row->minimum, row->maximum);
    snprintf(out, size, "--%s %s: expected %s", row->name, text, row->expected && !full ? row->expected : limits);
}

static int refuse_value(const struct verb *verb, const struct option_row *row, const char *text)
{
    char reason[OPTION_HELP_SIZE + 2 * PATH_MAX];
    explain_refusal(row, text, reason, sizeof reason);
    return report_failure(EXIT_USAGE, verb->name, "%s", reason);
}

/* The arguments of a verb, one after the other. Operands gather at the front of argv. */
struct reader {
    const struct verb *verb;
    int argc, at;
    char **argv;
    struct options *out;
    struct option_files files;
};

static const struct option_row *row_with_letter(const struct verb *verb, char letter)
{
    const struct option_row *row;
    for (size_t i = 0; (row = options_row(verb, i)); i++)
        if (row->letter == letter)
            return row;
    return NULL;
}

static bool has_name(const struct option_row *row, const char *name, size_t length)
{
    return strlen(row->name) == length && strncmp(row->name, name, length) == 0;
}

/* Former options too. */
static const struct option_row *row_with_name(const struct verb *verb, const char *name, size_t length)
{
    const struct option_row *row;
    for (size_t i = 0; (row = options_row(verb, i)); i++)
        if (has_name(row, name, length))
            return row;
    return NULL;
}

static int refuse_unknown(const struct verb *verb, const char *text, const char *name, size_t length)
{
    const struct option_row *row;
    char typed[64];
    struct guess guess;
    snprintf(typed, sizeof typed, "%.*s", (int)length, name);
    guess_begin(&guess, typed);
    for (size_t i = 0; (row = options_row(verb, i)); i++)
        guess_try(&guess, row->name);
    if (guess.nearest)
        report_error(verb->name, "%s: no such option; did you mean --%s?", text, guess.nearest);
    else
        report_error(verb->name, "%s: no such option (see postroad %s --help)", text, verb->name);
    return EXIT_USAGE;
}

/* A name with a control character is a trap: it would stand in tables, in logs and in scripts for other programs. Only
 * the data of a packet may have them. */
static bool is_plain(const char *text)
{
    struct shown_text state = {0};
    for (; *text; text++)
        if (*text == '\n' || shown_text_byte(&state, *text) != *text)
            return false;
    return true;
}

static int refuse_control(const struct verb *verb, const char *text)
{
    char *shown = or_abort(strdup(text));
    shown_text_line(shown);
    report_error(verb->name, "%s: a control character, expected letters", shown);
    free(shown);
    return EXIT_USAGE;
}

static void note_given(struct options *out, const struct option_row *row, const char *value)
{
    struct option_given *given = or_abort(realloc(out->given, (out->given_count + 1) * sizeof *given));
    const char *without = row->kind == OPTION_FLAG ? "yes" : row->otherwise;
    given[out->given_count++] = (struct option_given){row, value ? value : without};
    out->given = given;
}

/* Stores an option. `text` is how it was typed, `value` what was typed behind it without a space, or NULL. Returns -1
 * to continue, or an exit code: 0 after --help and --version. */
static int take(struct reader *reader, const struct option_row *row, const char *text, const char *value)
{
    bool alone = row->kind == OPTION_FLAG || row->kind == OPTION_SECONDS_OPTIONAL;
    if (row->kind == OPTION_FLAG && value)
        return report_failure(EXIT_USAGE, reader->verb->name, "%s: --%s takes no argument", text, row->name);
    if (row->letter == 'h')
        return print_help(reader->verb), EXIT_OK;
    if (row->letter == 'V')
        return report_version(), EXIT_OK;
    if (!alone && !value && reader->at + 1 < reader->argc)
        value = reader->argv[++reader->at];
    if (!alone && !value)
        return report_failure(EXIT_USAGE, reader->verb->name, "%s: expected %s", text,
                              row->expected ? row->expected : row->argument);
    if (value && !row->any_bytes && !is_plain(value))
        return refuse_control(reader->verb, value);
    if (!read_value(row, value, reader->out))
        return refuse_value(reader->verb, row, value);
    option_files_add(&reader->files, row, value);
    note_given(reader->out, row, value);
    return -1;
}

/* --NAME or --NAME=VALUE. */
static int take_name(struct reader *reader, const char *text)
{
    const char *name = text + 2;
    size_t length = strcspn(name, "=");
    const struct option_row *row = row_with_name(reader->verb, name, length);
    if (!row)
        return refuse_unknown(reader->verb, text, name, length);
    return take(reader, row, text, name[length] ? name + length + 1 : NULL);
}

/* -abc, where the last one may be followed by its value. */
static int take_letters(struct reader *reader, const char *text)
{
    int status = -1;
    for (const char *at = text + 1; *at && status < 0; at++) {
        const char letter[] = {'-', *at, 0}, *value = at[1] ? at + 1 : NULL;
        const struct option_row *row = row_with_letter(reader->verb, *at);
        if (!row)
            return refuse_unknown(reader->verb, letter, "", 0);
        bool flag = row->kind == OPTION_FLAG;
        status = take(reader, row, letter, flag ? NULL : value);
        if (!flag)
            break;
    }
    return status;
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

static int check_files(const struct verb *verb, const struct options *out, const struct option_files *files)
{
    char error[2 * PATH_MAX];
    if (option_files_check(files, verb, out, error, sizeof error))
        return -1;
    return report_failure(EXIT_USAGE, verb->name, "%s", error);
}

static int parse(struct reader *reader)
{
    struct options *out = reader->out;
    bool operands_only = false;
    int status = -1;
    out->operands = reader->argv + 1;
    for (reader->at = 1; reader->at < reader->argc && status < 0; reader->at++) {
        char *text = reader->argv[reader->at];
        if (operands_only || *text != '-' || !text[1]) {
            out->operands[out->operand_count++] = text;
            status = is_plain(text) ? -1 : refuse_control(reader->verb, text);
        } else if (strcmp(text, "--") == 0)
            operands_only = true;
        else
            status = text[1] == '-' ? take_name(reader, text) : take_letters(reader, text);
    }
    if (status < 0)
        status = check_operands(reader->verb, out);
    return status < 0 ? check_files(reader->verb, out, &reader->files) : status;
}

void options_begin(const struct verb *verb, struct options *out)
{
    const struct option_row *row;
    memset(out, 0, verb->size);
    if (verb->defaults)
        memcpy(out, verb->defaults, verb->size);
    out->verb = verb->name;
    out->timeout = -1;
    for (size_t i = 0; (row = options_row(verb, i)); i++)
        if (row->initial && !read_value(row, row->initial, out))
            abort(); /* a default that the option would refuse */
}

static bool read_truth(const char *text, bool *out)
{
    *out = strcmp(text, "yes") == 0;
    return *out || strcmp(text, "no") == 0;
}

int options_assign(const struct verb *verb, struct options *out, const char *name, const char *value, char *error,
                   size_t error_size)
{
    const struct option_row *row = row_with_name(verb, name, strlen(name));
    bool *flag = row && row->kind == OPTION_FLAG ? (bool *)((char *)out + row->offset) : NULL;
    if (row && (flag ? read_truth(value, flag) : read_value(row, value, out)))
        return 0;
    if (row)
        explain_refusal(row, value, error, error_size);
    else
        snprintf(error, error_size, "%s: no such option", name);
    return -1;
}

int options_run(const struct verb *verb, int argc, char **argv)
{
    struct options *options = or_abort(malloc(verb->size));
    options_begin(verb, options);
    struct reader reader = {.verb = verb, .argc = argc, .argv = argv, .out = options};
    int status = parse(&reader);
    if (status < 0)
        status = verb->run(options);
    free(options->given);
    free(options);
    return status;
}
