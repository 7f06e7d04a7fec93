/* See csr_general.h. Reservations are rows of a ring, one for each transmission interval ahead; behind the last row
 * nothing is reserved, and the ring grows when a flit gets there.
 *
 * SPDX-License-Identifier: ISC
 */
#include "csr/csr_general.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "support/or_abort.h"
#include "support/random.h"

enum { FIRST_ROWS = 16 };

struct flit {
    const uint32_t *path;
    unsigned length, step, counter;
    unsigned *intervals; /* T of each link so far */
    bool blocked;
};

struct turn {
    uint32_t rank;
    unsigned flit;
};

struct row {
    bool *reserved;
    uint8_t *buffered;
};

struct csr_general {
    struct csr_general_options options;
    struct random random;
    struct row *rows;
    unsigned row_count, first; /* rows[first]: the next transmission interval */
    struct flit *flits;
    unsigned count, room;
    struct turn *order;  /* of the flits of a step */
    unsigned *intervals; /* of all flits */
    size_t interval_count, interval_room;
    unsigned *flights; /* of the flits of the last slot */
};

/* More rows behind the last one. */
static void grow_rows(struct csr_general *general)
{
    unsigned count = general->row_count ? 2 * general->row_count : FIRST_ROWS;
    struct row *rows = or_abort(calloc(count, sizeof *rows));
    for (unsigned i = 0; i < general->row_count; i++)
        rows[i] = general->rows[(general->first + i) % general->row_count];
    for (unsigned i = general->row_count; i < count; i++)
        rows[i] = (struct row){.reserved = or_abort(calloc(general->options.links, sizeof *rows->reserved)),
                               .buffered = or_abort(calloc(general->options.links, sizeof *rows->buffered))};
    free(general->rows);
    general->rows = rows;
    general->row_count = count;
    general->first = 0;
}

struct csr_general *csr_general_create(const struct csr_general_options *options)
{
    struct csr_general *general = or_abort(calloc(1, sizeof *general));
    general->options = *options;
    random_seed(&general->random, options->seed, 2);
    grow_rows(general);
    return general;
}

void csr_general_free(struct csr_general *general)
{
    for (unsigned i = 0; i < general->row_count; i++) {
        free(general->rows[i].reserved);
        free(general->rows[i].buffered);
    }
    free(general->rows);
    free(general->flits);
    free(general->order);
    free(general->intervals);
    free(general->flights);
    free(general);
}

static void grow_flits(struct csr_general *general)
{
    general->room = general->room ? 2 * general->room : 64;
    general->flits = or_abort(realloc(general->flits, general->room * sizeof *general->flits));
    general->order = or_abort(realloc(general->order, general->room * sizeof *general->order));
    general->flights = or_abort(realloc(general->flights, general->room * sizeof *general->flights));
}

int csr_general_offer(struct csr_general *general, const uint32_t *path, unsigned length)
{
    if (general->count == general->room)
        grow_flits(general);
    general->flits[general->count] = (struct flit){.path = path, .length = length, .counter = 1};
    general->interval_count += length;
    return (int)general->count++;
}

static struct row *row_of(const struct csr_general *general, unsigned interval)
{
    return &general->rows[(general->first + interval - 1) % general->row_count];
}

/* The interval T for which the flit can reserve the link; 0: none. */
static unsigned interval_for(const struct csr_general *general, unsigned link, unsigned counter)
{
    unsigned patience = general->options.patience ? general->options.patience : UINT_MAX;
    for (unsigned interval = counter; interval - counter <= patience; interval++) {
        if (interval > general->row_count)
            return interval;
        const struct row *row = row_of(general, interval);
        if (!row->reserved[link])
            return interval;
        if (row->buffered[link] >= general->options.buffers)
            return 0;
    }
    return 0;
}

