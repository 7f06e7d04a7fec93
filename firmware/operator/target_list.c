/* See target_list.h. All changes are made in place.
 *
 * SPDX-License-Identifier: ISC
 */
#include "operator/target_list.h"

void pr_packet_set_info(struct pr_packet *packet, unsigned target_word, bool is_info)
{
    uint32_t bit = 1u << target_word % 32;
    if (is_info)
        packet->info[target_word / 32] |= bit;
    else
        packet->info[target_word / 32] &= ~bit;
}

/* Instead of memmove, which may move bytes. */
static void move_down(uint32_t *to, const uint32_t *from, unsigned words)
{
    for (unsigned k = 0; k < words; k++)
        to[k] = from[k];
}

static void move_up(uint32_t *to, const uint32_t *from, unsigned words)
{
    while (words-- > 0)
        to[words] = from[words];
}

static __attribute__((noinline)) void reverse(uint32_t *words, unsigned count)
{
    for (unsigned low = 0, high = count; low + 1 < high; low++) {
        uint32_t word = words[low];
        words[low] = words[--high];
        words[high] = word;
    }
}

/* Swaps two neighbouring stretches of first and second words. */
static void swap_stretches(uint32_t *words, unsigned first, unsigned second)
{
    reverse(words, first);
    reverse(words + first, second);
    reverse(words, first + second);
}

unsigned pr_packet_end_of_entry_with_info(const struct pr_packet *packet, unsigned first)
{
    unsigned end = first + 1;
    while (end < pr_packet_target_words(packet) && pr_packet_is_info(packet, end))
        end++;
    return end;
}

static void mark_entry(struct pr_packet *packet, unsigned first, unsigned words)
{
    for (unsigned k = 0; k < words; k++)
        pr_packet_set_info(packet, first + k, k > 0);
}

/* Moves an entry to a lower place, past what lies there. */
static void move_to_front(struct pr_packet *packet, unsigned place, unsigned entry, unsigned words)
{
    swap_stretches(packet->words + place, entry - place, words);
    for (unsigned k = entry; k-- > place;)
        pr_packet_set_info(packet, k + words, pr_packet_is_info(packet, k));
    mark_entry(packet, place, words);
}

/* Of entries without target_info. The entries that are left out stay in front, in any order. */
static unsigned leave_out_of_plain(struct pr_packet *packet, bool (*keep)(const void *context, uint32_t site_word),
                                   const void *context)
{
    unsigned target_words = pr_packet_target_words(packet), first = target_words;
    for (unsigned k = target_words; k-- > packet->first_target;) {
        uint32_t word = packet->words[k];
        if (!keep(context, word))
            continue;
        packet->words[k] = packet->words[--first];
        packet->words[first] = word;
    }
    packet->first_target = (uint8_t)first;
    return target_words - first;
}

unsigned pr_packet_leave_out(struct pr_packet *packet, bool (*keep)(const void *context, uint32_t site_word),
                             const void *context)
{
    if (pr_packet_is_plain(packet))
        return leave_out_of_plain(packet, keep, context);
    unsigned first = packet->first_target, left = 0, words;
    for (unsigned k = first; k < pr_packet_target_words(packet); k += words) {
        words = pr_packet_end_of_entry(packet, k) - k;
        if (keep(context, packet->words[k])) {
            left++;
            continue;
        }
        if (k > first)
            move_to_front(packet, first, k, words);
        first += words;
    }
    packet->first_target = (uint8_t)first;
    return left;
}

/* The entry in front of the one that starts at target word `entry`. */
static unsigned entry_before(const struct pr_packet *packet, unsigned entry)
{
    while (pr_packet_is_info(packet, --entry))
        ;
    return entry;
}

/* By insertion: targets are few, and often in order. */
void pr_packet_sort_targets(struct pr_packet *packet,
                            bool (*precedes)(const void *context, uint32_t first, uint32_t second), const void *context)
{
    bool is_plain = pr_packet_is_plain(packet);
    unsigned first = packet->first_target, words;
    for (unsigned k = first; k < pr_packet_target_words(packet); k += words) {
        unsigned place = k, before;
        uint32_t word = packet->words[k];
        words = pr_packet_end_of_entry(packet, k) - k;
        for (; place > first; place = before) {
            before = is_plain ? place - 1 : entry_before(packet, place);
            if (!precedes(context, word, packet->words[before]))
                break;
            if (is_plain)
                packet->words[place] = packet->words[before];
        }
        if (is_plain)
            packet->words[place] = word;
        else if (place < k)
            move_to_front(packet, place, k, words);
    }
}

PR_NOT_INLINED void pr_packet_insert_data(struct pr_packet *packet, unsigned at, unsigned words)
{
    unsigned target_words = pr_packet_target_words(packet);
    unsigned data_words = pr_packet_data_words(packet);
    uint32_t *from = packet->words + target_words + at;
    move_up(from + words, from, data_words - at);
    pr_packet_set_counts(packet, target_words, data_words + words);
}

PR_NOT_INLINED void pr_packet_remove_data(struct pr_packet *packet, unsigned at, unsigned words)
{
    unsigned target_words = pr_packet_target_words(packet);
    unsigned data_words = pr_packet_data_words(packet);
    uint32_t *to = packet->words + target_words + at;
    move_down(to, to + words, data_words - at - words);
    pr_packet_set_counts(packet, target_words, data_words - words);
}

static __attribute__((noinline)) void move_target(struct pr_packet *packet, unsigned from, unsigned to)
{
    packet->words[to] = packet->words[from];
    pr_packet_set_info(packet, to, pr_packet_is_info(packet, from));
}

/* The first of the data words count as target words now, or the last of those as data. */
static __attribute__((noinline)) void take_from_data(struct pr_packet *packet, unsigned words)
{
    packet->data_words = (uint16_t)(packet->data_words - words);
    packet->target_words = (uint16_t)(packet->target_words + words);
    if (packet->end_target != 0)
        packet->end_target = (uint8_t)(packet->end_target + words);
}

void pr_packet_insert_info(struct pr_packet *packet, unsigned at, unsigned words)
{
    pr_packet_insert_data(packet, 0, words);
    for (unsigned k = pr_packet_target_words(packet); k-- > at;)
        move_target(packet, k, k + words);
    for (unsigned k = at; k < at + words; k++)
        pr_packet_set_info(packet, k, true);
    take_from_data(packet, words);
}

void pr_packet_remove_info(struct pr_packet *packet, unsigned at, unsigned words)
{
    take_from_data(packet, -words);
    for (unsigned k = at; k < pr_packet_target_words(packet); k++)
        move_target(packet, k + words, k);
    pr_packet_remove_data(packet, 0, words);
}
