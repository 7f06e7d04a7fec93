/* What happens to a packet that arrives: rules O1 to O11, and what the reliable service adds to them.
 *
 *   arrives -- malformed, aborted, oversize ------------------------------------------------> discarded
 *      |
 *      |-- other targets that this site has to serve: with end_of_packet all (aborted here, or diverted), with
 *      |   local_end_of_packet the deferred ones
 *      |       |-- no buffer can be spared, or it is too old (reliable) ---------------------> discarded
 *      |       `-- stripped of the other targets ---> paths, or unicasts after RETRY_LIMIT (O6, O9)
 *      |
 *      |-- a scout (scout.h): for whoever gets it --> turned round as its answer, or delivered
 *      |
 *      `-- a target here
 *              |-- raw service --------------------------------------------------------------> delivered
 *              |-- this site as its source, but not awaited: a late copy or a forgery --------> duplicate
 *              |-- acknowledgement ---> send window            control ---> restart.c
 *              `-- data
 *                     |-- unknown source or epoch -------------------------------------------> duplicate
 *                     |-- piggybacked acknowledgement ---> send window
 *                     |-- new, but this site refuses ---> the last acknowledgement is repeated: "alive"
 *                     |-- new ---------------------------> delivered, acknowledgement due
 *                     `-- seen before -------------------> duplicate, acknowledgement due again
 *
 * A packet is sent on before it is delivered, since other sites wait for it.
 *
 * SPDX-License-Identifier: ISC
 */
#include "operator/operator_private.h"
#include "operator/relays.h"
#include "operator/scout.h"
#include "operator/target_list.h"

enum {
    RAW_TRIES_SHIFT = 8, /* raw service: place of the tries in the header's third word */
    RAW_TRIES_MAX = 0xff,
    HANDLER_MASK = 0xff,
    ACKNOWLEDGE_PACE = 4 /* clocks that the acknowledgement of a multicast waits longer, times the site's number */
};

/* Target entries of a packet. */
struct survey {
    unsigned own, others, outside; /* this site's, others to serve, no site's */
    uint32_t *other;               /* the last one of the others */
    bool plain;                    /* none has target_info */
    bool listed, relays; /* no target_info, but a relay list; the others are behind this site in its tree (O10) */
};

/* A packet as it arrived. By the time of its delivery it may be leaving again, with other stamps and its targets in
 * another order. */
struct arrival {
    struct pr_packet *packet;
    enum pr_header_kind kind;
    bool multicast;
    bool holds; /* it is sent on */
    struct survey targets;
    uint32_t stamp_first, stamp_last;
    struct pr_header header;
};

static uint32_t *data_of(struct pr_packet *packet)
{
    return packet->words + pr_packet_target_words(packet);
}

/* The header's kind as the mesh's service writes it. Raw service: other fields belong to the reliable one. */
static inline enum pr_header_kind header_kind(const struct pr_operator *op, const uint32_t *data, unsigned words)
{
    uint32_t source;
    if (PR_UNLIKELY(words < PR_HEADER_WORDS))
        return PR_HEADER_KIND_BAD;
    source = data[PR_HEADER_SOURCE];
    if (PR_UNLIKELY(!op->common.here.reliable))
        return source < op->common.here.sites && data[PR_HEADER_SEQUENCE] <= UINT16_MAX ? PR_HEADER_KIND_DATA
                                                                                        : PR_HEADER_KIND_BAD;
    if (PR_LIKELY(source < op->common.here.sites) && PR_LIKELY(pr_header_is_bare(data)))
        return PR_HEADER_KIND_DATA;
    if ((source & ~pr_header_kind_bits(op->common.here.header_kind_bit)) >= op->common.here.sites)
        return PR_HEADER_KIND_BAD;
    return pr_header_kind(data, words, op->common.here.header_kind_bit);
}

