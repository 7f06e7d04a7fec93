/* Data words as users write and read them: text, bytes in hex, or numbers. Text and bytes go two to a word, low
 * byte first, at any word width: as the node's own shell packs them.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_PAYLOAD_TEXT_H
#define POSTROAD_CLI_PAYLOAD_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct data {
    unsigned count;
    uint32_t words[1024];
};

/* "text:...", "hex:...", "words:...", "file:PATH" (its bytes) or "-" (those of standard input); numbers between
 * commas are words, anything else is text. Prints why not. */
bool data_parse(const char *verb, const char *option, const char *text, unsigned word_width, struct data *out);

/* The words as text, if they are that. False: they are not (or none, or it does not fit). */
bool data_text(const uint32_t *words, unsigned count, char *out, size_t size);

#endif
