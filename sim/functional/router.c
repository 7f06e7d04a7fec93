/* States of a net_input, and the clocks between them:
 *
 *             head shown                  granted                 head crosses, if the link is open
 *   IDLE --------------------> SEEK --------------------> CONNECT --------------------> CONNECTED
 *    ^ '--straight on, at once--+--------------------------------------------------------^  |
 *    |                          |  overdue for a period (U3)                                | terminator crosses
 *    |                          '--> seeks local                                            | (disconnect)
 *    '--------------------------------------------------------------------------------------'
 *
 * A head that does not go straight on seeks from the next clock on, and crosses in the clock behind its grant.
 *
 * SPDX-License-Identifier: ISC
 */
#include "functional/router.h"

#include "functional/link.h"
#include "functional/receiver.h"
#include "functional/sender.h"

/* One site in one clock. */
struct turn {
    struct functional *functional;
    struct site *site;
    uint64_t now;
    bool relief;
    uint32_t asked[PORTS_MOST]; /* by net_output: the net_inputs that request it in this clock */
};

/* The first clock from `clock` on that ends a period of waiting heads; UINT64_MAX: none does. The RTL counts periods
 * while a word is held; here they run on, a different phase at each site. */
static uint64_t period_end(const struct turn *turn, uint64_t clock)
{
    enum { PHASE = 7 };
    const struct mesh_config *mesh = &turn->functional->mesh;
    uint64_t period = turn->relief && mesh->relief_limit ? mesh->relief_limit : mesh->divert_threshold;
    if (mesh->divert_threshold == MESH_DIVERT_NEVER)
        return UINT64_MAX;
    if (period == 0)
        return clock;
    uint64_t past = (clock + (uint64_t)PHASE * turn->site->number) % period;
    return past ? clock + period - past : clock;
}

static bool is_free(const struct turn *turn, unsigned port)
{
    const struct output *output = &turn->site->outputs[port];
    return output->owner == NO_PORT && output->free_from <= turn->now && !output->wait;
}

/* A net_output that nothing has requested for a clock selects straight on. */
static bool lets_pass(const struct turn *turn, unsigned port)
{
    const struct output *output = &turn->site->outputs[port];
    uint64_t quiet = output->free_from > output->asked_until ? output->free_from : output->asked_until;
    return is_free(turn, port) && !turn->asked[port] &&
           (output->round == direction_first_rank(&turn->functional->map, port) || quiet < turn->now);
}

static void connect(const struct turn *turn, unsigned from, unsigned to)
{
    struct input *input = &turn->site->inputs[from];
    struct output *output = &turn->site->outputs[to];
    output->owner = (int8_t)from;
    output->round = (uint8_t)direction_rank(&turn->functional->map, from, to);
    output->limit = NO_LIMIT;
    output->offset = INT64_MIN;
    input->output = (int8_t)to;
    input->granted_in = turn->now;
}

/* The net_output is free in the next clock. */
static void disconnect(const struct turn *turn, struct input *input)
{
    struct output *output = &turn->site->outputs[input->output];
    for (unsigned port = 0; port < turn->functional->ports; port++)
        if (turn->site->inputs[port].asks == input->output)
            site_due(turn->site, turn->now + 1);
    output->owner = NO_PORT;
    output->free_from = turn->now + 1;
    input->output = NO_PORT;
}

/* The next request in the round. */
static unsigned next_in_round(const struct turn *turn, unsigned port)
{
    const struct direction_map *map = &turn->functional->map;
    unsigned round = turn->site->outputs[port].round, best = 0, best_order = UINT32_MAX;
    for (uint32_t asks = turn->asked[port]; asks; asks &= asks - 1) {
        unsigned from = (unsigned)__builtin_ctz(asks), rank = direction_rank(map, from, port);
        unsigned order = rank > round ? rank : rank + PORTS_MOST + 1;
        if (order < best_order) {
            best_order = order;
            best = from;
        }
    }
    return best;
}

