/* See arbiter.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "functional/arbiter.h"

#include "functional/link.h"
#include "functional/receiver.h"
#include "functional/sender.h"

uint64_t arbiter_period_end(const struct turn *turn, uint64_t period, uint64_t clock)
{
    enum { PHASE = 7 };
    if (period == MESH_DIVERT_NEVER)
        return UINT64_MAX;
    if (period == 0)
        return clock;
    uint64_t past = (clock + (uint64_t)PHASE * turn->site->number) & (period - 1);
    return past ? clock + period - past : clock;
}

bool arbiter_is_free(const struct turn *turn, unsigned port)
{
    const struct output *output = &turn->site->outputs[port];
    bool owes = turn->site->owing >> port & 1;
    return output->owner == NO_PORT && !owes && output->free_from <= turn->now && !output->wait;
}

bool arbiter_lets_pass(const struct turn *turn, unsigned port)
{
    const struct output *output = &turn->site->outputs[port];
    uint64_t quiet = output->free_from > output->asked_until ? output->free_from : output->asked_until;
    return arbiter_is_free(turn, port) && !(turn->requested >> port & 1) &&
           (output->round == direction_first_rank(&turn->functional->map, port) || quiet < turn->now);
}

void arbiter_connect(const struct turn *turn, unsigned from, unsigned to)
{
    struct input *input = &turn->site->inputs[from];
    struct output *output = &turn->site->outputs[to];
    output->flight = input->flight;
    output->owner = (int8_t)from;
    output->round = (uint8_t)direction_rank(&turn->functional->map, from, to);
    output->begun = false;
    output->limit = NO_LIMIT;
    output->offset = INT64_MIN;
    input->branches |= 1u << to;
    input->granted_in = turn->now;
}

/* It requests the net_output, or would if that were free. */
static bool wants(const struct turn *turn, const struct input *input, unsigned port)
{
    const struct functional_options *options = &turn->functional->options;
    if (input->split)
        return !options->defers && input->leads == port;
    if (options->splits_if_free && input->asks != NO_PORT && (port == PR_PORT_LOCAL || port == input->leads))
        return true;
    return input->asks == (int8_t)port || (options->any_output && input->asks > PR_PORT_LOCAL);
}

void arbiter_disconnect(const struct turn *turn, unsigned port, uint64_t clock)
{
    struct output *output = &turn->site->outputs[port];
    for (uint32_t ports = turn->site->seeking; ports; ports &= ports - 1)
        if (wants(turn, &turn->site->inputs[__builtin_ctz(ports)], port))
            site_due(turn->site, clock);
    if (output->owner != NO_PORT)
        turn->site->inputs[output->owner].branches &= ~(1u << port);
    output->owner = NO_PORT;
    output->flight = NULL;
    output->free_from = clock;
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

void arbiter_grant(struct turn *turn)
{
    for (uint32_t ports = turn->requested; ports; ports &= ports - 1) {
        unsigned port = (unsigned)__builtin_ctz(ports);
        if (!arbiter_is_free(turn, port))
            continue;
        arbiter_connect(turn, next_in_round(turn, port), port);
        site_due(turn->site, turn->now + 1);
    }
}

static void count_words(const struct turn *turn, unsigned port, unsigned index)
{
    struct output *output = &turn->site->outputs[port];
    unsigned words = index - output->first + 1u;
    output->words += words;
    if (port != PR_PORT_LOCAL)
        turn->functional->link_words += words;
}

void arbiter_send(const struct turn *turn, unsigned port, const struct mark *mark)
{
    struct output *output = &turn->site->outputs[port];
    int64_t offset = (int64_t)turn->now - mark->index;
    if (offset > output->offset)
        output->offset = offset;
    if (mark->kind == MARK_HEAD) {
        output->begun = true;
        output->first = mark->index;
    }
    if (port == PR_PORT_LOCAL)
        receiver_take(turn->functional, turn->site, mark);
    else
        link_send(turn->functional, turn->site, port, mark);
    if (mark->kind == MARK_END) {
        count_words(turn, port, mark->index);
        arbiter_disconnect(turn, port, turn->now + 1);
    }
}

static void end_packet(const struct turn *turn, unsigned port, struct input *input)
{
    if (input->last == input->flight)
        input->last = NULL;
    input->flight = NULL;
    input->crossed = input->split = false;
    input->free_from = turn->now + 1;
    if (port == PR_PORT_LOCAL)
        sender_front_crossed(turn->site);
}

void arbiter_crossed(const struct turn *turn, unsigned port)
{
    struct input *input = &turn->site->inputs[port];
    enum mark_kind kind = input->marks[0].kind;
    input->count--;
    for (unsigned i = 0; i < input->count; i++)
        input->marks[i] = input->marks[i + 1];
    if (kind == MARK_END)
        end_packet(turn, port, input);
    if (kind == MARK_HEAD) {
        input->crossed = true;
        input->asks = NO_PORT;
    }
    if (!input->split && input->asks == NO_PORT)
        turn->site->seeking &= ~(1u << port);
    if (port == PR_PORT_LOCAL && sender_follows(turn->site))
        site_operator_due(turn->site, turn->now + 1);
    if (input->count && input->marks[0].clock <= turn->now)
        site_due(turn->site, turn->now + 1);
}
