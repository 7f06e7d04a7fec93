/* The transmission intervals of conflict sense routing: packets that have been accepted cross a link a slot, and
 * nothing but their routing tags leads them. A plain model that knows no reservations: it notices if two packets are on
 * one link.
 *
 * A slot: csr_flights_enter for each accepted packet, csr_flights_slot, the arrivals.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CSR_CSR_FLIGHTS_H
#define POSTROAD_CSR_CSR_FLIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct csr_packet {
    uint32_t tag, forks; /* as csr_model_offer has them */
    uint64_t identity;   /* the caller's */
};

struct csr_arrival {
    unsigned node, exit;
    uint64_t identity;
};

struct csr_flights;

struct csr_flights *csr_flights_create(unsigned dimensions);
void csr_flights_free(struct csr_flights *flights);

/* The packet begins in this module of the node, and crosses its first link in the slot to be run next. False if another
 * one is on that link. */
bool csr_flights_enter(struct csr_flights *flights, unsigned node, unsigned module, const struct csr_packet *packet);

/* All packets cross their links. False if two of them are on one link now. */
bool csr_flights_slot(struct csr_flights *flights);

/* Packets on their way. */
size_t csr_flights_count(const struct csr_flights *flights);

/* Of the last slot, in the order of nodes and exits; *count of them. Valid until the next slot. */
const struct csr_arrival *csr_flights_arrivals(const struct csr_flights *flights, size_t *count);

#endif