static void grant(struct turn *turn)
{
    struct site *site = turn->site;
    for (unsigned i = 0; i < turn->functional->ports; i++) {
        const struct input *input = &site->inputs[i];
        if (input->asks != NO_PORT && input->output == NO_PORT && input->asks_from <= turn->now)
            turn->asked[input->asks] |= 1u << i;
    }
    for (unsigned port = 0; port < turn->functional->ports; port++) {
        if (!turn->asked[port] || !is_free(turn, port))
            continue;
        connect(turn, next_in_round(turn, port), port);
        site_due(site, turn->now + 1);
    }
}

static void remove_mark(struct input *input)
{
    input->count--;
    for (unsigned i = 0; i < input->count; i++)
        input->marks[i] = input->marks[i + 1];
}

static void end_packet(const struct turn *turn, unsigned port, struct input *input)
{
    struct output *output = &turn->site->outputs[input->output];
    unsigned words = input->flight->end - input->first + 1u;
    output->words += words;
    if (input->output != PR_PORT_LOCAL)
        turn->functional->link_words += words;
    disconnect(turn, input);
    if (input->last == input->flight)
        input->last = NULL;
    input->flight = NULL;
    input->crossed = false;
    input->free_from = turn->now + 1;
    if (port == PR_PORT_LOCAL) {
        sender_front_crossed(turn->site);
        site_due(turn->site, turn->now + 1);
    }
}

/* The first mark crosses. */
static void cross(const struct turn *turn, unsigned port)
{
    struct input *input = &turn->site->inputs[port];
    struct mark mark = input->marks[0];
    struct output *output = &turn->site->outputs[input->output];
    int64_t offset = (int64_t)turn->now - mark.index;
    if (offset > output->offset)
        output->offset = offset;
    remove_mark(input);
    if (input->output == PR_PORT_LOCAL)
        receiver_take(turn->functional, turn->site, &mark);
    else
        link_send(turn->functional, turn->site, (unsigned)input->output, &mark);
    if (mark.kind == MARK_END)
        end_packet(turn, port, input);
    if (mark.kind == MARK_HEAD) {
        input->crossed = true;
        input->asks = NO_PORT;
    }
    if (port == PR_PORT_LOCAL || (input->count && input->marks[0].clock <= turn->now))
        site_due(turn->site, turn->now + 1);
}

/* The clock in which a head is shown, looked up, and goes straight on if it can. */
static void look_up(const struct turn *turn, unsigned port)
{
    const struct direction_map *map = &turn->functional->map;
    struct site *site = turn->site;
    struct input *input = &site->inputs[port];
    const struct mark *mark = &input->marks[0];
    const struct pr_packet *packet = &mark->flight->packet;
    uint32_t target = packet->words[mark->index], available = 0;
    unsigned opposite = direction_opposite(map, port);
    input->flight = mark->flight;
    input->first = mark->index;
    input->shown = turn->now;
    input->crossed = input->overdue = input->given_up = false;
    input->asks = NO_PORT;
    if (direction_goes_straight(map, site->place, port, target) && lets_pass(turn, opposite)) {
        connect(turn, port, opposite);
        cross(turn, port);
        return;
    }
    for (unsigned o = 1; map->adaptive && o < map->ports; o++)
        available |= (uint32_t)is_free(turn, o) << o;
    input->asks = (int8_t)direction_find(map, site->place, port, target, !(packet->kind & PR_KIND_MULTICAST),
                                         available);
    input->asks_from = turn->now + CLOCKS_REQUEST;
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
    bool granted_before = input->output != NO_PORT && input->granted_in < turn->now;
    if (!input->overdue) {
        input->overdue = true;
        return;
    }
    if (granted_before || input->given_up || port == PR_PORT_LOCAL || input->asks == PR_PORT_LOCAL)
        return;
    input->given_up = true;
    if (input->output != NO_PORT)
        return;
    turn->site->outputs[input->asks].asked_until = turn->now + 1;
    seek_local(turn, input);
}

/* U4: where packets may wait for each other in a ring, a grant lapses if the head has not crossed. */
static void lapse(const struct turn *turn, struct input *input)
{
    disconnect(turn, input);
    if (input->given_up) {
        seek_local(turn, input);
        return;
    }
    input->asks_from = turn->now + 1;
}