static void read_header(const struct pr_operator *op, struct arrival *arrival)
{
    const uint32_t *data = data_of(arrival->packet);
    struct pr_header *header = &arrival->header;
    if (op->common.here.reliable) {
        pr_header_read(header, arrival->kind, data, op->common.here.header_kind_bit);
        return;
    }
    header->kind = PR_HEADER_KIND_DATA;
    header->source = data[PR_HEADER_SOURCE];
    header->sequence = (uint16_t)data[PR_HEADER_SEQUENCE];
    header->handler = data[PR_HEADER_HANDLER] & HANDLER_MASK;
    header->words = PR_HEADER_WORDS;
    header->epoch = 0;
}

/* BAD for a packet that no operator sent. Nothing in such a packet may be trusted, not even its counts. */
static inline enum pr_header_kind kind_of(const struct pr_operator *op, const struct pr_packet *packet)
{
    uint32_t end = packet->kind & (PR_KIND_TERMINATOR_MASK | PR_KIND_OVERSIZE);
    unsigned target_words = pr_packet_target_words(packet);
    if (PR_UNLIKELY(end != PR_TAG_END_OF_PACKET) && PR_UNLIKELY(end != PR_TAG_LOCAL_END_OF_PACKET))
        return PR_HEADER_KIND_BAD;
    if (PR_UNLIKELY(target_words == 0 || target_words > PR_PACKET_TARGET_WORDS_MAX))
        return PR_HEADER_KIND_BAD;
    if (PR_UNLIKELY(!pr_packet_is_plain(packet)) && pr_packet_is_info(packet, 0))
        return PR_HEADER_KIND_BAD;
    if (PR_UNLIKELY(target_words + pr_packet_data_words(packet) > op->common.pool.packet_words))
        return PR_HEADER_KIND_BAD;
    return header_kind(op, packet->words + target_words, pr_packet_data_words(packet));
}

/* local_end_of_packet: the fabric serves the other targets, but for those that it has marked as deferred (M11). The
 * bits that the site word of another site's target has if this site is to serve it. */
static inline uint32_t required_bits(const struct pr_operator *op, const struct pr_packet *packet)
{
    bool is_local = (packet->kind & PR_KIND_TERMINATOR_MASK) == PR_TAG_LOCAL_END_OF_PACKET;
    return is_local ? op->common.here.mark_bit : 0;
}

static inline bool is_to_serve(uint32_t site_word, uint32_t required)
{
    return (site_word & required) == required;
}

/* Inline, as all before the packet is sent on, so that the counts stay in registers until then. */
static inline struct survey survey_targets(const struct pr_operator *op, struct pr_packet *packet, bool is_multicast,
                                           uint32_t required)
{
    const struct pr_site_addresses addresses = op->common.here.addresses;
    const uint32_t address = op->common.here.identity->address;
    uint32_t *word = packet->words;
    const uint32_t *const end = word + pr_packet_target_words(packet);
    const bool plain = pr_packet_is_plain(packet);
    struct survey survey = {.plain = plain};
    do {
        if (PR_UNLIKELY((*word & addresses.mask) == address))
            survey.own++;
        else if (PR_UNLIKELY(!is_to_serve(*word, required)))
            ;
        else if (PR_LIKELY(pr_site_addresses_have(&addresses, *word))) {
            survey.others++;
            survey.other = word;
        } else
            survey.outside++;
        if (PR_LIKELY(plain))
            word++;
        else
            word = packet->words + pr_packet_end_of_entry_with_info(packet, (unsigned)(word - packet->words));
    } while (word != end);
    if (PR_UNLIKELY(!is_multicast) && PR_UNLIKELY(!op->common.here.forwards)) {
        survey.outside += survey.others; /* this fabric never hands such a unicast over: it is stray */
        survey.others = 0;
    }
    return survey;
}

/* Of a packet to this site alone, with words behind its site word: those may be a relay list. */
static PR_NOT_INLINED void survey_relay_list(const struct pr_operator *op, const struct pr_packet *packet,
                                             struct survey *survey)
{
    if (!op->common.here.reliable || !pr_is_for_relays(packet))
        return;
    survey->listed = true;
    survey->relays = pr_relay_list_is_sound(&op->common.here, packet);
    survey->others = survey->relays ? pr_packet_target_words(packet) - 1 : 0;
    survey->outside = !survey->relays;
}

