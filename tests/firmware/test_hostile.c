/* Packets that no operator made: random counts, kinds, targets, info maps, headers, acknowledgements, control packets
 * and service requests, for both services. Nothing crashes or is overrun, whatever is sent is fit to be sent, and no
 * buffer is lost.
 *
 * SPDX-License-Identifier: ISC
 */
#include <string.h>

#include "check.h"
#include "console/node.h"
#include "fake_interface.h"
#include "protocol.h"

enum { BUFFERS = 6, WORDS = 64, HERE = 5, SITES = 16, WINDOW = 4 };

static struct fake_interface fake;
static struct pr_site_identity identity;
static struct pr_site_addresses addresses;
static struct pr_node node;
static uint64_t random_state;

static unsigned below(unsigned limit)
{
    return check_below(&random_state, limit);
}

/* Mostly what a packet would have there, sometimes anything. */
static unsigned maybe(unsigned likely, unsigned limit)
{
    return below(4) ? likely : below(limit);
}

static uint32_t random_target(void)
{
    unsigned any = check_random(&random_state);
    return maybe(pr_site_identity_address(&identity, below(SITES)) | (below(8) == 0) << PR_SITE_MARK_BIT_16, 0x10000) |
           (below(64) == 0 ? any : 0);
}

static void random_packet(void)
{
    static const unsigned terminators[] = {PR_TAG_END_OF_PACKET, PR_TAG_LOCAL_END_OF_PACKET, PR_TAG_ABORT_PACKET};
    uint32_t targets[WORDS], data[WORDS] = {0};
    unsigned target_words = 1 + below(below(2) ? 3 : 30), data_words = maybe(PR_HEADER_WORDS + below(20), 34);
    unsigned kind = maybe(terminators[below(3)], 16) | (below(2) ? PR_KIND_MULTICAST : 0);
    struct pr_packet *packet;
    for (unsigned k = 0; k < target_words; k++)
        targets[k] = random_target();
    for (unsigned k = 0; k < data_words; k++)
        data[k] = maybe(below(20), 0x10000);
    data[PR_HEADER_SOURCE] = maybe(below(SITES), 0x10000);
    data[PR_HEADER_HANDLER] = maybe(PR_HANDLER_SERVICE, 0x10000);
    if (identity.reliable && data[PR_HEADER_SOURCE] < SITES && below(2)) /* the epoch that the site takes packets of */
        data[PR_HEADER_HANDLER] |= (uint32_t)(node.op.peers[data[PR_HEADER_SOURCE]].epoch & PR_EPOCH_MASK)
                                   << PR_HEADER_EPOCH_SHIFT;
    if (identity.reliable && below(3) == 0) {
        static const unsigned lengths[] = {1 + PR_ACKNOWLEDGEMENT_WORDS, 1 + PR_CONTROL_WORDS};
        data[PR_HEADER_SOURCE] |= 1u << PR_HEADER_KIND_BIT_16;
        data_words = maybe(lengths[below(2)], 34);
    }
    data[PR_HEADER_WORDS] = maybe(below(3) | (below(2) ? 0x80 : 0), 0x10000); /* a service request or answer */
    packet = fake_receive(&fake, kind, targets, target_words, data, data_words);
    if (!packet)
        return;
    if (below(8) == 0)
        packet->kind = check_random(&random_state);
    if (below(8) == 0)
        packet->counts = check_random(&random_state) & (below(2) ? 0x7f007f : 0xffffffff);
    for (unsigned k = 0; k < PR_PACKET_INFO_WORDS; k++)
        packet->info[k] = below(2) ? 0 : check_random(&random_state) & check_random(&random_state);
}

static void check_fit_to_send(const struct pr_packet *packet)
{
    unsigned target_words = pr_packet_target_words(packet);
    CHECK(target_words > 0 &&
          pr_packet_data_words(packet) >= (identity.reliable ? 1 + PR_ACKNOWLEDGEMENT_WORDS : PR_HEADER_WORDS));
    CHECK(target_words + pr_packet_data_words(packet) <= WORDS);
    CHECK(packet->kind == 0 || packet->kind == PR_KIND_MULTICAST);
    CHECK(!pr_packet_is_info(packet, 0));
    CHECK((packet->words[target_words + PR_HEADER_SOURCE] & (identity.reliable ? 0x7fff : 0xffff)) < SITES);
    for (unsigned k = 0; k < target_words; k++)
        CHECK(pr_packet_is_info(packet, k) || pr_site_addresses_have(&addresses, packet->words[k]));
}

/* Nobody answers: what the site sent by itself is given up in time. */
static void run_to_rest(void)
{
    uint32_t clock;
    for (;;) {
        while (pr_node_poll(&node) || fake_sending(&fake) != NULL) {
            if (fake_sending(&fake) != NULL)
                fake_sent(&fake);
        }
        if (!pr_node_next_wake(&node, &clock))
            return;
        fake.clock += (uint32_t)(clock - (uint32_t)fake.clock);
    }
}

/* Exact, so that overruns are seen. A core's memory has anything in it: packets whose counts lie are read from there.
 */
static uint32_t *site_memory(size_t words)
{
    uint32_t *memory = malloc(4 * words);
    CHECK(memory != NULL);
    for (size_t k = 0; k < words; k++)
        memory[k] = check_random(&random_state);
    return memory;
}

static void nothing_gets_through(bool reliable)
{
    const struct pr_operator_size size = {BUFFERS, WORDS, WINDOW, SITES};
    uint32_t *pool = site_memory(reliable ? PR_OPERATOR_MEMORY_WORDS(BUFFERS, WORDS, SITES)
                                          : BUFFERS * PR_PACKET_BUFFER_WORDS(WORDS));
    uint8_t bytes[256];
    const unsigned long rounds = check_rounds(1000000);
    unsigned long sent = 0;
    fake_init(&fake);
    identity = fake_identity(HERE);
    addresses = pr_site_identity_addresses(&identity);
    identity.reliable = reliable;
    identity.epoch = reliable && below(2);
    CHECK_EQUAL(pr_node_init(&node, &fake.interface, &identity, pool, &size), 0);
    node.console.listen = PR_CONSOLE_LISTEN_DELIVERED | PR_CONSOLE_LISTEN_EVENTS;
    for (unsigned long round = 0; round < rounds; round++) {
        random_packet();
        pr_node_poll(&node);
        for (; fake_sending(&fake) != NULL && below(3); sent++) {
            check_fit_to_send(fake_leaving(&fake));
            fake_sent(&fake);
        }
        pr_node_console_read(&node, bytes, sizeof bytes);
    }
    run_to_rest();
    CHECK_EQUAL(pr_operator_counter(&node.op, PR_COUNTER_FREE_BUFFERS), BUFFERS);
    printf("%lu packets, %lu sent on, %u delivered, %u discarded\n", rounds, sent,
           pr_operator_counter(&node.op, PR_COUNTER_DELIVERED), pr_operator_counter(&node.op, PR_COUNTER_DISCARDED));
    CHECK(sent > rounds / 100 &&
          pr_operator_counter(&node.op, PR_COUNTER_DELIVERED) > rounds / (reliable ? 1000 : 100));
    free(pool);
}

static void nothing_gets_through_raw(void)
{
    nothing_gets_through(false);
}

static void nothing_gets_through_reliable(void)
{
    nothing_gets_through(true);
}

int main(void)
{
    random_state = check_seed();
    RUN(nothing_gets_through_raw);
    RUN(nothing_gets_through_reliable);
    return 0;
}
