/* Event queue: which sites are to be visited in which clock. A ring of buckets a clock wide (a calendar queue), and for
 * this clock and the next one sets of sites, in which a site that is added twice is visited once.
 *
 *   this clock   next clock   +2   +3   ...   +CALENDAR_CLOCKS-1
 *   [ set ]      [ set ]      [ ]  [ ]  ...   [ ]                     a later clock: as late as the ring reaches, and
 *                                                                    the site is visited there to no effect
 *
 * A bucket keeps its memory, so that no memory is allocated once a run has reached its pace.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_FUNCTIONAL_CALENDAR_H
#define POSTROAD_FUNCTIONAL_CALENDAR_H

#include <stdbool.h>
#include <stdint.h>

enum { CALENDAR_CLOCKS = 4096 };

/* Bit i % 64 of word i / 64 is member i; bit w % 64 of summary w / 64: word w is not empty. */
struct site_set {
    uint64_t *words, *summary;
};

struct calendar_bucket {
    uint32_t *sites;
    uint32_t count, capacity;
};

struct calendar {
    struct site_set now, next;
    unsigned summary_words;
    struct calendar_bucket buckets[CALENDAR_CLOCKS];
    uint64_t filled[CALENDAR_CLOCKS / 64]; /* bit b % 64 of word b / 64: bucket b is not empty */
};

/* False: no memory. calendar_free may be called then too. */
bool calendar_init(struct calendar *calendar, unsigned sites);
void calendar_free(struct calendar *calendar);

static inline void site_set_add(struct site_set *set, unsigned site)
{
    unsigned word = site / 64;
    set->words[word] |= UINT64_C(1) << site % 64;
    set->summary[word / 64] |= UINT64_C(1) << word % 64;
}

/* Visited in clock `clock`, later than the one behind `now`, the clock that runs. Returns the clock of the entry. */
uint64_t calendar_add(struct calendar *calendar, unsigned site, uint64_t now, uint64_t clock);

/* Clock `now` begins: the sites of its bucket join the set of this clock. */
void calendar_begin(struct calendar *calendar, uint64_t now);

/* Takes the lowest site out of the set of this clock; -1: it is empty. *word is 0 at the first call of a clock, and its
 * own afterwards. */
int calendar_take(struct calendar *calendar, unsigned *word);

/* The clock ends: the set of the next one becomes that of this one. */
void calendar_end(struct calendar *calendar);

bool calendar_set_is_empty(const struct calendar *calendar, const struct site_set *set);

/* The first clock from `now` on that has something; UINT64_MAX if none has. */
uint64_t calendar_first(const struct calendar *calendar, uint64_t now);

#endif
