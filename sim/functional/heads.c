/* States of a net_input, and the clocks between them:
 *
 *             head shown                  granted                 head crosses, if the link is open
 *   IDLE --------------------> SEEK --------------------> CONNECT --------------------> CONNECTED
 *    ^ '--straight on, at once--+--------------------------------------------------------^  |
 *    |                          |  overdue for a period (U3)                                | terminator crosses
 *    |                          '--> seeks local                                            | (disconnect)
 *    '--------------------------------------------------------------------------------------'
 *
 * A head that does not go straight on seeks from the next clock on, and crosses in the clock behind its grant. A
 * multicast that is granted local is split (split.c).
 *
 * SPDX-License-Identifier: ISC
 */
#include "functional/heads.h"

#include "functional/arbiter.h"
#include "functional/channel.h"

uint64_t heads_period(const struct turn *turn)
{
    const struct mesh_config *mesh = &turn->functional->mesh;
    bool relieved = turn->site->relief && mesh->relief_limit && mesh->divert_threshold != MESH_DIVERT_NEVER;
    return relieved ? mesh->relief_limit : mesh->divert_threshold;
}

/* The first mark crosses to the one net_output of its packet. */
static void cross(const struct turn *turn, unsigned port)
{
    struct input *input = &turn->site->inputs[port];
    arbiter_send(turn, (unsigned)__builtin_ctz(input->branches), &input->marks[0]);
    arbiter_crossed(turn, port);
}

static uint32_t available_outputs(const struct turn *turn)
{
    uint32_t available = 0;
    for (unsigned port = 1; port < turn->functional->ports; port++)
        if (turn->site->neighbours[port])
            available |= (uint32_t)arbiter_is_free(turn, port) << port;
    return available;
}

static unsigned choose_output(const struct turn *turn, unsigned port, uint32_t target, bool unicast)
{
    const struct direction_map *map = &turn->functional->map;
    struct place here = turn->site->place;
    uint32_t available = map->adaptive ? available_outputs(turn) : 0;
    if (unicast && turn->functional->options.any_output)
        return direction_try_all(map, here, target, available);
    return direction_find(map, here, port, target, unicast, available, channel_down(turn->site, turn->now));
}

/* Where a head may have come a way that is not the shortest, or a link leads nowhere, straight on is one of the ways
 * that it looks up. */
static bool goes_straight(const struct turn *turn, unsigned port, uint32_t target)
{
    return !turn->functional->options.any_output && !channel_down(turn->site, turn->now) &&
           direction_goes_straight(&turn->functional->map, turn->site->place, port, target);
}

/* Another net_output has come free before the one that the head requests (options.any_output). */
static void choose_again(const struct turn *turn, struct input *input)
{
    const struct mark *mark = &input->marks[0];
    const struct pr_packet *packet = &mark->flight->packet;
    if (!turn->functional->options.any_output || (packet->kind & PR_KIND_MULTICAST) || input->branches ||
        input->given_up || input->asks <= PR_PORT_LOCAL)
        return;
    int8_t choice = (int8_t)direction_try_all(&turn->functional->map, turn->site->place, packet->words[mark->index],
                                              available_outputs(turn));
    if (choice == input->asks)
        return;
    input->asks = choice;
    input->asks_from = turn->now + CLOCKS_REQUEST;
    site_due(turn->site, input->asks_from);
}

/* Without a grant, the head of a multicast tries anew in every clock (options.splits_if_free): local if that is free,
 * where the packet is then split, else the net_output of its first target, by which it passes whole. */
static bool tries_anew(const struct turn *turn, const struct input *input)
{
    return turn->functional->options.splits_if_free && input->leads != PR_PORT_LOCAL &&
           (input->flight->packet.kind & PR_KIND_MULTICAST);
}

static void try_anew(const struct turn *turn, struct input *input)
{
    if (!tries_anew(turn, input) || input->branches)
        return;
    bool splits = arbiter_is_free(turn, PR_PORT_LOCAL);
    int8_t choice = splits ? PR_PORT_LOCAL : (int8_t)input->leads;
    if (choice == input->asks)
        return;
    input->tree = splits;
    input->asks = choice;
    input->asks_from = turn->now + CLOCKS_REQUEST;
    site_due(turn->site, input->asks_from);
}

