/* Records (hw/protocol/records.ini) on a byte stream, for both ends of it: 32-bit words in an envelope (envelope.h).
 * What is no record is counted and dropped.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WIRE_RECORD_H
#define POSTROAD_WIRE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol.h"
#include "wire/envelope.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of a record of so many words on the stream, at most. */
#define PR_RECORD_WIRE(count) PR_ENVELOPE_WIRE(4 * (count))

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

/* Length of the field of send and received that marks the target words which are target_info, in words. */
static inline unsigned pr_record_info_words(unsigned target_words)
{
    return (target_words + 31) / 32;
}

#ifdef __cplusplus
}
#endif

#endif
