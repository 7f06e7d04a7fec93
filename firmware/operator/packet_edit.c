/* Stripping targets from a packet, and peeling unicasts off it, in place. */
#include "operator/packet_edit.h"

enum { ASIDE = 8 };

unsigned packet_entry_words(const struct packet *packet, unsigned first, unsigned target_words)
{
    unsigned end = first + 1;

    while (end < target_words && packet_is_info(packet, end))
        end++;
    return end - first;
}

void packet_set_info(struct packet *packet, unsigned target_word, bool is_info)
{
    uint32_t bit = 1u << target_word % 32;

    if (is_info)
        packet->info[target_word / 32] |= bit;
    else
        packet->info[target_word / 32] &= ~bit;
}

/* To a lower place. memmove may go byte by byte. Four words at a time take half as long on small cores. */
static void move_down(uint32_t *to, const uint32_t *from, unsigned words)
{
    const uint32_t *end = from + words;

    for (; end - from >= 4; to += 4, from += 4) {
        uint32_t first = from[0], second = from[1], third = from[2], fourth = from[3];

        to[0] = first;
        to[1] = second;
        to[2] = third;
        to[3] = fourth;
    }
    while (from < end)
        *to++ = *from++;
}

static void move_up(uint32_t *to, const uint32_t *from, unsigned words)
{
    while (words-- > 0)
        to[words] = from[words];
}

unsigned packet_keep_entries(struct packet *packet, bool (*keep)(const void *context, uint32_t site_word),
                             const void *context)
{
    unsigned target_words = packet_target_words(packet);
    unsigned data_words = packet_data_words(packet);
    unsigned kept = 0, entries = 0;
    bool keeping = false;

    for (unsigned k = 0; k < target_words; k++) {
        bool is_info = packet_is_info(packet, k);

        if (!is_info) {
            keeping = keep(context, packet->words[k]);
            entries += keeping;
        }
        if (keeping) {
            packet->words[kept] = packet->words[k];
            packet_set_info(packet, kept++, is_info);
        }
    }
    move_down(packet->words + kept, packet->words + target_words, data_words);
    packet_set_counts(packet, kept, data_words);
    return entries;
}

void packet_mark_sites(struct packet *packet, uint32_t bits, bool set)
{
    unsigned target_words = packet_target_words(packet);
    uint32_t info = 0;

    for (unsigned k = 0; k < target_words; k++) {
        info = k % 32 == 0 ? packet->info[k / 32] : info >> 1;
        if (!(info & 1))
            packet->words[k] = set ? packet->words[k] | bits : packet->words[k] & ~bits;
    }
}

static void reverse(uint32_t *words, unsigned count)
{
    for (unsigned low = 0, high = count; low + 1 < high; low++) {
        uint32_t word = words[low];

        words[low] = words[--high];
        words[high] = word;
    }
}

/* Swaps two neighbouring stretches of first and second words. Few words are set aside, which is quicker. */
static void swap_stretches(uint32_t *words, unsigned first, unsigned second)
{
    uint32_t aside[ASIDE];

    if (first <= ASIDE) {
        for (unsigned k = 0; k < first; k++)
            aside[k] = words[k];
        move_down(words, words + first, second);
        for (unsigned k = 0; k < first; k++)
            words[second + k] = aside[k];
        return;
    }
    reverse(words, first);
    reverse(words + first, second);
    reverse(words, first + second);
}

/* The info map without its first bits. */
static void shift_info(struct packet *packet, unsigned bits)
{
    unsigned words = bits / 32, rest = bits % 32;

    for (unsigned k = 0; k < PACKET_INFO_WORDS; k++) {
        uint32_t low = k + words < PACKET_INFO_WORDS ? packet->info[k + words] : 0;
        uint32_t high = k + words + 1 < PACKET_INFO_WORDS ? packet->info[k + words + 1] : 0;

        packet->info[k] = rest == 0 ? low : low >> rest | high << (32 - rest);
    }
}

void packet_peel_first(struct packet *packet)
{
    unsigned target_words = packet_target_words(packet);
    unsigned data_words = packet_data_words(packet);
    unsigned first = packet_entry_words(packet, 0, target_words);

    swap_stretches(packet->words + first, target_words - first, data_words);
    packet->stored = target_words - first;
    packet->kind &= ~(uint32_t)KIND_MULTICAST;
    packet_set_counts(packet, first, data_words);
}

bool packet_peel_next(struct packet *packet)
{
    unsigned done = packet_target_words(packet);
    unsigned data_words = packet_data_words(packet);
    unsigned next;

    if (packet->stored == 0)
        return false;
    shift_info(packet, done);
    next = packet_entry_words(packet, 0, packet->stored);
    swap_stretches(packet->words + done, data_words, next);
    move_down(packet->words, packet->words + done, data_words + packet->stored);
    packet->stored -= next;
    packet_set_counts(packet, next, data_words);
    return true;
}

void packet_join(struct packet *packet)
{
    unsigned first = packet_target_words(packet);
    unsigned data_words = packet_data_words(packet);

    swap_stretches(packet->words + first, data_words, packet->stored);
    packet_set_counts(packet, first + packet->stored, data_words);
    packet->stored = 0;
}

void packet_rotate_targets(struct packet *packet)
{
    unsigned target_words = packet_target_words(packet);
    unsigned first = packet_entry_words(packet, 0, target_words);

    swap_stretches(packet->words, first, target_words - first);
    shift_info(packet, first);
    for (unsigned k = 0; k < first; k++)    /* an entry is a site word and target_info words */
        packet_set_info(packet, target_words - first + k, k > 0);
}

void packet_insert_data(struct packet *packet, unsigned at, unsigned words)
{
    unsigned target_words = packet_target_words(packet);
    unsigned data_words = packet_data_words(packet);
    uint32_t *from = packet->words + target_words + at;

    move_up(from + words, from, data_words - at);
    packet_set_counts(packet, target_words, data_words + words);
}

void packet_remove_data(struct packet *packet, unsigned at, unsigned words)
{
    unsigned target_words = packet_target_words(packet);
    unsigned data_words = packet_data_words(packet);
    uint32_t *to = packet->words + target_words + at;

    move_down(to, to + words, data_words + packet->stored - at - words);
    packet_set_counts(packet, target_words, data_words - words);
}
