/* See january_output.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "functional/january_output.h"

#include "functional/arbiter.h"
#include "functional/channel.h"
#include "functional/link.h"

enum { CLOCKS_LOCAL_ENDS = 2 }; /* from the terminator that crosses to local until local is free */

unsigned january_way(const struct turn *turn, const struct flight *flight, unsigned index)
{
    bool unicast = !(flight->packet.kind & PR_KIND_MULTICAST);
    return direction_find(&turn->functional->map, turn->site->place, PR_PORT_LOCAL, flight->packet.words[index],
                          unicast, 0, channel_down(turn->site, turn->now));
}

unsigned january_list_end(const struct flight *flight, unsigned first)
{
    unsigned filled = first + JANUARY_INPUT_WORDS - 1, list = flight->packet.target_words;
    return list < filled ? list : filled;
}

bool january_splits(unsigned connection)
{
    return connection == PR_JANUARY_CONNECTION_ALL_REMOTE || connection == PR_JANUARY_CONNECTION_SOME_LOCAL;
}

/* The copy of a split packet for a link: it begins with the first target that leads there (J12). */
static void make_branch(const struct turn *turn, const struct input *input, unsigned port)
{
    struct output *output = &turn->site->outputs[port];
    struct flight *branch = packet_pool_copy(&turn->functional->packets, input->flight);
    output->flight = branch;
    for (unsigned index = branch->packet.target_words; index-- > input->first;) {
        if (!flight_has_target(branch, index))
            continue;
        if (january_way(turn, branch, index) == port)
            output->first = (uint16_t)index;
        else
            branch->packet.words[index] = FLIGHT_NULL_TARGET;
    }
}

void january_output_connect(const struct turn *turn, unsigned from, uint32_t outputs)
{
    struct input *input = &turn->site->inputs[from];
    bool split = january_splits(january_input(turn, from)->connection);
    for (; outputs; outputs &= outputs - 1) {
        unsigned port = (unsigned)__builtin_ctz(outputs);
        struct output *output = &turn->site->outputs[port];
        arbiter_connect(turn, from, port);
        output->first = input->first;
        output->offset = (int64_t)turn->now + 1 - input->first;
        if (split && port != PR_PORT_LOCAL)
            make_branch(turn, input, port);
    }
}

unsigned january_output_next(const struct turn *turn, unsigned from, unsigned port)
{
    const struct output *output = &turn->site->outputs[port];
    const struct flight *flight = output->flight;
    if (!output->begun)
        return output->first;
    if (port == PR_PORT_LOCAL || !(flight->packet.kind & PR_KIND_MULTICAST) ||
        january_input(turn, from)->listed >> port & 1)
        return JANUARY_NO_MARK;
    unsigned index = january_list_end(flight, output->first);
    return index < flight->end ? index : JANUARY_NO_MARK;
}

/* All targets go to local, which waits for none of them. The mark of a target that is here tells the operator that no
 * other site needs the packet for its sake (J12). */
static void send_to_local(const struct turn *turn, unsigned from)
{
    const struct input *input = &turn->site->inputs[from];
    bool split = january_splits(january_input(turn, from)->connection);
    struct mark mark = {.flight = input->flight, .kind = MARK_HEAD};
    for (unsigned index = input->first; index < input->flight->packet.target_words; index++) {
        if (!flight_has_target(input->flight, index))
            continue;
        mark.index = (uint16_t)index;
        if (split)
            mark.copy = january_way(turn, input->flight, index) == PR_PORT_LOCAL ? COPY_MARKED : COPY_ELSEWHERE;
        arbiter_send(turn, PR_PORT_LOCAL, &mark);
        mark.kind = MARK_TARGET;
    }
}

void january_output_send(const struct turn *turn, unsigned from, unsigned port)
{
    struct output *output = &turn->site->outputs[port];
    struct mark mark = {.flight = output->flight,
                        .index = (uint16_t)january_output_next(turn, from, port),
                        .kind = output->begun ? MARK_LIST : MARK_HEAD};
    if (port == PR_PORT_LOCAL) {
        send_to_local(turn, from);
        return;
    }
    if (output->begun)
        january_input(turn, from)->listed |= 1u << port;
    output->wait = true;
    arbiter_send(turn, port, &mark);
}

void january_output_tell(const struct turn *turn, unsigned port, enum mark_kind kind, unsigned index)
{
    struct mark mark = {.flight = turn->site->outputs[port].flight, .index = (uint16_t)index, .kind = (uint8_t)kind};
    link_send(turn->functional, turn->site, port, &mark);
}

static uint8_t local_end(unsigned connection, uint8_t received)
{
    if (received == PR_TAG_ABORT_PACKET || !january_splits(connection))
        return received;
    return connection == PR_JANUARY_CONNECTION_SOME_LOCAL ? PR_TAG_LOCAL_END_OF_PACKET : PR_TAG_ABORT_PACKET;
}

void january_output_end(const struct turn *turn, unsigned from, const struct mark *end)
{
    struct functional_site *site = turn->site;
    for (uint32_t branches = site->inputs[from].branches; branches; branches &= branches - 1) {
        unsigned port = (unsigned)__builtin_ctz(branches);
        struct mark mark = *end;
        mark.flight = site->outputs[port].flight;
        if (port == PR_PORT_LOCAL)
            mark.tag = local_end(january_input(turn, from)->connection, end->tag);
        arbiter_send(turn, port, &mark);
        if (port == PR_PORT_LOCAL)
            site->outputs[port].free_from = turn->now + CLOCKS_LOCAL_ENDS;
    }
}
