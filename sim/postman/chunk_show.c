/* What the transit buffers of a chunk show to its machines. See machine.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "postman/machine.h"

static void set(lanes *bits, unsigned row, uint32_t mask, bool value)
{
    (*bits)[row] = value ? (*bits)[row] | mask : (*bits)[row] & ~mask;
}

void chunk_show(struct chunk *chunk, unsigned number, const struct postman_options *options, lanes changed)
{
    struct machine *machine = &chunk->machines[number];
    unsigned row, column;
    LANES_EACH(changed, row, column)
    {
        struct transits *transits = &chunk->transits[number][row][column];
        const struct transit *front = transits_at(transits, transits->front);
        uint32_t mask = UINT32_C(1) << column;
        set(&machine->waits, row, mask, transits->waiting);
        set(&machine->full, row, mask, !options->ample_buffers && transits->waiting == transits->count);
        set(&machine->across, row, mask, front->across);
        set(&machine->two_addresses, row, mask, front->two_addresses);
        set(&machine->first_written, row, mask, front->written >= 1);
        set(&machine->second_written, row, mask, front->written >= 2);
    }
}
