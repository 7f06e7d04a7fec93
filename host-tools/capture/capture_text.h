/* A text file that is read through a buffer, with the number of the line.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CAPTURE_CAPTURE_TEXT_H
#define POSTROAD_CAPTURE_CAPTURE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct capture;

/* The buffer is text[at..end), with a zero byte behind it. A word or line may be as long as the buffer. */
struct capture_text {
    int file;
    char *buffer, *at, *end;
    bool at_end;   /* nothing is left in the file */
    uint64_t line; /* of the last line, or of newlines before the last word */
};

/* Opens the file, behind the mark that it may begin with; false with a failure of the capture. */
bool capture_text_open(struct capture *capture, struct capture_text *text);
void capture_text_close(struct capture_text *text);

/* The next word: bytes above a blank. It stays until the next call. False: the end of the file, or a failure. */
bool capture_text_word(struct capture *capture, struct capture_text *text, const char **word, size_t *length);

/* The next line without its end; it stays until the next call. False: the end of the file, or a failure. */
bool capture_text_line(struct capture *capture, struct capture_text *text, const char **line, size_t *length);

#endif
