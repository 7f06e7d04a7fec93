/* Option parsing for all verbs, from one table.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "cli/options.h"

#include "cli/guess.h"
#include "cli/report.h"
#include "operator/send_window.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum option_kind { OPTION_FLAG, OPTION_TEXT, OPTION_LIST, OPTION_NUMBER, OPTION_SECONDS, OPTION_SECONDS_OPTIONAL };

enum {
    ROWS_MAX = 40,
    HELP_WIDTH = 80,
    HELP_COLUMN = 29,
    OPTION_BASE = 256,
    ASK = VERB_MAP | VERB_SEND | VERB_PING | VERB_STATS, /* through one node, which others are asked by */
    TALK = ASK | VERB_LISTEN | VERB_CONSOLE
};

struct option_row {
    unsigned verbs;
    char letter; /* 0: long only */
    const char *name, *argument;
    enum option_kind kind;
    size_t offset;
    const char *help;
    long minimum, maximum;
};

#define AT(field) offsetof(struct options, field)

static const struct option_row rows[] = {
    {VERB_UP, 0, "level", "LEVEL", OPTION_TEXT, AT(level),
     "site: whole sites run the firmware (default); fabric: native operators, faster", 0, 0},
    {VERB_UP, 0, "nodes", "KINDS", OPTION_TEXT, AT(nodes),
     "what runs the firmware: native, core or qemu; or some sites: qemu:0-3,native:4-7", 0, 0},
    {VERB_UP, 0, "fabric", "KIND", OPTION_TEXT, AT(fabric), "rtl: what links the sites is the Verilog (default)", 0, 0},
    {VERB_UP, 0, "quantum", "CLOCKS", OPTION_NUMBER, AT(quantum),
     "with qemu: clocks between two looks at the guests; time repeats then. Default: free", 1, 1000000},
    {VERB_UP | VERB_DOWN, 'n', "name", "NAME", OPTION_TEXT, AT(name), "name of the mesh; default: the file's", 0, 0},
    {VERB_UP, 0, "firmware", "FILE", OPTION_TEXT, AT(firmware),
     "image for the sites: an .elf, or a .hex with its .elf beside it; default: the node's", 0, 0},
    {VERB_UP, 0, "pool", "N", OPTION_NUMBER, AT(pool), "fabric level: packet buffers of a site; default 32", 3, 65536},
    {VERB_UP, 0, "stall", "PERCENT", OPTION_NUMBER, AT(stall), "fabric level: polls that an operator misses", 0, 99},
    {VERB_UP, 0, "seed", "N", OPTION_NUMBER, AT(seed), "seed of stalls and faults; default 1", 0, LONG_MAX},
    {VERB_UP, 0, "reliable", "0|1", OPTION_NUMBER, AT(reliable),
     "1: every packet delivered or reported; 0: the papers' raw service; default: the file's", 0, 1},
    {VERB_UP, 0, "window", "N", OPTION_NUMBER, AT(window),
     "fabric level: packets of a site that may wait for acknowledgements; default 4", 1, PR_WINDOW_MAX},
    {VERB_UP, 0, "fault", "FAULT", OPTION_LIST, AT(faults),
     "something goes wrong, as with postroad sim --help; may be given often", 0, 0},
    {VERB_UP, 'f', "foreground", NULL, OPTION_FLAG, AT(foreground), "stay in the foreground", 0, 0},
    {VERB_DOWN, 'a', "all", NULL, OPTION_FLAG, AT(all), "stop every mesh of this user", 0, 0},
    {VERB_MAP, 'm', "mesh", "FILE", OPTION_TEXT, AT(mesh), "check the sites against this .mesh file", 0, 0},
    {VERB_SEND, 'd', "data", "DATA", OPTION_TEXT, AT(data),
     "text:..., hex:..., words:1,0x2,..., file:PATH or - (standard input); bare numbers are words, anything else text; "
     "default: none",
     0, 0},
    {VERB_SEND, 0, "info", "INFO", OPTION_LIST, AT(info),
     "target_info, which only its site sees: WORDS, or SITES:WORDS as in 3:0x12,7; may be repeated", 0, 0},
    {VERB_SEND, 0, "handler", "N", OPTION_NUMBER, AT(handler), "handler at the targets; default 1", 0, 253},
    {VERB_SEND, 0, "no-wait", NULL, OPTION_FLAG, AT(no_wait), "do not wait for acknowledgements: accepted is enough", 0,
     0},
    {VERB_SEND, 'c', "count", "N", OPTION_NUMBER, AT(count), "send so many packets; default 1", 1, INT_MAX},
    {VERB_LISTEN, 'c', "count", "N", OPTION_NUMBER, AT(count), "stop after so many deliveries", 1, INT_MAX},
    {VERB_LISTEN, 'e', "events", NULL, OPTION_FLAG, AT(events),
     "show what operators do too: resend, fall back, forward, give up", 0, 0},
    {VERB_PING, 'c', "count", "N", OPTION_NUMBER, AT(count), "pings to every site; default 4", 1, 100000},
    {VERB_PING, 'w', "words", "N", OPTION_NUMBER, AT(words), "data words in a ping; default 0", 0, 1000},
    {VERB_STATS, 'w', "watch", "SECONDS", OPTION_SECONDS_OPTIONAL, AT(watch),
     "again every so many seconds (default 2), with what was added since", 0, 0},
    {VERB_STATS, 'f', "full", NULL, OPTION_FLAG, AT(full), "every link, not only the worst 20", 0, 0},
    {VERB_STATS, 0, "wide", NULL, OPTION_FLAG, AT(wide),
     "every column that has something to show, however wide that gets", 0, 0},
    {VERB_CONSOLE, 0, "filter", "REGEX", OPTION_TEXT, AT(filter),
     "show what sites say, as far as it matches this extended regular expression", 0, 0},
    {VERB_CONSOLE, 0, "log", "DIR", OPTION_TEXT, AT(log),
     "show what sites say, and write all of it to files, DIR/site-N.log", 0, 0},
    {VERB_GDB, 0, "halt-mesh", NULL, OPTION_FLAG, AT(halt_mesh),
     "the mesh waits while the site stands still, as it does anyway in quantum time", 0, 0},
    {TALK | VERB_DOWN | VERB_GDB | VERB_LOAD, 'g', "gateway", "ENDPOINT", OPTION_TEXT, AT(gateway),
     "sim:NAME, unix:PATH, tty:PATH or tcp:HOST:PORT; default: $POSTROAD_GATEWAY", 0, 0},
    {ASK, 0, "from", "SITE", OPTION_TEXT, AT(from), "ask through this site, which sends the packets; default 0", 0, 0},
    {TALK | VERB_DOWN | VERB_LOAD, 't', "timeout", "SECONDS", OPTION_SECONDS, AT(timeout),
     "give up after so long; default 10; load: 30; listen, console all: never", 0, 0},
    {TALK | VERB_DOWN | VERB_UP | VERB_LOAD | VERB_LIST, 'j', "json", NULL, OPTION_FLAG, AT(json), "print JSON", 0, 0},
    {TALK | VERB_DOWN | VERB_UP | VERB_LOAD | VERB_LIST, 'q', "quiet", NULL, OPTION_FLAG, AT(quiet),
     "no progress, no warnings", 0, 0},
    {TALK | VERB_DOWN | VERB_UP | VERB_LOAD, 'v', "verbose", NULL, OPTION_FLAG, AT(verbose), "say more", 0, 0},
    {~0u, 'h', "help", NULL, OPTION_FLAG, 0, "this text", 0, 0},
    {~0u, 'V', "version", NULL, OPTION_FLAG, 0, "version of this program", 0, 0},
};

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

