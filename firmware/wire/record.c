/* See record.h. Both ends are little-endian.
 *
 * SPDX-License-Identifier: ISC
 */
#include "wire/record.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "words are copied to the stream as they lie in memory");

/* What has been read, as words; 0 if it is no record. */
static unsigned decode(struct pr_record_reader *reader)
{
    size_t length = pr_envelope_decode(reader->bytes, reader->length, (uint8_t *)reader->words);
    unsigned count = (unsigned)length / 4;
    return length == PR_ENVELOPE_BAD || length % 4 != 0 || count > PR_RECORD_WORDS_MAX ? 0 : count;
}

unsigned pr_record_push(struct pr_record_reader *reader, uint8_t byte)
{
    unsigned count = 0;
    if (byte != 0) {
        if (reader->length < sizeof reader->bytes)
            reader->bytes[reader->length++] = byte;
        else
            reader->overlong = true;
        return 0;
    }
    if (reader->length > 0) {
        count = reader->overlong ? 0 : decode(reader);
        reader->bad += count == 0;
    }
    reader->length = 0;
    reader->overlong = false;
    return count;
}

size_t pr_record_encode(uint32_t *words, unsigned count, uint8_t *bytes)
{
    return pr_envelope_encode((uint8_t *)words, 4 * count, bytes);
}
