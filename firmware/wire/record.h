/* Records (hw/protocol/records.ini) on a byte stream, for both ends of it. What is no record is counted and dropped:
 * the zeroes around each let a reader find the next one, the check tells whether it is whole.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WIRE_RECORD_H
#define POSTROAD_WIRE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol.h"
#include "wire/cobs.h"

/* Bytes of a record of so many words on the stream: check, COBS and two zeroes added. */
#define PR_RECORD_WIRE(count) (4 * (count) + 2 + PR_COBS_OVERHEAD(4 * (count) + 2) + 2)

/* All zeroes is a reader that has read nothing. */
struct pr_record_reader {
    uint32_t words[PR_RECORD_WIRE(PR_RECORD_WORDS_MAX) / 4 + 1]; /* whatever `bytes` decodes to */
    uint8_t bytes[PR_RECORD_WIRE(PR_RECORD_WORDS_MAX)];
    size_t length;
    bool overlong;
    uint32_t bad;
};

/* The next byte of the stream. Returns how many words of reader->words are a record now, 0 if it is not complete. */
unsigned pr_record_push(struct pr_record_reader *reader, uint8_t byte);

/* Writes a record of at least one word to the stream; returns its bytes, at most PR_RECORD_WIRE(count). The word behind
 * the last is written over. */
size_t pr_record_encode(uint32_t *words, unsigned count, uint8_t *bytes);

/* Words of the fields in which send and received say which target words are target_info. */
static inline unsigned pr_record_info_words(unsigned target_words)
{
    return (target_words + 31) / 32;
}

#endif
