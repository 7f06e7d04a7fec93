/* Data words in the users' notation: text, bytes in hex, or numbers. Two bytes, of text or in hex, fill one word, low
 * byte first, at any word width; a node's shell packs them in the same way.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_PAYLOAD_TEXT_H
#define POSTROAD_CLI_PAYLOAD_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct payload {
    unsigned count;
    uint32_t words[1024];
};

/* "text:...", "hex:...", "words:...", "file:PATH" (its bytes) or "-" (those of standard input); numbers between
 * commas are words, anything else is text. False: the text is refused, and the reason has been printed. */
bool payload_text_parse(const char *verb, const char *option, const char *text, unsigned word_width,
                        struct payload *out);

/* Writes the words as text. False: they are not printable, there are none, or the text does not fit. */
bool payload_text_write(const uint32_t *words, unsigned count, char *out, size_t size);

#endif
