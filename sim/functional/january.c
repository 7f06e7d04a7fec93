/* See january.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "functional/january.h"

#include "functional/january_access.h"
#include "functional/january_input.h"
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
    if (status.limit == input->told.limit && status.wait == input->told.wait)
        return;
    input->told = status;
    link_tell(turn->functional, turn->site, port, &status);
}

void january_clock(struct functional *functional, struct site *site)
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
