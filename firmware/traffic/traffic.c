/* See traffic.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "traffic/traffic.h"

#include <string.h>

enum {
    HALF_BITS = 16,
    HALF_MASK = 0xffff,
    KIND_MASK = (1 << PR_TRAFFIC_NUMBER_SHIFT) - 1,
    PROBE_PATIENCE = 1 << 20 /* clocks after which an echo is given up, and the next probe may leave */
};

static void show(void *context, const struct pr_operator_event *event)
{
    const struct pr_traffic_evaluator *traffic = context;
    if (event->kind != PR_OPERATOR_EVENT_DELIVERED || event->delivery->handler != PR_HANDLER_TRAFFIC)
        traffic->shown(traffic->shown_context, event);
}

static uint32_t long_word(const uint32_t *words)
{
    return words[0] | words[1] << HALF_BITS;
}

static void begin_run(struct pr_traffic_evaluator *traffic, uint16_t tag)
{
    memset(&traffic->gap, 0, sizeof *traffic - offsetof(struct pr_traffic_evaluator, gap));
    memset(traffic->received, 0, traffic->sites * sizeof *traffic->received);
    traffic->tag = tag;
}

static void take_order(struct pr_traffic_evaluator *traffic, const struct pr_delivery *delivery)
{
    const uint32_t *words = delivery->data;
    if (traffic->sent >= traffic->until)
        traffic->next = delivery->stamp_last;
    traffic->target = (uint16_t)words[PR_TRAFFIC_ORDER_TARGET];
    traffic->length = words[PR_TRAFFIC_ORDER_LENGTH] < PR_TRAFFIC_WORDS ? PR_TRAFFIC_WORDS
                                                                        : (uint16_t)words[PR_TRAFFIC_ORDER_LENGTH];
    traffic->gap = long_word(words + PR_TRAFFIC_ORDER_GAP);
    traffic->until = long_word(words + PR_TRAFFIC_ORDER_UNTIL);
    traffic->taken = (uint16_t)words[PR_TRAFFIC_ORDER_TAKEN];
}

/* Each order is answered: one of another run, which this site does not know after a restart, by that alone. */
static void take_host(struct pr_traffic_evaluator *traffic, const struct pr_delivery *delivery, unsigned kind)
{
    const uint32_t *words = delivery->data;
    if (delivery->data_words < PR_TRAFFIC_ORDER_WORDS)
        return;
    if (kind == PR_TRAFFIC_KIND_BEGIN)
        begin_run(traffic, (uint16_t)words[PR_TRAFFIC_TAG]);
    if (words[PR_TRAFFIC_TAG] == traffic->tag)
        take_order(traffic, delivery);
    traffic->number = (uint16_t)words[PR_TRAFFIC_ORDER_NUMBER];
    traffic->about = (uint16_t)words[PR_TRAFFIC_ORDER_ABOUT];
    traffic->reporter = (uint16_t)delivery->source;
    traffic->report_due = true;
}

static void count(struct pr_traffic_evaluator *traffic, const struct pr_delivery *delivery)
{
    if (delivery->source < traffic->sites)
        traffic->received[delivery->source]++;
    if (!traffic->any)
        traffic->first = delivery->stamp_last;
    traffic->any = true;
    traffic->last = delivery->stamp_last;
}

static void owe_echo(struct pr_traffic_evaluator *traffic, const struct pr_delivery *delivery)
{
    unsigned place = traffic->echo_end % PR_TRAFFIC_ECHOES;
    if ((uint8_t)(traffic->echo_end - traffic->echo_start) == PR_TRAFFIC_ECHOES)
        return;
    traffic->echoes[place].site = (uint16_t)delivery->source;
    traffic->echoes[place].word = (uint16_t)(delivery->data[PR_TRAFFIC_KIND] ^ PR_TRAFFIC_KIND_PROBE ^
                                             PR_TRAFFIC_KIND_ECHO);
    traffic->echo_end++;
}

static void take_echo(struct pr_traffic_evaluator *traffic, const struct pr_delivery *delivery)
{
    if (!traffic->probing || delivery->data[PR_TRAFFIC_KIND] >> PR_TRAFFIC_NUMBER_SHIFT != traffic->probe)
        return;
    traffic->trips[traffic->measured++ % PR_TRAFFIC_TRIPS] = delivery->stamp_last - traffic->probe_sent;
    traffic->probing = false;
}

static void take(void *context, const struct pr_delivery *delivery)
{
    struct pr_traffic_evaluator *traffic = context;
    unsigned kind;
    if (delivery->data_words < PR_TRAFFIC_WORDS)
        return;
    kind = delivery->data[PR_TRAFFIC_KIND] & KIND_MASK;
    if (kind >= PR_TRAFFIC_KIND_BEGIN) {
        take_host(traffic, delivery, kind);
    } else if (delivery->data[PR_TRAFFIC_TAG] == traffic->tag) {
        if (kind == PR_TRAFFIC_KIND_ECHO) {
            take_echo(traffic, delivery);
            return;
        }
        count(traffic, delivery);
        if (kind == PR_TRAFFIC_KIND_PROBE)
            owe_echo(traffic, delivery);
    }
}

static void begin(struct pr_traffic_evaluator *traffic, struct pr_composition *composition, uint8_t handler,
                  unsigned site, uint32_t first)
{
    pr_operator_begin(traffic->op, composition, handler);
    pr_operator_add_target(composition, site);
    pr_operator_add_data(composition, first);
    pr_operator_add_data(composition, traffic->tag);
}

