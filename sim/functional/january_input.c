/* States of a net_input:
 *
 *          head shown            connected (january_access.c)
 *   FREE -------------> FIRST -----------------------------> OPEN <-- a limit holds the terminator --.
 *    ^                                                        |                                      |
 *    |                                                        | terminator in front                  |
 *    |                                                        v                                      |
 *    |<---------------- terminator crosses ----------------- DONE -----------------------------------'
 *    |
 *    |                    a split packet stands too long (J9):  OPEN --> ABORT, DONE --> FIN_ABORT
 *    |                                                                     | terminator in front
 *    '<---------------- terminator crosses to local --------- FIN_ABORT <--'
 *
 * SPDX-License-Identifier: ISC
 */
#include "functional/january_input.h"

#include "functional/january_access.h"
#include "functional/january_output.h"
#include "functional/split.h"
#include "model/random.h"

/* FREE: the head is shown. The targets from the operator come one a clock, and a unicast has one. */
static void begin(const struct turn *turn, unsigned port)
{
    struct january_input *january = january_input(turn, port);
    struct input *input = &turn->site->inputs[port];
    const struct mark *head = &input->marks[0];
    uint64_t shown = head->clock > input->free_from ? head->clock : input->free_from;
    if (shown > turn->now) {
        site_due(turn->site, shown);
        return;
    }
    input->flight = head->flight;
    input->first = head->index;
    input->shown = turn->now;
    *january = (struct january_input){.state = JANUARY_FIRST, .seeks_from = UINT64_MAX, .times_out = UINT64_MAX};
    if (!(head->flight->packet.kind & PR_KIND_MULTICAST))
        january_access_know(turn, port, turn->now);
    else if (port == PR_PORT_LOCAL)
        january_access_know(turn, port, turn->now + january_list_end(head->flight, head->index));
    if (port == PR_PORT_LOCAL)
        site_due(turn->site, turn->now + 1); /* the fifo_buffer has room */
    else
        input->told.wait = true; /* which the net_output upstream assumes of its own */
}

/* FIRST: the word with which the list is known is behind the head. */
static void learn_list(const struct turn *turn, unsigned port)
{
    struct input *input = &turn->site->inputs[port];
    uint64_t seeks_from = january_input(turn, port)->seeks_from;
    if (seeks_from != UINT64_MAX && seeks_from > turn->now)
        site_due(turn->site, seeks_from);
    if (input->count < 2 || seeks_from != UINT64_MAX)
        return;
    january_access_know(turn, port, input->marks[1].clock);
    if (input->marks[1].kind == MARK_END)
        return;
    input->count--;
    for (unsigned i = 1; i < input->count; i++)
        input->marks[i] = input->marks[i + 1];
}

/* Word `index` may cross to all net_outputs in this clock, or waits for a clock that is known (J4). */
static bool crosses(const struct turn *turn, const struct input *input, unsigned index)
{
    uint16_t limit;
    int64_t offset;
    connection_bound(turn->site, input, &limit, &offset);
    if (limit != NO_LIMIT && index + 1 >= limit)
        return false;
    if (offset + (int64_t)index > (int64_t)turn->now)
        site_due(turn->site, (uint64_t)(offset + index));
    return offset + (int64_t)index <= (int64_t)turn->now;
}

/* The mark that comes next on any branch, before the terminator. */
static unsigned next_mark(const struct turn *turn, unsigned port)
{
    unsigned least = JANUARY_NO_MARK;
    for (uint32_t branches = turn->site->inputs[port].branches; branches; branches &= branches - 1) {
        unsigned index = january_output_next(turn, port, (unsigned)__builtin_ctz(branches));
        if (index < least)
            least = index;
    }
    return least;
}

/* OPEN: heads of branches, and words behind their lists. True: all of them have crossed. */
static bool cross_marks(const struct turn *turn, unsigned port)
{
    struct input *input = &turn->site->inputs[port];
    unsigned index;
    while ((index = next_mark(turn, port)) != JANUARY_NO_MARK) {
        if (!crosses(turn, input, index))
            return false;
        for (uint32_t branches = input->branches; branches; branches &= branches - 1) {
            unsigned to = (unsigned)__builtin_ctz(branches);
            if (january_output_next(turn, port, to) == index)
                january_output_send(turn, port, to);
        }
        if (!input->crossed)
            arbiter_crossed(turn, port);
    }
    return true;
}

/* The terminator crosses a clock behind the one in which it comes to the front. One that is held (LAST) is done again
 * before it crosses. */
