/* Random numbers that are the same everywhere: xoshiro256** seeded through splitmix64.
 *
 * Each source of randomness gets a stream of its own, so a change to one source leaves the others unchanged.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_SUPPORT_RANDOM_H
#define POSTROAD_SUPPORT_RANDOM_H

#include <math.h>
#include <stdint.h>

struct random {
    uint64_t state[4];
};

static inline uint64_t random_mix(uint64_t value)
{
    value += 0x9e3779b97f4a7c15u;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
    value = (value ^ value >> 27) * 0x94d049bb133111ebu;
    return value ^ value >> 31;
}

/* splitmix64: the next number of a stream of one word. */
static inline uint64_t random_split(uint64_t *state)
{
    uint64_t number = random_mix(*state);
    *state += 0x9e3779b97f4a7c15u;
    return number;
}

/* The stream of which polls a native operator misses: the same in every simulator. */
static inline uint64_t random_stalls(uint64_t seed, unsigned site)
{
    return seed * 0x2545f4914f6cdd1du + site;
}

static inline void random_seed(struct random *random, uint64_t seed, uint64_t stream)
{
    uint64_t value = random_mix(seed) ^ random_mix(~stream);
    for (int i = 0; i < 4; i++)
        random->state[i] = random_mix(value + (uint64_t)i);
}

static inline uint64_t random_bits(struct random *random)
{
    uint64_t *s = random->state, product = s[1] * 5, shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = s[3] << 45 | s[3] >> 19;
    return (product << 7 | product >> 57) * 9;
}

/* 0 <= result < below, below > 0. The result has no measurable modulo bias. */
static inline uint32_t random_below(struct random *random, uint32_t below)
{
    return (uint32_t)((random_bits(random) >> 32) * below >> 32);
}

/* 0 <= result < 1. */
static inline double random_unit(struct random *random)
{
    return (double)(random_bits(random) >> 11) * 0x1p-53;
}

/* Number of tries up to and including the first success, where each try succeeds with this probability (0 < p <= 1). */
static inline uint64_t random_geometric(struct random *random, double probability)
{
    if (probability >= 1)
        return 1;
    double tries = floor(log1p(-random_unit(random)) / log1p(-probability));
    return tries < 1e15 ? 1 + (uint64_t)tries : (uint64_t)1e15;
}

#endif