static void reserve(struct csr_general *general, struct flit *flit)
{
    unsigned link = flit->path[flit->step], interval = interval_for(general, link, flit->counter);
    if (!interval) {
        flit->blocked = true;
        return;
    }
    while (interval > general->row_count)
        grow_rows(general);
    row_of(general, interval)->reserved[link] = true;
    for (unsigned t = flit->counter; t < interval; t++)
        row_of(general, t)->buffered[link]++;
    flit->intervals[flit->step++] = interval;
    flit->counter = interval + 1;
}

/* What a blocked flit has reserved. */
static void release(struct csr_general *general, const struct flit *flit)
{
    unsigned counter = 1;
    for (unsigned step = 0; step < flit->step; step++) {
        unsigned link = flit->path[step], interval = flit->intervals[step];
        row_of(general, interval)->reserved[link] = false;
        for (unsigned t = counter; t < interval; t++)
            row_of(general, t)->buffered[link]--;
        counter = interval + 1;
    }
}

static int by_rank(const void *a, const void *b)
{
    const struct turn *left = a, *right = b;
    return left->rank != right->rank ? (left->rank > right->rank) - (left->rank < right->rank)
                                     : (left->flit > right->flit) - (left->flit < right->flit);
}

/* The flits that are still on their way, in the order in which they are treated. */
static unsigned order_flits(struct csr_general *general, unsigned step)
{
    const struct csr_general_options *options = &general->options;
    unsigned count = 0;
    for (unsigned i = 0; i < general->count; i++) {
        const struct flit *flit = &general->flits[i];
        if (flit->blocked || step >= flit->length)
            continue;
        uint32_t rank = options->rank ? options->rank(options->context, i, step, flit->path[step],
                                                      flit->path[step ? step - 1 : 0])
                                      : 0;
        unsigned place = options->rank ? count : random_below(&general->random, count + 1);
        general->order[count++] = general->order[place];
        general->order[place] = (struct turn){rank, i};
    }
    if (options->rank && count)
        qsort(general->order, count, sizeof *general->order, by_rank);
    return count;
}

static void forward_phase(struct csr_general *general)
{
    for (unsigned step = 0, count; (count = order_flits(general, step)) > 0; step++)
        for (unsigned i = 0; i < count; i++)
            reserve(general, &general->flits[general->order[i].flit]);
}

static void place_intervals(struct csr_general *general)
{
    if (general->interval_count > general->interval_room) {
        general->intervals = or_abort(
            realloc(general->intervals, general->interval_count * sizeof *general->intervals));
        general->interval_room = general->interval_count;
    }
    unsigned *next = general->intervals;
    for (unsigned i = 0; i < general->count; i++) {
        general->flits[i].intervals = next;
        next += general->flits[i].length;
    }
}

void csr_general_slot(struct csr_general *general)
{
    place_intervals(general);
    forward_phase(general);
    for (unsigned i = 0; i < general->count; i++) {
        const struct flit *flit = &general->flits[i];
        general->flights[i] = flit->blocked ? 0 : flit->counter - 1;
        if (flit->blocked)
            release(general, flit);
    }
    struct row *row = row_of(general, 1);
    memset(row->reserved, 0, general->options.links * sizeof *row->reserved);
    memset(row->buffered, 0, general->options.links * sizeof *row->buffered);
    general->first = (general->first + 1) % general->row_count;
    general->count = 0;
    general->interval_count = 0;
}

unsigned csr_general_flight(const struct csr_general *general, int flit)
{
    return general->flights[flit];
}

unsigned csr_general_interval(const struct csr_general *general, int flit, unsigned step)
{
    return general->flits[flit].intervals[step];
}

bool csr_general_reserved(const struct csr_general *general, unsigned link, unsigned interval)
{
    return interval < general->row_count && row_of(general, interval + 1)->reserved[link];
}

unsigned csr_general_buffered(const struct csr_general *general, unsigned link, unsigned interval)
{
    return interval < general->row_count ? row_of(general, interval + 1)->buffered[link] : 0;
}
