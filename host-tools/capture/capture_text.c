/* See capture_text.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "capture/capture_text.h"

#include "capture/capture_private.h"
#include "support/or_abort.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER = 256 << 10 };

/* Reads more behind what begins at *keep, which moves to the front with `at`. False: nothing more, or a failure. */
static bool read_more(struct capture *capture, struct capture_text *text, char **keep)
{
    size_t kept = (size_t)(text->end - *keep);
    if (text->at_end || capture->failed)
        return false;
    if (kept == BUFFER)
        return capture_fail(capture, text->line + 1, "a line or word of %d bytes, expected a text file: VCD or CSV",
                            BUFFER);
    memmove(text->buffer, *keep, kept);
    text->at = text->buffer + (text->at - *keep);
    text->end = text->buffer + kept;
    *keep = text->buffer;
    ssize_t count = read(text->file, text->end, BUFFER - kept);
    if (count < 0)
        return capture_fail(capture, text->line, "%s", strerror(errno));
    text->at_end = count == 0;
    text->end += count;
    *text->end = 0;
    return count > 0;
}

size_t capture_mark(const char *bytes, size_t count)
{
    static const char mark[] = "\xef\xbb\xbf";
    return count >= sizeof mark - 1 && memcmp(bytes, mark, sizeof mark - 1) == 0 ? sizeof mark - 1 : 0;
}

bool capture_text_open(struct capture *capture, struct capture_text *text)
{
    *text = (struct capture_text){.file = open(capture->path, O_RDONLY | O_CLOEXEC)};
    text->buffer = or_abort(malloc(BUFFER + 1));
    text->at = text->end = text->buffer;
    *text->end = 0;
    if (text->file < 0)
        return capture_fail(capture, 0, "%s", strerror(errno));
    char *start = text->at;
    if (read_more(capture, text, &start))
        text->at += capture_mark(text->at, (size_t)(text->end - text->at));
    return !capture->failed;
}

void capture_text_close(struct capture_text *text)
{
    if (text->file >= 0)
        close(text->file);
    free(text->buffer);
}

bool capture_text_word(struct capture *capture, struct capture_text *text, const char **word, size_t *length)
{
    for (;;) {
        for (; text->at < text->end && (unsigned char)*text->at <= ' '; text->at++)
            text->line += *text->at == '\n';
        char *keep = text->at;
        if (text->at < text->end)
            break;
        if (!read_more(capture, text, &keep))
            return false;
    }
    char *start = text->at;
    do
        while ((unsigned char)*text->at > ' ')
            text->at++;
    while (text->at == text->end && read_more(capture, text, &start));
    *word = start;
    *length = (size_t)(text->at - start);
    return !capture->failed;
}

bool capture_text_line(struct capture *capture, struct capture_text *text, const char **line, size_t *length)
{
    char *start = text->at, *stop;
    size_t looked = 0;
    if (start == text->end && !read_more(capture, text, &start))
        return false;
    while (!(stop = memchr(start + looked, '\n', (size_t)(text->end - start) - looked))) {
        looked = (size_t)(text->end - start);
        if (!read_more(capture, text, &start))
            break;
    }
    *line = start;
    *length = (size_t)((stop ? stop : text->end) - start);
    text->at = stop ? stop + 1 : text->end;
    text->line++;
    return !capture->failed;
}
