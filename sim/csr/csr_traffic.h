/* Traffic for the slot model: what the entry buffers of a cube hold, and when they send flits (section 4).
 *
 * In a slot an entry buffer that is empty gets a packet with probability `arrival`, and sends its flit at once; one
 * that is backlogged sends it again with probability `retry`. The packets of a buffer are those that the pattern draws
 * with the buffer's bit: if the pattern draws another one, none has arrived.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CSR_CSR_TRAFFIC_H
#define POSTROAD_CSR_CSR_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

#include "csr/csr_model.h"
#include "csr/csr_pattern.h"

struct csr_load {
    struct csr_destinations destinations;
    double arrival, retry;
    bool redraw; /* a blocked packet is given up: attempts are independent, as in the analysis */
    uint64_t seed;
};

struct csr_traffic;

struct csr_traffic *csr_traffic_create(unsigned dimensions, const struct csr_load *load);
void csr_traffic_free(struct csr_traffic *traffic);

/* The entry buffer of this link holds a packet that was blocked. */
bool csr_traffic_backlogged(const struct csr_traffic *traffic, unsigned node, unsigned link);

/* The next slot leaves this entry buffer, which has to be empty, to a packet of the caller. */
void csr_traffic_leave(struct csr_traffic *traffic, unsigned node, unsigned link);

/* Before a slot: writes the entry buffers of the model. */
void csr_traffic_offer(struct csr_traffic *traffic, struct csr_model *model);

/* What became of them. */
struct csr_settled {
    unsigned attempts, accepted, backlogged; /* entry buffers */
    unsigned hot;                            /* of the accepted ones, to node 0 */
};

/* Behind the slot. */
struct csr_settled csr_traffic_settle(struct csr_traffic *traffic, struct csr_model *model);

#endif
