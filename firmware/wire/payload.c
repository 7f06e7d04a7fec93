/* See payload.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "wire/payload.h"

uint32_t pr_payload_next(struct pr_payload_reader *reader, unsigned count)
{
    const uint8_t *bytes = reader->bytes + reader->at;
    uint32_t value = 0;
    if (reader->at + count > reader->length) {
        reader->overrun = true;
        return 0;
    }
    for (unsigned k = 0; k < count; k++)
        value |= (uint32_t)bytes[k] << 8 * k;
    reader->at += count;
    return value;
}

uint32_t pr_payload_get(struct pr_payload_reader *reader, unsigned field)
{
    reader->at = PR_FIELD_OFFSET(field);
    return pr_payload_next(reader, PR_FIELD_BYTES(field));
}

void pr_payload_append(struct pr_payload_writer *writer, unsigned count, uint32_t value)
{
    uint8_t *bytes = writer->bytes + writer->length;
    if (writer->length + count > writer->limit) {
        writer->overrun = true;
        return;
    }
    writer->length += count;
    for (unsigned k = 0; k < count; k++) {
        bytes[k] = (uint8_t)value;
        value >>= 8;
    }
}

void pr_payload_put(struct pr_payload_writer *writer, unsigned field, uint32_t value)
{
    writer->length = PR_FIELD_OFFSET(field);
    pr_payload_append(writer, PR_FIELD_BYTES(field), value);
}
