/* See site_state.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "functional/site_state.h"

#include <stddef.h>
#include <string.h>

#include "functional/channel.h"
#include "functional/receiver.h"
#include "functional/router_model.h"

size_t site_router_state_size(const struct functional *functional)
{
    size_t size = functional->router->site_state + functional->ports * functional->router->input_state;
    return (size + _Alignof(max_align_t) - 1) / _Alignof(max_align_t) * _Alignof(max_align_t);
}

void site_clear(struct functional *functional, struct functional_site *site)
{
    memset(site->router_state, 0, site_router_state_size(functional));
    for (unsigned port = 0; port < functional->ports; port++) {
        site->inputs[port] = (struct input){.asks = NO_PORT,
                                            .stands_since = UINT64_MAX,
                                            .free_from = functional->now + CLOCKS_RESET,
                                            .told_limit = NO_LIMIT};
        site->outputs[port] = (struct output){
            .owner = NO_PORT, .limit = NO_LIMIT, .round = (uint8_t)direction_first_rank(&functional->map, port)};
    }
    site->sender = (struct sender){.free_from = functional->now + CLOCKS_RESET};
    site->receiver = (struct receiver){.waits_since = UINT64_MAX};
    site->arriving[0] = site->arriving[1] = site->told[0] = site->told[1] = 0;
    site->in_use = site->owing = site->seeking = 0;
    site->operator_due = 0;
    site->relief = site->relief_next = false;
    site->diversions = site->aborts = site->splits = site->deferrals = 0;
}

/* What is shown in this clock. */
static void forget_arriving(struct functional *functional, struct functional_site *site)
{
    unsigned slot = functional->now & 1;
    for (uint32_t ports = site->arriving[slot]; ports; ports &= ports - 1) {
        const struct mark *mark = &site->inputs[__builtin_ctz(ports)].arriving[slot];
        if (mark->kind == MARK_HEAD)
            packet_pool_land(&functional->packets, mark->flight);
    }
}

void site_forget(struct functional *functional, struct functional_site *site)
{
    if (functional->router->forget)
        functional->router->forget(functional, site);
    for (unsigned port = 1; port < functional->ports; port++)
        for (unsigned i = 0; i < site->inputs[port].count; i++)
            if (site->inputs[port].marks[i].kind == MARK_HEAD)
                packet_pool_land(&functional->packets, site->inputs[port].marks[i].flight);
    forget_arriving(functional, site);
    receiver_forget(functional, site);
}

/* Words that had left the net_output in the clock before this one. The last word that crossed is still in its register,
 * and so is the one before where it stands. */
static unsigned words_left(struct functional *functional, struct functional_site *site, const struct output *output)
{
    struct turn turn = {.functional = functional, .site = site, .now = functional->now - 1};
    unsigned next = output->owner == NO_PORT ? output->owed
                                             : functional->router->word_in_hand(&turn, (unsigned)output->owner);
    unsigned words = next - output->first;
    return words && next == output->limit ? words - 1 : words;
}

void site_count_words(struct functional *functional, struct functional_site *site)
{
    for (unsigned port = 1; port < functional->ports; port++) {
        struct output *output = &site->outputs[port];
        const struct channel *channel = site->faults->out[port];
        int words = 0;
        if (output->owner != NO_PORT ? output->begun : (site->owing >> port & 1) != 0)
            words = (int)words_left(functional, site, output);
        else if (channel && channel->ends)
            words = -1; /* a terminator that does not leave the register */
        output->words += (uint32_t)words;
        functional->link_words += (uint64_t)(int64_t)words;
    }
}
