/* One direction of a link that a fault may hit: what a board link makes of damage (engine/link_fault_model.h, whose
 * rules these are), for packets that are marks.
 *
 *   sender --mark--> [channel] --mark--> receiver     no fault: a wire both ways
 *          <-status-           <-status-
 *
 *   a fault hits the head             nothing of the packet is shown to the receiver
 *   a fault hits a later word         the receiver is shown an abort_packet in its place, at once
 *   from there to the terminator      the rest vanishes, and the sender sees `open`
 *
 *
 * A channel works in the clock in which a word is shown, before any site is visited. A fault that begins or ends in a
 * clock is about the words that are shown in the next one, as with the RTL, whose links are looked at a clock ahead.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_FUNCTIONAL_CHANNEL_H
#define POSTROAD_FUNCTIONAL_CHANNEL_H

#include "functional/functional_state.h"
#include "functional/router_model.h"
#include "simulation/fault_schedule.h"

struct channel {
    struct functional_site *from, *to;
    uint8_t out, in; /* ports of these */
    struct fault_damage *damage;
    bool cut;              /* nothing gets through in the next clock */
    bool listed;           /* it has something to do in the next clock: */
    bool sent;             /* `mark` is shown, */
    bool damages;          /* or a word is damaged */
    struct mark mark;      /* of the sender */
    struct flight *flight; /* whose head has been shown, and whose terminator has not; */
    uint16_t first, hit;   /* index of that head, and of the word that is to be damaged */
    bool swallows;         /* the rest of it vanishes, which holds a copy of it */
    struct flight *aborts; /* in the next clock the receiver is shown an abort_packet for it, */
    uint16_t aborts_at;    /* in the place of this word */
    bool open, within;     /* the sender sees `open` in this clock, and shows a packet or has shown a part of one */
    bool heads, ends;      /* a head is shown to the receiver in this clock; a terminator is shown */
    bool changed;          /* what the receiver told is to be told again */
    bool blocked;          /* the head waits in the net_output until the receiver tells otherwise */
    struct status told;    /* by the receiver */
};

/* What faults have to do with a site. */
struct site_faults {
    bool in_reset, enters; /* since this clock */
    unsigned epoch;
    uint32_t down, down_before; /* net_outputs whose links lead nowhere, a bit each, behind and up to this clock: */
    uint64_t down_since;
    struct channel *out[PORTS_MOST], *in[PORTS_MOST]; /* by port; NULL: no fault hits the link */
};

struct functional_faults {
    struct fault_schedule schedule;
    const struct router_model *fabric; /* the router model of the mesh; sites have `router`, */
    struct router_model router;        /* which looks at words that are to be damaged, too */
    struct site_faults *sites;
    struct channel *channels; /* those of cable i at 2 i and 2 i + 1 */
    struct channel **listed;  /* with something to do in the next clock */
    unsigned listed_count;
    uint64_t busy_until; /* sites in reset count as moving */
    simulation_reset_hook *hook;
    void *hook_context;
};

/* The net_outputs whose links lead nowhere, a bit each. */
static inline uint32_t channel_down(const struct functional_site *site, uint64_t now)
{
    const struct site_faults *faults = site->faults;
    if (!faults)
        return 0;
    return now > faults->down_since ? faults->down : faults->down_before;
}

/* It has something to do in the next clock. */
void channel_list(struct functional *functional, struct channel *channel);

/* The sender's mark crosses to the net_output before it. */
void channel_send(struct functional *functional, struct channel *channel, const struct mark *mark);

/* From the next clock on it is cut: because of its cable, or of an end that goes into reset in this clock. */
void channel_break(struct functional *functional, struct channel *channel);

/* One clock. */
void channel_clock(struct functional *functional, struct channel *channel);

/* What the net_outputs of a site see in this clock: what the receivers tell, or have told, or `open`. */
void channel_tell_all(const struct functional *functional, struct functional_site *site);

/* The same before its visit. False: it is in reset, and not visited. */
bool channel_begin_visit(const struct functional *functional, struct functional_site *site);

/* At the end of a visit: words that are to be damaged, and cross in this clock. */
void channel_watch(struct functional *functional, struct functional_site *site);

#endif