static bool is_own(const struct pr_operator *op, uint32_t site_word)
{
    return (site_word & op->common.here.addresses.mask) == op->common.here.identity->address;
}

/* The target_info words of the first own entry, of a packet that has any. */
static void find_own_info(const struct pr_operator *op, const struct pr_packet *packet, struct pr_delivery *delivery)
{
    unsigned k = 0, end;
    while (pr_packet_is_info(packet, k) || !is_own(op, packet->words[k]))
        k++;
    end = pr_packet_end_of_entry(packet, k++);
    delivery->info = packet->words + k;
    delivery->info_words = end - k;
}

static void report(struct pr_operator *op, enum pr_operator_event_kind kind, const struct pr_header *header,
                   unsigned remaining, const struct pr_delivery *delivery)
{
    struct pr_operator_event event = {
        .kind = kind,
        .source = header->source,
        .sequence = header->sequence,
        .remaining = (uint16_t)remaining,
        .delivery = delivery,
    };
    pr_events_report(&op->common.events, &event);
}

static void deliver(struct pr_operator *op, const struct arrival *arrival, unsigned remaining)
{
    const struct pr_header *header = &arrival->header;
    struct pr_packet *packet = arrival->packet;
    struct pr_delivery delivery = {
        .source = header->source,
        .sequence = header->sequence,
        .epoch = header->epoch,
        .handler = header->handler,
        .data = data_of(packet) + header->words,
        .data_words = pr_packet_data_words(packet) - header->words,
        .info = packet->words, /* of no words */
        .stamp_first = arrival->stamp_first,
        .stamp_last = arrival->stamp_last,
    };
    if (!arrival->targets.plain && !arrival->targets.listed)
        find_own_info(op, packet, &delivery);
    pr_count(&op->common.events, PR_COUNTER_DELIVERED);
    report(op, PR_OPERATOR_EVENT_DELIVERED, header, remaining, &delivery);
    pr_events_deliver(&op->common.events, &delivery);
}

/* A packet of this site's own is acknowledged without a packet. */
static void tell_source(struct pr_operator *op, unsigned source, uint16_t sequence, uint32_t arrived, uint32_t delay)
{
    const struct pr_acknowledgement own = {.sequence = sequence,
                                           .epoch = pr_own_epoch(&op->common.here) & PR_EPOCH_MASK};
    if (source != op->common.here.identity->site)
        pr_acknowledge(&op->acknowledgements, source, sequence, arrived, delay);
    else if (!pr_acknowledge_is_too_late(&op->acknowledgements, arrived))
        pr_window_acknowledged(&op->window, source, &own);
}

/* O11: true if the acknowledgement of a packet that came by relays goes to the site that sent it, or waits for those of
 * the sites that this one has sent it on to. Of a packet that is not sent on to them it is this site's alone. */
static bool tell_parent(struct pr_operator *op, const struct arrival *arrival)
{
    if (arrival->targets.others > 0)
        return arrival->holds && pr_relay_delivered(&op->subtrees, &arrival->header);
    if (!arrival->header.has_parent || arrival->header.parent >= op->common.here.sites)
        return false;
    return pr_relay_acknowledge(&op->subtrees, &arrival->header);
}

/* Neither delivers nor acknowledges a packet. An acknowledgement of earlier packets shows the source that this site is
 * alive. */
static void refuse(struct pr_operator *op, unsigned source)
{
    const struct pr_peer *peer = &op->common.peers[source];
    pr_count(&op->common.events, PR_COUNTER_REFUSED);
    if (!(peer->flags & PR_PEER_FRESH))
        tell_source(op, source, (uint16_t)peer->highest, pr_clock_of(&op->common.here), op->acknowledgements.delay);
}

