/* See fake_interface.h. */
#include "fake_interface.h"

#include <string.h>

#include "protocol.h"

static bool put(struct fake_queue *queue, struct packet *packet)
{
    if (queue->count == FAKE_RING)
        return false;
    queue->packets[(queue->head + queue->count++) % FAKE_RING] = packet;
    return true;
}

static struct packet *take(struct fake_queue *queue)
{
    struct packet *packet;

    if (queue->count == 0)
        return NULL;
    packet = queue->packets[queue->head];
    queue->head = (queue->head + 1) % FAKE_RING;
    queue->count--;
    return packet;
}

static struct fake_interface *fake_of(struct network_interface *interface)
{
    return (struct fake_interface *)interface;
}

static bool post(struct network_interface *interface, struct packet *packet)
{
    return put(&fake_of(interface)->posted, packet);
}

static struct packet *received(struct network_interface *interface)
{
    return take(&fake_of(interface)->arrived);
}

static bool send(struct network_interface *interface, struct packet *packet)
{
    return put(&fake_of(interface)->sending, packet);
}

static struct packet *sent(struct network_interface *interface)
{
    return take(&fake_of(interface)->gone);
}

static unsigned send_room(struct network_interface *interface)
{
    return FAKE_RING - fake_of(interface)->sending.count;
}

static uint32_t counter(struct network_interface *interface, unsigned index)
{
    (void)interface;
    return 1000 + index;
}

static uint32_t clock_now(struct network_interface *interface)
{
    return fake_of(interface)->clock;
}

void fake_init(struct fake_interface *fake)
{
    static const struct network_interface_functions functions = {
        .post = post,
        .received = received,
        .send = send,
        .sent = sent,
        .send_room = send_room,
        .counter = counter,
        .clock = clock_now,
    };

    memset(fake, 0, sizeof *fake);
    fake->interface.functions = &functions;
    fake->interface.multicast = true;
}

struct node_identity fake_identity(unsigned site)
{
    struct node_identity identity = {
        .map_version = 1,
        .site = site,
        .topology = TOPOLOGY_GRID,
        .size_x = 4,
        .size_y = 4,
        .word_width = 16,
        .max_packet = 64,
        .retry_limit = 3,
    };

    identity.address = node_identity_address(&identity, site);
    return identity;
}

struct packet *fake_receive(struct fake_interface *fake, uint32_t kind, const uint32_t *targets, unsigned target_words,
                            const uint32_t *data, unsigned data_words)
{
    struct packet *packet = take(&fake->posted);

    if (packet == NULL)
        return NULL;
    packet->kind = kind;
    packet_set_counts(packet, target_words, data_words);
    packet->stamp_first = fake->clock++;
    packet->stamp_last = fake->clock++;
    memset(packet->info, 0, sizeof packet->info);
    memcpy(packet->words, targets, target_words * sizeof *targets);
    memcpy(packet->words + target_words, data, data_words * sizeof *data);
    put(&fake->arrived, packet);
    return packet;
}

struct packet *fake_sending(struct fake_interface *fake)
{
    return fake->sending.count > 0 ? fake->sending.packets[fake->sending.head] : NULL;
}

void fake_sent(struct fake_interface *fake)
{
    put(&fake->gone, take(&fake->sending));
}
