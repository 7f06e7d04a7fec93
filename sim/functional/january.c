/* See january.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "functional/january.h"

#include "functional/january_access.h"
#include "functional/january_input.h"
#include "functional/january_output.h"
#include "functional/january_time_out.h"
#include "functional/link.h"
#include "functional/split.h"

/* What the packet may move towards this net_input: as many words more than may cross here as its storage and the
 * net_output upstream hold. */
static void find_bound(const struct turn *turn, unsigned port, struct status *status)
{
    const struct january_input *january = january_input(turn, port);
    const struct input *input = &turn->site->inputs[port];
    unsigned limit = input->first;
    uint16_t crossing = 0;
    status->flight = input->flight;
    if (!input->flight)
        return;
    if (input->crossed) {
        connection_bound(turn->site, input, &crossing, &status->offset);
        status->offset -= JANUARY_INPUT_WORDS;
        if (january->held < crossing && january->held != january->missing)
            crossing = january->held;
        limit = crossing;
    }
    if (crossing != NO_LIMIT && limit + JANUARY_WORDS_HOP <= input->flight->end + 1u)
        status->limit = (uint16_t)(limit + JANUARY_WORDS_HOP);
}

/* `wait` is told until the net_input is free again (J2): the net_output upstream makes no connection before. */
static void tell(const struct turn *turn, unsigned port)
{
    struct input *input = &turn->site->inputs[port];
    struct status status = {
        .limit = NO_LIMIT, .offset = INT64_MIN, .wait = january_input(turn, port)->state != JANUARY_FREE};
    find_bound(turn, port, &status);
    if (status.limit == input->told_limit && status.wait == input->told_wait)
        return;
    input->told_limit = status.limit;
    input->told_wait = status.wait;
    link_tell(turn->functional, turn->site, port, status);
}

/* A packet whose list is not known yet ends within it: there it becomes a packet with a shorter list. */
static struct flight *cut_short(struct functional *functional, struct functional_site *site, unsigned port,
                                const struct mark *abort)
{
    struct input *input = &site->inputs[port];
    struct flight *flight = abort->flight;
    struct mark *head = NULL;
    for (unsigned i = 0; i < input->count; i++)
        if (input->marks[i].kind == MARK_HEAD && input->marks[i].flight == flight)
            head = &input->marks[i];
    if (!head || !(flight->packet.kind & PR_KIND_MULTICAST) || abort->index > january_list_end(flight, head->index))
        return flight;
    struct flight *shorter = packet_pool_copy(&functional->packets, flight);
    pr_packet_set_counts(&shorter->packet, abort->index, 0);
    shorter->end = abort->index;
    head->flight = shorter;
    if (input->flight == flight)
        input->flight = shorter;
    if (input->last == flight)
        input->last = shorter;
    packet_pool_land(&functional->packets, flight);
    return shorter;
}

/* Branches of split packets that have carried nothing are packets of their own. */
static void forget(struct functional *functional, struct functional_site *site)
{
    for (unsigned port = 1; port < functional->ports; port++) {
        struct output *output = &site->outputs[port];
        if (output->owner != NO_PORT && !output->begun && output->flight != site->inputs[output->owner].flight)
            packet_pool_land(&functional->packets, output->flight);
    }
}

static void clock_router(struct functional *functional, struct functional_site *site)
{
    struct turn turn = {.functional = functional, .site = site, .now = functional->now};
    struct january_site *january = site->router_state;
    bool connected = false;
    january_time_out_clock(&turn);
    for (uint32_t ports = site->in_use; ports; ports &= ports - 1)
        january_input_clock(&turn, (unsigned)__builtin_ctz(ports));
    split_settle(&turn);
    january_access_clock(&turn);
    for (uint32_t ports = site->in_use; ports; ports &= ports - 1) {
        unsigned port = (unsigned)__builtin_ctz(ports);
        if (port != PR_PORT_LOCAL)
            tell(&turn, port);
        connected |= site->inputs[port].branches != 0;
        if (!site->inputs[port].count && january_input(&turn, port)->state == JANUARY_FREE)
            site->in_use &= ~(1u << port);
    }
    january->connected = connected;
    january->visited = turn.now;
}

const struct router_model router_january = {.input_words = JANUARY_INPUT_WORDS,
                                            .whole_list = true,
                                            .site_state = sizeof(struct january_site),
                                            .input_state = sizeof(struct january_input),
                                            .word_in_hand = january_input_word_in_hand,
                                            .cut_short = cut_short,
                                            .forget = forget,
                                            .clock = clock_router};
