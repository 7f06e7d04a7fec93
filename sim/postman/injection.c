/* See injection.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "postman/injection.h"

static void fill(struct transit *transit, const struct postman_options *options, const struct postman_load *load)
{
    bool two = load->flits[0] >> (options->flit_bits - 1) & 1;
    transit_begin(transit, load->across, two && !load->across);
    for (unsigned flit = 0; flit < load->count; flit++)
        transit_write(transit, load->flits[flit]);
    transit_end(transit);
    transit->target = oracle_target(load, options->flit_bits);
}

void injection_store(struct chunk *chunk, unsigned number, const struct postman_options *options, unsigned row,
                     unsigned column, const struct postman_load *load)
{
    struct machine *machine = &chunk->machines[number];
    uint32_t mask = UINT32_C(1) << column;
    if (!options->injection_buffers) {
        fill(transits_take(&chunk->transits[number][row][column], options->ample_buffers), options, load);
        lanes changed = {0};
        changed[row] = mask;
        chunk_show(chunk, number, options, changed);
        return;
    }
    struct transit *transit = &chunk->injections[number][row][column];
    fill(transit, options, load);
    machine->injected[row] |= mask;
    machine->injected_across[row] = (machine->injected_across[row] & ~mask) | (transit->across ? mask : 0);
    machine->injected_two[row] = (machine->injected_two[row] & ~mask) | (transit->two_addresses ? mask : 0);
}

/* A transit buffer is reserved when no packet can come, and none is being sent: it is written faster than it is read.
 * An injection buffer is the operator's own; of ample ones there is always one. */
static lanes available(const struct machine *machine, const struct postman_options *options, lanes line)
{
    if (options->injection_buffers)
        return ~machine->injected & ~(machine->sourcing & machine->source_injected);
    if (options->ample_buffers)
        return ~(lanes){0};
    return machine->busy & ~machine->full & ~machine->sourcing & ~machine->active & ~machine_adapts(machine) & ~line;
}

void injection_reserve(struct machine *machine, const struct postman_options *options, lanes line, lanes other_writing,
                       lanes *writes)
{
    lanes settled = machine->settled;
    machine->writing |= machine->granted & ~other_writing;
    *writes = machine->writing;
    machine->settled = machine->requested & ~machine->granted & available(machine, options, line);
    machine->granted = machine->requested & (machine->granted | settled);
}

void injection_write(struct chunk *chunk, unsigned number, const struct postman_options *options, lanes writes,
                     lanes buffering)
{
    struct machine *machine = &chunk->machines[number];
    if (!options->injection_buffers)
        writes &= ~buffering;
    unsigned row, column;
    LANES_EACH(writes, row, column)
    {
        const struct postman_load *load = &chunk->loads[number][row][column];
        if (++chunk->written[number][row][column] < load->count)
            continue;
        uint32_t mask = UINT32_C(1) << column;
        injection_store(chunk, number, options, row, column, load);
        machine->requested[row] &= ~mask;
        machine->granted[row] &= ~mask;
        machine->writing[row] &= ~mask;
    }
}
