/* State of the event-driven simulator `functional`, and what all its parts share. Private to sim/functional.
 *
 *   functional_engine.c   the simulator as a struct simulation: its table of functions, and the run loop
 *   functional_setup.c    builds and tears down a mesh
 *   faults.c              sites that are reset or stopped, and cables that are dead
 *   site_clock.c          one site in one clock in which something happens to it
 *   native_operator.c     the firmware's operator of a site
 *   router.c              one clock of a router
 *   heads.c               heads that seek a net_output
 *   split.c               the packet that a site copies to several net_outputs
 *   arbiter.c             requests and grants, words that cross
 *   sender.c, receiver.c  the fifo_buffers between operator and router
 *   link.c                what sites tell each other
 *   channel.c             a link that a fault may hit
 *   neighbour.c           the same across ranks
 *   functional_options.c  direction.c  packet_pool.c  calendar.c
 *
 * Each file calls only those below it.
 *
 * Only some words of a packet are events: its front edge (the head), its further targets, and its terminator. They are
 * the *marks*. The words between two marks follow one a clock. Where they must stand, a connection has two numbers: no
 * word from `limit` on crosses, and word j crosses in clock offset + j at the earliest. That is enough: behind a router
 * there is room for two words (WORDS_HOP), so word j crosses one clock behind word j - 1 at the earliest, one clock
 * behind its own crossing at the site before, and not before word j - 2 has crossed the next router. If word h stands,
 * the router before must stop at h + 2, and the one before that at h + 4; the stop travels upstream one site a clock,
 * as `wait` does in the RTL. When h crosses, in clock H, the limits go. Each message reaches a site before the first
 * word that it concerns can cross there. A limit beyond the terminator is not sent.
 *
 *                        two sites back      one site back       here
 *     word h stands      limit h + 4         limit h + 2         h waits
 *     it crosses at H    offset H - h - 2    offset H - h - 1    offset H - h
 *
 * Order of events. In one clock a site changes its own state alone. What it tells a neighbour takes effect in the next
 * clock: a lookahead of one clock. For each link and clock there is one place for a word and one for a status, so that
 * no order in which sites are visited, and no division of the mesh into parts, can change a run. Sites are visited in
 * the order of their numbers all the same, because handlers of operators act on the world outside.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_FUNCTIONAL_FUNCTIONAL_STATE_H
#define POSTROAD_FUNCTIONAL_FUNCTIONAL_STATE_H

#include "functional/calendar.h"
#include "functional/direction.h"
#include "functional/functional_options.h"
#include "functional/packet_pool.h"
#include "protocol.h"
#include "ranks/ranks.h"
#include "simulation/simulation.h"

enum { NO_PORT = -1, NO_LIMIT = UINT16_MAX, MARKS_WAITING = 4 };

/* Clocks of the RTL (hw/cutthrough/README.md, "Clocks"; tests/rtl/fabric_timing_tb.v measures them). */
enum {
    CLOCKS_RESET = 1,      /* from the start of a run to the first word that the sending fifo_buffer takes */
    CLOCKS_ENTER = 1,      /* from the network_interface through the sending fifo_buffer to the net_input */
    CLOCKS_REQUEST = 1,    /* from the look-up of a head that does not go straight on to its request */
    CLOCKS_HOP = 1,        /* from the router through net_output and link to the next router */
    CLOCKS_DELIVER = 2,    /* from the router through net_output and fifo_buffer to the network_interface */
    CLOCKS_GIVE_UP = 2,    /* from the end of the period after which a head diverts to its request for local */
    WORDS_HOP = 2,         /* words that the link and the net_input behind a router hold when the way ahead stands */
    WORDS_BUFFER = 2,      /* words beside those in the memory of a fifo_buffer: its output, and the word shown */
    CLOCKS_BUFFER_ROOM = 2 /* from a word that leaves a full fifo_buffer's far end to one that enters it */
};

/* With a router model that has whole_list, MARK_LIST is the word that ends the list of targets, or fills the net_input.
 * MARK_GAP is no word: the word of this index does not come as the one before it did. It is MARK_WORD when it comes. */
enum mark_kind { MARK_HEAD, MARK_TARGET, MARK_LIST, MARK_GAP, MARK_WORD, MARK_END };

/* What the local copy of a split packet has in the place of a target (M11). */
enum mark_copy { COPY_AS_SENT, COPY_ELSEWHERE, COPY_MARKED };

