/* See fake_interface.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "fake_interface.h"

#include <string.h>

#include "check.h"
#include "protocol.h"

enum { LEAVING_WORDS = 4096 };

static uint32_t counter(void *context, unsigned index)
{
    const struct fake_interface *fake = context;
    if (index == PR_COUNTER_DEFERRALS)
        return fake->deferrals;
    if (index == PR_COUNTER_ABORTS)
        return fake->aborts;
    return 1000 + index;
}

void fake_init(struct fake_interface *fake)
{
    memset(fake, 0, sizeof *fake);
    ni_model_init(&fake->native, 16, &fake->clock, UINT16_MAX);
    fake->native.fabric_counter = counter;
    fake->native.fabric_context = fake;
    for (unsigned index = PR_COUNTER_RECEIVED_PACKETS; index <= PR_COUNTER_SENT_WAITS; index++)
        fake->native.counters[index] = counter(fake, index);
}

struct pr_site_identity fake_identity(unsigned site)
{
    struct pr_site_identity identity = {
        .map_version = PR_ID_MAP_VERSION_VALUE,
        .site = site,
        .topology = PR_TOPOLOGY_GRID,
        .size_x = 4,
        .size_y = 4,
        .word_width = 16,
        .max_packet = 64,
        .retry_limit = 3,
    };
    identity.address = pr_site_identity_address(&identity, site);
    return identity;
}

static struct pr_packet *current(const struct ni_model_ring *ring)
{
    return ring->moved != ring->produced ? ring->slots[ring->moved % NATIVE_INTERFACE_RING] : NULL;
}

struct pr_packet *fake_receiving(const struct fake_interface *fake)
{
    return current(&fake->native.receive);
}

void fake_received(struct fake_interface *fake)
{
    fake->native.receive.moved++;
}

struct pr_packet *fake_receive(struct fake_interface *fake, uint32_t kind, const uint32_t *targets,
                               unsigned target_words, const uint32_t *data, unsigned data_words)
{
    struct pr_packet *packet = fake_receiving(fake);
    if (!packet)
        return NULL;
    packet->kind = kind;
    pr_packet_set_counts(packet, target_words, data_words);
    packet->stamp_first = (uint32_t)fake->clock++;
    packet->stamp_last = (uint32_t)fake->clock++;
    memset(packet->info, 0, sizeof packet->info);
    memcpy(packet->words, targets, target_words * sizeof *targets);
    memcpy(packet->words + target_words, data, data_words * sizeof *data);
    fake_received(fake);
    return packet;
}

struct pr_packet *fake_sending(const struct fake_interface *fake)
{
    return current(&fake->native.send);
}

void fake_sent(struct fake_interface *fake)
{
    fake->native.send.moved++;
}

const struct pr_packet *fake_leaving(const struct fake_interface *fake)
{
    static uint32_t buffer[PR_PACKET_BUFFER_WORDS(LEAVING_WORDS)];
    struct pr_packet *leaving = (struct pr_packet *)buffer;
    const struct pr_packet *packet = fake_sending(fake);
    unsigned targets, data_words;
    if (!packet)
        return NULL;
    targets = pr_packet_sent_targets(packet);
    data_words = pr_packet_data_words(packet);
    CHECK(packet->first_target < pr_packet_end_target(packet) &&
          pr_packet_end_target(packet) <= pr_packet_target_words(packet));
    CHECK(targets + data_words <= LEAVING_WORDS);
    *leaving = (struct pr_packet){.kind = packet->kind_bits};
    pr_packet_set_counts(leaving, targets, data_words);
    for (unsigned k = 0; k < targets; k++) {
        leaving->words[k] = packet->words[packet->first_target + k];
        leaving->info[k / 32] |= (uint32_t)pr_packet_is_info(packet, packet->first_target + k) << k % 32;
    }
    memcpy(leaving->words + targets, packet->words + pr_packet_target_words(packet),
           data_words * sizeof *packet->words);
    return leaving;
}

unsigned fake_posted(const struct fake_interface *fake)
{
    return fake->native.receive.produced - fake->native.receive.moved;
}

unsigned fake_queued(const struct fake_interface *fake)
{
    return fake->native.send.produced - fake->native.send.moved;
}
