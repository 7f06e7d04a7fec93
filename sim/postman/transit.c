/* See transit.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "postman/transit.h"

#include <assert.h>
#include <stdlib.h>

void transit_reset(struct transit *transit)
{
    *transit = (struct transit){.lengths = {TRANSIT_OPEN, TRANSIT_OPEN}};
}

void transit_begin(struct transit *transit, bool across, bool two_addresses)
{
    transit->written = 0;
    transit->across = across;
    transit->two_addresses = two_addresses;
}

void transit_write(struct transit *transit, unsigned flit)
{
    assert(transit->written < POSTMAN_MOST_FLITS);
    transit->flits[transit->written++] = (uint16_t)flit;
}

void transit_end(struct transit *transit)
{
    transit->lengths[transit->ending] = transit->written;
    transit->ending ^= 1;
}

void transit_leave(struct transit *transit, bool exchanged)
{
    transit->sent = 0;
    transit->exchanged = exchanged;
}

bool transit_next(struct transit *transit, unsigned flag, unsigned *flit)
{
    if (transit->sent == transit->lengths[transit->leaving]) {
        transit->lengths[transit->leaving] = TRANSIT_OPEN;
        transit->leaving ^= 1;
        return false;
    }
    unsigned place = transit->sent++;
    if (transit->exchanged && place < 2)
        *flit = place ? transit->flits[0] & ~flag : transit->flits[1] | flag;
    else
        *flit = transit->flits[place];
    return true;
}

bool transits_create(struct transits *transits, unsigned count)
{
    *transits = (struct transits){.count = count};
    if (count > 1)
        transits->several = malloc(count * sizeof *transits->several);
    if (count > 1 && !transits->several)
        return false;
    for (unsigned place = 0; place < count; place++)
        transit_reset(transits_at(transits, place));
    return true;
}

void transits_free(struct transits *transits)
{
    free(transits->several);
}

struct transit *transits_at(struct transits *transits, unsigned place)
{
    return transits->several ? &transits->several[place] : &transits->one;
}

/* Twice as many, in the order in which they are sent; the one behind the last of those that wait is free, or is being
 * sent from, and stays the one before the first. */
static void grow(struct transits *transits)
{
    unsigned count = transits->count;
    struct transits more;
    if (!transits_create(&more, 2 * count))
        abort();
    for (unsigned place = 0; place < count; place++)
        more.several[place < count - 1 ? place : 2 * count - 1] = *transits_at(transits,
                                                                               (transits->front + place) % count);
    more.waiting = transits->waiting;
    more.output = 2 * count - 1;
    transits_free(transits);
    *transits = more;
}

struct transit *transits_take(struct transits *transits, bool ample)
{
    if (ample && transits->waiting + 1 == transits->count)
        grow(transits);
    assert(transits->waiting < transits->count);
    transits->input = (transits->front + transits->waiting++) % transits->count;
    return transits_at(transits, transits->input);
}

struct transit *transits_leave(struct transits *transits)
{
    assert(transits->waiting);
    transits->output = transits->front;
    transits->front = (transits->front + 1) % transits->count;
    transits->waiting--;
    return transits_at(transits, transits->output);
}
