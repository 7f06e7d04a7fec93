/* See january_time_out.h.
 *
 *   a limit holds a branch --s--> stands --limit + 1 clocks--> abort
 *                                   '---- the branch is free again, more than a clock before the abort ----> does not
 *
 * The random part of the limit is that of the RTL: a shift register, which goes on in each clock in which the site has
 * a connection and nothing stands. Its steps are counted, and made when a number is drawn.
 *
 * SPDX-License-Identifier: ISC
 */
#include "functional/january_time_out.h"

/* From the clock in which the time-out is over to the one in which the net_input obeys the request. */
enum { CLOCKS_REQUEST_ABORT = 1, RANDOM_PERIOD = 65535 };

static struct january_site *january_site(const struct turn *turn)
{
    return turn->site->router_state;
}

void january_time_out_clock(const struct turn *turn)
{
    struct january_site *january = january_site(turn);
    if (january->connected && !january->stands)
        january->random_steps += turn->now - january->visited;
}

/* The strap of the RTL's shift register: the low bits of both coordinates. */
static uint16_t random_seed(const struct turn *turn)
{
    enum { SEED_BITS = 7, SEED_MASK = (1 << SEED_BITS) - 1 };
    uint32_t address = (uint32_t)mesh_address(&turn->functional->mesh, (int)turn->site->number);
    uint32_t high = address >> turn->functional->map.width & SEED_MASK, low = address & SEED_MASK;
    return (uint16_t)((high << SEED_BITS | low) << 2 | 1);
}

/* x^16 + x^14 + x^13 + x^11 + 1, which never comes to 0. */
static unsigned draw(const struct turn *turn)
{
    struct january_site *january = january_site(turn);
    uint16_t random = january->random ? january->random : random_seed(turn);
    for (uint64_t steps = january->random_steps % RANDOM_PERIOD; steps; steps--) {
        unsigned bit = (random ^ random >> 2 ^ random >> 3 ^ random >> 5) & 1;
        random = (uint16_t)(bit << 15 | random >> 1);
    }
    january->random_steps = 0;
    january->random = random;
    return random & (turn->functional->mesh.abort_threshold - 1);
}

/* The clock from which a branch that holds the packet shows `wait`; UINT64_MAX: none does, or words are missing, or
 * local holds it as well. */
static uint64_t wait_clock(const struct turn *turn, unsigned port)
{
    const struct january_input *january = january_input(turn, port);
    const struct input *input = &turn->site->inputs[port];
    const struct output *outputs = turn->site->outputs;
    unsigned least = NO_LIMIT;
    for (uint32_t branches = input->branches & ~1u; branches; branches &= branches - 1) {
        unsigned to = (unsigned)__builtin_ctz(branches);
        unsigned limit = outputs[to].limit + (january->filled >> to & 1);
        if (limit < least)
            least = limit;
    }
    if (least == NO_LIMIT || outputs[PR_PORT_LOCAL].limit <= least || january->missing + 1u < least)
        return UINT64_MAX;
    if (january->held != NO_LIMIT)
        return least > january->held + 1u ? UINT64_MAX : january->held_from + least - january->held;
    uint16_t bound;
    int64_t offset;
    connection_bound(turn->site, input, &bound, &offset);
    return (uint64_t)(offset + least);
}

/* It stands from this clock on. */
static void stand(const struct turn *turn, struct january_input *input)
{
    january_site(turn)->stands = true;
    input->times_out = turn->now + turn->functional->mesh.abort_threshold + draw(turn) + CLOCKS_REQUEST_ABORT;
}

/* It does not stand any more, from the next clock on. */
static void go_on(const struct turn *turn, struct january_input *input)
{
    january_site(turn)->stands = false;
    if (input->times_out > turn->now + CLOCKS_REQUEST_ABORT)
        input->times_out = UINT64_MAX;
}

void january_time_out_watch(const struct turn *turn, unsigned port)
{
    struct january_input *january = january_input(turn, port);
    bool waited = january->waits_from < turn->now, stood = january_site(turn)->stands;
    january->waits_from = wait_clock(turn, port);
    /* A clock behind a wait, it stands; and goes on to do so if another branch waits from this clock on. */
    bool waits = january->waits_from < turn->now || (january->waits_from == turn->now && (stood || waited));
    if ((waits || waited) && !stood)
        january_site(turn)->random_steps--; /* in this clock the random sequence stays where it is */
    if (waits && !stood)
        stand(turn, january);
    if (!waits) {
        go_on(turn, january);
        if (january->waits_from != UINT64_MAX)
            site_due(turn->site, january->waits_from + 1);
    }
    site_due(turn->site, january->times_out);
}

void january_time_out_end(const struct turn *turn, unsigned port)
{
    january_input(turn, port)->times_out = UINT64_MAX;
    january_site(turn)->stands = false;
}
