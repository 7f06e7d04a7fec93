/* See csr_traffic.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "csr/csr_traffic.h"

#include <stdlib.h>

#include "csr/csr_plane.h"
#include "support/or_abort.h"

struct csr_traffic {
    unsigned dimensions, words;
    struct csr_load load;
    struct random random;
    uint64_t *backlogged; /* 2 d planes */
    uint64_t left;        /* to the caller, in this slot: of this link and word */
    unsigned left_link, left_word;
};

struct csr_traffic *csr_traffic_create(unsigned dimensions, const struct csr_load *load)
{
    struct csr_traffic *traffic = or_abort(calloc(1, sizeof *traffic));
    *traffic = (struct csr_traffic){.dimensions = dimensions, .words = csr_plane_words(dimensions), .load = *load};
    random_seed(&traffic->random, load->seed, 1);
    traffic->backlogged = or_abort(calloc((size_t)2 * dimensions * traffic->words, sizeof *traffic->backlogged));
    return traffic;
}

void csr_traffic_free(struct csr_traffic *traffic)
{
    free(traffic->backlogged);
    free(traffic);
}

bool csr_traffic_backlogged(const struct csr_traffic *traffic, unsigned node, unsigned link)
{
    return csr_plane_bit(&traffic->backlogged[link * traffic->words], node);
}

void csr_traffic_leave(struct csr_traffic *traffic, unsigned node, unsigned link)
{
    traffic->left = UINT64_C(1) << node % CSR_WORD_BITS;
    traffic->left_link = link;
    traffic->left_word = node / CSR_WORD_BITS;
}

/* The entry buffers of this word that are those of the traffic. */
static uint64_t own(const struct csr_traffic *traffic, unsigned link, unsigned word)
{
    uint64_t left = link == traffic->left_link && word == traffic->left_word ? traffic->left : 0;
    return csr_plane_nodes(traffic->dimensions) & ~left;
}

/* Uniform destinations: all bits of the tag but the link's own one are drawn. */
static void draw_uniform(struct csr_traffic *traffic, struct csr_model *model, unsigned link, unsigned word,
                         uint64_t new)
{
    for (unsigned k = 0; k < traffic->dimensions; k++) {
        uint64_t *tag = &csr_model_tags(model, link, k)[word];
        if (k != link / 2)
            *tag = (*tag & ~new) | (random_bits(&traffic->random) & new);
    }
}

/* Node by node; which of the new packets are those of this link. */
static uint64_t draw_pattern(struct csr_traffic *traffic, struct csr_model *model, unsigned link, unsigned word,
                             uint64_t new)
{
    uint64_t drawn = 0;
    for (uint64_t rest = new; rest; rest &= rest - 1) {
        unsigned node = word * CSR_WORD_BITS + (unsigned)__builtin_ctzll(rest);
        uint32_t tag = csr_pattern_tag(&traffic->load.destinations, traffic->dimensions, node, &traffic->random);
        for (unsigned k = 0; k < traffic->dimensions; k++)
            csr_plane_set_bit(csr_model_tags(model, link, k), node, tag >> k & 1);
        if ((tag >> link / 2 & 1) == link % 2)
            drawn |= rest & -rest;
    }
    return drawn;
}

void csr_traffic_offer(struct csr_traffic *traffic, struct csr_model *model)
{
    for (unsigned link = 0; link < 2 * traffic->dimensions; link++)
        for (unsigned word = 0; word < traffic->words; word++) {
            uint64_t backlogged = traffic->backlogged[link * traffic->words + word];
            uint64_t empty = own(traffic, link, word) & ~backlogged;
            uint64_t new = csr_plane_bernoulli(&traffic->random, traffic->load.arrival) & empty;
            if (traffic->load.destinations.pattern == CSR_UNIFORM)
                draw_uniform(traffic, model, link, word, new);
            else
                new = draw_pattern(traffic, model, link, word, new);
            uint64_t again = backlogged ? csr_plane_bernoulli(&traffic->random, traffic->load.retry) & backlogged : 0;
            csr_model_attempts(model, link)[word] = new | again;
        }
}

/* The entry buffers of this word whose packets are for node 0. */
static uint64_t hot(const struct csr_traffic *traffic, struct csr_model *model, unsigned link, unsigned word)
{
    uint64_t differ = 0;
    for (unsigned k = 0; k < traffic->dimensions; k++) {
        uint64_t tag = k == link / 2 ? -(uint64_t)(link % 2) : csr_model_tags(model, link, k)[word];
        differ |= tag ^ csr_plane_number(word, k);
    }
    return ~differ;
}

struct csr_settled csr_traffic_settle(struct csr_traffic *traffic, struct csr_model *model)
{
    struct csr_settled settled = {0};
    for (unsigned link = 0; link < 2 * traffic->dimensions; link++)
        for (unsigned word = 0; word < traffic->words; word++) {
            uint64_t attempts = csr_model_attempts(model, link)[word] & own(traffic, link, word);
            uint64_t accepted = csr_model_accepted(model, link)[word] & own(traffic, link, word);
            uint64_t *backlogged = &traffic->backlogged[link * traffic->words + word];
            *backlogged = traffic->load.redraw ? 0 : (*backlogged | attempts) & ~accepted;
            settled.attempts += (unsigned)__builtin_popcountll(attempts);
            settled.accepted += (unsigned)__builtin_popcountll(accepted);
            settled.hot += (unsigned)__builtin_popcountll(accepted & hot(traffic, model, link, word));
            settled.backlogged += (unsigned)__builtin_popcountll(*backlogged);
        }
    traffic->left = 0;
    return settled;
}
