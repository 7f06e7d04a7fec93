/* See link_filter.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "engine/link_fault_model.h"

#include "protocol.h"

static bool ends_packet(uint64_t word, unsigned word_width)
{
    uint64_t tag = word >> word_width;
    return tag == PR_TAG_END_OF_PACKET || tag == PR_TAG_ABORT_PACKET;
}

bool link_filter_new_word(const struct link_filter *filter, uint64_t word)
{
    return word && !filter->looked_at && !filter->swallows;
}

/* From this clock on nothing of the sender's packet is passed. A word that the receiver has been shown cannot be taken
 * back: it stays until it is taken. */
static void break_off(struct link_filter *filter, uint64_t word, unsigned word_width)
{
    if (filter->pending)
        filter->held = filter->pending;
    filter->pending = 0;
    filter->owes |= filter->held ? !ends_packet(filter->held, word_width) : filter->receiver_within;
    filter->swallows = word || filter->sender_within;
}

static void move_sender(struct link_filter *filter, uint64_t word, bool wait, unsigned word_width)
{
    filter->looked_at = word && wait;
    if (!word || wait)
        return;
    filter->sender_within = !ends_packet(word, word_width);
    filter->swallows &= filter->sender_within;
}

static void move_receiver(struct link_filter *filter, uint64_t shown, bool wait, unsigned word_width)
{
    filter->pending = wait && !filter->held ? shown : 0;
    if (!shown || wait)
        return;
    filter->receiver_within = !ends_packet(shown, word_width);
    filter->held = 0;
}

void link_filter_clock(struct link_filter *filter, unsigned word_width, struct link_clock *clock)
{
    bool breaks = clock->cut || (clock->damaged && link_filter_new_word(filter, clock->word));
    if (breaks && !filter->swallows)
        break_off(filter, clock->word, word_width);
    if (filter->owes && !filter->held) {
        filter->held = (uint64_t)PR_TAG_ABORT_PACKET << word_width;
        filter->owes = false;
    }
    bool passes = !filter->swallows && !clock->cut && !filter->held;
    clock->shown = passes ? clock->word : filter->held;
    clock->status = passes ? clock->wait : !filter->swallows && !clock->cut;
    move_sender(filter, clock->word, clock->status, word_width);
    move_receiver(filter, clock->shown, clock->wait, word_width);
}

void link_filter_reset_sender(struct link_filter *filter)
{
    filter->sender_within = filter->swallows = filter->looked_at = false;
}

void link_filter_reset_receiver(struct link_filter *filter)
{
    filter->held = filter->pending = 0;
    filter->owes = filter->receiver_within = false;
}
