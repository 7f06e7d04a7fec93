/* See text_file.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "bitstream/text_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/or_abort.h"

enum { FILE_MAX = 64 << 20 }; /* the configuration of the largest chip is 10 MB */

static bool check_text(struct text_file *file, size_t length)
{
    file->next = file->text;
    file->end = file->text + length;
    *file->end = 0;
    if (memchr(file->text, 0, length))
        return fail(file->failure, "%s: a zero byte, expected text", file->path);
    return true;
}

static bool read_stream(struct text_file *file, FILE *in)
{
    if (fseek(in, 0, SEEK_END) != 0)
        return fail(file->failure, "%s: not a file, expected text", file->path);
    long size = ftell(in);
    rewind(in);
    if (size < 0 || size > FILE_MAX)
        return fail(file->failure, "%s: too long, expected at most %d bytes", file->path, FILE_MAX);
    file->text = or_abort(malloc((size_t)size + 1));
    if (fread(file->text, 1, (size_t)size, in) != (size_t)size)
        return fail(file->failure, "%s: cannot be read", file->path);
    return check_text(file, (size_t)size);
}

bool text_file_read(struct text_file *file, const char *path, struct failure *failure)
{
    *file = (struct text_file){.path = path, .failure = failure};
    FILE *in = fopen(path, "re");
    if (!in)
        return fail(failure, "%s: %s", path, strerror(errno));
    bool good = read_stream(file, in);
    fclose(in);
    return good;
}

bool text_file_copy(struct text_file *file, const char *path, const char *text, size_t length, struct failure *failure)
{
    *file = (struct text_file){.path = path, .failure = failure};
    file->text = or_abort(malloc(length + 1));
    memcpy(file->text, text, length);
    return check_text(file, length);
}

static void split(struct text_file *file, char *line)
{
    char *comment = strchr(line, '#');
    if (comment)
        *comment = 0;
    for (char *word = line + strspn(line, " \t\r"); *word; word += strspn(word, " \t\r")) {
        if (file->count < TEXT_WORDS)
            file->words[file->count] = word;
        if (file->count <= TEXT_WORDS)
            file->count++;
        word += strcspn(word, " \t\r");
        if (*word)
            *word++ = 0;
    }
}

bool text_file_line(struct text_file *file)
{
    file->count = 0;
    while (!file->failure->failed && file->next < file->end && file->count == 0) {
        char *line = file->next, *stop = memchr(line, '\n', (size_t)(file->end - line));
        if (!stop)
            stop = file->end;
        *stop = 0;
        file->next = stop + 1;
        file->line++;
        split(file, line);
    }
    return file->count > 0;
}

bool text_file_fail(struct text_file *file, const char *format, ...)
{
    char reason[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    return fail(file->failure, "%s:%u: %s", file->path, file->line, reason);
}

bool text_file_number(struct text_file *file, const char *word, int base, unsigned long most, unsigned *value)
{
    char *end;
    errno = 0;
    unsigned long number = strtoul(word, &end, base);
    if (errno || *end || end == word || *word == '-' || *word == '+' || number > most)
        return text_file_fail(file, base == 16 ? "%.40s, expected 0 to %lx in hexadecimal" : "%.40s, expected 0 to %lu",
                              word, most);
    *value = (unsigned)number;
    return true;
}

void text_file_free(struct text_file *file)
{
    free(file->text);
    file->text = NULL;
}
