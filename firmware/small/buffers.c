/* The packet buffers:
 *
 *   | small | small | own | receive | receive | ...
 *
 * What a buffer is for follows from its address. The small ones, for acknowledgements and control packets, are used in
 * turn, because packets leave in the order in which they were given.
 *
 * SPDX-License-Identifier: ISC
 */
#include "small/small.h"

enum {
    SMALLS = RELIABLE ? 2 : 0,
    SMALL_BUFFER = PR_PACKET_BUFFER_WORDS(2 + PR_CONTROL_WORDS), /* a target, the source, a control packet */
    BUFFER = PR_PACKET_BUFFER_WORDS(PACKET_WORDS),
    OWN_AT = SMALLS * SMALL_BUFFER,
    RECEIVE_AT = OWN_AT + (SENDS ? BUFFER : 0),
    MEMORY_WORDS = RECEIVE_AT + BUFFERS * BUFFER
};

static uint32_t memory[MEMORY_WORDS] __attribute__((aligned(4), section(".packets")));
static uint8_t smalls_begun, smalls_back;
uint8_t buffers_posted;

bool is_own(const struct pr_packet *packet)
{
    return (const uint32_t *)packet < memory + RECEIVE_AT;
}

bool is_small(const struct pr_packet *packet)
{
    return (const uint32_t *)packet < memory + OWN_AT;
}

struct pr_packet *own_packet(void)
{
    return (struct pr_packet *)(memory + OWN_AT);
}

void post(struct pr_packet *packet)
{
    buffers_posted++;
    port_post(packet);
}

void post_all(void)
{
    for (uint32_t *buffer = memory + RECEIVE_AT; buffer < memory + MEMORY_WORDS; buffer += BUFFER)
        post((struct pr_packet *)buffer);
}

bool smalls_are_here(void)
{
    return smalls_begun == smalls_back;
}

uint32_t *small_begin(unsigned site)
{
    struct pr_packet *packet = (struct pr_packet *)(smalls_begun % 2 ? memory + SMALL_BUFFER : memory);
    if ((uint8_t)(smalls_begun - smalls_back) == SMALLS)
        return 0;
    packet->words[0] = address_of(site);
    packet->words[1] = here.site | KIND;
    return packet->words + 2;
}

void small_send(uint32_t *words, unsigned count)
{
    struct pr_packet *packet = (struct pr_packet *)(words - 2 - PR_PACKET_HEADER_WORDS);
    pr_packet_set_counts(packet, 1, 1 + count);
    smalls_begun++;
    port_send(packet);
}

void small_is_back(void)
{
    smalls_back++;
}
