/* See header.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "wire/header.h"

#include <assert.h>

enum {
    BYTE_MASK = 0xff,
    HALF_MASK = 0xffff,
    HALF_BITS = 16,
    BITMAP_MASK = (1 << PR_ACKNOWLEDGEMENT_EPOCH_SHIFT) - 1,
    SOURCE_WORDS = 1
};

/* True if a word has bits that no operator writes: 32-bit fabrics have room for them. Inline: counts are constants. */
static inline bool any_wide(const uint32_t *words, unsigned count)
{
    uint32_t bits = 0;
    for (unsigned k = 0; k < count; k++)
        bits |= words[k];
    return bits > UINT16_MAX;
}

static void decode_acknowledgement(struct pr_acknowledgement *acknowledgement, const uint32_t *words)
{
    acknowledgement->sequence = (uint16_t)words[PR_ACKNOWLEDGEMENT_SEQUENCE];
    acknowledgement->bitmap = words[PR_ACKNOWLEDGEMENT_BITMAP] & BITMAP_MASK;
    acknowledgement->epoch = words[PR_ACKNOWLEDGEMENT_BITMAP] >> PR_ACKNOWLEDGEMENT_EPOCH_SHIFT & PR_EPOCH_MASK;
}

static void encode_acknowledgement(const struct pr_acknowledgement *acknowledgement, uint32_t *words)
{
    words[PR_ACKNOWLEDGEMENT_SEQUENCE] = acknowledgement->sequence;
    words[PR_ACKNOWLEDGEMENT_BITMAP] = (acknowledgement->bitmap & BITMAP_MASK) |
                                       (uint32_t)(acknowledgement->epoch & PR_EPOCH_MASK)
                                           << PR_ACKNOWLEDGEMENT_EPOCH_SHIFT;
}

/* Bits are asked for where they are: many small cores shift a bit a clock. */
static void read_data(struct pr_header *header, const uint32_t *data)
{
    uint32_t flags = data[PR_HEADER_HANDLER];
    header->words = PR_HEADER_WORDS;
    if (flags & 1u << PR_HEADER_CARRIES_BIT) {
        header->carries = true;
        header->words = PR_HEADER_WORDS + PR_ACKNOWLEDGEMENT_WORDS;
        decode_acknowledgement(&header->acknowledgement, data + PR_HEADER_WORDS);
    }
    if (flags & 1u << PR_HEADER_RELAY_BIT) {
        if (flags & 1u << PR_HEADER_PARENT_BIT) {
            header->has_parent = true;
            header->parent = (uint16_t)data[PR_HEADER_WORDS];
            header->words = PR_HEADER_WORDS + PR_HEADER_PARENT_WORDS;
        }
    } else if (flags & 1u << PR_HEADER_ABORTED_BIT) {
        header->aborted = true;
    }
    header->sequence = (uint16_t)data[PR_HEADER_SEQUENCE];
    header->handler = flags & BYTE_MASK;
    header->epoch = flags >> PR_HEADER_EPOCH_SHIFT & PR_EPOCH_MASK;
}

static void read_control(struct pr_header *header, const uint32_t *control)
{
    header->control = (uint8_t)control[PR_CONTROL_TYPE];
    header->epoch = (uint16_t)control[PR_CONTROL_EPOCH];
    header->peer_epoch = (uint16_t)control[PR_CONTROL_PEER_EPOCH];
    header->base = (control[PR_CONTROL_BASE] & HALF_MASK) | (control[PR_CONTROL_BASE_HIGH] & HALF_MASK) << HALF_BITS;
    header->words = SOURCE_WORDS + PR_CONTROL_WORDS;
}

/* No kind of header has fewer words than that of data without an acknowledgement. */
static_assert(PR_HEADER_WORDS <= SOURCE_WORDS + PR_ACKNOWLEDGEMENT_WORDS, "an acknowledgement");
static_assert(PR_HEADER_WORDS <= SOURCE_WORDS + PR_CONTROL_WORDS, "a control packet");

static bool is_sound_for_relays(const uint32_t *data, unsigned words)
{
    if (data[PR_HEADER_HANDLER] & 1u << PR_HEADER_CARRIES_BIT)
        return false;
    return !(data[PR_HEADER_HANDLER] & 1u << PR_HEADER_PARENT_BIT) ||
           (words >= PR_HEADER_WORDS + PR_HEADER_PARENT_WORDS && !any_wide(data + PR_HEADER_WORDS, 1));
}

