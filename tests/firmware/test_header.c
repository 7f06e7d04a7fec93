/* The codec of headers, acknowledgements and control packets: what is encoded comes back, what is decoded encodes to
 * the same words, and no words and no count of them make it read or write beyond what it was given.
 *
 * SPDX-License-Identifier: ISC
 */
#include <string.h>

#include "check.h"
#include "wire/header.h"

enum {
    FUZZ_CASES = 2000000,
    FUZZ_WORDS_MAX = 8,
    WIDTHS = 2,
    BITMAP_MAX = (1 << PR_ACKNOWLEDGEMENT_SPAN) - 1,
};

static const uint32_t kind_bits[WIDTHS] = {1u << PR_HEADER_KIND_BIT_16, 1u << PR_HEADER_KIND_BIT_32};
static const unsigned widths[WIDTHS] = {16, 32};
static uint64_t random_state;

static unsigned below(unsigned limit)
{
    return check_below(&random_state, limit);
}

static void check_acknowledgement(const struct pr_header *got, const struct pr_header *expected)
{
    CHECK_EQUAL(got->carries, expected->carries);
    if (expected->kind == PR_HEADER_KIND_DATA && !expected->carries)
        return;
    CHECK_EQUAL(got->acknowledgement.sequence, expected->acknowledgement.sequence);
    CHECK_EQUAL(got->acknowledgement.epoch, expected->acknowledgement.epoch);
    CHECK_EQUAL(got->acknowledgement.bitmap, expected->acknowledgement.bitmap);
}

static void check_same(const struct pr_header *got, const struct pr_header *expected)
{
    CHECK_EQUAL(got->kind, expected->kind);
    CHECK_EQUAL(got->source, expected->source);
    CHECK_EQUAL(got->words, expected->words);
    if (expected->kind == PR_HEADER_KIND_DATA) {
        CHECK_EQUAL(got->sequence, expected->sequence);
        CHECK_EQUAL(got->handler, expected->handler);
        CHECK_EQUAL(got->aborted, expected->aborted);
        CHECK_EQUAL(got->epoch, expected->epoch);
    }
    if (expected->kind == PR_HEADER_KIND_CONTROL) {
        CHECK_EQUAL(got->control, expected->control);
        CHECK_EQUAL(got->epoch, expected->epoch);
        CHECK_EQUAL(got->peer_epoch, expected->peer_epoch);
        CHECK_EQUAL(got->base, expected->base);
    } else {
        check_acknowledgement(got, expected);
    }
}

static unsigned length_of(const struct pr_header *header)
{
    if (header->kind == PR_HEADER_KIND_CONTROL)
        return 1 + PR_CONTROL_WORDS;
    if (header->kind == PR_HEADER_KIND_ACKNOWLEDGEMENT)
        return 1 + PR_ACKNOWLEDGEMENT_WORDS;
    if (header->kind == PR_HEADER_KIND_RELAY_ACKNOWLEDGEMENT)
        return 1;
    if (header->has_parent)
        return PR_HEADER_WORDS + PR_HEADER_PARENT_WORDS;
    return header->carries ? PR_HEADER_WORDS + PR_ACKNOWLEDGEMENT_WORDS : PR_HEADER_WORDS;
}

/* There and back, in memory that ends where the header does; words of the evaluator's behind it change nothing. */
static void round_trip(const struct pr_header *original, unsigned width)
{
    struct pr_header encoded = *original, decoded;
    unsigned words = length_of(original), behind = original->kind == PR_HEADER_KIND_DATA ? below(3) : 0;
    uint32_t *data = malloc((words + behind) * sizeof *data);
    encoded.words = 99;
    for (unsigned k = 0; k < behind; k++)
        data[words + k] = check_random(&random_state);
    pr_header_encode(&encoded, data, kind_bits[width]);
    CHECK_EQUAL(encoded.words, words);
    for (unsigned k = 0; k < words; k++)
        CHECK_EQUAL((uint64_t)data[k] >> widths[width], 0);
    memset(&decoded, 0xa5, sizeof decoded);
    CHECK_EQUAL(pr_header_decode(&decoded, data, words + behind, kind_bits[width]), original->kind);
    check_same(&decoded, &encoded);
    free(data);
}

