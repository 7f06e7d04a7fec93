/* What the traffic application of the small operator (main.c beside this file) shares with the host: its orders and
 * reports, and the data of its packets.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_FIRMWARE_SMALL_TRAFFIC_SMALL_TRAFFIC_H
#define POSTROAD_TESTS_FIRMWARE_SMALL_TRAFFIC_SMALL_TRAFFIC_H

#include <stdint.h>

enum {
    TRAFFIC_VALUE_BYTES = 3, /* of a value of 16 bits, seven bits a byte */
    TRAFFIC_ORDER_BYTES = 2 + TRAFFIC_VALUE_BYTES,
    TRAFFIC_WORDS_MAX = 23, /* behind the tag */
    TRAFFIC_TARGET_MASK = 0x3f,
    TRAFFIC_SEND = 0x80,
    TRAFFIC_RESTART = 0xff,
    TRAFFIC_READY = 0x80,
    TRAFFIC_SETTLED,
    TRAFFIC_FAILED,
    TRAFFIC_REFUSED,
    TRAFFIC_DELIVERED
};

/* Word k of the data of a packet; word 0 is its tag. */
static inline uint32_t traffic_word(uint32_t tag, unsigned k)
{
    return (tag ^ k << 3 ^ k << 9 ^ (k & 1 ? 0x5aa5 : 0)) & 0xffff;
}

static inline uint32_t traffic_add(uint32_t sum, uint32_t word)
{
    return ((sum << 5) - sum + word) & 0xffff;
}

#endif
