/* A site word of a split packet:
 *
 *   shown --> looked up --> requests its branch, for one clock --> crosses: on its branch, or deferred to local
 *                 '-- at home, or its branch is open: crosses in the next clock
 *
 *   no split --local granted to a multicast--> split --terminator crosses (M8)--> no split
 *                                                '---- a branch stands too long (M6, M7): the rest goes to local
 *
 * SPDX-License-Identifier: ISC
 */
#include "functional/split.h"

#include "functional/arbiter.h"
#include "support/random.h"

enum { ABORT_PULSES = 3, PULSES_A_THRESHOLD = 2 };

/* The local fifo_buffer gives the terminator between 1.5 and 3 transit times of the packet. */
static void start_time_out(const struct turn *turn, struct input *input)
{
    uint64_t transit = input->flight->end - input->first + 1u;
    turn->site->random = random_mix(turn->site->random);
    input->times_out = turn->now + transit * 3 / 2 + turn->site->random % (transit * 3 / 2 + 1);
    site_due(turn->site, input->times_out);
}

void split_begin(const struct turn *turn)
{
    const struct output *local = &turn->site->outputs[PR_PORT_LOCAL];
    if (local->owner == NO_PORT)
        return;
    struct input *input = &turn->site->inputs[local->owner];
    if (input->granted_in != turn->now || input->split || !(input->flight->packet.kind & PR_KIND_MULTICAST))
        return;
    input->split = true;
    input->any_marked = false;
    input->stands_since = UINT64_MAX;
    input->looked_up = input->flight;
    input->looked_up_index = input->first;
    if (!input->tree)
        input->leads = PR_PORT_LOCAL;
    input->requests_in = input->tree ? turn->now + 2 : UINT64_MAX;
    input->crosses_from = turn->now + (input->tree ? 3 : 1);
    turn->site->splits++;
    if (turn->functional->options.transit_time_out)
        start_time_out(turn, input);
}

static bool is_site_word(const struct mark *mark)
{
    return mark->kind != MARK_END;
}

int split_request(const struct turn *turn, const struct input *input)
{
    bool open = input->branches >> input->leads & 1, deferred = turn->functional->options.defers;
    bool requests = deferred ? input->requests_in == turn->now : input->requests_in <= turn->now;
    return requests && !open ? input->leads : NO_PORT;
}

/* The first clock of a target behind the first. */
static void look_up_target(const struct turn *turn, unsigned port)
{
    struct input *input = &turn->site->inputs[port];
    const struct mark *mark = &input->marks[0];
    uint32_t target = mark->flight->packet.words[mark->index];
    if (input->looked_up == mark->flight && input->looked_up_index == mark->index)
        return;
    input->looked_up = mark->flight;
    input->looked_up_index = mark->index;
    input->leads = (uint8_t)direction_find(&turn->functional->map, turn->site->place, port, target, false, 0, 0);
    bool open = input->branches >> input->leads & 1; /* local always is */
    input->requests_in = open ? UINT64_MAX : turn->now + 1;
    input->crosses_from = turn->now + (open ? 1 : 2);
}

bool split_holds(const struct turn *turn, const struct input *input)
{
    return input->split && input->count && is_site_word(&input->marks[0]) && input->marks[0].clock <= turn->now;
}

/* Word `index` may cross to all branches (M5). */
static bool branches_take(const struct turn *turn, const struct input *input, unsigned index)
{
    for (uint32_t branches = input->branches; branches; branches &= branches - 1)
        if (!output_takes(&turn->site->outputs[__builtin_ctz(branches)], index, turn->now))
            return false;
    return true;
}

/* Without M11 the site word in hand waits for its branch, and crosses in the clock behind the grant. */
static bool seeks_branch(const struct turn *turn, const struct input *input)
{
    if (turn->functional->options.defers || !split_holds(turn, input) || input->leads == PR_PORT_LOCAL)
        return false;
    return !(input->branches >> input->leads & 1) || input->granted_in == turn->now;
}

