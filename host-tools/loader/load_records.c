/* See load_records.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "loader/load_records.h"

#include <string.h>

#include "wire/cobs.h"

/* The CRC of a shift register which takes each word as two halves, the low one first, highest bit first. */
uint32_t load_record_crc(const uint32_t *words, unsigned count)
{
    uint32_t crc = 0xffff;
    for (unsigned k = 0; k < 2 * count; k++) {
        crc ^= words[k / 2] >> 16 * (k % 2) & 0xffff;
        for (int bit = 0; bit < 16; bit++)
            crc = (crc << 1 ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff;
    }
    return crc;
}

static void make(struct load_record *record, uint32_t address, unsigned kind, const uint32_t *data, unsigned count)
{
    record->words[PR_LOAD_ADDRESS] = address;
    record->words[PR_LOAD_COUNT] = (uint32_t)kind << PR_LOAD_COUNT_KIND_SHIFT | count;
    if (count > 0)
        memcpy(record->words + PR_LOAD_DATA, data, count * sizeof *data);
    record->words[PR_LOAD_DATA + count] = load_record_crc(record->words, PR_LOAD_DATA + count);
    record->count = PR_LOAD_EXTRA + count;
}

void load_record_site(struct load_record *record, const uint32_t site[PR_SITE_RECORD_WORDS])
{
    make(record, PR_SITE_RECORD_MAGIC, PR_LOAD_KIND_SITE, site, PR_SITE_RECORD_WORDS);
}

void load_record_data(struct load_record *record, uint32_t address, const uint32_t *words, unsigned count)
{
    make(record, address, PR_LOAD_KIND_DATA, words, count);
}

static void make_check(struct load_record *record, uint32_t address, unsigned kind, const uint32_t *words,
                       unsigned count)
{
    const uint32_t image[] = {count, load_record_crc(words, count)};
    make(record, address, kind, image, 2);
}

void load_record_go(struct load_record *record, uint32_t address, const uint32_t *words, unsigned count)
{
    make_check(record, address, PR_LOAD_KIND_GO, words, count);
}

void load_record_check(struct load_record *record, uint32_t address, const uint32_t *words, unsigned count)
{
    make_check(record, address, PR_LOAD_KIND_CHECK, words, count);
}

void load_record_enter(struct load_record *record)
{
    make(record, PR_LOAD_ENTER, PR_LOAD_KIND_ENTER, NULL, 0);
}

bool load_record_enters(const struct load_record *record)
{
    return record->words[PR_LOAD_ADDRESS] == PR_LOAD_ENTER;
}

bool load_record_checks(const struct load_record *record)
{
    uint32_t kind = record->words[PR_LOAD_COUNT] >> PR_LOAD_COUNT_KIND_SHIFT;
    return kind == PR_LOAD_KIND_CHECK || kind == PR_LOAD_KIND_GO;
}

void load_record_cast(struct load_record *record, uint32_t address, const uint32_t *words, unsigned count)
{
    make(record, address, PR_LOAD_KIND_CAST, words, count);
}

void load_record_relay(struct load_record *record, uint32_t tag, bool own, const uint32_t *site_words, unsigned count)
{
    make(record, tag | (own ? PR_LOAD_RELAY_OWN : 0), PR_LOAD_KIND_RELAY, site_words, count);
}

void load_word_bytes(uint32_t word, uint8_t out[4])
{
    out[0] = (uint8_t)(word >> 8);
    out[1] = (uint8_t)word;
    out[2] = (uint8_t)(word >> 24);
    out[3] = (uint8_t)(word >> 16);
}

size_t load_record_bytes(const struct load_record *record, uint8_t *out)
{
    for (unsigned k = 0; k < record->count; k++)
        load_word_bytes(record->words[k], out + 4 * k);
    return 4 * record->count;
}

size_t load_record_read(struct load_record *record, const uint8_t *bytes, size_t length)
{
    unsigned words = length / 4 < LOAD_RECORD_WORDS ? (unsigned)(length / 4) : LOAD_RECORD_WORDS;
    for (unsigned k = 0; k < words; k++, bytes += 4)
        record->words[k] = (uint32_t)bytes[0] << 8 | bytes[1] | (uint32_t)bytes[2] << 24 | (uint32_t)bytes[3] << 16;
    unsigned count = words > PR_LOAD_COUNT ? record->words[PR_LOAD_COUNT] & 0xffff : PR_LOAD_DATA_MAX + 1;
    record->count = PR_LOAD_EXTRA + count;
    if (count > PR_LOAD_DATA_MAX || record->count > words ||
        record->words[PR_LOAD_DATA + count] != load_record_crc(record->words, PR_LOAD_DATA + count))
        return 0;
    return 4 * record->count;
}

size_t load_record_wire(const struct load_record *record, uint8_t *out)
{
    uint8_t bytes[LOAD_RECORD_BYTES];
    size_t length = load_record_bytes(record, bytes);
    out[0] = 0;
    length = pr_cobs_encode(bytes, length, out + 1);
    out[length + 1] = 0;
    return length + 2;
}

unsigned load_record_packet(const struct load_record *record, uint32_t reply, uint32_t tag, uint32_t *out)
{
    uint32_t *halves = out + PR_LOAD_PACKET_RECORD - PR_HEADER_WORDS;
    out[PR_LOAD_PACKET_REPLY - PR_HEADER_WORDS] = reply;
    out[PR_LOAD_PACKET_TAG - PR_HEADER_WORDS] = tag;
    for (unsigned k = 0; k < 2 * record->count; k++)
        *halves++ = record->words[k / 2] >> 16 * (k % 2) & 0xffff;
    return (unsigned)(halves - out);
}

unsigned load_packet_room(unsigned max_packet, unsigned targets)
{
    unsigned used = targets + PR_LOAD_PACKET_RECORD + 2 * PR_LOAD_EXTRA;
    return max_packet > used ? (max_packet - used) / 2 : 0;
}

void load_record_write(FILE *out, const struct load_record *record, load_record_form *form)
{
    uint8_t bytes[LOAD_RECORD_WIRE];
    fwrite(bytes, 1, form(record, bytes), out);
}

void load_records_write(FILE *out, uint32_t address, const uint32_t *words, unsigned count, load_record_form *form)
{
    struct load_record record;
    for (unsigned at = 0; at < count; at += PR_LOAD_DATA_MAX) {
        unsigned left = count - at;
        load_record_data(&record, address + 4 * at, words + at, left < PR_LOAD_DATA_MAX ? left : PR_LOAD_DATA_MAX);
        load_record_write(out, &record, form);
    }
    load_record_go(&record, address, words, count);
    load_record_write(out, &record, form);
}