static void print_row(const struct option_row *row)
{
    char left[64], letter[8] = "    ";
    bool optional = row->kind == OPTION_SECONDS_OPTIONAL;
    if (row->letter)
        snprintf(letter, sizeof letter, "-%c, ", row->letter);
    snprintf(left, sizeof left, "%s--%s%s%s%s%s", letter, row->name, optional ? "[" : "", row->argument ? "=" : "",
             row->argument ? row->argument : "", optional ? "]" : "");
    options_print_row(stdout, left, HELP_COLUMN, row->help);
}

static void print_help(const struct verb *verb)
{
    printf("Usage: postroad %s%s%s [OPTION...]\n%s\n\n", verb->name, *verb->operands ? " " : "", verb->operands,
           verb->summary);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].verbs & verb->mask)
            print_row(&rows[i]);
    printf("\nThe manual page, postroad(1), says more.\n");
}

static bool take_seconds(const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return end != text && !*end && isfinite(*out) && *out >= 0;
}

static int add_to_list(const struct verb *verb, const struct option_row *row, const char *text,
                       struct option_list *list)
{
    if (list->count == OPTION_LIST_MAX) {
        report_error(verb->name, "--%s %s: expected at most %d of them", row->name, text, OPTION_LIST_MAX);
        return EXIT_USAGE;
    }
    list->items[list->count++] = text;
    return -1;
}

