/* The files that the options and operands of a verb name, see enum option_file.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_OPTION_FILES_H
#define POSTROAD_CLI_OPTION_FILES_H

#include "cli/options.h"

enum { OPTION_FILES_MAX = 64 };

struct option_files {
    size_t count;
    struct {
        const struct option_row *row;
        const char *text;
    } options[OPTION_FILES_MAX];
};

/* Notes an option as given, if it names a file. */
void option_files_add(struct option_files *files, const struct option_row *row, const char *text);

/* False with a reason: a file would be lost. */
bool option_files_check(const struct option_files *files, const struct verb *verb, const struct options *options,
                        char *error, size_t error_size);

#endif
