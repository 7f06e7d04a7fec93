/* One direction of a link that may fail, between two sites: what a board link makes of damage.
 *
 * A board link never trusts the far end. A word that arrives damaged, and all that follows it up to and including the
 * terminator, is thrown away; if the receiving site has seen the packet's beginning, it gets an abort_packet in place
 * of the rest. A packet that is damaged at its head just vanishes. While the link is cut everything vanishes, and the
 * end of a packet that straddles the repair does too.
 *
 *   sender --word--> [filter] --word--> receiver          no fault: a wire both ways
 *          <-status-          <-status-
 *
 * The handshake stays exact: a word is transferred, on either side, in exactly the clocks in which that side shows it
 * and that side's status is open; a word shown while the status is `wait` stays as it is.
 *
 * hw/common/link_guard.v is the same in RTL, and tests/sim/test_link_guard.sh proves the two equal. The engine has this
 * one: a fault is chosen when a simulation begins, and only the cables that it may hit pay for a filter.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_ENGINE_LINK_FAULT_MODEL_H
#define POSTROAD_ENGINE_LINK_FAULT_MODEL_H

#include <stdbool.h>
#include <stdint.h>

/* All zeroes is an idle filter. Words are {tag, word}, 0 = none. */
struct link_filter {
    uint64_t held;        /* shown to the receiver, and no longer by the sender */
    uint64_t pending;     /* the sender's word, shown to the receiver and not taken yet */
    bool owes;            /* an abort_packet follows `held` */
    bool receiver_within; /* the receiver has got the beginning of a packet, and no terminator yet */
    bool sender_within;   /* the sender has got rid of the beginning of a packet, and of no terminator yet */
    bool swallows;        /* the rest of the sender's packet vanishes */
    bool looked_at;       /* the word the sender shows was shown in the clock before too */
};

/* What the two sites show in a clock, what happens to the link in it, and what the two are shown. */
struct link_clock {
    uint64_t word;  /* in: of the sender */
    bool wait;      /* in: the receiver's status */
    bool cut;       /* in: nothing gets through */
    bool damaged;   /* in: the word, if it is a new one, is damaged */
    uint64_t shown; /* out: to the receiver */
    bool status;    /* out: to the sender, true = wait */
};

/* True if the sender shows a word that it did not show in the clock before, and that would be passed on. */
bool link_filter_new_word(const struct link_filter *filter, uint64_t word);

/* One clock. */
void link_filter_clock(struct link_filter *filter, unsigned word_width, struct link_clock *clock);

/* The sender or the receiver is in reset: it has forgotten the packet it was within. Called in each such clock before
 * link_filter_clock, with `cut`, and no word of a sender in reset. */
void link_filter_reset_sender(struct link_filter *filter);
void link_filter_reset_receiver(struct link_filter *filter);

#endif
