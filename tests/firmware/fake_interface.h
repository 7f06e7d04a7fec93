/* The native network_interface without a network: whole packets are put in and looked at by the test.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_FIRMWARE_FAKE_INTERFACE_H
#define POSTROAD_TESTS_FIRMWARE_FAKE_INTERFACE_H

#include "network_interface/ni_model.h"
#include "wire/site_identity.h"

struct fake_interface {
    union {
        struct ni_model native;
        struct pr_network_interface interface; /* its first member */
    };
    uint64_t clock;
    uint32_t deferrals, aborts;
};

/* Counters of the network_interface and of the fabric are 1000 + index, but for deferrals and aborts. */
void fake_init(struct fake_interface *fake);

/* A 4x4 grid of 16-bit words with the raw service, seen from `site`; max_packet 64, retry_limit 3. */
struct pr_site_identity fake_identity(unsigned site);

/* The buffer that receives next, with these words in it; NULL if none is posted (the network waits). The clock goes on
 * by two. */
struct pr_packet *fake_receive(struct fake_interface *fake, uint32_t kind, const uint32_t *targets,
                               unsigned target_words, const uint32_t *data, unsigned data_words);

/* The same in two steps, for who fills the buffer himself, counts and stamps too: the buffer, or NULL; then it has
 * arrived. */
struct pr_packet *fake_receiving(const struct fake_interface *fake);
void fake_received(struct fake_interface *fake);

/* The packet that leaves next, or NULL. fake_sent gives it back to the operator. */
struct pr_packet *fake_sending(const struct fake_interface *fake);
void fake_sent(struct fake_interface *fake);

/* The same packet as the network gets it, without what is left out of it, or NULL; until the next call. */
const struct pr_packet *fake_leaving(const struct fake_interface *fake);

/* Buffers posted, and packets queued to leave. */
unsigned fake_posted(const struct fake_interface *fake);
unsigned fake_queued(const struct fake_interface *fake);

#endif
