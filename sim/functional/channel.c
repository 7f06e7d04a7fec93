/* See channel.h.
 *
 *                     head shown                        fault                     terminator shown
 *   flight == NULL --------------> flight, passes ------------------> swallows ---------------------> flight == NULL
 *        ^   '---- head hit by a fault -------------------------------^                                     |
 *        '------------------------ terminator shown ---------------------------------------------------------'
 *
 * SPDX-License-Identifier: ISC
 */
#include "functional/channel.h"

#include "functional/neighbour.h"

void channel_list(struct functional *functional, struct channel *channel)
{
    struct functional_faults *faults = functional->faults;
    if (channel->listed)
        return;
    channel->listed = true;
    faults->listed[faults->listed_count++] = channel;
    site_set_add(&functional->calendar.next, channel->from->number);
}

void channel_send(struct functional *functional, struct channel *channel, const struct mark *mark)
{
    channel->mark = *mark;
    channel->sent = true;
    if (channel->swallows && mark->kind == MARK_END)
        channel->from->outputs[channel->out].wait = true; /* for a clock, in which the terminator vanishes */
    channel_list(functional, channel);
}

static void deliver(struct functional *functional, struct channel *channel, const struct mark *mark)
{
    neighbour_show_now(functional, channel->to, channel->in, mark);
}

/* Of what has come of a packet, word `index` is an abort_packet. */
static void deliver_abort(struct functional *functional, struct channel *channel, struct flight *flight, unsigned index)
{
    struct mark abort = {.flight = flight, .index = (uint16_t)index, .kind = MARK_END, .tag = PR_TAG_ABORT_PACKET};
    if (channel->to->faults->in_reset)
        return;
    if (functional->router->cut_short)
        abort.flight = functional->router->cut_short(functional, channel->to, channel->in, &abort);
    deliver(functional, channel, &abort);
}

static void end_swallowing(struct functional *functional, struct channel *channel)
{
    packet_pool_land(&functional->packets, channel->flight);
    channel->flight = NULL;
    channel->swallows = false;
}

/* The first word of the packet that does not cross before this clock, and is not shown before the next one. */
static unsigned next_word(struct functional *functional, const struct channel *channel)
{
    struct functional_site *site = channel->from;
    const struct output *output = &site->outputs[channel->out];
    struct turn turn = {.functional = functional, .site = site, .now = functional->now};
    return output->owner == NO_PORT ? output->owed : functional->router->word_in_hand(&turn, (unsigned)output->owner);
}

/* What has been shown of the packet ends in the next clock. The rest vanishes, or is lost with its sender. */
static void break_packet(struct functional *functional, struct channel *channel)
{
    channel->aborts = channel->flight;
    channel->aborts_at = (uint16_t)next_word(functional, channel);
    if (channel->damage->share > 0)
        channel->damage->left -= channel->aborts_at - channel->first;
    channel->swallows = !channel->from->faults->in_reset;
    channel->flight->copies += channel->swallows;
    if (!channel->swallows)
        channel->flight = NULL;
}

void channel_break(struct functional *functional, struct channel *channel)
{
    if (channel->swallows && channel->from->faults->in_reset)
        end_swallowing(functional, channel);
    else if (channel->flight && !channel->swallows)
        break_packet(functional, channel);
    channel_list(functional, channel);
}

static void swallow_head(struct channel *channel)
{
    channel->flight = channel->mark.flight;
    channel->swallows = true;
}

static void show_head(struct functional *functional, struct channel *channel)
{
    struct fault_damage *damage = channel->damage;
    if (damage->share > 0 && damage->left == 1) {
        fault_damages(&functional->faults->schedule, damage, 1);
        swallow_head(channel);
        return;
    }
    channel->flight = channel->mark.flight;
    channel->first = channel->mark.index;
    channel->hit = NO_LIMIT;
    if (damage->share > 0 && damage->left < (uint64_t)NO_LIMIT - channel->first)
        channel->hit = (uint16_t)(channel->first + damage->left - 1);
    channel->heads = true;
    deliver(functional, channel, &channel->mark);
}

static void show_end(struct functional *functional, struct channel *channel)
{
    uint64_t words = channel->mark.index - channel->first + 1u;
    if (fault_damages(&functional->faults->schedule, channel->damage, words))
        channel->mark.tag = PR_TAG_ABORT_PACKET;
    channel->flight = NULL;
    deliver(functional, channel, &channel->mark);
}

