/* Text that others have written, as a terminal and a log may show it. Nodes, files, boards and programmers write what
 * they like; a terminal obeys control characters, and a line break in a text would look like a line of its reader.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_SUPPORT_SHOWN_TEXT_H
#define POSTROAD_SUPPORT_SHOWN_TEXT_H

#include <stddef.h>

/* A stream of text, byte by byte: all zeroes at its start. */
struct shown_text {
    unsigned char lead, more; /* first byte of a character of UTF-8, and how many of its bytes are to come */
};

/* The byte, or '?' in its place: a control character but newline and tab, one of C1 (0x80 to 0x9f) as UTF-8 or as a
 * byte by itself too. */
char shown_text_byte(struct shown_text *text, char byte);

/* In place; every line break and tab becomes '?' too. */
void shown_text_line(char *text);

/* The same for the first `length` bytes, which may contain zeroes: they become '?' too. */
void shown_text_bytes(char *text, size_t length);

#endif