static bool has_rings(const struct functional *functional)
{
    return functional->map.adaptive || functional->map.topology == PR_TOPOLOGY_TORUS;
}

/* A head that was shown before. */
static void wait_head(const struct turn *turn, unsigned port)
{
    struct input *input = &turn->site->inputs[port];
    bool connected = input->output != NO_PORT && input->granted_in < turn->now;
    bool ends = period_end(turn, turn->now) == turn->now;
    if (connected && !turn->site->outputs[input->output].wait) {
        cross(turn, port);
        return;
    }
    if (ends)
        age_head(turn, port);
    if (ends && connected && has_rings(turn->functional))
        lapse(turn, input);
    if (input->output == NO_PORT && input->asks_from > turn->now)
        site_due(turn->site, input->asks_from);
    uint64_t next = period_end(turn, turn->now + 1);
    if (next != UINT64_MAX && !(input->given_up && !has_rings(turn->functional)))
        site_due(turn->site, next);
}

/* A target or the terminator of a packet that is connected. */
static void follow(const struct turn *turn, unsigned port)
{
    struct input *input = &turn->site->inputs[port];
    const struct mark *mark = &input->marks[0];
    const struct output *output = &turn->site->outputs[input->output];
    uint64_t clock = (uint64_t)(output->offset + mark->index);
    if (mark->index >= output->limit)
        return;
    if (clock <= turn->now)
        cross(turn, port);
    else
        site_due(turn->site, clock);
}

static void move_input(const struct turn *turn, unsigned port)
{
    struct input *input = &turn->site->inputs[port];
    const struct mark *mark = &input->marks[0];
    uint64_t shown = mark->clock > input->free_from ? mark->clock : input->free_from;
    if (shown > turn->now)
        site_due(turn->site, shown);
    else if (mark->kind != MARK_HEAD)
        follow(turn, port);
    else if (input->flight)
        wait_head(turn, port);
    else
        look_up(turn, port);
}

/* The bound of what the packet that came last may move towards this net_input: two words more than may cross here. */
static void find_bound(const struct turn *turn, const struct input *input, struct status *status)
{
    const struct output *output = input->output == NO_PORT ? NULL : &turn->site->outputs[input->output];
    unsigned limit = NO_LIMIT;
    status->flight = input->last;
    status->offset = INT64_MIN;
    if (!input->last)
        return;
    if (input->flight == input->last && input->crossed) {
        limit = output->limit == NO_LIMIT ? NO_LIMIT : output->limit + WORDS_HOP;
        status->offset = output->offset - 1;
    } else if (input->flight == input->last) {
        limit = input->first + WORDS_HOP;
    } else if (input->flight) {
        limit = input->last_first + WORDS_HOP - 1u;
    } else {
        status->offset = (int64_t)turn->now - input->last_first;
    }
    status->limit = limit > input->last->end ? NO_LIMIT : (uint16_t)limit;
}

static bool terminator_stands(const struct turn *turn, const struct input *input)
{
    for (unsigned i = 0; i < input->count; i++)
        if (input->marks[i].kind == MARK_END && input->marks[i].clock <= turn->now)
            return true;
    return false;
}

static void tell(const struct turn *turn, unsigned port)
{
    struct input *input = &turn->site->inputs[port];
    struct status status = {.limit = NO_LIMIT, .wait = terminator_stands(turn, input)};
    find_bound(turn, input, &status);
    if (status.limit == input->told.limit && status.wait == input->told.wait)
        return;
    input->told = status;
    link_tell(turn->functional, turn->site, port, &status);
}

void router_clock(struct functional *functional, struct site *site, bool relief)
{
    struct turn turn = {.functional = functional, .site = site, .now = functional->now, .relief = relief};
    grant(&turn);
    for (unsigned port = 0; port < functional->ports; port++)
        if (site->inputs[port].count)
            move_input(&turn, port);
    for (unsigned port = 1; port < functional->ports; port++)
        if (site->inputs[port].last || site->inputs[port].told.wait || site->inputs[port].told.limit != NO_LIMIT)
            tell(&turn, port);
}
