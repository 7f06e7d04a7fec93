/* See documents.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/documents.h"

#include "cli/documents_manual.h"
#include "cli/report.h"

#include <string.h>

enum { LINE_SIZE = 1000 };

/* Writes one verb's arm of a `case` in a bash function. */
typedef void each_verb(FILE *out, const struct verb *verb);

static void put_function(FILE *out, const char *name, const char *pattern, each_verb *function,
                         const struct verb *const *verbs)
{
    fprintf(out, "%s() {\n    case %s in\n", name, pattern);
    for (; *verbs; verbs++)
        function(out, *verbs);
    fprintf(out, "        *) ;; # nothing is known of it\n    esac\n}\n\n");
}

static void put_options(FILE *out, const struct verb *verb)
{
    const struct option_row *row;
    fprintf(out, "        %s) echo", verb->name);
    for (size_t i = 0; (row = options_row(verb, i)); i++)
        fprintf(out, " --%s", row->name);
    fputs(" ;;\n", out);
}

static void put_values(FILE *out, const struct verb *verb)
{
    const struct option_row *row;
    for (size_t i = 0; (row = options_row(verb, i)); i++) {
        if (!row->words)
            continue;
        fprintf(out, "        '%s --%s'", verb->name, row->name);
        if (row->letter)
            fprintf(out, " | '%s -%c'", verb->name, row->letter);
        fprintf(out, ") echo %s ;;\n", row->words);
    }
}

/* The words of the last place apply to all further operands. */
static void put_operands(FILE *out, const struct verb *verb)
{
    const char *const *words = verb->operand_words;
    if (words[0] && words[1])
        fprintf(out, "        '%s 1') echo %s ;;\n        %s\\ *) echo %s ;;\n", verb->name, words[0], verb->name,
                words[1]);
    else if (words[0])
        fprintf(out, "        %s\\ *) echo %s ;;\n", verb->name, words[0]);
}

static void put_tables(FILE *out, const struct verb *const *verbs)
{
    fputs("_postroad_verbs='", out);
    for (size_t i = 0; verbs[i]; i++)
        fprintf(out, "%s%s", i ? " " : "", verbs[i]->name);
    fputs("'\n\n# The options of a verb.\n", out);
    put_function(out, "_postroad_options", "$1", put_options, verbs);
    fputs("# What an option takes: words, or @KIND of words.\n", out);
    put_function(out, "_postroad_values", "\"$1 $2\"", put_values, verbs);
    fputs("# What a verb takes in its first, second, ... place.\n", out);
    put_function(out, "_postroad_operands", "\"$1 $2\"", put_operands, verbs);
}

static const struct {
    const char *line;
    void (*put)(FILE *out, const struct verb *const *verbs);
} parts[] = {
    {"@SYNOPSIS@\n", manual_synopsis}, {"@VERBS@\n", manual_verbs}, {"@OPTIONS@\n", manual_options},
    {"@EXIT@\n", manual_exit_codes},   {"@TABLES@\n", put_tables},
};

static bool put_part(FILE *out, const char *line, const struct verb *const *verbs)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcmp(line, parts[i].line) == 0) {
            parts[i].put(out, verbs);
            return true;
        }
    return false;
}

/* Copies a line that may contain @VERSION@. */
static void put_line(FILE *out, const char *line)
{
    static const char mark[] = "@VERSION@";
    const char *found = strstr(line, mark);
    if (found)
        fprintf(out, "%.*s%s%s", (int)(found - line), line, report_version_number, found + strlen(mark));
    else
        fputs(line, out);
}

bool documents_fill(FILE *template, FILE *out, const struct verb *const *verbs)
{
    char line[LINE_SIZE];
    while (fgets(line, sizeof line, template)) {
        bool part = *line == '@' && line[1] >= 'A' && line[1] <= 'Z';
        if (part && !put_part(out, line, verbs))
            return false;
        if (!part)
            put_line(out, line);
    }
    return !ferror(template) && !ferror(out);
}

/* Writes a text into a table cell, converting the markup of documents.h to Markdown. */
static void put_cell(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '|')
            fputs("\\|", out);
        else if (*text == '<' || *text == '>')
            fputc('*', out);
        else
            fputc(*text == '\n' ? ' ' : *text, out);
    fputs(" |", out);
}

static void put_option_cells(FILE *out, const struct option_row *row)
{
    char spelling[64], help[OPTION_HELP_SIZE];
    options_spell(row, spelling, sizeof spelling);
    fputs("| `", out);
    if (row->letter)
        fprintf(out, "-%c`, `", row->letter);
    for (const char *at = spelling; *at; at++)
        fprintf(out, *at == '|' ? "\\%c" : "%c", *at);
    fputs("` | ", out);
    put_cell(out, options_help(row, help, sizeof help));
    fputc('\n', out);
}

static void put_own_options(FILE *out, const struct verb *verb)
{
    const struct option_row *row;
    bool heading = false;
    for (row = verb->rows; row && row->name; row++) {
        if (!heading)
            fputs("| option | meaning |\n|---|---|\n", out);
        heading = true;
        put_option_cells(out, row);
    }
    fprintf(out, "%sCommon options:", heading ? "\n" : "");
    for (size_t i = 0; (row = options_row(verb, i)); i++)
        if (options_is_common(row))
            fprintf(out, " `--%s`", row->name);
    fputs(".\n\n", out);
}

static void put_keys(FILE *out, const struct verb *verb)
{
    if (!verb->keys)
        return;
    fprintf(out, "| key of `postroad.%s` | unit | meaning |\n|---|---|---|\n", verb->name);
    for (const struct json_key *key = verb->keys; key->path; key++) {
        fprintf(out, "| `%s` | %s | ", key->path, key->unit);
        put_cell(out, key->meaning);
        fputc('\n', out);
    }
    fputc('\n', out);
}

static void put_exit_codes(FILE *out)
{
    fputs("## Exit codes\n\n| code | meaning |\n|---|---|\n", out);
    for (int i = 0; i < EXIT_CODES; i++) {
        fprintf(out, "| %d | ", exit_codes[i].code);
        put_cell(out, exit_codes[i].manual);
        fputc('\n', out);
    }
}

void documents_reference(FILE *out, const struct verb *const *verbs)
{
    const struct option_row *row;
    fputs("<!-- SPDX-License-Identifier: ISC -->\n"
          "<!-- Generated by `make doc` from the tables in the source. Do not edit. -->\n\n"
          "# Reference of the program postroad\n\n"
          "Options, JSON keys and exit codes. `man build/postroad.1` explains them.\n\n"
          "## Common options\n\n| option | meaning |\n|---|---|\n",
          out);
    for (size_t i = 0; (row = options_common_row(i)); i++)
        put_option_cells(out, row);
    fputs("\nEvery JSON object starts with `schema` (`postroad.VERB`) and `version`, the version of the program.\n\n",
          out);
    for (; *verbs; verbs++) {
        fprintf(out, "## postroad %s%s%s\n\n%s\n\n", (*verbs)->name, *(*verbs)->operands ? " " : "", (*verbs)->operands,
                (*verbs)->summary);
        put_own_options(out, *verbs);
        put_keys(out, *verbs);
    }
    put_exit_codes(out);
}
