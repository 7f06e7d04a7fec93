/* A text file that is read line by line and split into words.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BITSTREAM_TEXT_FILE_H
#define POSTROAD_BITSTREAM_TEXT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "bitstream/failure.h"

enum { TEXT_WORDS = 64 };

struct text_file {
    const char *path;
    char *text, *next, *end;
    unsigned line; /* number of the line that was read last */
    char *words[TEXT_WORDS];
    int count; /* of its words; TEXT_WORDS + 1: there are more */
    struct failure *failure;
};

/* Reads the whole file; false with a reason in `failure`. */
bool text_file_read(struct text_file *file, const char *path, struct failure *failure);

/* Takes a copy of a text; `path` names it. */
bool text_file_copy(struct text_file *file, const char *path, const char *text, size_t length, struct failure *failure);

/* The next line that has a word. What follows a # is a comment. The words stay where they are until text_file_free.
 * False: there is none, or there has been a failure. */
bool text_file_line(struct text_file *file);

/* Fails with the file and the line in front of the reason. */
bool text_file_fail(struct text_file *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* An unsigned number of this base, the whole word, at most `most`; fails otherwise. */
bool text_file_number(struct text_file *file, const char *word, int base, unsigned long most, unsigned *value);

void text_file_free(struct text_file *file);

#endif
