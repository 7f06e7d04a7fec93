/* See january_access.h.
 *
 *   turn --> that net_input first, then the others in order --> the first whose net_outputs are all available
 *
 * The turn stays with a net_input that seeks until it is connected, and leaves one that does not, a net_input a clock
 * (J7). Clocks in which nothing happens to the site are made up for when it is visited again.
 *
 * SPDX-License-Identifier: ISC
 */
#include "functional/january_access.h"

#include "functional/arbiter.h"
#include "functional/heads.h"
#include "functional/january_output.h"

/* What a net_input needs for a connection: all net_outputs of `split`, or of `whole` where local is not available.
 * None: no such connection is wanted. */
struct heading {
    uint32_t whole, split;
    uint8_t whole_type, split_type;
    bool diverts;
};

enum { LOCAL_ALONE = 1u << PR_PORT_LOCAL };

static struct january_site *january_site(const struct turn *turn)
{
    return turn->site->router_state;
}

void january_access_know(const struct turn *turn, unsigned port, uint64_t clock)
{
    struct january_input *january = january_input(turn, port);
    const struct input *input = &turn->site->inputs[port];
    const struct flight *flight = input->flight;
    bool unicast = !(flight->packet.kind & PR_KIND_MULTICAST);
    unsigned end = unicast ? input->first + 1u : january_list_end(flight, input->first);
    january->too_long = !unicast && end < flight->packet.target_words;
    january->seeks_from = clock + (january->too_long ? 2 : 1);
    january->tried_to = january->seeks_from;
    january->first_way = (uint8_t)january_way(turn, flight, input->first);
    january->several = false;
    january->wanted = 0;
    for (unsigned index = input->first; index < end + january->too_long; index++)
        if (flight_has_target(flight, index)) {
            january->wanted |= 1u << january_way(turn, flight, index);
            january->several |= index > input->first;
        }
    site_due(turn->site, january->seeks_from);
}

/* Tries until the packet is overdue: until they have the bit of the limit. */
static uint64_t tries_left(const struct january_input *january, uint64_t limit)
{
    if (limit == MESH_DIVERT_NEVER)
        return UINT64_MAX;
    return limit == 0 || january->tries & limit ? 0 : limit - (january->tries & (limit - 1));
}

/* J8: tries are clocks in which the packet could not be connected. True: it is overdue. */
static bool count_tries(const struct turn *turn, struct january_input *january)
{
    uint64_t limit = heads_period(turn), left = tries_left(january, limit), clocks = turn->now - january->tried_to;
    january->tried_to = turn->now;
    if (limit != MESH_DIVERT_NEVER)
        january->tries += (uint32_t)(clocks < left ? clocks : left);
    left = tries_left(january, limit);
    if (left && left != UINT64_MAX)
        site_due(turn->site, turn->now + left);
    return left == 0;
}

static struct heading heading_of(const struct turn *turn, unsigned port)
{
    struct january_input *january = january_input(turn, port);
    bool overdue = count_tries(turn, january), gives_up = overdue && port != PR_PORT_LOCAL;
    bool one_site = !january->several && !january->too_long;
    bool some_local = january->wanted >> PR_PORT_LOCAL & 1;
    return (struct heading){
        .whole = gives_up ? LOCAL_ALONE : 1u << january->first_way,
        .split = january->several && !january->too_long && !overdue ? january->wanted | LOCAL_ALONE : 0,
        .whole_type = one_site || gives_up ? PR_JANUARY_CONNECTION_UNICAST : PR_JANUARY_CONNECTION_PASSTHRU,
        .split_type = some_local ? PR_JANUARY_CONNECTION_SOME_LOCAL : PR_JANUARY_CONNECTION_ALL_REMOTE,
        .diverts = gives_up && january->first_way != PR_PORT_LOCAL};
}

/* The connection is made if its net_outputs are available. A packet is split wherever local is: only where it is not
 * does it pass whole (J6). */
static bool connect(const struct turn *turn, unsigned port, uint32_t available)
{
    struct january_input *january = january_input(turn, port);
    struct heading heading = heading_of(turn, port);
    bool split = heading.split && available & LOCAL_ALONE;
    uint32_t outputs = split ? heading.split : heading.whole;
    if (outputs & ~available)
        return false;
    january->connection = split ? heading.split_type : heading.whole_type;
    january->state = JANUARY_OPEN;
    january->listed = 0;
    january_output_connect(turn, port, outputs);
    turn->site->splits += split;
    turn->site->diversions += heading.diverts;
    site_due(turn->site, turn->now + 1);
    return true;
}

static uint32_t available_outputs(const struct turn *turn)
{
    uint32_t available = 0;
    for (unsigned port = 0; port < turn->functional->ports; port++)
        available |= (uint32_t)arbiter_is_free(turn, port) << port;
    return available;
}

static uint32_t seekers(const struct turn *turn)
{
    uint32_t seekers = 0;
    for (uint32_t ports = turn->site->in_use; ports; ports &= ports - 1) {
        unsigned port = (unsigned)__builtin_ctz(ports);
        const struct january_input *january = january_input(turn, port);
        if (january->state == JANUARY_FIRST && january->seeks_from <= turn->now)
            seekers |= 1u << port;
    }
    return seekers;
}

static uint8_t next_turn(const struct turn *turn, uint8_t at)
{
    return at + 1u == turn->functional->ports ? 0 : at + 1;
}

/* The clocks since the last one that is counted, this one excluded: nothing was connected in them. */
static void pass_turn(const struct turn *turn)
{
    struct january_site *january = january_site(turn);
    uint64_t clocks = turn->now - january->visited - 1;
    for (; january->seekers && !(january->seekers >> january->turn & 1) && clocks; clocks--)
        january->turn = next_turn(turn, january->turn);
}

/* Local comes free at a clock that is known. A link tells when it does. */
static void await_local(const struct turn *turn)
{
    const struct output *local = &turn->site->outputs[PR_PORT_LOCAL];
    if (local->owner == NO_PORT && local->free_from > turn->now)
        site_due(turn->site, local->free_from);
}

void january_access_clock(const struct turn *turn)
{
    struct january_site *january = january_site(turn);
    uint32_t seek = seekers(turn), available = seek ? available_outputs(turn) : 0, connected = 0;
    uint8_t at = january->turn;
    pass_turn(turn);
    january->seekers = seek;
    if (!seek)
        return;
    at = january->turn;
    for (unsigned i = 0; i < turn->functional->ports && !connected; i++, at = next_turn(turn, at))
        if (seek >> at & 1 && connect(turn, at, available))
            connected = 1u << at;
    if (connected >> january->turn & 1 || !(seek >> january->turn & 1))
        january->turn = next_turn(turn, january->turn);
    january->seekers &= ~connected;
    if (!january->seekers)
        return;
    if (connected)
        site_due(turn->site, turn->now + 1);
    await_local(turn);
}
