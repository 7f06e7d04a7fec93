/* The words in front of a packet's data, as numbers and back (hw/protocol/packet.ini): the operator's header of the
 * reliable service, acknowledgements and control packets. Pure functions: nothing else of the operator is touched.
 *
 * An epoch numbers the restarts of a site. Control packets carry 16 bits of it; data and acknowledgements its low
 * 5, enough to recognise the epoch that both sides have agreed on by control packets, never to tell which of two is
 * newer.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WIRE_HEADER_H
#define POSTROAD_WIRE_HEADER_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "protocol.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    PR_EPOCH_MASK = 0x1f,
    PR_ACKNOWLEDGEMENT_SPAN = 11,               /* packets before `sequence` that a bitmap speaks of */
    PR_HEADER_WORDS_MAX = 1 + PR_CONTROL_WORDS, /* of a control packet; data takes 5 at most */
    PR_HEADER_PARENT_WORDS = 1
};

/* Packets to these handlers are raw in every mesh: they leave once, take no sequence number of the window, and are
 * delivered whatever theirs is. */
static inline bool pr_handler_is_raw(uint8_t handler)
{
    static_assert((int)PR_HANDLER_LOAD == (int)PR_HANDLER_GROUP + 2 &&
                      (int)PR_HANDLER_SCOUT == (int)PR_HANDLER_GROUP + 1,
                  "one comparison");
    return handler - (unsigned)PR_HANDLER_GROUP <= 2;
}

/* What a site has received of another one's packets. */
struct pr_acknowledgement {
    uint16_t sequence;
    uint16_t bitmap; /* bit k: sequence - 1 - k too */
    uint8_t epoch;   /* of the site that is acknowledged to */
};

enum pr_header_kind {
    PR_HEADER_KIND_BAD, /* nothing in it may be trusted */
    PR_HEADER_KIND_DATA,
    PR_HEADER_KIND_ACKNOWLEDGEMENT,
    PR_HEADER_KIND_CONTROL,
    PR_HEADER_KIND_RELAY_ACKNOWLEDGEMENT
};

struct pr_header {
    enum pr_header_kind kind;
    uint32_t source;
    uint8_t words;     /* of the packet's data that the header takes; the rest is the evaluator's */
    uint16_t epoch;    /* data (5 bits) and control: of the source */
    uint16_t sequence; /* data */
    uint8_t handler;   /* data */
    bool aborted;      /* data: a multicast that was aborted before */
    bool carries;      /* data: an acknowledgement */
    bool has_parent;   /* data for relays: the site `parent` awaits the acknowledgement */
    struct pr_acknowledgement acknowledgement;
    uint8_t control; /* control: CONTROL_TYPE_* */
    union {
        uint16_t peer_epoch;
        uint16_t parent; /* of data for relays */
    };
    uint32_t base;
};

/* The bit of a header's source word that tells acknowledgements and control packets from data, at a word width of 16 or
 * 32. Every fabric has it: it lies in the data, where the mark of site words (M10) means nothing. */
static inline uint32_t pr_header_kind_bit(unsigned word_width)
{
    return word_width == 32 ? 1u << PR_HEADER_KIND_BIT_32 : 1u << PR_HEADER_KIND_BIT_16;
}

/* In addition, that of acknowledgements for a subtree: both, at this kind bit. Site numbers have fewer bits. */
static inline uint32_t pr_header_kind_bits(uint32_t kind_bit)
{
    return kind_bit | kind_bit >> 1;
}

/* The kind of the header of a packet with so many data words, after every check. kind_bit: pr_header_kind_bit of the
 * mesh's word width. */
enum pr_header_kind pr_header_kind(const uint32_t *data, unsigned words, uint32_t kind_bit);

/* The same for most packets in a few instructions. True: it is DATA without an acknowledgement and not for relays, if
 * the source word is a site's number and there are PR_HEADER_WORDS words. */
static inline bool pr_header_is_bare(const uint32_t *data)
{
    uint32_t handler = data[PR_HEADER_HANDLER], wide = (handler | data[PR_HEADER_SEQUENCE]) & ~(uint32_t)UINT16_MAX;
    return (wide | (handler & (1u << PR_HEADER_CARRIES_BIT | 1u << PR_HEADER_RELAY_BIT))) == 0;
}

/* Reads a header of this kind, which is not BAD. */
void pr_header_read(struct pr_header *header, enum pr_header_kind kind, const uint32_t *data, uint32_t kind_bit);

/* Both. If it is BAD, only the kind in *header is written. */
enum pr_header_kind pr_header_decode(struct pr_header *header, const uint32_t *data, unsigned words, uint32_t kind_bit);

/* Writes header->words words, at most PR_HEADER_WORDS_MAX, for the header's kind; sets header->words. */
void pr_header_encode(struct pr_header *header, uint32_t *data, uint32_t kind_bit);

#ifdef __cplusplus
}
#endif

#endif
