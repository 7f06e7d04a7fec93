/* See transit.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "postman/transit.h"

#include <assert.h>

void transit_reset(struct transit *transit)
{
    *transit = (struct transit){.lengths = {TRANSIT_OPEN, TRANSIT_OPEN}};
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
