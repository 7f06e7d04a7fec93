/* A network_interface without a network: packets are put in and looked at by the test. */
#ifndef TESTS_FIRMWARE_FAKE_INTERFACE_H
#define TESTS_FIRMWARE_FAKE_INTERFACE_H

#include "operator/network_interface.h"
#include "operator/node_identity.h"

enum { FAKE_RING = 32 };

struct fake_queue {
    struct packet *packets[FAKE_RING];
    unsigned head, count;
};

struct fake_interface {
    struct network_interface interface;
    struct fake_queue posted, arrived, sending, gone;
    uint32_t clock;
};

void fake_init(struct fake_interface *fake);

/* A 4x4 grid of 16-bit words, seen from `site`; max_packet 64, retry_limit 3. */
struct node_identity fake_identity(unsigned site);

/* The buffer that receives next, with these words in it; NULL if none is posted (the network waits). */
struct packet *fake_receive(struct fake_interface *fake, uint32_t kind, const uint32_t *targets, unsigned target_words,
                            const uint32_t *data, unsigned data_words);

/* The packet that leaves next, or NULL. fake_sent gives it back to the operator. */
struct packet *fake_sending(struct fake_interface *fake);
void fake_sent(struct fake_interface *fake);

#endif
