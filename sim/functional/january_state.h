/* State of a router after the January 1987 paper (hw/january/rules.md, J1 to J12), and what its parts share.
 *
 *   january.c         one clock of a site; what its net_inputs tell upstream
 *   january_access.c  headings, and the connections that are made, all or nothing (4.6, Table G; J5 to J8)
 *   january_input.c   the states of a net_input (4.5, Table F, Figure 8), time-out and abort (J9, J10)
 *   january_gap.c     words that do not follow each other
 *   january_time_out.c  when a split packet is aborted (J9)
 *   january_output.c  the net_outputs of a connection (4.7, Table H, Figure 9), and what each carries (J11, J12)
 *   arbiter.c, split.c  connections and owed abort_packets, as those of cutthrough
 *
 * The targets of a packet are known as a list before it is connected, and its words follow each other through all
 * net_outputs. So of a list only the first word and the word behind it are marks. A branch of a split packet is a
 * flight of its own: targets that are not its own are FLIGHT_NULL_TARGET there.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_FUNCTIONAL_JANUARY_STATE_H
#define POSTROAD_FUNCTIONAL_JANUARY_STATE_H

#include "functional/functional_state.h"

enum {
    JANUARY_INPUT_WORDS = 16,                   /* LIST_WORDS of hw/january/january_net_input.v */
    JANUARY_WORDS_HOP = JANUARY_INPUT_WORDS + 1 /* and the word in the net_output before it */
};

/* Figure 8. The paper's wait and last are open and done behind a limit: the words before it cross, those from it on
 * stand. */
enum january_state {
    JANUARY_FREE,
    JANUARY_FIRST, /* its list is not known, or it has no connection (seek) */
    JANUARY_OPEN,
    JANUARY_DONE,  /* the terminator is in front, and crosses in the next clock */
    JANUARY_ABORT, /* local alone is connected */
    JANUARY_FIN_ABORT
};

struct january_input {
    uint64_t seeks_from; /* clock; UINT64_MAX: the list is not known */
    uint64_t tried_to;   /* the clock to which its tries are counted */
    uint64_t times_out;  /* clock of the abort, while the split packet stands; UINT64_MAX: it does not */
    uint64_t held_from;  /* clock from which the word in hand stands */
    uint64_t waits_from; /* clock from which a branch holds the split packet, at the last visit; UINT64_MAX: none did */
    uint64_t ends_from;  /* first clock in which the terminator may cross, in done and fin-abort */
    uint32_t wanted;     /* net_outputs that its targets lead to, a bit each */
    uint32_t listed;     /* its branches that have carried the word behind the list, a bit each */
    uint32_t gaps;       /* its branches that have been told that word `held` does not come, a bit each */
    uint32_t filled;     /* its branches to net_inputs that are full but for that word, a bit each */
    uint32_t tries;      /* clocks in which it sought (J8) */
    uint16_t missing;    /* index of the first word that has not come where words have a gap; else NO_LIMIT */
    uint16_t held;       /* index of the word in hand, while it stands; else NO_LIMIT */
    uint8_t state;       /* enum january_state */
    uint8_t connection;  /* PR_JANUARY_CONNECTION_* */
    uint8_t first_way;   /* the net_output that its first target leads to */
    bool too_long;       /* the list fills the net_input (J5) */
    bool several;        /* it has several targets (J6) */
};

struct january_site {
    uint64_t visited;              /* the clock of the last visit */
    uint64_t random_steps;         /* that the random sequence of the time-out has to make up for */
    uint32_t seekers;              /* net_inputs that sought in the last visit, and were not connected, a bit each */
    uint16_t random;               /* of the time-out (J9); 0: the seed */
    uint8_t turn;                  /* the net_input that is served first (J7) */
    bool connected;                /* the site has a connection from the clock behind the last visit on */
    bool stands;                   /* and its split packet stands */
    struct january_input inputs[]; /* by port */
};

static inline struct january_input *january_input(const struct turn *turn, unsigned port)
{
    return &((struct january_site *)turn->site->router_state)->inputs[port];
}

#endif