static int take(const struct verb *verb, const struct option_row *row, const char *text, struct options *out)
{
    char *field = (char *)out + row->offset;
    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)(void *)field = true;
        return -1;
    case OPTION_TEXT:
        *(const char **)(void *)field = text;
        return -1;
    case OPTION_LIST:
        return add_to_list(verb, row, text, (struct option_list *)(void *)field);
    case OPTION_NUMBER:
        if (options_number(text, row->minimum, row->maximum, (long *)(void *)field))
            return -1;
        if (row->maximum == LONG_MAX)
            report_error(verb->name, "--%s %s: expected a number from %ld up", row->name, text, row->minimum);
        else
            report_error(verb->name, "--%s %s: expected a number from %ld to %ld", row->name, text, row->minimum,
                         row->maximum);
        return EXIT_USAGE;
    case OPTION_SECONDS_OPTIONAL:
    case OPTION_SECONDS:
        if (take_seconds(text ? text : "2", (double *)(void *)field))
            return -1;
        report_error(verb->name, "--%s %s: expected seconds", row->name, text);
        return EXIT_USAGE;
    }
    return EXIT_USAGE;
}

/* What getopt_long wants, for the rows of one verb. */
struct tables {
    char letters[3 * ROWS_MAX + 4];
    struct option longs[ROWS_MAX + 1];
};

static void make_tables(const struct verb *verb, struct tables *tables)
{
    size_t used = 0, letters = 0;
    memset(tables, 0, sizeof *tables);
    tables->letters[letters++] = ':';
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct option_row *row = &rows[i];
        int argument = row->kind == OPTION_FLAG               ? no_argument
                       : row->kind == OPTION_SECONDS_OPTIONAL ? optional_argument
                                                              : required_argument;
        if (!(row->verbs & verb->mask))
            continue;
        tables->longs[used++] = (struct option){row->name, argument, NULL, OPTION_BASE + (int)i};
        if (!row->letter)
            continue;
        tables->letters[letters++] = row->letter;
        for (int colons = argument; colons > 0; colons--)
            tables->letters[letters++] = ':';
    }
}

static const struct option_row *find_row(const struct verb *verb, int code)
{
    if (code >= OPTION_BASE)
        return &rows[code - OPTION_BASE];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].verbs & verb->mask && rows[i].letter == code)
            return &rows[i];
    return NULL;
}

/* How options were spelt that are none any more, and what to type today. */
static const struct {
    unsigned verbs;
    const char *option, *now;
} former[] = {
    {VERB_SEND, "--to", "the targets are the first argument, postroad send SITES"},
    {VERB_LISTEN, "--site", "the sites are the first argument, postroad listen SITES"},
    {VERB_CONSOLE, "--site", "the site is the first argument, postroad console SITE"},
    {ASK, "--site", "the site that is asked is --from SITE"},
};

static bool refuse_former(const struct verb *verb, const char *text)
{
    size_t length = strcspn(text, "=");
    for (size_t i = 0; i < sizeof former / sizeof *former; i++)
        if (former[i].verbs & verb->mask && strlen(former[i].option) == length &&
            strncmp(text, former[i].option, length) == 0) {
            report_error(verb->name, "%s: %s", former[i].option, former[i].now);
            return true;
        }
    return false;
}

static void refuse_unknown(const struct verb *verb, const char *text)
{
    char name[64];
    struct guess guess;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "="), text);
    guess_begin(&guess, strncmp(name, "--", 2) == 0 ? name + 2 : "");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].verbs & verb->mask)
            guess_try(&guess, rows[i].name);
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
        report_error(verb->name, "%s: expected %s", text, row && row->argument ? row->argument : "an argument");
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

int options_parse(const struct verb *verb, int argc, char **argv, struct options *out)
{
    struct tables tables;
    int code, status;
    make_tables(verb, &tables);
    memset(out, 0, sizeof *out);
    out->verb = verb->name;
    out->timeout = out->watch = -1;
    out->seed = out->handler = 1;
    out->reliable = -1;
    opterr = 0;
    while ((code = getopt_long(argc, argv, tables.letters, tables.longs, NULL)) != -1) {
        const struct option_row *row = code == '?' || code == ':' ? NULL : find_row(verb, code);
        if (!row)
            return refuse(verb, code, argv);
        if (row->letter == 'h' && !row->offset)
            return print_help(verb), EXIT_OK;
        if (row->letter == 'V')
            return report_version(), EXIT_OK;
        if ((status = take(verb, row, optarg, out)) >= 0)
            return status;
    }
    out->operands = argv + optind;
    out->operand_count = argc - optind;
    return check_operands(verb, out);
}