/* A site word goes to local, and to its branch. */
static void send_site_word(const struct turn *turn, struct input *input, struct mark mark)
{
    bool at_home = input->leads == PR_PORT_LOCAL, on_branch = !at_home && input->branches >> input->leads & 1;
    input->any_marked |= !on_branch;
    turn->site->deferrals += !at_home && !on_branch;
    mark.copy = on_branch ? COPY_ELSEWHERE : COPY_MARKED;
    arbiter_send(turn, PR_PORT_LOCAL, &mark);
    if (!on_branch)
        return;
    bool begins = !turn->site->outputs[input->leads].begun;
    mark.kind = begins ? MARK_HEAD : MARK_TARGET;
    mark.flight->copies += begins;
    arbiter_send(turn, input->leads, &mark);
}

/* M8: what local gets in the place of the terminator. */
static void send_end(const struct turn *turn, struct input *input, struct mark mark)
{
    for (uint32_t branches = input->branches & ~1u; branches; branches &= branches - 1)
        arbiter_send(turn, (unsigned)__builtin_ctz(branches), &mark);
    if (mark.tag != PR_TAG_ABORT_PACKET)
        mark.tag = input->any_marked ? PR_TAG_LOCAL_END_OF_PACKET : PR_TAG_ABORT_PACKET;
    arbiter_send(turn, PR_PORT_LOCAL, &mark);
}

/* The first mark crosses if it can. */
static void move_mark(const struct turn *turn, unsigned port)
{
    struct input *input = &turn->site->inputs[port];
    struct mark mark = input->marks[0];
    bool site_word = is_site_word(&mark);
    if (mark.clock > turn->now) {
        site_due(turn->site, mark.clock);
        return;
    }
    if (site_word) {
        look_up_target(turn, port);
        if (input->requests_in != UINT64_MAX && input->requests_in > turn->now)
            site_due(turn->site, input->requests_in);
        if (input->crosses_from > turn->now) {
            site_due(turn->site, input->crosses_from);
            return;
        }
        if (seeks_branch(turn, input))
            return;
    }
    uint16_t limit;
    int64_t offset;
    connection_bound(turn->site, input, &limit, &offset);
    if (offset + (int64_t)mark.index > (int64_t)turn->now)
        site_due(turn->site, (uint64_t)(offset + mark.index));
    if (!branches_take(turn, input, mark.index))
        return;
    if (site_word)
        send_site_word(turn, input, mark);
    else
        send_end(turn, input, mark);
    arbiter_crossed(turn, port);
}

/* The clock from which the word in hand stands because a remote branch does; UINT64_MAX: none does. *index: which. */
static uint64_t standing_from(const struct turn *turn, const struct input *input, unsigned *index)
{
    const struct mark *mark = input->count && input->marks[0].clock <= turn->now ? &input->marks[0] : NULL;
    int64_t offset = INT64_MIN;
    *index = NO_LIMIT;
    if (mark && seeks_branch(turn, input)) {
        *index = mark->index;
        return turn->now;
    }
    for (uint32_t branches = input->branches & ~1u; branches; branches &= branches - 1) {
        const struct output *output = &turn->site->outputs[__builtin_ctz(branches)];
        if (output->begun && output->limit < *index)
            *index = output->limit;
        if (mark && (output->begun ? !output_is_open(output, mark->index) : output->wait))
            *index = mark->index;
        if (output->offset > offset)
            offset = output->offset;
    }
    if (*index > input->flight->end || (mark && mark->index < *index))
        return UINT64_MAX;
    if (mark && (int64_t)mark->clock > offset + (int64_t)*index)
        return mark->clock;
    int64_t clock = offset + (int64_t)*index;
    return clock > 0 ? (uint64_t)clock : turn->now;
}