/* A marked word on its way, by a link or into a fifo_buffer. */
struct mark {
    struct flight *flight;
    uint64_t clock; /* in which it is shown to the router */
    uint16_t index; /* of the word in the packet */
    uint8_t kind, tag, copy;
};

/* What a net_input tells the net_output behind which it lies. `limit` and `offset` are about the packet `flight`, which
 * came last: the words that the net_output may move. */
struct status {
    struct flight *flight;
    int64_t offset;
    uint16_t limit;
    bool wait; /* a terminator stands: the link takes nothing */
};

struct input {
    struct mark marks[MARKS_WAITING]; /* that have come and not crossed, the oldest first */
    struct mark arriving[2];          /* in the clocks with this lowest bit */
    struct flight *flight; /* the packet whose head has been looked up and whose terminator has not crossed */
    uint16_t first;        /* index of that head */
    uint8_t count;
    int8_t asks;       /* requested by its head from clock `asks_from` on, else NO_PORT */
    uint32_t branches; /* the net_outputs that the packet owns, a bit each */
    bool crossed;      /* its head has crossed */
    bool overdue, given_up;
    bool split, tree, any_marked; /* copied to several net_outputs; split before its first target crosses (M1); M8 */
    uint8_t leads;                /* where the site word in hand leads to; 0: it is at home */
    uint64_t requests_in, crosses_from, stands_since; /* of the split packet's word in hand */
    uint64_t times_out;                               /* the split packet, with options.transit_time_out */
    struct flight *looked_up;                         /* the packet of the last target that was looked up, */
    uint16_t looked_up_index;                         /* and which */
    uint16_t stands_at;                               /* index of the word that stands, if one does */
    uint64_t asks_from, granted_in, shown;
    uint64_t free_from;  /* the clock behind that in which the terminator before crossed */
    struct flight *last; /* the packet that came last, until its terminator has crossed */
    uint16_t last_first; /* index of its head */
    uint16_t told_limit; /* as the net_output before it was told last */
    bool told_wait;
};

struct output {
    struct flight *flight; /* that owns it, or that owes it an abort_packet */
    int8_t owner;          /* net_input, or NO_PORT */
    bool begun;            /* the head has crossed */
    uint16_t first, owed;  /* index of the head, and of the word in whose place it owes an abort_packet (M7) */
    uint8_t round;         /* rank of the net_input that owned it last */
    bool wait;             /* as the net_input at the far end told */
    uint16_t limit;        /* of the owner's words */
    int64_t offset;
    uint64_t free_from, asked_until;
    struct status statuses[2]; /* that come in the clocks with this lowest bit */
    uint32_t words, stalls;
};

/* The fifo_buffer from the operator, with the packets in it. */
struct sender {
    struct flight *front, *back; /* the first one crosses the router */
    bool entering;               /* the terminator of the last one has not entered yet */
    bool waits;                  /* the next word waits for room, or would if it came at once */
    unsigned words;              /* of all packets in it */
    uint16_t next_mark;          /* index of the next word of the first packet that is to be shown */
    uint64_t free_from;
};

/* A packet in the fifo_buffer to the operator. */
struct arrival {
    struct arrival *next;
    struct flight *flight;
    uint64_t shown, ended; /* clocks in which head and terminator reach the network_interface if nothing waits */
    uint64_t begun;        /* in which the first word did */
    uint32_t targets[PR_PACKET_INFO_WORDS];   /* bit k: target word k has come, */
    uint32_t elsewhere[PR_PACKET_INFO_WORDS]; /* and left on a branch as well, */
    uint32_t marked[PR_PACKET_INFO_WORDS];    /* or has the mark of a deferred one */
    uint16_t first, end;                      /* index of its head, and of the word behind its last one */
    uint8_t tag;                              /* of the terminator; PR_TAG_NULL_TRANSMISSION: it has not come */
    bool taken, discarded;
};

struct receiver {
    struct arrival *front, *back;
    uint64_t free_from;
    uint64_t waits_since; /* UINT64_MAX: no packet waits for a buffer */
    uint64_t waited;      /* clocks, those of earlier packets */
};

struct native_operator;
struct router_model;
struct functional_faults;
struct site_faults;

