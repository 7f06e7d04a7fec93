/* See csr_deflection.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "csr/csr_deflection.h"

#include <stdlib.h>

#include "csr/csr_model.h"
#include "support/or_abort.h"

/* Its place among the d of a node is the dimension that it came over. */
struct packet {
    uint32_t tag; /* dimensions still to be crossed */
    uint32_t entered;
    uint16_t distance;
    bool here;
};

struct csr_deflection {
    struct csr_deflection_options options;
    unsigned nodes;
    uint32_t now;
    struct random random;
    struct packet *packets, *next; /* node * d + place */
    uint64_t *inserted;
};

struct csr_deflection *csr_deflection_create(const struct csr_deflection_options *options)
{
    struct csr_deflection *deflection = or_abort(calloc(1, sizeof *deflection));
    deflection->options = *options;
    deflection->nodes = 1u << options->dimensions;
    random_seed(&deflection->random, options->seed, 3);
    size_t places = (size_t)deflection->nodes * options->dimensions;
    deflection->packets = or_abort(calloc(places, sizeof *deflection->packets));
    deflection->next = or_abort(calloc(places, sizeof *deflection->next));
    deflection->inserted = or_abort(calloc(deflection->nodes, sizeof *deflection->inserted));
    return deflection;
}

void csr_deflection_free(struct csr_deflection *deflection)
{
    free(deflection->packets);
    free(deflection->next);
    free(deflection->inserted);
    free(deflection);
}

static void take_out(struct csr_deflection *deflection, unsigned node, struct packet *packet,
                     struct csr_delivered *delivered)
{
    if (!packet->here || packet->tag)
        return;
    packet->here = false;
    delivered->packets++;
    delivered->hot += node == 0;
    delivered->distances += packet->distance;
    delivered->slots += deflection->now - packet->entered;
}

static void insert(struct csr_deflection *deflection, unsigned node, struct packet *packet)
{
    const struct csr_deflection_options *options = &deflection->options;
    if (packet->here || (options->attempts < 1 && random_unit(&deflection->random) >= options->attempts))
        return;
    uint32_t tag = csr_pattern_tag(&options->destinations, options->dimensions, node, &deflection->random);
    if (!tag)
        return;
    *packet = (struct packet){tag, deflection->now, (uint16_t)__builtin_popcount(tag), true};
    deflection->inserted[node]++;
}

/* The packets of a node in the order in which they choose. */
static unsigned order_packets(struct csr_deflection *deflection, struct packet *places, struct packet **order)
{
    unsigned count = 0;
    for (unsigned i = 0; i < deflection->options.dimensions; i++)
        if (places[i].here) {
            unsigned place = random_below(&deflection->random, count + 1);
            order[count++] = order[place];
            order[place] = &places[i];
        }
    if (!deflection->options.priority)
        return count;
    for (unsigned i = 1; i < count; i++) { /* insertion keeps the random order of equals */
        struct packet *packet = order[i];
        unsigned place = i, far = (unsigned)__builtin_popcount(packet->tag);
        for (; place > 0 && (unsigned)__builtin_popcount(order[place - 1]->tag) > far; place--)
            order[place] = order[place - 1];
        order[place] = packet;
    }
    return count;
}

/* A random one of these links. */
static unsigned any_of(struct random *random, uint32_t links)
{
    for (unsigned skip = random_below(random, (uint32_t)__builtin_popcount(links)); skip; skip--)
        links &= links - 1;
    return (unsigned)__builtin_ctz(links);
}

/* Sends a packet over one of these links. */
static void send(struct csr_deflection *deflection, unsigned node, const struct packet *packet, uint32_t links,
                 uint32_t *free_links)
{
    unsigned link = any_of(&deflection->random, links);
    struct packet *to = &deflection->next[(node ^ 1u << link) * deflection->options.dimensions + link];
    *to = *packet;
    to->tag ^= UINT32_C(1) << link;
    *free_links &= ~(UINT32_C(1) << link);
}

static unsigned send_all(struct csr_deflection *deflection, unsigned node, struct packet **order, unsigned count)
{
    uint32_t free_links = (UINT32_C(1) << deflection->options.dimensions) - 1;
    unsigned deflected = 0;
    struct packet *left[CSR_MOST_DIMENSIONS];
    for (unsigned i = 0; i < count; i++) {
        uint32_t preferred = order[i]->tag & free_links;
        if (preferred)
            send(deflection, node, order[i], preferred, &free_links);
        else if (deflection->options.two_phases)
            left[deflected++] = order[i];
        else
            deflected++, send(deflection, node, order[i], free_links, &free_links);
    }
    for (unsigned i = 0; deflection->options.two_phases && i < deflected; i++)
        send(deflection, node, left[i], free_links, &free_links);
    return deflected;
}

struct csr_delivered csr_deflection_slot(struct csr_deflection *deflection)
{
    unsigned d = deflection->options.dimensions;
    struct csr_delivered delivered = {0};
    for (unsigned i = 0; i < deflection->nodes * d; i++)
        deflection->next[i].here = false;
    for (unsigned node = 0; node < deflection->nodes; node++) {
        struct packet *places = &deflection->packets[node * d], *order[CSR_MOST_DIMENSIONS];
        for (unsigned i = 0; i < d; i++) {
            take_out(deflection, node, &places[i], &delivered);
            insert(deflection, node, &places[i]);
        }
        delivered.deflected += send_all(deflection, node, order, order_packets(deflection, places, order));
    }
    struct packet *sent = deflection->packets;
    deflection->packets = deflection->next;
    deflection->next = sent;
    deflection->now++;
    return delivered;
}

uint64_t csr_deflection_inserted(const struct csr_deflection *deflection, unsigned node)
{
    return deflection->inserted[node];
}
