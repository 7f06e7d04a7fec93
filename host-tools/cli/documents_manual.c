/* See documents_manual.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/documents_manual.h"

#include <ctype.h>
#include <string.h>

enum { SYNOPSIS_OPTIONS = 4 };

/* A hyphen that users type must not become a dash. */
static void put_letter(FILE *out, char letter)
{
    if (letter == '-')
        fputs("\\-", out);
    else if (letter == '\\')
        fputs("\\e", out);
    else
        fputc(letter, out);
}

/* From the markup of documents.h to roff. `between` goes between paragraphs. */
static void put_text(FILE *out, const char *text, const char *between)
{
    bool bold = false, start = true;
    for (; *text; text++) {
        if (start && (*text == '.' || *text == '\''))
            fputs("\\&", out);
        start = *text == '\n';
        if (start)
            fputs(between, out);
        else if (*text == '`')
            fputs((bold = !bold) ? "\\fB" : "\\fR", out);
        else if (*text == '<')
            fputs("\\fI", out);
        else if (*text == '>')
            fputs(bold ? "\\fB" : "\\fR", out);
        else
            put_letter(out, *text);
    }
    fputc('\n', out);
}

/* A line of --help as a sentence. */
static void put_sentence(FILE *out, const char *help)
{
    fputs("\\&", out);
    fputc(toupper((unsigned char)*help), out);
    for (help++; *help; help++)
        put_letter(out, *help);
    fputs(".\n", out);
}

static void put_default(FILE *out, const char *text)
{
    fputs("The default: ", out);
    for (; *text; text++)
        put_letter(out, *text);
    fputs(".\n", out);
}

static void put_option(FILE *out, const struct option_row *row)
{
    bool optional = row->kind == OPTION_SECONDS_OPTIONAL;
    fputs(".TP\n", out);
    if (row->letter)
        fprintf(out, "\\fB\\-%c\\fR, ", row->letter);
    fputs("\\fB\\-\\-", out);
    for (const char *at = row->name; *at; at++)
        put_letter(out, *at);
    fputs("\\fR", out);
    if (row->argument)
        fprintf(out, "%s=\\fI%s\\fR%s", optional ? " [" : "", row->argument, optional ? "]" : "");
    fputc('\n', out);
    if (row->manual)
        put_text(out, row->manual, "\n.IP\n");
    else
        put_sentence(out, row->help);
    if (options_default(row))
        put_default(out, options_default(row));
}

static size_t count_own(const struct verb *verb)
{
    size_t count = 0;
    for (const struct option_row *row = verb->rows; row && row->name; row++)
        count++;
    return count;
}

void manual_synopsis(FILE *out, const struct verb *const *verbs)
{
    char spelling[64];
    for (; *verbs; verbs++) {
        fprintf(out, "\\fBpostroad %s\\fR%s%s", (*verbs)->name, *(*verbs)->operands ? " " : "", (*verbs)->operands);
        for (size_t i = 0; i < count_own(*verbs) && count_own(*verbs) <= SYNOPSIS_OPTIONS; i++) {
            options_spell(options_row(*verbs, i), spelling, sizeof spelling);
            fputs(" [", out);
            for (const char *at = spelling; *at; at++)
                put_letter(out, *at);
            fputc(']', out);
        }
        fputs(" [\\fIOPTION\\fR...]\n", out);
    }
}

void manual_verbs(FILE *out, const struct verb *const *verbs)
{
    for (; *verbs; verbs++) {
        fprintf(out, ".TP\n\\fB%s\\fR\n", (*verbs)->name);
        put_text(out, (*verbs)->manual ? (*verbs)->manual : (*verbs)->summary, "\n.IP\n");
    }
}

/* Copies the text unchanged: it is a table in columns. */
static void put_notes(FILE *out, const char *notes)
{
    fputs(".PP\n.nf\n", out);
    for (; *notes; notes++)
        put_letter(out, *notes);
    fputs(".fi\n", out);
}

void manual_options(FILE *out, const struct verb *const *verbs)
{
    const struct option_row *row;
    for (size_t i = 0; (row = options_common_row(i)); i++)
        put_option(out, row);
    for (; *verbs; verbs++) {
        if (!count_own(*verbs))
            continue;
        fprintf(out, ".SS %s\n", (*verbs)->name);
        for (size_t i = 0; i < count_own(*verbs); i++)
            put_option(out, options_row(*verbs, i));
        if ((*verbs)->notes)
            put_notes(out, (*verbs)->notes);
    }
}

void manual_exit_codes(FILE *out, const struct verb *const *verbs)
{
    (void)verbs;
    for (int i = 0; i < EXIT_CODES; i++) {
        fprintf(out, ".TP\n\\fB%d\\fR\n", exit_codes[i].code);
        put_text(out, exit_codes[i].manual, "\n.IP\n");
    }
}
