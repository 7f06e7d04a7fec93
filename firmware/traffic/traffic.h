/* The traffic evaluator: sends packets by itself as a host has ordered, counts what it receives, measures round trips,
 * and reports when it is asked (hw/protocol/packet.ini). Orders and reports are packets. A host orders so many packets
 * that a site sends for some seconds; if it orders no more, the site stops.
 *
 *   host                       source                          target
 *    |-- BEGIN, ORDER ---------->|-- DATA, PROBE ---------------->|  counts by source
 *    |                           |<------------------- ECHO ------|  of each probe; one is on its way at a time
 *    |<-- REPORT ----------------|  sent, round trips
 *    |-- ORDER ------------------------------------------------->|
 *    |<-- REPORT ------------------------------------------------|  received from a source, first and last clock
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TRAFFIC_TRAFFIC_H
#define POSTROAD_TRAFFIC_TRAFFIC_H

#include "operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    PR_TRAFFIC_TRIPS = 16, /* round trips that wait for the host; no probe leaves while there are so many. Power of 2 */
    PR_TRAFFIC_ECHOES = 8  /* echoes that wait for room; a probe beyond them gets none. Power of 2 */
};

struct pr_traffic_evaluator {
    struct pr_operator *op;
    pr_operator_observer *shown; /* gets all events but deliveries of traffic */
    void *shown_context;
    uint32_t *received; /* packets, by source */
    unsigned sites;
    /* Of the run, all zeroes when it begins. */
    uint32_t gap, next, until, sent, first, last, probe_sent;
    uint16_t tag, target, length, reporter, number, taken, about, measured;
    uint8_t probe, echo_start, echo_end;
    bool report_due, probing, any;
    struct {
        uint16_t site, word;
    } echoes[PR_TRAFFIC_ECHOES];
    uint32_t trips[PR_TRAFFIC_TRIPS];
};

/* Registers the handler. `received` has a word for each site of the mesh, or for the first `sites`: only packets of
 * these are counted. Deliveries of traffic are hidden from the operator's first observer, which is the console. 0 or a
 * negated PR_OPERATOR_* error. */
int pr_traffic_init(struct pr_traffic_evaluator *traffic, struct pr_operator *op, uint32_t *received, unsigned sites);

/* Behind pr_operator_poll: sends what there is room for. True if it did anything. */
bool pr_traffic_poll(struct pr_traffic_evaluator *traffic);

/* As pr_operator_next_wake. */
bool pr_traffic_next_wake(const struct pr_traffic_evaluator *traffic, uint32_t *clock);

#ifdef __cplusplus
}
#endif

#endif
