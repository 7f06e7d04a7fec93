/* Packets that no operator made: random counts, kinds, targets, info maps, headers, acknowledgements, control packets
 * and service requests; and random frames on the console of a small operator. Nothing crashes or is overrun, whatever
 * is sent is fit to be sent, frames are whole, and no buffer is lost.
 *
 * SPDX-License-Identifier: ISC
 */
#include <string.h>

#include "check.h"
#include "small_host.h"
#include "suite.h"

enum { PACKETS = 150000, DATA_WORDS = 34, TARGET_WORDS = 30 };

static const struct node_kind *kind;
static uint64_t random_state;
static struct {
    unsigned long packets, sent, delivered, discarded, frames;
} sums;

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
    unsigned site = below(2) ? HERE : below(SITES), any = check_random(&random_state);
    return maybe(address(site) | (below(8) == 0 ? MARK : 0), 0x10000) | (below(64) == 0 ? any : 0);
}

/* Of data from this site that would be taken, as far as the test knows. */
static uint32_t likely_epoch(unsigned source)
{
    if (kind->image || !kind->reliable || source >= SITES)
        return 0;
    return (uint32_t)(op->common.peers[source].epoch & PR_EPOCH_MASK) << PR_HEADER_EPOCH_SHIFT;
}

static unsigned random_data(uint32_t *data)
{
    static const unsigned lengths[] = {1 + PR_ACKNOWLEDGEMENT_WORDS, 1 + PR_CONTROL_WORDS};
    unsigned words = maybe(PR_HEADER_WORDS + below(20), DATA_WORDS);
    for (unsigned k = 0; k < DATA_WORDS; k++)
        data[k] = maybe(below(20), 0x10000);
    data[PR_HEADER_SOURCE] = maybe(below(SITES), 0x10000);
    data[PR_HEADER_HANDLER] = maybe(PR_HANDLER_SERVICE, 0x10000);
    data[PR_HEADER_WORDS] = maybe(below(3) | (below(2) ? 0x80 : 0), 0x10000); /* a service request or answer */
    if (below(2))
        data[PR_HEADER_HANDLER] |= likely_epoch(data[PR_HEADER_SOURCE]);
    if (!kind->reliable || below(3))
        return words;
    data[PR_HEADER_SOURCE] |= KIND_BIT;
    return maybe(lengths[below(2)], DATA_WORDS);
}

static void hostile_packet(void)
{
    static const unsigned ends[] = {END, LOCAL_END, PR_TAG_ABORT_PACKET};
    uint32_t targets[TARGET_WORDS], data[DATA_WORDS];
    unsigned most = kind->packet_words - DATA_WORDS, count = 1 + below(below(2) ? 3 : most), words;
    struct pr_packet *packet;
    if (count > TARGET_WORDS)
        count = TARGET_WORDS;
    for (unsigned k = 0; k < count; k++)
        targets[k] = random_target();
    words = random_data(data);
    packet = fake_receive(fake, maybe(ends[below(3)], 16) | (below(2) ? MULTICAST : 0), targets, count, data, words);
    if (!packet)
        return;
    if (below(8) == 0)
        packet->kind = check_random(&random_state);
    if (below(8) == 0) /* no network_interface gives counts beyond its buffer, but an operator checks */
        packet->counts = check_random(&random_state) & (below(2) ? 0x7f007f : 0xffffffff);
    for (unsigned k = 0; k < PR_PACKET_INFO_WORDS; k++)
        packet->info[k] = below(2) ? 0 : check_random(&random_state) & check_random(&random_state);
}

