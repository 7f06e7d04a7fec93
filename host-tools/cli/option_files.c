/* See option_files.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "cli/option_files.h"

#include "support/input_file.h"
#include "support/output_file.h"

#include <stdlib.h>
#include <string.h>

/* Of an option that is given twice the second counts. */
void option_files_add(struct option_files *files, const struct option_row *row, const char *text)
{
    size_t at = 0;
    while (at < files->count && files->options[at].row != row)
        at++;
    if (row->file == FILE_NONE || at == OPTION_FILES_MAX)
        return;
    files->options[at].row = row;
    files->options[at].text = text;
    files->count += at == files->count;
}

static bool claim(const char *text, size_t length, const char *ending, char *error, size_t error_size)
{
    char *path;
    if (asprintf(&path, "%.*s%s", (int)length, text, ending) < 0)
        abort();
    bool good = output_file_claim(path, error, error_size);
    free(path);
    return good;
}

static bool claim_option(const struct option_row *row, const char *text, char *error, size_t error_size)
{
    if (row->file == FILE_READ || strcmp(text, "-") == 0)
        return true;
    size_t length = row->file == FILE_WRITTEN_SETTINGS ? strcspn(text, ",") : strlen(text);
    if (row->file != FILE_WRITTEN_PREFIX)
        return claim(text, length, "", error, error_size);
    bool good = true;
    for (const char *const *ending = row->endings; *ending && good; ending++)
        good = claim(text, length, *ending, error, error_size);
    return good;
}

bool option_files_check(const struct option_files *files, const struct verb *verb, const struct options *options,
                        char *error, size_t error_size)
{
    bool good = true;
    for (int i = 0; i < options->operand_count; i++) {
        const char *words = verb->operand_words[i < OPERAND_WORDS ? i : OPERAND_WORDS - 1];
        if (words && *words == '@')
            input_file_note(options->operands[i]);
    }
    for (size_t i = 0; i < files->count; i++)
        if (files->options[i].row->file == FILE_READ)
            input_file_note(files->options[i].text);
    for (size_t i = 0; i < files->count && good; i++)
        good = claim_option(files->options[i].row, files->options[i].text, error, error_size);
    return good;
}