/* Sites go up to what the width of a word leaves beside the two top bits, and no further than 16 bits. */
static uint16_t source_limit(unsigned width)
{
    return width == 0 ? 0x3fff : 0xffff;
}

static struct pr_header random_header(unsigned width)
{
    struct pr_header header = {
        .kind = PR_HEADER_KIND_DATA + below(3),
        .source = (uint16_t)below(source_limit(width) + 1u),
        .epoch = (uint16_t)check_random(&random_state),
        .sequence = (uint16_t)check_random(&random_state),
        .handler = (uint8_t)check_random(&random_state),
        .aborted = below(2),
        .carries = below(2),
        .acknowledgement = {.sequence = (uint16_t)check_random(&random_state),
                            .bitmap = (uint16_t)below(BITMAP_MAX + 1),
                            .epoch = (uint8_t)below(PR_EPOCH_MASK + 1)},
        .control = (uint8_t)(PR_CONTROL_TYPE_BASE + below(2)),
        .peer_epoch = (uint16_t)check_random(&random_state),
        .base = check_random(&random_state),
    };
    if (header.kind != PR_HEADER_KIND_DATA)
        header.carries = false;
    if (header.kind == PR_HEADER_KIND_DATA)
        header.epoch &= PR_EPOCH_MASK;
    return header;
}

/* Every field at 0, at 1 and at its limit while the others are anything, for every kind and width. */
static void every_field_at_its_limits(void)
{
    for (unsigned k = 0; k < 12 * 3 * 3 * WIDTHS * 8; k++) {
        unsigned width = k % WIDTHS, field = k / WIDTHS % 12, end = k / WIDTHS / 12 % 3;
        struct pr_header header = random_header(width);
        struct pr_acknowledgement *acknowledgement = &header.acknowledgement;
        uint16_t word = end == 2 ? UINT16_MAX : (uint16_t)end;
        uint8_t epoch = end == 2 ? PR_EPOCH_MASK : (uint8_t)end;
        header.kind = PR_HEADER_KIND_DATA + k / WIDTHS / 36 % 3;
        switch (field) {
        case 0:
            header.source = end == 2 ? source_limit(width) : word;
            break;
        case 1:
            header.epoch = word;
            break;
        case 2:
            header.sequence = word;
            break;
        case 3:
            header.handler = (uint8_t)word;
            break;
        case 4:
            header.aborted = end > 0;
            break;
        case 5:
            header.carries = end > 0;
            break;
        case 6:
            acknowledgement->sequence = word;
            break;
        case 7:
            acknowledgement->bitmap = word & BITMAP_MAX;
            break;
        case 8:
            acknowledgement->epoch = epoch;
            break;
        case 9:
            header.control = end == 2 ? PR_CONTROL_TYPE_RESTARTED : PR_CONTROL_TYPE_BASE;
            break;
        case 10:
            header.peer_epoch = word;
            break;
        case 11:
            header.base = end == 2 ? UINT32_MAX : word;
            break;
        }
        if (header.kind != PR_HEADER_KIND_DATA)
            header.carries = false;
        if (header.kind == PR_HEADER_KIND_DATA)
            header.epoch &= PR_EPOCH_MASK;
        round_trip(&header, width);
    }
}

static void random_round_trips(void)
{
    for (unsigned k = 0; k < 200000; k++) {
        unsigned width = below(WIDTHS);
        struct pr_header header = random_header(width);
        round_trip(&header, width);
    }
}

