/* Numbers in a stretch of bytes, low byte first: reading them, and writing them. A field is a PR_FIELD() of
 * hw/protocol/console.ini: its offset and its length in bytes. What follows the fields is read and written number by
 * number.
 *
 * Neither end allocates, and none goes beyond its bytes: a read beyond the end gives 0, a write beyond it does nothing,
 * and both set `overrun`, which is to be looked at once, at the end.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WIRE_PAYLOAD_H
#define POSTROAD_WIRE_PAYLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "console_protocol.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pr_payload_reader {
    const uint8_t *bytes;
    size_t length, at; /* at: what pr_payload_next reads */
    bool overrun;
};

struct pr_payload_writer {
    uint8_t *bytes;
    size_t limit, length; /* room, and bytes written so far */
    bool overrun;
};

/* The next `count` bytes, 4 at most. */
uint32_t pr_payload_next(struct pr_payload_reader *reader, unsigned count);

/* A field. pr_payload_next goes on behind it. */
uint32_t pr_payload_get(struct pr_payload_reader *reader, unsigned field);

/* False if bytes were missing, or are left over. */
static inline bool pr_payload_is_complete(const struct pr_payload_reader *reader)
{
    return !reader->overrun && reader->at == reader->length;
}

/* Puts `count` bytes, 4 at most, behind what was written last. */
void pr_payload_append(struct pr_payload_writer *writer, unsigned count, uint32_t value);

/* A field. The fields of a payload are written in their order: the payload ends with the last one that was written. */
void pr_payload_put(struct pr_payload_writer *writer, unsigned field, uint32_t value);

#ifdef __cplusplus
}
#endif

#endif
