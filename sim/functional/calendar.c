/* See calendar.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "functional/calendar.h"

#include <stdlib.h>
#include <string.h>

#include "support/or_abort.h"
#include "support/run_memory.h"

static bool set_init(struct site_set *set, unsigned words, unsigned summary_words)
{
    set->words = run_memory_allocate(words, sizeof *set->words);
    set->summary = run_memory_allocate(summary_words, sizeof *set->summary);
    return set->words && set->summary;
}

bool calendar_init(struct calendar *calendar, unsigned sites)
{
    unsigned words = (sites + 63) / 64;
    memset(calendar, 0, sizeof *calendar);
    calendar->summary_words = (words + 63) / 64;
    bool good = set_init(&calendar->now, words, calendar->summary_words);
    return set_init(&calendar->next, words, calendar->summary_words) && good;
}

void calendar_free(struct calendar *calendar)
{
    run_memory_free(calendar->now.words);
    run_memory_free(calendar->now.summary);
    run_memory_free(calendar->next.words);
    run_memory_free(calendar->next.summary);
    for (unsigned i = 0; i < CALENDAR_CLOCKS; i++)
        run_memory_free(calendar->buckets[i].sites);
}

static void grow(struct calendar_bucket *bucket)
{
    bucket->capacity = bucket->capacity ? 2 * bucket->capacity : 4;
    bucket->sites = or_abort(run_memory_resize(bucket->sites, bucket->capacity * sizeof *bucket->sites));
}

uint64_t calendar_add(struct calendar *calendar, unsigned site, uint64_t now, uint64_t clock)
{
    if (clock >= now + CALENDAR_CLOCKS)
        clock = now + CALENDAR_CLOCKS - 1;
    unsigned index = clock % CALENDAR_CLOCKS;
    struct calendar_bucket *bucket = &calendar->buckets[index];
    if (bucket->count == bucket->capacity)
        grow(bucket);
    bucket->sites[bucket->count++] = site;
    calendar->filled[index / 64] |= UINT64_C(1) << index % 64;
    return clock;
}

void calendar_begin(struct calendar *calendar, uint64_t now)
{
    unsigned index = now % CALENDAR_CLOCKS;
    struct calendar_bucket *bucket = &calendar->buckets[index];
    for (uint32_t i = 0; i < bucket->count; i++)
        site_set_add(&calendar->now, bucket->sites[i]);
    bucket->count = 0;
    calendar->filled[index / 64] &= ~(UINT64_C(1) << index % 64);
}

int calendar_take(struct calendar *calendar, unsigned *word)
{
    struct site_set *set = &calendar->now;
    while (!set->words[*word]) {
        unsigned part = *word / 64;
        set->summary[part] &= ~(UINT64_C(1) << *word % 64);
        while (!set->summary[part])
            if (++part == calendar->summary_words)
                return -1;
        *word = 64 * part + (unsigned)__builtin_ctzll(set->summary[part]);
    }
    unsigned site = 64 * *word + (unsigned)__builtin_ctzll(set->words[*word]);
    set->words[*word] &= set->words[*word] - 1;
    return (int)site;
}

void calendar_end(struct calendar *calendar)
{
    struct site_set empty = calendar->now;
    calendar->now = calendar->next;
    calendar->next = empty;
}

bool calendar_set_is_empty(const struct calendar *calendar, const struct site_set *set)
{
    for (unsigned i = 0; i < calendar->summary_words; i++)
        if (set->summary[i])
            return false;
    return true;
}

uint64_t calendar_first(const struct calendar *calendar, uint64_t now)
{
    enum { WORDS = CALENDAR_CLOCKS / 64 };
    unsigned start = now % CALENDAR_CLOCKS;
    if (!calendar_set_is_empty(calendar, &calendar->now))
        return now;
    for (unsigned i = 0; i <= WORDS; i++) {
        unsigned word = (start / 64 + i) % WORDS;
        uint64_t filled = calendar->filled[word];
        if (i == 0)
            filled &= UINT64_MAX << start % 64;
        if (i == WORDS)
            filled &= ~(UINT64_MAX << start % 64);
        if (filled)
            return now + (64 * word + (unsigned)__builtin_ctzll(filled) - start) % CALENDAR_CLOCKS;
    }
    return UINT64_MAX;
}
