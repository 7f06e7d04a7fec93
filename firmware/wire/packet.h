/* A packet in RAM: a descriptor of 16 words, then bare words (targets first, then data).
 *
 * The layout is shared with the network_interface, which reads it to send and writes it when it
 * receives; it is the same on a node and natively. One fabric word takes one 32-bit word at any
 * word width.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WIRE_PACKET_H
#define POSTROAD_WIRE_PACKET_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pr_packet {
    union {
        uint32_t counts; /* data words [15:0], target words [31:16]: */
        struct {
            uint16_t data_words, target_words; /* read as halves, because small cores shift a bit a clock */
        };
    };
    union {
        uint32_t kind; /* PR_KIND_*: terminator tag, multicast, oversize. Upper half 0: send all targets. */
        struct {
            uint16_t kind_bits;
            uint8_t first_target, end_target; /* to send: these target words go, 0 at the end: all the others */
        };
    };
    uint32_t stamp_first;                /* low 32 bits of the clock in which the first word moved */
    uint32_t stamp_last;                 /* the same for the terminator */
    uint32_t info[PR_PACKET_INFO_WORDS]; /* bit k%32 of info[k/32]: target word k is target_info */
    uint32_t next;                       /* the operator's own from here on: queue link, */
    uint32_t role;                       /* what the buffer is used for: pool.h, */
    uint32_t grouping;                   /* as which packets it leaves: enum pr_grouping */
    uint32_t spare;
    uint32_t words[]; /* targets, then data */
};

static_assert(offsetof(struct pr_packet, target_words) == PR_PACKET_COUNTS_TARGET_SHIFT / 8, "little-endian");
static_assert(offsetof(struct pr_packet, first_target) == PR_PACKET_OFFSET_KIND * 4 + PR_KIND_FIRST_SHIFT / 8,
              "little-endian");
static_assert(offsetof(struct pr_packet, end_target) == PR_PACKET_OFFSET_KIND * 4 + PR_KIND_END_SHIFT / 8,
              "little-endian");
static_assert(offsetof(struct pr_packet, next) == 4 * PR_PACKET_OFFSET_OPERATOR, "the operator's own words");
static_assert(offsetof(struct pr_packet, words) == 4 * PR_PACKET_OFFSET_WORDS, "the network_interface has this layout");

/* 32-bit words one pool buffer takes, for a word area of packet_words. */
#define PR_PACKET_BUFFER_WORDS(packet_words) (PR_PACKET_HEADER_WORDS + (packet_words))

static inline unsigned pr_packet_data_words(const struct pr_packet *packet)
{
    return packet->data_words;
}

static inline unsigned pr_packet_target_words(const struct pr_packet *packet)
{
    return packet->target_words;
}

static inline void pr_packet_set_counts(struct pr_packet *packet, unsigned target_words, unsigned data_words)
{
    packet->target_words = (uint16_t)target_words;
    packet->data_words = (uint16_t)data_words;
}

/* The target word behind the last one that goes. */
static inline unsigned pr_packet_end_target(const struct pr_packet *packet)
{
    return packet->end_target != 0 ? packet->end_target : packet->target_words;
}

/* Target words that go. */
static inline unsigned pr_packet_sent_targets(const struct pr_packet *packet)
{
    return pr_packet_end_target(packet) - packet->first_target;
}

/* True for the tag of a word that ends a packet, on a link or at an operator. */
static inline bool pr_packet_tag_ends(unsigned tag)
{
    return tag == PR_TAG_END_OF_PACKET || tag == PR_TAG_ABORT_PACKET || tag == PR_TAG_LOCAL_END_OF_PACKET;
}

static inline bool pr_packet_is_info(const struct pr_packet *packet, unsigned target_word)
{
    const uint8_t *info = (const uint8_t *)packet->info; /* by bytes: small cores shift a bit a clock */
    return info[target_word / 8] >> (target_word % 8) & 1;
}

#ifdef __cplusplus
}
#endif

#endif