/* M6: three ends of half a threshold, and the clock behind. */
static uint64_t abort_clock(const struct turn *turn, uint64_t since)
{
    uint64_t period = turn->functional->mesh.abort_threshold / PULSES_A_THRESHOLD;
    return arbiter_period_end(turn, period, since + 1) + (ABORT_PULSES - 1) * period + 1;
}

void split_abort(const struct turn *turn, struct input *input, unsigned index)
{
    for (uint32_t branches = input->branches & ~1u; branches; branches &= branches - 1) {
        unsigned port = (unsigned)__builtin_ctz(branches);
        struct output *output = &turn->site->outputs[port];
        struct flight *flight = output->flight;
        bool begun = output->begun;
        arbiter_disconnect(turn, port, turn->now + 2);
        if (!begun) {
            if (flight != input->flight)
                packet_pool_land(&turn->functional->packets, flight); /* a branch that is a packet of its own */
            continue;
        }
        output->flight = flight;
        turn->site->owing |= 1u << port;
        output->owed = (uint16_t)index;
    }
    input->split = false;
    input->stands_since = UINT64_MAX;
    turn->site->aborts++;
    site_due(turn->site, turn->now + 1);
}

unsigned split_word_in_hand(const struct turn *turn, unsigned port)
{
    const struct input *input = &turn->site->inputs[port];
    uint16_t limit;
    int64_t offset;
    connection_bound(turn->site, input, &limit, &offset);
    int64_t word = (int64_t)turn->now - offset;
    if (word > limit)
        word = limit;
    if (input->count && input->marks[0].clock <= turn->now && input->marks[0].index < word)
        word = input->marks[0].index;
    return word < input->flight->end ? (unsigned)word : input->flight->end;
}

/* The branches of the packet are to be aborted in this clock: the word in hand has stood for the threshold, or the
 * terminator has not come in time. *index: of the word in hand. */
static bool is_late(const struct turn *turn, unsigned port, unsigned *index)
{
    const struct input *input = &turn->site->inputs[port];
    *index = input->stands_at;
    if (!turn->functional->options.transit_time_out)
        return input->stands_since != UINT64_MAX && abort_clock(turn, input->stands_since) <= turn->now;
    if (input->times_out > turn->now || (input->branches == 1 && !seeks_branch(turn, input)))
        return false;
    *index = input->crossed ? split_word_in_hand(turn, port) : input->first;
    return true;
}

void split_move(const struct turn *turn, unsigned port)
{
    struct input *input = &turn->site->inputs[port];
    unsigned index;
    if (input->granted_in == turn->now && !input->crossed)
        return;
    bool stood = input->stands_since != UINT64_MAX;
    if (is_late(turn, port, &index)) {
        split_abort(turn, input, index);
        return;
    }
    if (input->count)
        move_mark(turn, port);
    if (!input->split)
        return;
    if (turn->functional->options.transit_time_out) {
        if (input->times_out > turn->now)
            site_due(turn->site, input->times_out);
        return;
    }
    uint64_t since = standing_from(turn, input, &index);
    input->stands_since = since > turn->now ? UINT64_MAX : stood ? input->stands_since : since;
    input->stands_at = (uint16_t)index;
    if (since != UINT64_MAX)
        site_due(turn->site, since > turn->now ? since : abort_clock(turn, input->stands_since));
}

void split_settle(const struct turn *turn)
{
    for (uint32_t owing = turn->site->owing; owing; owing &= owing - 1) {
        unsigned port = (unsigned)__builtin_ctz(owing);
        struct output *output = &turn->site->outputs[port];
        if (output_takes(output, output->owed, turn->now)) {
            struct mark mark = {
                .flight = output->flight, .index = output->owed, .kind = MARK_END, .tag = PR_TAG_ABORT_PACKET};
            turn->site->owing &= ~(1u << port);
            arbiter_send(turn, port, &mark);
            site_due(turn->site, turn->now + 1);
        } else if (output_is_open(output, output->owed)) {
            site_due(turn->site, (uint64_t)(output->offset + output->owed));
        }
    }
}
