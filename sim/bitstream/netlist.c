/* See netlist.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "bitstream/netlist.h"
#include "support/or_abort.h"

#include <stdlib.h>
#include <string.h>

/* Room doubles whenever the count reaches a power of two. */
static void *add(void **list, unsigned *count, size_t size)
{
    if ((*count & (*count - 1)) == 0) {
        *list = or_abort(realloc(*list, (*count ? 2 * (size_t)*count : 1) * size));
    }
    return memset((char *)*list + size * (*count)++, 0, size);
}

#define ADD(name, type, list, count)                                       \
    struct type *name(struct netlist *netlist)                             \
    {                                                                      \
        void *entries = netlist->list;                                     \
        void *entry = add(&entries, &netlist->count, sizeof(struct type)); \
        netlist->list = entries;                                           \
        return entry;                                                      \
    }

ADD(netlist_add_pin, netlist_pin, pins, pin_count)
ADD(netlist_add_clock, netlist_clock, clocks, clock_count)
ADD(netlist_add_lut, netlist_lut, luts, lut_count)
ADD(netlist_add_flop, netlist_flop, flops, flop_count)
ADD(netlist_add_block_ram, netlist_block_ram, block_rams, block_ram_count)
ADD(netlist_add_spram, netlist_spram, sprams, spram_count)
ADD(netlist_add_two_port_ram, netlist_two_port_ram, two_port_rams, two_port_ram_count)
static ADD(add_domain, netlist_domain, domains, domain_count)

    unsigned netlist_domain(struct netlist *netlist, unsigned clock, bool falling)
{
    for (unsigned i = 0; i < netlist->domain_count; i++)
        if (netlist->domains[i].clock == clock && netlist->domains[i].falling == falling)
            return i;
    *add_domain(netlist) = (struct netlist_domain){.clock = clock, .falling = falling};
    return netlist->domain_count - 1;
}

void netlist_free(struct netlist *netlist)
{
    free(netlist->pins);
    free(netlist->clocks);
    free(netlist->luts);
    free(netlist->domains);
    free(netlist->flops);
    free(netlist->block_rams);
    free(netlist->sprams);
    free(netlist->two_port_rams);
    free(netlist);
}