struct functional_site {
    struct place place;
    unsigned number;
    uint64_t due;          /* the next clock in which it has to be visited, as far as this visit has found out */
    uint64_t registered;   /* the earliest entry of the calendar; none if it is not ahead */
    uint64_t operator_due; /* the first clock in which operator and fifo_buffers have something to do; 0: any visit */
    bool relief, relief_next; /* the operator requests relief (R1), in this clock and in the next one */
    uint32_t
        arriving[2];  /* net_inputs to which a word comes, net_outputs to which a status comes, in the clocks with */
    uint32_t told[2]; /* this lowest bit: a bit each */
    uint32_t in_use;  /* net_inputs that are not at rest, a bit each */
    uint32_t owing;   /* net_outputs that owe an abort_packet, a bit each */
    uint32_t seeking; /* net_inputs of cutthrough whose heads ask for a net_output, or that are split, a bit each */
    struct input *inputs; /* NULL: it is another rank's */
    struct output *outputs;
    struct sender sender;
    struct receiver receiver;
    struct native_operator *operator;
    void *router_state;                             /* of a router model that has more than this structure */
    struct functional_site *neighbours[PORTS_MOST]; /* by port; NULL over the edge, and for local */
    uint32_t diversions, aborts, splits, deferrals;
    uint64_t random;            /* state of the time-outs that are drawn */
    struct site_faults *faults; /* NULL without faults */
};

struct functional {
    struct simulation simulation; /* the first member */
    struct mesh_config mesh;
    struct functional_options options;
    const struct router_model *router;
    struct direction_map map;
    struct calendar calendar;
    struct packet_pool packets;
    struct functional_site
        *sites; /* these and the next three: all sites of the mesh; only those of this rank are ever written */
    struct input *inputs;
    struct output *outputs;
    struct native_operator *operators;
    unsigned char *router_states; /* of all sites, in the order of their numbers */
    struct flight **carried;      /* by net_input: the packet that has come from another rank last */
    unsigned own_first, own_end;  /* the sites of this rank */
    struct ranks_outlook outlook; /* of all ranks, at the last exchange */
    struct arrival *free_arrivals;
    unsigned site_count, ports, stall;
    struct operator_clocks clocks;
    bool repeated_unicasts, relays, console_free;
    uint64_t now, link_words;
    unsigned polls; /* operators that are polled in the clock that runs next, or when they are through */
    unsigned held;  /* operators with a packet that may not leave yet */
    struct functional_faults *faults; /* NULL without faults */
};

/* One site in one clock. */
struct turn {
    struct functional *functional;
    struct functional_site *site;
    uint64_t now;
    uint32_t requested;         /* the net_outputs that are requested in this clock, a bit each; */
    uint32_t asked[PORTS_MOST]; /* by such a net_output: the net_inputs that request it */
};

/* The site has to be visited in this clock, behind now. */
static inline void site_due(struct functional_site *site, uint64_t clock)
{
    if (clock < site->due)
        site->due = clock;
}

/* Operator or fifo_buffers have something to do in this clock, behind now. */
static inline void site_operator_due(struct functional_site *site, uint64_t clock)
{
    if (clock < site->operator_due)
        site->operator_due = clock;
    site_due(site, clock);
}

/* The marked word `index` of the owner's packet is not held by the limit. The word before a limit crossed before the
 * limit came, unless there was a gap before it: then `wait` holds it. */
static inline bool output_is_open(const struct output *output, unsigned index)
{
    return output->limit == NO_LIMIT || index + 1 < output->limit;
}

/* The marked word `index` may cross in this clock, as far as this net_output is concerned. */
static inline bool output_takes(const struct output *output, unsigned index, uint64_t now)
{
    if (!output->begun)
        return !output->wait;
    return output_is_open(output, index) && output->offset + (int64_t)index <= (int64_t)now;
}

/* A later bound of the owner's words is what the paper's fifo_buffer adds up as its `delay`. */
static inline void output_take_status(struct output *output, const struct status *status)
{
    output->wait = status->wait;
    if (!output->flight || output->flight != status->flight)
        return;
    output->limit = status->limit;
    if (status->offset <= output->offset)
        return;
    output->stalls += (uint32_t)(status->offset - output->offset);
    output->offset = status->offset;
}

/* What the words of a connection have to obey: the bounds of all its net_outputs. */
static inline void connection_bound(const struct functional_site *site, const struct input *input, uint16_t *limit,
                                    int64_t *offset)
{
    *limit = NO_LIMIT;
    *offset = INT64_MIN;
    for (uint32_t branches = input->branches; branches; branches &= branches - 1) {
        const struct output *output = &site->outputs[__builtin_ctz(branches)];
        if (output->limit < *limit)
            *limit = output->limit;
        if (output->offset > *offset)
            *offset = output->offset;
    }
}

#endif