/* A data packet of the reliable service is delivered at its first arrival and acknowledged at every arrival. */
static void take_data(struct pr_operator *op, const struct arrival *arrival, unsigned remaining)
{
    const struct pr_header *header = &arrival->header;
    uint32_t pace = arrival->multicast ? op->common.here.identity->site * ACKNOWLEDGE_PACE : 0;
    enum pr_peer_arrival news;
    if (!pr_control_admits(&op->common, header)) {
        pr_count(&op->common.events, PR_COUNTER_DUPLICATES);
        return;
    }
    if (header->carries)
        pr_window_acknowledged(&op->window, header->source, &header->acknowledgement);
    if (op->refusing && header->handler != PR_HANDLER_SERVICE &&
        pr_peer_classify(&op->common.peers[header->source], header->sequence) == PR_PEER_NEW) {
        refuse(op, header->source);
        return;
    }
    pr_acknowledge_before(&op->acknowledgements, header->source, header->sequence);
    news = pr_peer_receive(&op->common.peers[header->source], header->sequence);
    if (news == PR_PEER_NEW)
        deliver(op, arrival, remaining);
    else
        pr_count(&op->common.events, PR_COUNTER_DUPLICATES);
    if (news == PR_PEER_NEW && (arrival->targets.relays || header->has_parent) && tell_parent(op, arrival))
        return;
    if (news != PR_PEER_STALE)
        tell_source(op, header->source, header->sequence, arrival->stamp_last, op->acknowledgements.delay + pace);
}

/* Acknowledgements for the subtree of the site that they come from. */
static PR_NOT_INLINED void take_subtrees(struct pr_operator *op, const struct arrival *arrival)
{
    unsigned from = arrival->header.source, own_epoch = pr_own_epoch(&op->common.here) & PR_EPOCH_MASK;
    const uint32_t *words = data_of(arrival->packet) + arrival->header.words;
    const uint32_t *end = data_of(arrival->packet) + pr_packet_data_words(arrival->packet);
    for (; words < end; words += PR_RELAY_ACKNOWLEDGEMENT_WORDS) {
        unsigned source = words[PR_RELAY_ACKNOWLEDGEMENT_SOURCE];
        if (source % PR_RELAY_ACKNOWLEDGEMENT_SITES_MAX != op->common.here.identity->site)
            pr_relay_acknowledged(&op->subtrees, from, words);
        else if (op->window.relays && source / PR_RELAY_ACKNOWLEDGEMENT_SITES_MAX == own_epoch)
            op->window.relays->acknowledged(&op->window, from, (uint16_t)words[PR_RELAY_ACKNOWLEDGEMENT_SEQUENCE]);
    }
}

/* A packet with this site as its source is a forgery, or a late copy, unless the window waits for its delivery here. */
static bool is_forged(struct pr_operator *op, const struct pr_header *header)
{
    return header->source == op->common.here.identity->site &&
           !(header->kind == PR_HEADER_KIND_DATA && pr_window_waits_for_itself(&op->window, header->sequence));
}

static void take(struct pr_operator *op, const struct arrival *arrival, unsigned remaining)
{
    const struct pr_header *header = &arrival->header;
    if (!op->common.here.reliable || (header->kind == PR_HEADER_KIND_DATA && pr_handler_is_raw(header->handler)))
        deliver(op, arrival, remaining);
    else if (is_forged(op, header))
        pr_count(&op->common.events, PR_COUNTER_DUPLICATES); /* a late copy, most likely */
    else if (header->kind == PR_HEADER_KIND_DATA)
        take_data(op, arrival, remaining);
    else if (header->kind == PR_HEADER_KIND_ACKNOWLEDGEMENT)
        pr_window_acknowledged(&op->window, header->source, &header->acknowledgement);
    else if (header->kind == PR_HEADER_KIND_RELAY_ACKNOWLEDGEMENT)
        take_subtrees(op, arrival);
    else
        pr_control_received(&op->window, header);
}

struct entries_to_serve {
    const struct pr_operator *op;
    uint32_t required;
};

/* Entries that are sent on. A target outside the mesh would block a link for ever. */
static bool goes_on(const void *context, uint32_t site_word)
{
    const struct entries_to_serve *entries = context;
    const struct pr_operator *op = entries->op;
    return !is_own(op, site_word) && is_to_serve(site_word, entries->required) &&
           pr_site_addresses_have(&op->common.here.addresses, site_word);
}