/* A mark is shown. That of a word that was damaged in this clock vanishes. */
static void show(struct functional *functional, struct channel *channel)
{
    bool ends = channel->mark.kind == MARK_END;
    if (channel->swallows && ends)
        end_swallowing(functional, channel);
    else if (channel->swallows)
        return;
    else if (channel->mark.kind == MARK_HEAD && channel->cut)
        swallow_head(channel);
    else if (channel->mark.kind == MARK_HEAD)
        show_head(functional, channel);
    else if (ends)
        show_end(functional, channel);
    else
        deliver(functional, channel, &channel->mark);
}

/* Word `hit` is damaged in this clock. */
static void damage_word(struct functional *functional, struct channel *channel)
{
    fault_damages(&functional->faults->schedule, channel->damage, channel->hit - channel->first + 1u);
    channel->flight->copies++;
    deliver_abort(functional, channel, channel->flight, channel->hit);
    channel->swallows = true;
}

void channel_clock(struct functional *functional, struct channel *channel)
{
    bool ends = channel->sent && channel->mark.kind == MARK_END;
    channel->listed = channel->heads = false;
    channel->within = channel->flight || channel->sent;
    channel->ends = ends;
    if (channel->aborts)
        deliver_abort(functional, channel, channel->aborts, channel->aborts_at);
    channel->aborts = NULL;
    if (channel->damages && channel->flight && !channel->swallows && !ends)
        damage_word(functional, channel);
    channel->damages = false;
    channel->open = channel->swallows || channel->cut;
    if (channel->sent)
        show(functional, channel);
    channel->open |= channel->swallows;
    channel->sent = false;
    if (ends)
        channel_list(functional, channel);
    site_set_add(&functional->calendar.now, channel->from->number);
}

/* The words that stand go on in this clock. */
static void lift_limit(const struct functional *functional, struct output *output)
{
    int64_t offset = (int64_t)functional->now - output->limit;
    if (output->limit != NO_LIMIT && offset > output->offset) {
        output->stalls += (uint32_t)(offset - output->offset);
        output->offset = offset;
    }
    output->limit = NO_LIMIT;
}

static void tell(const struct functional *functional, struct channel *channel)
{
    struct functional_site *site = channel->from;
    struct output *output = &site->outputs[channel->out];
    unsigned slot = functional->now & 1;
    bool told = site->told[slot] >> channel->out & 1;
    if (told)
        channel->told = output->statuses[slot];
    site->told[slot] &= ~(1u << channel->out);
    if (channel->open) {
        lift_limit(functional, output);
        if (!channel->within)
            output->wait = false;
        channel->changed = true;
        channel->blocked = false;
        return;
    }
    if (channel->blocked && told && !channel->told.wait) {
        lift_limit(functional, output);
        channel->blocked = false;
    }
    /* Of a fabric whose net_inputs tell nothing of a head: the net_output assumes that it waits from then on. */
    bool heads = channel->heads && functional->router->whole_list;
    channel->blocked |= heads && channel->told.wait;
    channel->told.wait |= heads;
    if (told || channel->changed)
        output_take_status(output, &channel->told);
    if (heads && channel->blocked)
        output->limit = channel->first + 1;
    channel->changed = channel->heads = false;
}

void channel_tell_all(const struct functional *functional, struct functional_site *site)
{
    for (unsigned port = 1; port < functional->ports; port++)
        if (site->faults->out[port])
            tell(functional, site->faults->out[port]);
}

bool channel_begin_visit(const struct functional *functional, struct functional_site *site)
{
    channel_tell_all(functional, site);
    return !site->faults->in_reset;
}

static void watch(struct functional *functional, struct channel *channel)
{
    struct functional_site *site = channel->from;
    const struct output *output = &site->outputs[channel->out];
    struct turn turn = {.functional = functional, .site = site, .now = functional->now + 1};
    uint16_t limit;
    int64_t offset;
    if (!channel->flight || channel->swallows || channel->damages || output->owner == NO_PORT)
        return;
    if (functional->router->word_in_hand(&turn, (unsigned)output->owner) > channel->hit) {
        channel->damages = true;
        channel_list(functional, channel);
        return;
    }
    connection_bound(site, &site->inputs[output->owner], &limit, &offset);
    if (limit > channel->hit && offset + channel->hit > (int64_t)functional->now)
        site_due(site, (uint64_t)(offset + channel->hit));
}

void channel_watch(struct functional *functional, struct functional_site *site)
{
    for (unsigned port = 1; port < functional->ports; port++)
        if (site->faults->out[port] && site->faults->out[port]->hit != NO_LIMIT)
            watch(functional, site->faults->out[port]);
}