/* The layout of packet.ini, word by word: both ends could be wrong in the same way. */
static void words_are_as_written_down(void)
{
    struct pr_header header = {.kind = PR_HEADER_KIND_DATA,
                               .source = 0x123,
                               .sequence = 0xbeef,
                               .handler = 0x5a,
                               .aborted = true,
                               .epoch = 0x15,
                               .carries = true,
                               .acknowledgement = {.sequence = 0xfedc, .bitmap = 0x401, .epoch = 0x1e}};
    uint32_t data[PR_HEADER_WORDS_MAX];
    const uint32_t top = kind_bits[0];
    pr_header_encode(&header, data, top);
    CHECK_EQUAL(data[0], 0x123);
    CHECK_EQUAL(data[1], 0xbeef);
    CHECK_EQUAL(data[2], 0x15 << 11 | 1 << 9 | 1 << 8 | 0x5a);
    CHECK_EQUAL(data[3], 0xfedc);
    CHECK_EQUAL(data[4], 0x1e << 11 | 0x401);
    header.kind = PR_HEADER_KIND_ACKNOWLEDGEMENT;
    pr_header_encode(&header, data, top);
    CHECK_EQUAL(header.words, 3);
    CHECK_EQUAL(data[0], 0x8123);
    CHECK_EQUAL(data[1], 0xfedc);
    CHECK_EQUAL(data[2], 0x1e << 11 | 0x401);
    header.kind = PR_HEADER_KIND_CONTROL;
    header.control = PR_CONTROL_TYPE_RESTARTED;
    header.base = 0xfedc7654;
    header.peer_epoch = 3;
    pr_header_encode(&header, data, kind_bits[1]);
    CHECK_EQUAL(header.words, 6);
    CHECK_EQUAL(data[0], 0x80000123);
    CHECK_EQUAL(data[1], 2);
    CHECK_EQUAL(data[2], 0x15);
    CHECK_EQUAL(data[3], 3);
    CHECK_EQUAL(data[4], 0x7654);
    CHECK_EQUAL(data[5], 0xfedc);
}

static void check_kind(const uint32_t *data, unsigned words, unsigned width, enum pr_header_kind expected)
{
    struct pr_header header;
    uint32_t *exact = malloc(words * sizeof *exact + 1);
    memcpy(exact, data, words * sizeof *exact);
    CHECK_EQUAL(pr_header_decode(&header, exact, words, kind_bits[width]), expected);
    CHECK_EQUAL(header.kind, expected);
    free(exact);
}

static void lengths_that_do_not_fit_are_bad(void)
{
    for (unsigned width = 0; width < WIDTHS; width++) {
        const uint32_t top = kind_bits[width];
        uint32_t data[8] = {7, 3, 9, 1, 1, 1, 1, 1};
        for (unsigned words = 0; words <= 8; words++)
            check_kind(data, words, width, words < PR_HEADER_WORDS ? PR_HEADER_KIND_BAD : PR_HEADER_KIND_DATA);
        data[2] = 9 | 1 << PR_HEADER_CARRIES_BIT;
        for (unsigned words = 0; words <= 8; words++)
            check_kind(data, words, width,
                       words < PR_HEADER_WORDS + PR_ACKNOWLEDGEMENT_WORDS ? PR_HEADER_KIND_BAD : PR_HEADER_KIND_DATA);
        data[0] |= top;
        data[1] = PR_CONTROL_TYPE_BASE;
        for (unsigned words = 0; words <= 8; words++)
            check_kind(data, words, width,
                       words == 6   ? PR_HEADER_KIND_CONTROL
                       : words == 3 ? PR_HEADER_KIND_ACKNOWLEDGEMENT
                                    : PR_HEADER_KIND_BAD);
    }
}

/* With 32-bit words there is room for what no operator writes; a control type is a whole word at any width. */
static void words_too_wide_are_bad(void)
{
    const uint32_t data[3] = {7, 3, 9};
    uint32_t control[6] = {0x80000007, PR_CONTROL_TYPE_BASE, 1, 2, 3, 4};
    for (unsigned k = 0; k < 3; k++) {
        uint32_t wide[3];
        memcpy(wide, data, sizeof wide);
        wide[k] |= 0x10000;
        check_kind(wide, 3, 1, PR_HEADER_KIND_BAD);
    }
    for (unsigned k = 0; k < 6; k++) {
        uint32_t wide[6];
        memcpy(wide, control, sizeof wide);
        wide[k] |= 0x10000;
        check_kind(wide, 6, 1, PR_HEADER_KIND_BAD);
        if (k < 3)
            check_kind(wide, 3, 1, PR_HEADER_KIND_BAD);
    }
    control[0] = 0x8007;
    control[1] = 0x100 | PR_CONTROL_TYPE_BASE;
    check_kind(control, 6, 0, PR_HEADER_KIND_BAD);
}

