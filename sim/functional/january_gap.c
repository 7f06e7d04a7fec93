/* See january_gap.h.
 *
 *   first word that a net_output holds, or that has not come --its clock--> held: gaps on the other branches
 *                                                                            '--it may cross--> the gaps are over
 *
 * SPDX-License-Identifier: ISC
 */
#include "functional/january_gap.h"

#include "functional/january_output.h"

/* Word `index` does not come in time on the branches that do not hold it. */
static void tell_gaps(const struct turn *turn, unsigned port, unsigned index)
{
    struct january_input *january = january_input(turn, port);
    for (uint32_t branches = turn->site->inputs[port].branches & ~1u; branches; branches &= branches - 1) {
        unsigned to = (unsigned)__builtin_ctz(branches);
        const struct output *output = &turn->site->outputs[to];
        if (!output->begun || output->limit <= index || january->gaps >> to & 1)
            continue;
        january->gaps |= 1u << to;
        january_output_tell(turn, to, MARK_GAP, index);
    }
}

/* The word in hand stands. A branch whose limit is the word behind it leads to a net_input that is full but for this
 * word, and full now, because the word does not come in time: its limit is this word. On other branches it leaves a
 * gap. */
static void hold(const struct turn *turn, unsigned port, unsigned index, uint64_t clock)
{
    struct january_input *january = january_input(turn, port);
    if (january->held == NO_LIMIT)
        january->held_from = clock;
    january->held = (uint16_t)index;
    for (uint32_t branches = turn->site->inputs[port].branches & ~1u; branches; branches &= branches - 1) {
        unsigned to = (unsigned)__builtin_ctz(branches);
        struct output *output = &turn->site->outputs[to];
        if (output->limit == index + 1) {
            output->limit = (uint16_t)index;
            january->filled |= 1u << to;
        }
    }
    tell_gaps(turn, port, index);
}

/* The word that stood crosses in this clock, behind a gap as a mark, if it is none anyway. */
static void let_go(const struct turn *turn, unsigned port)
{
    struct january_input *january = january_input(turn, port);
    const struct input *input = &turn->site->inputs[port];
    int64_t offset = (int64_t)turn->now - january->held;
    bool is_end = input->count && input->marks[0].index == january->held;
    for (uint32_t branches = input->branches; branches; branches &= branches - 1) {
        unsigned to = (unsigned)__builtin_ctz(branches);
        struct output *output = &turn->site->outputs[to];
        if (january->gaps >> to & 1 && !is_end && january_output_next(turn, port, to) != january->held)
            january_output_tell(turn, to, MARK_WORD, january->held);
        if (output->offset < offset)
            output->offset = offset;
    }
    january->held = NO_LIMIT;
    january->gaps = january->filled = 0;
}

/* The packet ends before its last word, with an abort_packet. A terminator crosses a clock later than a word would, at
 * least, and the sites behind take it for a word until it comes. */
static void expect_early_end(const struct turn *turn, unsigned port, int64_t offset)
{
    const struct input *input = &turn->site->inputs[port];
    const struct mark *end = &input->marks[0];
    if (!input->count || end->kind != MARK_END || end->index >= input->flight->end)
        return;
    int64_t clock = offset + end->index;
    if (clock > (int64_t)turn->now)
        site_due(turn->site, (uint64_t)clock);
    else
        tell_gaps(turn, port, end->index);
}

void january_gap_clock(const struct turn *turn, unsigned port)
{
    struct january_input *january = january_input(turn, port);
    const struct input *input = &turn->site->inputs[port];
    uint16_t limit;
    int64_t offset;
    connection_bound(turn->site, input, &limit, &offset);
    uint16_t first = limit < january->missing ? limit : january->missing;
    int64_t now = (int64_t)turn->now;
    if (january->held != NO_LIMIT && first > january->held) {
        if (offset + january->held > now) {
            site_due(turn->site, (uint64_t)(offset + january->held));
            return;
        }
        offset = now - january->held;
        let_go(turn, port);
    }
    if (first > (input->count ? input->marks[0].index : input->flight->end)) {
        expect_early_end(turn, port, offset);
        return;
    }
    if (offset + first <= now)
        hold(turn, port, first, (uint64_t)(offset + first));
    else
        site_due(turn->site, (uint64_t)(offset + first));
}
