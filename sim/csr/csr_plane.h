/* Bit-slicing: one bit of every node of a hypercube in a *plane*, an array of words. Node s is bit s % 64 of word s /
 * 64; the bits above the last node of a small cube are 0.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CSR_CSR_PLANE_H
#define POSTROAD_CSR_CSR_PLANE_H

#include <stdbool.h>
#include <stdint.h>

#include "support/random.h"

enum { CSR_WORD_BITS = 64, CSR_WORD_DIMENSIONS = 6 };

static inline unsigned csr_plane_words(unsigned dimensions)
{
    return dimensions > CSR_WORD_DIMENSIONS ? 1u << (dimensions - CSR_WORD_DIMENSIONS) : 1;
}

/* The nodes of a word. */
static inline uint64_t csr_plane_nodes(unsigned dimensions)
{
    return dimensions >= CSR_WORD_DIMENSIONS ? ~UINT64_C(0) : (UINT64_C(1) << (1u << dimensions)) - 1;
}

static inline bool csr_plane_bit(const uint64_t *plane, unsigned node)
{
    return plane[node / CSR_WORD_BITS] >> node % CSR_WORD_BITS & 1;
}

static inline void csr_plane_set_bit(uint64_t *plane, unsigned node, bool bit)
{
    uint64_t mask = UINT64_C(1) << node % CSR_WORD_BITS;
    plane[node / CSR_WORD_BITS] = (plane[node / CSR_WORD_BITS] & ~mask) | (bit ? mask : 0);
}

/* Bit `bit` of the numbers of the nodes of this word. */
static inline uint64_t csr_plane_number(unsigned word, unsigned bit)
{
    static const uint64_t inside[CSR_WORD_DIMENSIONS] = {0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0,
                                                         0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000};
    return bit < CSR_WORD_DIMENSIONS ? inside[bit] : -(uint64_t)(word >> (bit - CSR_WORD_DIMENSIONS) & 1);
}

/* Every node's bit goes to its neighbour in this dimension: within the word, and to the word of this number. */
static inline uint64_t csr_plane_crossed(uint64_t bits, unsigned dimension)
{
    if (dimension >= CSR_WORD_DIMENSIONS)
        return bits;
    unsigned shift = 1u << dimension;
    uint64_t high = csr_plane_number(0, dimension);
    return (bits & high) >> shift | (bits & ~high) << shift;
}

static inline unsigned csr_plane_crossed_word(unsigned word, unsigned dimension)
{
    return dimension >= CSR_WORD_DIMENSIONS ? word ^ 1u << (dimension - CSR_WORD_DIMENSIONS) : word;
}

/* 64 bits, each of them set with this probability, to 64 binary places: the bits of a random number are compared with
 * those of the probability, the first place first, until every comparison is decided. */
static inline uint64_t csr_plane_bernoulli(struct random *random, double probability)
{
    if (probability >= 1)
        return ~UINT64_C(0);
    uint64_t set = 0, open = ~UINT64_C(0);
    for (uint64_t places = (uint64_t)(probability * 0x1p64); places && open; places <<= 1) {
        uint64_t drawn = random_bits(random);
        if (places >> 63) {
            set |= open & ~drawn;
            open &= drawn;
        } else {
            open &= ~drawn;
        }
    }
    return set;
}

#endif