/* The clock in which a head is shown, looked up, and goes straight on if it can. */
static void look_up(const struct turn *turn, unsigned port)
{
    const struct direction_map *map = &turn->functional->map;
    const struct functional_options *options = &turn->functional->options;
    struct functional_site *site = turn->site;
    struct input *input = &site->inputs[port];
    const struct mark *mark = &input->marks[0];
    const struct pr_packet *packet = &mark->flight->packet;
    uint32_t target = packet->words[mark->index];
    unsigned opposite = direction_opposite(map, port);
    bool unicast = !(packet->kind & PR_KIND_MULTICAST);
    input->flight = mark->flight;
    input->first = mark->index;
    input->shown = turn->now;
    input->crossed = input->overdue = input->given_up = input->tree = false;
    input->asks = NO_PORT;
    bool may_pass = unicast || options->passes;
    if (may_pass && goes_straight(turn, port, target) && arbiter_lets_pass(turn, opposite)) {
        arbiter_connect(turn, port, opposite);
        cross(turn, port);
        return;
    }
    input->leads = (uint8_t)choose_output(turn, port, target, unicast);
    bool path = options->passes && (target & map->mark || input->leads == opposite);
    bool whole = options->splits_if_free ? !arbiter_is_free(turn, PR_PORT_LOCAL) : path;
    input->tree = !unicast && !whole && input->leads != PR_PORT_LOCAL;
    input->asks = input->tree ? PR_PORT_LOCAL : (int8_t)input->leads;
    input->asks_from = turn->now + CLOCKS_REQUEST;
    site->seeking |= 1u << port;
    site_due(site, input->asks_from);
}

static void seek_local(const struct turn *turn, struct input *input)
{
    turn->site->diversions++;
    input->asks = PR_PORT_LOCAL;
    input->asks_from = turn->now + CLOCKS_GIVE_UP;
}

/* A period has ended for a head that waits (U3). One that was granted its net_output in this clock keeps it. */
static void age_head(const struct turn *turn, unsigned port)
{
    struct input *input = &turn->site->inputs[port];
    bool granted_before = input->branches && input->granted_in < turn->now;
    if (tries_anew(turn, input))
        return;
    if (!input->overdue) {
        input->overdue = true;
        return;
    }
    if (granted_before || input->given_up || port == PR_PORT_LOCAL || input->asks == PR_PORT_LOCAL)
        return;
    input->given_up = true;
    if (input->branches)
        return;
    turn->site->outputs[input->asks].asked_until = turn->now + 1;
    seek_local(turn, input);
}

/* U4: where packets may wait for each other in a ring, a grant lapses if the head has not crossed. */
static void lapse(const struct turn *turn, struct input *input)
{
    arbiter_disconnect(turn, (unsigned)__builtin_ctz(input->branches), turn->now + 1);
    if (input->given_up) {
        seek_local(turn, input);
        return;
    }
    input->asks_from = turn->now + 1;
}

static bool has_rings(const struct functional *functional)
{
    return functional->map.adaptive || functional->map.all_to_all || functional->map.topology == PR_TOPOLOGY_TORUS;
}

/* A head that was shown before. */
static void wait_head(const struct turn *turn, unsigned port)
{
    struct input *input = &turn->site->inputs[port];
    bool connected = input->branches && input->granted_in < turn->now;
    uint64_t period = heads_period(turn);
    bool ends = arbiter_period_end(turn, period, turn->now) == turn->now;
    if (connected && !turn->site->outputs[__builtin_ctz(input->branches)].wait) {
        cross(turn, port);
        return;
    }
    if (ends)
        age_head(turn, port);
    choose_again(turn, input);
    try_anew(turn, input);
    if (ends && connected && has_rings(turn->functional))
        lapse(turn, input);
    if (!input->branches && input->asks_from > turn->now)
        site_due(turn->site, input->asks_from);
    uint64_t next = arbiter_period_end(turn, period, turn->now + 1);
    if (next != UINT64_MAX && !(input->given_up && !has_rings(turn->functional)))
        site_due(turn->site, next);
}

/* A target or the terminator of a packet that is connected. */
static void follow(const struct turn *turn, unsigned port)
{
    struct input *input = &turn->site->inputs[port];
    const struct mark *mark = &input->marks[0];
    const struct output *output = &turn->site->outputs[__builtin_ctz(input->branches)];
    uint64_t clock = (uint64_t)(output->offset + mark->index);
    if (!output_is_open(output, mark->index))
        return;
    if (clock <= turn->now)
        cross(turn, port);
    else
        site_due(turn->site, clock);
}

void heads_move(const struct turn *turn, unsigned port)
{
    const struct input *input = &turn->site->inputs[port];
    if (input->marks[0].kind != MARK_HEAD)
        follow(turn, port);
    else if (input->flight)
        wait_head(turn, port);
    else
        look_up(turn, port);
}
