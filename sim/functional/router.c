/* See router.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "functional/router.h"

#include "functional/arbiter.h"
#include "functional/heads.h"
#include "functional/link.h"
#include "functional/split.h"

/* The bound of what the packet that came last may move towards this net_input: two words more than may cross here. */
static uint16_t find_bound(const struct turn *turn, const struct input *input, int64_t *offset)
{
    unsigned limit = NO_LIMIT;
    uint16_t crossing;
    *offset = INT64_MIN;
    if (!input->last)
        return NO_LIMIT;
    if (input->flight == input->last && input->crossed) {
        connection_bound(turn->site, input, &crossing, offset);
        if (split_holds(turn, input) && input->marks[0].index < crossing)
            crossing = input->marks[0].index;
        limit = crossing == NO_LIMIT ? NO_LIMIT : crossing + WORDS_HOP;
        *offset -= 1;
    } else if (input->flight == input->last) {
        limit = input->first + WORDS_HOP;
    } else if (input->flight) {
        limit = input->last_first + WORDS_HOP - 1u;
    } else {
        *offset = (int64_t)turn->now - input->last_first;
    }
    return limit > input->last->end ? NO_LIMIT : (uint16_t)limit;
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
    int64_t offset;
    uint16_t limit = find_bound(turn, input, &offset);
    bool wait = terminator_stands(turn, input);
    if (limit == input->told_limit && wait == input->told_wait)
        return;
    input->told_limit = limit;
    input->told_wait = wait;
    link_tell(turn->functional, turn->site, port, (struct status){input->last, offset, limit, wait});
}

/* The net_output that a net_input requests in this clock, or NO_PORT. */
static int requested(const struct turn *turn, const struct input *input)
{
    if (input->split)
        return split_request(turn, input);
    return input->asks != NO_PORT && !input->branches && input->asks_from <= turn->now ? input->asks : NO_PORT;
}

static void request(struct turn *turn, unsigned from, unsigned to)
{
    if (!(turn->requested >> to & 1))
        turn->asked[to] = 0;
    turn->requested |= 1u << to;
    turn->asked[to] |= 1u << from;
}

static void grant(struct turn *turn)
{
    for (uint32_t ports = turn->site->seeking; ports; ports &= ports - 1) {
        unsigned port = (unsigned)__builtin_ctz(ports);
        int output = requested(turn, &turn->site->inputs[port]);
        if (output != NO_PORT)
            request(turn, port, (unsigned)output);
    }
    if (!turn->requested)
        return;
    arbiter_grant(turn);
    split_begin(turn);
}

static void move(const struct turn *turn, unsigned port)
{
    struct input *input = &turn->site->inputs[port];
    uint64_t shown = input->count && input->marks[0].clock > input->free_from ? input->marks[0].clock
                                                                              : input->free_from;
    if (input->split)
        split_move(turn, port);
    else if (!input->count)
        return;
    else if (shown > turn->now)
        site_due(turn->site, shown);
    else
        heads_move(turn, port);
}

/* A net_input at rest has no packet, and the net_output before it has nothing to be told. */
static bool is_at_rest(const struct input *input)
{
    return !input->last && !input->flight && !input->count && !input->told_wait && input->told_limit == NO_LIMIT;
}

/* One clock: grants, crossings, and what the net_inputs tell upstream. */
static void clock_router(struct functional *functional, struct functional_site *site)
{
    if (!(site->in_use | site->owing))
        return;
    struct turn turn;
    turn.functional = functional;
    turn.site = site;
    turn.now = functional->now;
    turn.requested = 0;
    grant(&turn);
    for (uint32_t ports = site->in_use; ports; ports &= ports - 1) {
        unsigned port = (unsigned)__builtin_ctz(ports);
        struct input *input = &site->inputs[port];
        move(&turn, port);
        if (port != PR_PORT_LOCAL)
            tell(&turn, port);
        if (is_at_rest(input))
            site->in_use &= ~(1u << port);
    }
    if (site->owing)
        split_settle(&turn);
}

const struct router_model router_cutthrough = {
    .input_words = WORDS_HOP - 1, .takes_settings = true, .word_in_hand = split_word_in_hand, .clock = clock_router};