/* Mostly near what means something, sometimes anything; a 16-bit fabric has no wider words. */
static uint32_t fuzz_word(unsigned width, unsigned position)
{
    uint32_t word = check_random(&random_state);
    if (below(4) != 0)
        word &= below(2) ? 0xffff : 0x7;
    if (position == 0 && below(2))
        word |= kind_bits[width];
    return width == 0 ? word & 0xffff : word;
}

/* Hostile words: nothing is read or written outside (sanitizers), all that is read is in its range, and what was
 * understood is written as it was. */
static void fuzz(void)
{
    unsigned long understood[PR_HEADER_KIND_RELAY_ACKNOWLEDGEMENT + 1] = {0};
    uint32_t *exact[FUZZ_WORDS_MAX + 1];
    for (unsigned words = 0; words <= FUZZ_WORDS_MAX; words++)
        exact[words] = malloc(words * sizeof **exact + 1); /* + 1: never NULL, and no whole word */
    for (unsigned k = 0; k < FUZZ_CASES; k++) {
        unsigned words = below(FUZZ_WORDS_MAX + 1), width = below(WIDTHS);
        struct pr_header header;
        uint32_t *data = exact[words], again[PR_HEADER_WORDS_MAX] = {0};
        enum pr_header_kind kind;
        for (unsigned i = 0; i < words; i++)
            data[i] = fuzz_word(width, i);
        kind = pr_header_decode(&header, data, words, kind_bits[width]);
        if (words >= PR_HEADER_WORDS && data[PR_HEADER_SOURCE] < kind_bits[width] >> 1 &&
            data[PR_HEADER_SOURCE] <= UINT16_MAX)
            CHECK_EQUAL(pr_header_is_bare(data),
                        kind == PR_HEADER_KIND_DATA && !header.carries && !(data[2] >> PR_HEADER_RELAY_BIT & 1));
        CHECK(kind == header.kind && kind <= PR_HEADER_KIND_RELAY_ACKNOWLEDGEMENT);
        understood[kind]++;
        if (kind == PR_HEADER_KIND_BAD)
            continue;
        CHECK(header.words <= words && header.words == length_of(&header));
        CHECK(header.acknowledgement.bitmap <= BITMAP_MAX);
        CHECK((header.epoch <= PR_EPOCH_MASK || kind == PR_HEADER_KIND_CONTROL) &&
              header.acknowledgement.epoch <= PR_EPOCH_MASK);
        if (kind == PR_HEADER_KIND_RELAY_ACKNOWLEDGEMENT ||
            (kind == PR_HEADER_KIND_DATA && data[2] >> PR_HEADER_RELAY_BIT & 1)) /* relays write theirs themselves */
            continue;
        pr_header_encode(&header, again, kind_bits[width]);
        CHECK(memcmp(again, data, header.words * sizeof *data) == 0);
    }
    for (unsigned words = 0; words <= FUZZ_WORDS_MAX; words++)
        free(exact[words]);
    printf("%lu bad, %lu data, %lu acknowledgements, %lu control, %lu for subtrees\n", understood[0], understood[1],
           understood[2], understood[3], understood[4]);
    for (unsigned kind = 0; kind <= PR_HEADER_KIND_RELAY_ACKNOWLEDGEMENT; kind++)
        CHECK(understood[kind] > 10000);
}

int main(void)
{
    random_state = check_seed();
    RUN(words_are_as_written_down);
    RUN(every_field_at_its_limits);
    RUN(random_round_trips);
    RUN(lengths_that_do_not_fit_are_bad);
    RUN(words_too_wide_are_bad);
    RUN(fuzz);
    return 0;
}