enum pr_header_kind pr_header_kind(const uint32_t *data, unsigned words, uint32_t kind_bit)
{
    const uint32_t *behind = data + PR_HEADER_WORDS;
    uint32_t kinds;
    if (words < PR_HEADER_WORDS)
        return PR_HEADER_KIND_BAD;
    kinds = data[PR_HEADER_SOURCE] & pr_header_kind_bits(kind_bit);
    if ((data[PR_HEADER_SOURCE] & ~kinds) > UINT16_MAX || any_wide(data + SOURCE_WORDS, PR_HEADER_WORDS - SOURCE_WORDS))
        return PR_HEADER_KIND_BAD;
    if (kinds == 0) {
        if (data[PR_HEADER_HANDLER] & 1u << PR_HEADER_RELAY_BIT)
            return is_sound_for_relays(data, words) ? PR_HEADER_KIND_DATA : PR_HEADER_KIND_BAD;
        if (!(data[PR_HEADER_HANDLER] & 1u << PR_HEADER_CARRIES_BIT))
            return PR_HEADER_KIND_DATA;
        return words < PR_HEADER_WORDS + PR_ACKNOWLEDGEMENT_WORDS || any_wide(behind, PR_ACKNOWLEDGEMENT_WORDS)
                   ? PR_HEADER_KIND_BAD
                   : PR_HEADER_KIND_DATA;
    }
    if (kinds != kind_bit)
        return kinds & kind_bit && words % PR_RELAY_ACKNOWLEDGEMENT_WORDS == SOURCE_WORDS
                   ? PR_HEADER_KIND_RELAY_ACKNOWLEDGEMENT
                   : PR_HEADER_KIND_BAD;
    if (words == SOURCE_WORDS + PR_ACKNOWLEDGEMENT_WORDS)
        return PR_HEADER_KIND_ACKNOWLEDGEMENT;
    if (words != SOURCE_WORDS + PR_CONTROL_WORDS || data[SOURCE_WORDS + PR_CONTROL_TYPE] > BYTE_MASK ||
        any_wide(behind, SOURCE_WORDS + PR_CONTROL_WORDS - PR_HEADER_WORDS))
        return PR_HEADER_KIND_BAD;
    return PR_HEADER_KIND_CONTROL;
}

void pr_header_read(struct pr_header *header, enum pr_header_kind kind, const uint32_t *data, uint32_t kind_bit)
{
    *header = (struct pr_header){.kind = kind, .source = data[PR_HEADER_SOURCE] & ~pr_header_kind_bits(kind_bit)};
    if (kind == PR_HEADER_KIND_DATA) {
        read_data(header, data);
    } else if (kind == PR_HEADER_KIND_CONTROL) {
        read_control(header, data + SOURCE_WORDS);
    } else if (kind == PR_HEADER_KIND_RELAY_ACKNOWLEDGEMENT) {
        header->words = SOURCE_WORDS;
    } else {
        decode_acknowledgement(&header->acknowledgement, data + SOURCE_WORDS);
        header->words = SOURCE_WORDS + PR_ACKNOWLEDGEMENT_WORDS;
    }
}

enum pr_header_kind pr_header_decode(struct pr_header *header, const uint32_t *data, unsigned words, uint32_t kind_bit)
{
    enum pr_header_kind kind = pr_header_kind(data, words, kind_bit);
    header->kind = kind;
    if (kind != PR_HEADER_KIND_BAD)
        pr_header_read(header, kind, data, kind_bit);
    return kind;
}

static void encode_data(struct pr_header *header, uint32_t *data)
{
    data[PR_HEADER_SEQUENCE] = header->sequence;
    data[PR_HEADER_HANDLER] = header->handler | (uint32_t)header->aborted << PR_HEADER_ABORTED_BIT |
                              (uint32_t)header->carries << PR_HEADER_CARRIES_BIT |
                              (uint32_t)(header->epoch & PR_EPOCH_MASK) << PR_HEADER_EPOCH_SHIFT;
    if (header->carries)
        encode_acknowledgement(&header->acknowledgement, data + PR_HEADER_WORDS);
    header->words = header->carries ? PR_HEADER_WORDS + PR_ACKNOWLEDGEMENT_WORDS : PR_HEADER_WORDS;
}

static void encode_control(struct pr_header *header, uint32_t *control)
{
    control[PR_CONTROL_TYPE] = header->control;
    control[PR_CONTROL_EPOCH] = header->epoch;
    control[PR_CONTROL_PEER_EPOCH] = header->peer_epoch;
    control[PR_CONTROL_BASE] = header->base & HALF_MASK;
    control[PR_CONTROL_BASE_HIGH] = header->base >> HALF_BITS;
    header->words = SOURCE_WORDS + PR_CONTROL_WORDS;
}

void pr_header_encode(struct pr_header *header, uint32_t *data, uint32_t kind_bit)
{
    data[PR_HEADER_SOURCE] = header->source;
    if (header->kind == PR_HEADER_KIND_DATA) {
        encode_data(header, data);
        return;
    }
    data[PR_HEADER_SOURCE] |= kind_bit;
    if (header->kind == PR_HEADER_KIND_CONTROL) {
        encode_control(header, data + SOURCE_WORDS);
    } else {
        encode_acknowledgement(&header->acknowledgement, data + SOURCE_WORDS);
        header->words = SOURCE_WORDS + PR_ACKNOWLEDGEMENT_WORDS;
    }
}