/* Counts an aborted try in the packet. True if the rest is to go as unicasts (O6). The reliable header has only one bit
 * for the count: the second abort exhausts the limit. */
static bool gives_up_multicast(const struct pr_operator *op, struct pr_packet *packet)
{
    uint32_t *word = data_of(packet) + PR_HEADER_HANDLER, before = *word, aborted = 1u << PR_HEADER_ABORTED_BIT, tries;
    if (PR_LIKELY(op->common.here.reliable)) {
        *word = before | aborted;
        return PR_LIKELY(op->common.here.identity->retry_limit <= 1) || (before & aborted);
    }
    tries = before >> RAW_TRIES_SHIFT & RAW_TRIES_MAX;
    if (tries < RAW_TRIES_MAX)
        tries++;
    *word = (before & HANDLER_MASK) | tries << RAW_TRIES_SHIFT;
    return tries >= op->common.here.identity->retry_limit;
}

/* The role is such that the packet stays here while its receipt is not finished. */
static PR_NOT_INLINED void send_later(struct pr_operator *op, struct pr_packet *packet)
{
    packet->role = PR_ROLE_IN_HAND;
    pr_pool_queue(&op->common.pool, packet);
    pr_transmit(op);
}

/* One target is to be served, in a packet without target_info: it takes the place of the last one. */
static inline void choose_one(const struct pr_operator *op, struct pr_packet *packet, const uint32_t *target)
{
    unsigned last = pr_packet_target_words(packet) - 1;
    uint32_t word = *target & ~op->common.here.mark_bit;
    packet->words[last] = word;
    packet->kind = 0;
    packet->first_target = (uint8_t)last;
}

/* A multicast comes back because links are busy here, which is reason enough for paths. leaves_out: there are other
 * entries than those to be served. True: the targets go as unicasts instead (O6). */
static PR_NOT_INLINED bool choose_groups(const struct pr_operator *op, struct pr_packet *packet, bool several,
                                         bool leaves_out, uint32_t required)
{
    bool falls_back = several && gives_up_multicast(op, packet);
    packet->kind = 0;
    if (leaves_out)
        pr_packet_leave_out(packet, goes_on, &(struct entries_to_serve){op, required});
    pr_group_first(&op->common.here, packet,
                   falls_back || !op->common.here.may_multicast ? PR_GROUPING_UNICASTS : PR_GROUPING_PATHS);
    return falls_back;
}

/* O1, O2: sends the packet on to the targets that this site has to serve, from the buffer in which it arrived. */
static inline enum pr_operator_event_kind send_on(struct pr_operator *op, struct pr_packet *packet,
                                                  const struct survey *targets, bool is_multicast, uint32_t required)
{
    enum pr_operator_event_kind kind = is_multicast ? PR_OPERATOR_EVENT_RESENT : PR_OPERATOR_EVENT_FORWARDED;
    if (PR_LIKELY(targets->others == 1) && PR_LIKELY(targets->plain)) {
        choose_one(op, packet, targets->other);
    } else if (targets->relays) {
        packet->kind = 0;
        pr_relay_await(&op->subtrees, packet);
        pr_group_relay(&op->common.here, packet);
    } else if (choose_groups(op, packet, is_multicast && targets->others > 1,
                             targets->own + targets->outside > 0 || required != 0, required)) {
        kind = PR_OPERATOR_EVENT_FALLBACK;
    }
    if (PR_UNLIKELY(!pr_transmit_at_once(op, packet)))
        send_later(op, packet);
    return kind;
}

/* Reliable service: only the source owes a packet. Another site holds it while a buffer is left for receiving. The one
 * it came in still counts as posted. */
static inline bool can_hold(const struct pr_operator *op, const struct pr_packet *packet, uint32_t clock)
{
    if (PR_UNLIKELY(!op->common.here.reliable))
        return true;
    return (PR_LIKELY(op->common.pool.free > 0) || op->common.pool.posted > 1) &&
           PR_LIKELY(pr_pool_is_fresh(packet, clock));
}

