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

#include "functional/arbiter.h"
#include "functional/january_access.h"
#include "functional/january_gap.h"
#include "functional/january_output.h"
#include "functional/january_time_out.h"
#include "functional/split.h"

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
    *january = (struct january_input){.state = JANUARY_FIRST,
                                      .seeks_from = UINT64_MAX,
                                      .times_out = UINT64_MAX,
                                      .waits_from = UINT64_MAX,
                                      .missing = NO_LIMIT,
                                      .held = NO_LIMIT};
    if (!(head->flight->packet.kind & PR_KIND_MULTICAST))
        january_access_know(turn, port, turn->now);
    else if (port == PR_PORT_LOCAL)
        january_access_know(turn, port, turn->now + january_list_end(head->flight, head->index));
    if (port == PR_PORT_LOCAL)
        site_due(turn->site, turn->now + 1); /* the fifo_buffer has room */
    else
        input->told_wait = true; /* which the net_output upstream assumes of its own */
}

/* A mark that has come behind the head, and is not to cross itself. */
static void learn(const struct turn *turn, unsigned port, const struct mark *mark)
{
    struct january_input *january = january_input(turn, port);
    january->missing = mark->kind == MARK_GAP ? mark->index : NO_LIMIT;
    if (january->seeks_from == UINT64_MAX && (mark->kind == MARK_LIST || mark->kind == MARK_END))
        january_access_know(turn, port, mark->clock);
}

/* Marks that have come since the last visit: head and terminator stay. */
static void take_marks(const struct turn *turn, unsigned port)
{
    struct input *input = &turn->site->inputs[port];
    unsigned kept = 0;
    for (unsigned i = 0; i < input->count; i++) {
        if (input->marks[i].kind != MARK_HEAD && port != PR_PORT_LOCAL)
            learn(turn, port, &input->marks[i]);
        if (input->marks[i].kind == MARK_HEAD || input->marks[i].kind == MARK_END)
            input->marks[kept++] = input->marks[i];
    }
    input->count = (uint8_t)kept;
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

/* The terminator is in front, and no net_output shows `wait`. One that does because of the word before shows it in the
 * next clock. */
static bool end_is_in_front(const struct turn *turn, const struct input *input)
{
    unsigned index = input->marks[0].index;
    uint16_t limit;
    int64_t offset;
    connection_bound(turn->site, input, &limit, &offset);
    uint64_t follows = (uint64_t)(offset + index), clock = input->marks[0].clock;
    if (clock < follows)
        clock = follows;
    if (clock > turn->now) {
        site_due(turn->site, clock);
        return false;
    }
    return limit == NO_LIMIT || index + (follows < turn->now) < limit;
}

static void cross_end(const struct turn *turn, unsigned port)
{
    struct january_input *january = january_input(turn, port);
    january_output_end(turn, port, &turn->site->inputs[port].marks[0]);
    if (january_splits(january->connection))
        january_time_out_end(turn, port);
    arbiter_crossed(turn, port);
    january->state = JANUARY_FREE;
}

/* The terminator crosses a clock behind the one in which it comes to the front. One that is held then (LAST) has to be
 * done again. */
static void move_end(const struct turn *turn, unsigned port)
{
    struct january_input *january = january_input(turn, port);
    const struct input *input = &turn->site->inputs[port];
    bool ends = january->state == JANUARY_DONE || january->state == JANUARY_FIN_ABORT;
    if (ends && january->ends_from > turn->now)
        site_due(turn->site, january->ends_from);
    else if (ends && crosses(turn, input, input->marks[0].index))
        cross_end(turn, port);
    else if (january->state == JANUARY_DONE)
        january->state = JANUARY_OPEN;
    else if (!ends && end_is_in_front(turn, input)) {
        january->state = january->state == JANUARY_OPEN ? JANUARY_DONE : JANUARY_FIN_ABORT;
        january->ends_from = turn->now + 1;
        site_due(turn->site, january->ends_from);
    }
}

/* The first word that has not crossed before this clock. *front: it was in front before as well. */
static unsigned word_in_hand(const struct turn *turn, unsigned port, bool *front)
{
    const struct january_input *january = january_input(turn, port);
    const struct input *input = &turn->site->inputs[port];
    uint16_t limit;
    int64_t offset;
    *front = january->held != NO_LIMIT;
    if (*front)
        return january->held;
    connection_bound(turn->site, input, &limit, &offset);
    int64_t follows = (int64_t)turn->now - offset, word = follows;
    if (word > limit)
        word = limit;
    if (word > january->missing)
        word = january->missing;
    if (input->count && input->marks[0].index < word)
        word = input->marks[0].index;
    *front = word < follows;
    return (unsigned)word;
}

/* J10: nothing moves in this clock. The word in hand and those behind it go to local alone. */
static void abort_split(const struct turn *turn, unsigned port)
{
    struct january_input *january = january_input(turn, port);
    struct input *input = &turn->site->inputs[port];
    const struct mark *end = &input->marks[0];
    bool front;
    unsigned index = word_in_hand(turn, port, &front);
    bool last = input->count && end->index == index && end->clock < turn->now && front;
    split_abort(turn, input, index);
    january->connection = PR_JANUARY_CONNECTION_UNICAST;
    january->held = (uint16_t)index; /* until the next clock */
    january->gaps = january->filled = 0;
    january_time_out_end(turn, port);
    january->state = last ? JANUARY_FIN_ABORT : JANUARY_ABORT;
    january->ends_from = turn->now + 1;
}

unsigned january_input_word_in_hand(const struct turn *turn, unsigned port)
{
    bool front;
    unsigned word = word_in_hand(turn, port, &front), end = turn->site->inputs[port].flight->end;
    return word < end ? word : end; /* the terminator itself is a mark, which may come late */
}

static void run_connection(const struct turn *turn, unsigned port)
{
    struct january_input *january = january_input(turn, port);
    if (january->times_out <= turn->now) {
        abort_split(turn, port);
        return;
    }
    january_gap_clock(turn, port);
    if (cross_marks(turn, port) && turn->site->inputs[port].count)
        move_end(turn, port);
    if (january->state != JANUARY_FREE && january_splits(january->connection))
        january_time_out_watch(turn, port);
}

void january_input_clock(const struct turn *turn, unsigned port)
{
    if (january_input(turn, port)->state != JANUARY_FREE)
        take_marks(turn, port);
    switch ((enum january_state)january_input(turn, port)->state) {
    case JANUARY_FREE:
        if (turn->site->inputs[port].count)
            begin(turn, port);
        break;
    case JANUARY_FIRST:
        if (january_input(turn, port)->seeks_from > turn->now)
            site_due(turn->site, january_input(turn, port)->seeks_from);
        break;
    case JANUARY_OPEN:
    case JANUARY_DONE:
    case JANUARY_ABORT:
    case JANUARY_FIN_ABORT:
        run_connection(turn, port);
        break;
    }
}