static void move_end(const struct turn *turn, unsigned port)
{
    struct january_input *january = january_input(turn, port);
    struct input *input = &turn->site->inputs[port];
    bool ends = january->state == JANUARY_DONE || january->state == JANUARY_FIN_ABORT;
    if (!input->count)
        return;
    uint64_t from = ends ? january->ends_from : input->marks[0].clock;
    if (from > turn->now) {
        site_due(turn->site, from);
        return;
    }
    bool takes = crosses(turn, input, input->marks[0].index);
    if (ends && takes) {
        january_output_end(turn, port, &input->marks[0]);
        arbiter_crossed(turn, port);
        january->state = JANUARY_FREE;
    } else if (january->state == JANUARY_DONE) {
        january->state = JANUARY_OPEN;
    } else if (takes) {
        january->state = january->state == JANUARY_OPEN ? JANUARY_DONE : JANUARY_FIN_ABORT;
        january->ends_from = turn->now + 1;
        site_due(turn->site, january->ends_from);
    }
}

/* The least limit of the remote branches, and whether local takes the words before it. */
static uint16_t standing_limit(const struct turn *turn, const struct input *input)
{
    const struct output *outputs = turn->site->outputs;
    uint16_t limit = NO_LIMIT;
    for (uint32_t branches = input->branches & ~1u; branches; branches &= branches - 1) {
        unsigned port = (unsigned)__builtin_ctz(branches);
        if (outputs[port].limit < limit)
            limit = outputs[port].limit;
    }
    return outputs[PR_PORT_LOCAL].limit > limit ? limit : NO_LIMIT;
}

/* J9: the time-out of a split packet runs while a branch holds it and local does not. The RTL requests the abort a clock
 * behind the limit, and what comes free meanwhile does not hold it up. */
static void watch(const struct turn *turn, unsigned port)
{
    enum { CLOCKS_STANDS = 1, CLOCKS_REQUEST_ABORT = 1 };
    struct january_input *january = january_input(turn, port);
    const struct input *input = &turn->site->inputs[port];
    unsigned threshold = turn->functional->mesh.abort_threshold;
    uint16_t limit = standing_limit(turn, input), bound;
    int64_t offset;
    connection_bound(turn->site, input, &bound, &offset);
    uint64_t since = (uint64_t)(offset + limit) + CLOCKS_STANDS;
    if (limit == NO_LIMIT || since > turn->now) {
        if (january->times_out != UINT64_MAX && january->times_out > turn->now + CLOCKS_REQUEST_ABORT)
            january->times_out = UINT64_MAX;
        if (limit != NO_LIMIT)
            site_due(turn->site, since);
    } else if (january->times_out == UINT64_MAX) {
        turn->site->random = random_mix(turn->site->random);
        january->times_out = turn->now + threshold + turn->site->random % threshold + CLOCKS_REQUEST_ABORT;
    }
    site_due(turn->site, january->times_out);
}

/* The first word that has not crossed before this clock. */
static unsigned word_in_hand(const struct turn *turn, const struct input *input)
{
    uint16_t limit;
    int64_t offset;
    connection_bound(turn->site, input, &limit, &offset);
    int64_t word = (int64_t)turn->now - offset;
    if (word > limit)
        word = limit;
    if (input->count && input->marks[0].index < word)
        word = input->marks[0].index;
    return (unsigned)word;
}

/* J10: nothing moves in this clock. The word in hand and those behind it go to local alone. */
static void abort_split(const struct turn *turn, unsigned port)
{
    struct january_input *january = january_input(turn, port);
    struct input *input = &turn->site->inputs[port];
    struct output *local = &turn->site->outputs[PR_PORT_LOCAL];
    unsigned index = word_in_hand(turn, input);
    int64_t offset = (int64_t)turn->now + 1 - index;
    bool last = input->count && input->marks[0].index == index && input->marks[0].clock < turn->now;
    split_abort(turn, input, index);
    if (local->offset < offset)
        local->offset = offset;
    january->connection = PR_JANUARY_CONNECTION_UNICAST;
    january->times_out = UINT64_MAX;
    january->state = last ? JANUARY_FIN_ABORT : JANUARY_ABORT;
    january->ends_from = turn->now + 1;
}

static void run_connection(const struct turn *turn, unsigned port)
{
    struct january_input *january = january_input(turn, port);
    if (january->times_out <= turn->now) {
        abort_split(turn, port);
        return;
    }
    if (cross_marks(turn, port))
        move_end(turn, port);
    if (january->state != JANUARY_FREE && january_splits(january->connection))
        watch(turn, port);
}

void january_input_clock(const struct turn *turn, unsigned port)
{
    switch ((enum january_state)january_input(turn, port)->state) {
    case JANUARY_FREE:
        if (turn->site->inputs[port].count)
            begin(turn, port);
        break;
    case JANUARY_FIRST:
        learn_list(turn, port);
        break;
    case JANUARY_OPEN:
    case JANUARY_DONE:
    case JANUARY_ABORT:
    case JANUARY_FIN_ABORT:
        run_connection(turn, port);
        break;
    }
}