static void note_sent_on(struct pr_operator *op, const struct arrival *arrival, enum pr_operator_event_kind kind)
{
    if (kind == PR_OPERATOR_EVENT_FALLBACK)
        pr_count(&op->common.events, PR_COUNTER_UNICAST_FALLBACKS);
    pr_count(&op->common.events, arrival->targets.relays ? PR_COUNTER_RELAYED
                                 : arrival->multicast    ? PR_COUNTER_RESENT_AFTER_ABORT
                                                         : PR_COUNTER_FORWARDED);
    report(op, kind, &arrival->header, arrival->targets.others, NULL);
}

/* Where operators put no routes in front of packets, nobody knows scouts. */
static bool is_scout(const struct pr_operator *op, const struct arrival *arrival)
{
    return pr_ways_have_routes(&op->common.here.ways) && arrival->kind == PR_HEADER_KIND_DATA &&
           arrival->header.handler == PR_HANDLER_SCOUT && arrival->targets.plain;
}

/* What no other site waits for. resend: other sites' targets were this site's to serve; sent_as: it serves them. */
static PR_NOT_INLINED void finish(struct pr_operator *op, struct arrival *arrival, bool resend,
                                  enum pr_operator_event_kind sent_as)
{
    struct pr_packet *packet = arrival->packet;
    const bool holds = arrival->holds;
    pr_pool_received(&op->common.pool);
    if (holds)
        packet->role = PR_ROLE_IN_HAND;
    read_header(op, arrival);
    if (PR_UNLIKELY(is_scout(op, arrival))) {
        if (pr_scout_turn(&op->common, packet))
            return;
        arrival->targets = (struct survey){.own = 1, .plain = true};
    }
    if (holds)
        note_sent_on(op, arrival, sent_as);
    if (arrival->targets.own > 0)
        take(op, arrival, resend ? arrival->targets.others : 0);
    if (arrival->targets.outside > 0 || (arrival->targets.own == 0 && !resend))
        pr_count(&op->common.events, PR_COUNTER_DISCARDED);
    if (holds) {
        packet->role = PR_ROLE_POOL;
        return;
    }
    if (resend)
        pr_count(&op->common.events, PR_COUNTER_FOREIGN_DISCARDED);
    pr_pool_release(&op->common.pool, packet);
}

static PR_NOT_INLINED void discard(struct pr_operator *op, struct pr_packet *packet)
{
    pr_pool_received(&op->common.pool);
    pr_count(&op->common.events, PR_COUNTER_DISCARDED);
    pr_pool_release(&op->common.pool, packet);
}

void pr_receive_packet(struct pr_operator *op, struct pr_packet *packet, uint32_t clock)
{
    enum pr_operator_event_kind sent_as = PR_OPERATOR_EVENT_DELIVERED;
    const bool is_multicast = packet->kind & PR_KIND_MULTICAST;
    const uint32_t required = required_bits(op, packet), stamp_first = packet->stamp_first,
                   stamp_last = packet->stamp_last;
    enum pr_header_kind kind;
    struct survey targets;
    struct arrival arrival;
    bool resend, holds = false;
    kind = kind_of(op, packet);
    if (PR_UNLIKELY(kind == PR_HEADER_KIND_BAD)) {
        discard(op, packet);
        return;
    }
    targets = survey_targets(op, packet, is_multicast, required);
    if (PR_UNLIKELY(!targets.plain) && targets.own == 1 && kind == PR_HEADER_KIND_DATA && !is_multicast)
        survey_relay_list(op, packet, &targets);
    resend = targets.others > 0;
    if (PR_LIKELY(resend) && PR_LIKELY(can_hold(op, packet, clock))) {
        holds = true;
        sent_as = send_on(op, packet, &targets, is_multicast, required);
    }
    arrival.packet = packet;
    arrival.kind = kind;
    arrival.multicast = is_multicast;
    arrival.holds = holds;
    arrival.targets = targets;
    arrival.stamp_first = stamp_first;
    arrival.stamp_last = stamp_last;
    finish(op, &arrival, resend, sent_as);
}
