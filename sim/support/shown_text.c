/* See shown_text.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "support/shown_text.h"

#include <stdbool.h>
#include <string.h>

enum { C1_FIRST = 0x80, C1_LAST = 0x9f, DELETE = 0x7f, LEAD_2 = 0xc2, LEAD_3 = 0xe0, LEAD_4 = 0xf0, LEAD_LAST = 0xf4 };

static unsigned char bytes_behind(unsigned char lead)
{
    return lead < LEAD_2 || lead > LEAD_LAST ? 0 : lead < LEAD_3 ? 1 : lead < LEAD_4 ? 2 : 3;
}

/* A byte from 0x80 to 0x9f is a letter's if the bytes before it make it one: not of C1, which is 0xc2 and such a byte,
 * and not of a character that is written with more bytes than it needs. */
static bool is_letters(const struct shown_text *text, unsigned char byte)
{
    enum { SHORTEST_4 = 0x90 }; /* second byte of the first character that needs four */
    bool second = text->more && text->more == bytes_behind(text->lead);
    return text->more &&
           !(second && (text->lead == LEAD_2 || text->lead == LEAD_3 || (text->lead == LEAD_4 && byte < SHORTEST_4)));
}

char shown_text_byte(struct shown_text *text, char byte)
{
    unsigned char value = (unsigned char)byte;
    bool continues = value >= C1_FIRST && value < 0xc0, good = value >= ' ' && value != DELETE;
    if (value >= C1_FIRST && value <= C1_LAST)
        good = is_letters(text, value);
    if (continues && good)
        text->more -= text->more > 0;
    else
        *text = (struct shown_text){value, continues ? 0 : bytes_behind(value)};
    return good || byte == '\n' || byte == '\t' ? byte : '?';
}

void shown_text_bytes(char *text, size_t length)
{
    struct shown_text state = {0};
    for (char *at = text; at < text + length; at++) {
        char shown = shown_text_byte(&state, *at);
        *at = shown;
        if (shown == '\n' || shown == '\t')
            *at = '?';
    }
}

void shown_text_line(char *text)
{
    shown_text_bytes(text, strlen(text));
}
