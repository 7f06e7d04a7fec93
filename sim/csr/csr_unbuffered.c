/* See csr_unbuffered.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "csr/csr_unbuffered.h"

#include <stdlib.h>

#include "support/or_abort.h"
#include "support/random.h"

/* On a link; crossed: links, this one included; 0: no packet. */
struct packet {
    uint16_t tag;
    uint8_t crossed;
};

struct csr_unbuffered {
    struct csr_unbuffered_options options;
    unsigned nodes, links; /* of a node */
    struct random random;
    struct packet *packets, *next; /* node * 2 d + link */
};

struct csr_unbuffered *csr_unbuffered_create(const struct csr_unbuffered_options *options)
{
    struct csr_unbuffered *unbuffered = or_abort(calloc(1, sizeof *unbuffered));
    unbuffered->options = *options;
    unbuffered->nodes = 1u << options->dimensions;
    unbuffered->links = 2 * options->dimensions;
    random_seed(&unbuffered->random, options->seed, 4);
    size_t places = (size_t)unbuffered->nodes * unbuffered->links;
    unbuffered->packets = or_abort(calloc(places, sizeof *unbuffered->packets));
    unbuffered->next = or_abort(calloc(places, sizeof *unbuffered->next));
    return unbuffered;
}

void csr_unbuffered_free(struct csr_unbuffered *unbuffered)
{
    free(unbuffered->packets);
    free(unbuffered->next);
    free(unbuffered);
}

/* The one of these packets that gets the link; NULL of none. */
static const struct packet *winner(struct csr_unbuffered *unbuffered, const struct packet *const *packets,
                                   unsigned count)
{
    const struct packet *best = NULL;
    unsigned equals = 0;
    for (unsigned i = 0; i < count; i++) {
        if (best && unbuffered->options.priority && packets[i]->crossed != best->crossed) {
            if (packets[i]->crossed > best->crossed)
                best = packets[i], equals = 1;
        } else if (random_below(&unbuffered->random, ++equals) == 0) {
            best = packets[i];
        }
    }
    return best;
}

/* Fills the links of a module, behind `before`: those that lead here over the internal link and the forward one. */
static void fill(struct csr_unbuffered *unbuffered, unsigned node, unsigned k, const struct packet *const before[2])
{
    const struct csr_unbuffered_options *options = &unbuffered->options;
    for (unsigned o = 0; o < 2; o++) {
        const struct packet *wanting[3];
        unsigned count = 0;
        for (unsigned source = 0; source < 2; source++)
            if (before[source]->crossed && before[source]->crossed < options->dimensions &&
                (before[source]->tag >> k & 1) == o)
                wanting[count++] = before[source];
        struct packet new = {0};
        bool enters = !(count && (options->new_last || options->priority));
        if (enters && (options->attempts >= 1 || random_unit(&unbuffered->random) < options->attempts)) {
            uint32_t any = random_below(&unbuffered->random, unbuffered->nodes);
            new.tag = (uint16_t)((any & ~(1u << k)) | o << k);
            wanting[count++] = &new;
        }
        const struct packet *won = winner(unbuffered, wanting, count);
        struct packet *link = &unbuffered->next[node * unbuffered->links + 2 * k + o];
        *link = won ? *won : (struct packet){0};
        link->crossed += won ? 1 : 0;
    }
}

unsigned csr_unbuffered_slot(struct csr_unbuffered *unbuffered)
{
    unsigned d = unbuffered->options.dimensions, arrived = 0;
    for (unsigned node = 0; node < unbuffered->nodes; node++)
        for (unsigned k = 0; k < d; k++) {
            unsigned last = (k + 1) % d;
            const struct packet *before[2] = {
                &unbuffered->packets[node * unbuffered->links + 2 * last],
                &unbuffered->packets[(node ^ 1u << last) * unbuffered->links + 2 * last + 1]};
            arrived += (before[0]->crossed == d) + (before[1]->crossed == d);
            fill(unbuffered, node, k, before);
        }
    struct packet *crossed = unbuffered->packets;
    unbuffered->packets = unbuffered->next;
    unbuffered->next = crossed;
    return arrived;
}