static void add_long(struct pr_composition *composition, uint32_t value)
{
    pr_operator_add_data(composition, value & HALF_MASK);
    pr_operator_add_data(composition, value >> HALF_BITS);
}

static unsigned trips_that_fit(const struct pr_traffic_evaluator *traffic)
{
    unsigned fit = (traffic->op->common.here.identity->max_packet - 1 - PR_HEADER_WORDS - PR_TRAFFIC_REPORT_TRIPS) / 2;
    unsigned waiting = (uint16_t)(traffic->measured - traffic->taken);
    return waiting < fit ? waiting : fit;
}

static bool send_report(struct pr_traffic_evaluator *traffic)
{
    struct pr_composition composition;
    unsigned trips = trips_that_fit(traffic);
    begin(traffic, &composition, PR_HANDLER_ORDERS, traffic->reporter, PR_TRAFFIC_KIND_REPORT);
    pr_operator_add_data(&composition, traffic->number);
    pr_operator_add_data(&composition, pr_operator_send_room(traffic->op));
    add_long(&composition, traffic->sent);
    add_long(&composition, traffic->about < traffic->sites ? traffic->received[traffic->about] : 0);
    add_long(&composition, traffic->first);
    add_long(&composition, traffic->last);
    pr_operator_add_data(&composition, traffic->measured);
    for (unsigned k = 0; k < trips; k++)
        add_long(&composition, traffic->trips[(traffic->taken + k) % PR_TRAFFIC_TRIPS]);
    traffic->report_due = false;
    return pr_operator_commit(&composition, NULL) == 0;
}

static bool send_echo(struct pr_traffic_evaluator *traffic)
{
    struct pr_composition composition;
    unsigned place = traffic->echo_start++ % PR_TRAFFIC_ECHOES;
    begin(traffic, &composition, PR_HANDLER_TRAFFIC, traffic->echoes[place].site, traffic->echoes[place].word);
    return pr_operator_commit(&composition, NULL) == 0;
}

static bool may_probe(struct pr_traffic_evaluator *traffic, uint32_t clock)
{
    if (traffic->probing && clock - traffic->probe_sent < PROBE_PATIENCE)
        return false;
    return (uint16_t)(traffic->measured - traffic->taken) < PR_TRAFFIC_TRIPS;
}

static void write_data(const struct pr_traffic_evaluator *traffic, uint32_t *data, uint32_t first)
{
    data[PR_TRAFFIC_KIND] = first;
    data[PR_TRAFFIC_TAG] = traffic->tag;
    for (unsigned k = PR_TRAFFIC_WORDS; k < traffic->length; k++)
        data[k] = k;
}

static bool send_data(struct pr_traffic_evaluator *traffic, uint32_t clock)
{
    struct pr_composition composition;
    uint32_t first = PR_TRAFFIC_KIND_DATA, *data;
    bool probe = may_probe(traffic, clock);
    if (probe) {
        first = PR_TRAFFIC_KIND_PROBE | (uint32_t)++traffic->probe << PR_TRAFFIC_NUMBER_SHIFT;
        traffic->probing = true;
        traffic->probe_sent = clock;
    }
    pr_operator_begin(traffic->op, &composition, PR_HANDLER_TRAFFIC);
    pr_operator_add_target(&composition, traffic->target);
    data = pr_operator_add_room(&composition, traffic->length);
    if (data)
        write_data(traffic, data, first);
    traffic->next = clock + traffic->gap;
    if (pr_operator_commit(&composition, NULL) != 0)
        return false;
    traffic->sent++;
    return true;
}

/* As many packets as there is room for. One place is left to the console: it sends after this poll, and would never
 * find the window open. */
static bool send_all(struct pr_traffic_evaluator *traffic, unsigned room)
{
    uint32_t clock = pr_clock_of(&traffic->op->common.here);
    bool any = false;
    while (traffic->sent < traffic->until && room-- > 1 && pr_has_come(clock, traffic->next) &&
           send_data(traffic, clock))
        any = true;
    return any;
}

bool pr_traffic_poll(struct pr_traffic_evaluator *traffic)
{
    bool owes = traffic->echo_start != traffic->echo_end;
    unsigned room;
    if (!traffic->report_due && !owes && traffic->sent >= traffic->until)
        return false;
    room = pr_operator_send_room(traffic->op);
    if (room == 0)
        return false;
    if (traffic->report_due)
        return send_report(traffic);
    return owes ? send_echo(traffic) : send_all(traffic, room);
}

bool pr_traffic_next_wake(const struct pr_traffic_evaluator *traffic, uint32_t *clock)
{
    *clock = traffic->next;
    return traffic->sent < traffic->until && !pr_has_come(pr_clock_of(&traffic->op->common.here), traffic->next);
}

int pr_traffic_init(struct pr_traffic_evaluator *traffic, struct pr_operator *op, uint32_t *received, unsigned sites)
{
    traffic->op = op;
    traffic->received = received;
    traffic->sites = sites;
    begin_run(traffic, 0);
    pr_operator_observe_first(op, show, traffic, &traffic->shown, &traffic->shown_context);
    return pr_operator_register(op, PR_HANDLER_TRAFFIC, take, traffic);
}