static void check_fit_to_send(const struct pr_packet *packet)
{
    const struct pr_site_addresses addresses = pr_site_identity_addresses(identity);
    unsigned targets = pr_packet_target_words(packet);
    uint32_t source = packet->words[targets + PR_HEADER_SOURCE];
    bool is_multicast = packet->kind == MULTICAST;
    CHECK(targets > 0 && targets <= PR_PACKET_TARGET_WORDS_MAX);
    CHECK(pr_packet_data_words(packet) >= (kind->reliable ? 1 + PR_ACKNOWLEDGEMENT_WORDS : PR_HEADER_WORDS));
    CHECK(targets + pr_packet_data_words(packet) <= identity->max_packet);
    CHECK(packet->kind == 0 || (is_multicast && kind->groups));
    CHECK(!pr_packet_is_info(packet, 0) && (is_multicast || !(packet->words[0] & MARK)));
    if (kind->reliable && source & KIND_BIT) /* for itself alone, or for its subtree (O11) */
        source &= ~(uint32_t)(KIND_BIT | KIND_BIT >> 1);
    CHECK(source < SITES);
    for (unsigned k = 0; k < targets; k++)
        CHECK(pr_packet_is_info(packet, k) ||
              ((k == 0 || is_multicast) && pr_site_addresses_have(&addresses, packet->words[k])));
}

static void hostile_bytes(void)
{
    static struct pr_frame frame;
    if (host.to_at < host.to_length || below(20))
        return;
    host.to_at = 0;
    frame.type = (uint8_t)(maybe(1 + below(9), 256) & ~0x40); /* whose answers have the types of events */
    frame.length = (uint16_t)below(below(2) ? 8 : 240);
    for (unsigned k = 0; k < frame.length; k++)
        frame.payload[k] = (uint8_t)maybe(below(6), 256);
    host.to_length = pr_frames_encode(&frame, host.to, sizeof host.to);
    if (below(4) == 0)
        host.to[below((unsigned)host.to_length)] ^= (uint8_t)(1 << below(8));
}

static void start_node(void)
{
    prepare(kind->reliable && below(2));
    host_reset(random_state);
    host.slowness = 3;
    node.has_console = !kind->image;
    node.buffers = kind->image ? kind->buffers : 6;
    node.window = 4;
    begin();
    if (!kind->image)
        node.full.console.listen = PR_CONSOLE_LISTEN_DELIVERED | PR_CONSOLE_LISTEN_EVENTS;
}

static void poll_once(void)
{
    uint8_t bytes[256];
    node_poll(&node);
    if (!kind->image)
        pr_node_console_read(&node.full, bytes, sizeof bytes);
    for (; fake_sending(fake) != NULL && below(3); sums.sent++) {
        check_fit_to_send(fake_leaving(fake));
        fake_sent(fake);
    }
}

/* Nobody answers: what the site sent by itself is given up in time. */
static void run_to_rest(void)
{
    uint32_t clock;
    host.to_at = host.to_length;
    for (;;) {
        while (node_poll(&node) || fake_sending(fake) != NULL) {
            if (fake_sending(fake) != NULL)
                fake_sent(fake);
        }
        if (!node_next_wake(&node, &clock))
            break;
        fake->clock += (uint32_t)(clock - (uint32_t)fake->clock);
    }
    CHECK(node_is_at_rest(&node));
    CHECK_EQUAL(host.bad, 0);
    sums.frames += host.frames;
    sums.delivered += counter(PR_COUNTER_DELIVERED);
    sums.discarded += counter(PR_COUNTER_DISCARDED);
}

void hostile_rules(const struct node_kind *of_kind, uint64_t seed)
{
    const unsigned long packets = check_rounds(PACKETS);
    kind = of_kind;
    suite_of(kind);
    random_state = seed;
    memset(&sums, 0, sizeof sums);
    start_node();
    for (; sums.packets < packets; sums.packets++) {
        if (sums.packets % kind->hostile_round == kind->hostile_round - 1) {
            run_to_rest();
            start_node();
        }
        hostile_packet();
        if (kind->image)
            hostile_bytes();
        poll_once();
        fake->clock += below(200);
    }
    run_to_rest();
    printf("hostile to %s: %lu packets, %lu sent, %lu delivered, %lu discarded, %lu frames\n", kind->name, sums.packets,
           sums.sent, sums.delivered, sums.discarded, sums.frames);
    CHECK(sums.sent > 1000 && sums.delivered > 500 && sums.discarded > 1000);
    CHECK(sums.frames > 100 || kind == &small_reliable || !kind->image);
}
