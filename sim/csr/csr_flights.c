/* See csr_flights.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "csr/csr_flights.h"

#include <stdlib.h>

#include "support/or_abort.h"

/* A packet on a link. `left`: links behind this one; no packet: `on` is false. */
struct flight {
    struct csr_packet packet;
    uint8_t module, left;
    bool on;
};

struct csr_flights {
    unsigned dimensions, links; /* links of all nodes: node * 2 d + e */
    struct flight *flights, *next;
    struct csr_arrival *arrivals; /* by node and exit */
    size_t arrived;
};

struct csr_flights *csr_flights_create(unsigned dimensions)
{
    struct csr_flights *flights = or_abort(calloc(1, sizeof *flights));
    flights->dimensions = dimensions;
    flights->links = (1u << dimensions) * 2 * dimensions;
    flights->flights = or_abort(calloc(flights->links, sizeof *flights->flights));
    flights->next = or_abort(calloc(flights->links, sizeof *flights->next));
    flights->arrivals = or_abort(calloc(flights->links, sizeof *flights->arrivals));
    return flights;
}

void csr_flights_free(struct csr_flights *flights)
{
    free(flights->flights);
    free(flights->next);
    free(flights->arrivals);
    free(flights);
}

/* Puts a packet onto the links of dimension k that it wants. */
static bool place(const struct csr_flights *flights, struct flight *links, unsigned node, unsigned k,
                  struct flight flight)
{
    bool good = true;
    for (unsigned o = 0; o < 2; o++)
        if ((flight.packet.forks >> k & 1) || (flight.packet.tag >> k & 1) == o) {
            struct flight *link = &links[node * 2 * flights->dimensions + 2 * k + o];
            good = good && !link->on;
            *link = flight;
        }
    return good;
}

bool csr_flights_enter(struct csr_flights *flights, unsigned node, unsigned module, const struct csr_packet *packet)
{
    struct flight flight = {
        .packet = *packet, .module = (uint8_t)module, .left = (uint8_t)(flights->dimensions - 1), .on = true};
    return place(flights, flights->flights, node, module, flight);
}

bool csr_flights_slot(struct csr_flights *flights)
{
    unsigned d = flights->dimensions;
    bool good = true;
    struct csr_arrival *arrivals = flights->arrivals;
    for (unsigned i = 0; i < flights->links; i++)
        flights->next[i].on = false;
    flights->arrived = 0;
    for (unsigned node = 0; node < 1u << d; node++)
        for (unsigned module = 0; module < d; module++)
            for (unsigned o = 0; o < 2; o++) {
                unsigned k = (module + 1) % d,
                         from = o ? node ^ 1u << k : node; /* the links that lead to this module */
                struct flight flight = flights->flights[from * 2 * d + 2 * k + o];
                if (!flight.on)
                    continue;
                if (flight.left == 0) {
                    arrivals[flights->arrived++] = (struct csr_arrival){node, 2 * module + o, flight.packet.identity};
                } else {
                    flight.left--;
                    good = place(flights, flights->next, node, module, flight) && good;
                }
            }
    struct flight *crossed = flights->flights;
    flights->flights = flights->next;
    flights->next = crossed;
    return good;
}

size_t csr_flights_count(const struct csr_flights *flights)
{
    size_t count = 0;
    for (unsigned i = 0; i < flights->links; i++)
        count += flights->flights[i].on;
    return count;
}

const struct csr_arrival *csr_flights_arrivals(const struct csr_flights *flights, size_t *count)
{
    *count = flights->arrived;
    return flights->arrivals;
}
