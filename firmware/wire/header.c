/* See header.h. */
#include "wire/header.h"

enum {
    BYTE_MASK = 0xff,
    HALF_MASK = 0xffff,
    HALF_BITS = 16,
    BITMAP_MASK = (1 << ACKNOWLEDGEMENT_EPOCH_SHIFT) - 1,
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

static void decode_acknowledgement(struct acknowledgement *acknowledgement, const uint32_t *words)
{
    acknowledgement->sequence = (uint16_t)words[ACKNOWLEDGEMENT_SEQUENCE];
    acknowledgement->bitmap = words[ACKNOWLEDGEMENT_BITMAP] & BITMAP_MASK;
    acknowledgement->epoch = words[ACKNOWLEDGEMENT_BITMAP] >> ACKNOWLEDGEMENT_EPOCH_SHIFT & EPOCH_MASK;
}

static void encode_acknowledgement(const struct acknowledgement *acknowledgement, uint32_t *words)
{
    words[ACKNOWLEDGEMENT_SEQUENCE] = acknowledgement->sequence;
    words[ACKNOWLEDGEMENT_BITMAP] = (acknowledgement->bitmap & BITMAP_MASK) |
                                    (uint32_t)(acknowledgement->epoch & EPOCH_MASK) << ACKNOWLEDGEMENT_EPOCH_SHIFT;
}

/* Bits are asked for where they are: many small cores shift a bit a clock. */
static enum header_kind decode_data(struct header *header, const uint32_t *data, unsigned words)
{
    uint32_t flags = data[HEADER_HANDLER];

    if (any_wide(data, HEADER_WORDS))
        return HEADER_KIND_BAD;
    header->words = HEADER_WORDS;
    if (flags & 1u << HEADER_CARRIES_BIT) {
        header->carries = true;
        header->words = HEADER_WORDS + ACKNOWLEDGEMENT_WORDS;
        if (words < HEADER_WORDS + ACKNOWLEDGEMENT_WORDS || any_wide(data + HEADER_WORDS, ACKNOWLEDGEMENT_WORDS))
            return HEADER_KIND_BAD;
        decode_acknowledgement(&header->acknowledgement, data + HEADER_WORDS);
    }
    if (flags & 1u << HEADER_ABORTED_BIT)
        header->aborted = true;
    header->sequence = (uint16_t)data[HEADER_SEQUENCE];
    header->handler = flags & BYTE_MASK;
    header->epoch = flags >> HEADER_EPOCH_SHIFT & EPOCH_MASK;
    return HEADER_KIND_DATA;
}

static enum header_kind decode_control(struct header *header, const uint32_t *control)
{
    if (any_wide(control, CONTROL_WORDS) || control[CONTROL_TYPE] > BYTE_MASK)
        return HEADER_KIND_BAD;
    header->control = (uint8_t)control[CONTROL_TYPE];
    header->epoch = (uint16_t)control[CONTROL_EPOCH];
    header->peer_epoch = (uint16_t)control[CONTROL_PEER_EPOCH];
    header->base = (control[CONTROL_BASE] & HALF_MASK) | (control[CONTROL_BASE_HIGH] & HALF_MASK) << HALF_BITS;
    header->words = SOURCE_WORDS + CONTROL_WORDS;
    return HEADER_KIND_CONTROL;
}

enum header_kind header_decode(struct header *header, const uint32_t *data, unsigned words, uint32_t top_bit)
{
    uint32_t source = words > 0 ? data[HEADER_SOURCE] & ~top_bit : UINT32_MAX;

    *header = (struct header){ .source = (uint16_t)source };
    if (source > UINT16_MAX)
        return HEADER_KIND_BAD;
    if (!(data[HEADER_SOURCE] & top_bit)) {
        header->kind = words < HEADER_WORDS ? HEADER_KIND_BAD : decode_data(header, data, words);
    } else if (words == SOURCE_WORDS + CONTROL_WORDS) {
        header->kind = decode_control(header, data + SOURCE_WORDS);
    } else if (words == SOURCE_WORDS + ACKNOWLEDGEMENT_WORDS && !any_wide(data + SOURCE_WORDS, ACKNOWLEDGEMENT_WORDS)) {
        decode_acknowledgement(&header->acknowledgement, data + SOURCE_WORDS);
        header->words = (uint8_t)words;
        header->kind = HEADER_KIND_ACKNOWLEDGEMENT;
    }
    return header->kind;
}

static void encode_data(struct header *header, uint32_t *data)
{
    data[HEADER_SEQUENCE] = header->sequence;
    data[HEADER_HANDLER] = header->handler | (uint32_t)header->aborted << HEADER_ABORTED_BIT |
                           (uint32_t)header->carries << HEADER_CARRIES_BIT |
                           (uint32_t)(header->epoch & EPOCH_MASK) << HEADER_EPOCH_SHIFT;
    if (header->carries)
        encode_acknowledgement(&header->acknowledgement, data + HEADER_WORDS);
    header->words = header->carries ? HEADER_WORDS + ACKNOWLEDGEMENT_WORDS : HEADER_WORDS;
}

static void encode_control(struct header *header, uint32_t *control)
{
    control[CONTROL_TYPE] = header->control;
    control[CONTROL_EPOCH] = header->epoch;
    control[CONTROL_PEER_EPOCH] = header->peer_epoch;
    control[CONTROL_BASE] = header->base & HALF_MASK;
    control[CONTROL_BASE_HIGH] = header->base >> HALF_BITS;
    header->words = SOURCE_WORDS + CONTROL_WORDS;
}

void header_encode(struct header *header, uint32_t *data, uint32_t top_bit)
{
    data[HEADER_SOURCE] = header->source;
    if (header->kind == HEADER_KIND_DATA) {
        encode_data(header, data);
        return;
    }
    data[HEADER_SOURCE] |= top_bit;
    if (header->kind == HEADER_KIND_CONTROL) {
        encode_control(header, data + SOURCE_WORDS);
    } else {
        encode_acknowledgement(&header->acknowledgement, data + SOURCE_WORDS);
        header->words = SOURCE_WORDS + ACKNOWLEDGEMENT_WORDS;
    }
}
