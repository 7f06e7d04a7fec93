/* Ethernet frames of the namespaces: where one is to go, by its addresses alone.
 *
 * The MAC address of a site is locally administered and has the site's number in it, so unicast needs no table:
 *
 *   02:70:72:00:HI:LO
 *
 * Multicast goes by its IP address, which the MAC address has to match (RFC 1112, 6.4; RFC 2464, 7). What is link-local
 * goes to all, 224.0.0.x as in RFC 4541, 2.1.2, and of IPv6 all of ff02::/16, so that neighbours are found even if a
 * report is lost.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TAP_FRAME_H
#define POSTROAD_TAP_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TAP_MAC_BYTES = 6,
    TAP_FRAME_HEADER = 14,
    TAP_MTU = 1500, /* Ethernet's, which every program expects; IPv6 needs 1280 */
    TAP_TAG_BYTES = 4,
    TAP_FRAME_MOST = TAP_FRAME_HEADER + TAP_TAG_BYTES + TAP_MTU,
    TAP_ADDRESS_BYTES = 16
};

/* An IP address; IPv4 as ::ffff:a.b.c.d. */
struct tap_address {
    uint8_t bytes[TAP_ADDRESS_BYTES];
};

enum tap_frame_kind {
    TAP_FRAME_BAD,     /* too short, or its addresses do not match */
    TAP_FRAME_UNICAST, /* to one site */
    TAP_FRAME_FLOOD,   /* to all sites */
    TAP_FRAME_GROUP,   /* to sites that have joined the address */
    TAP_FRAME_REPORT,  /* IGMP or MLD, for the tap itself */
    TAP_FRAME_NOWHERE  /* to a MAC address that no site can have, or an IP address that does not leave its host */
};

struct tap_frame {
    enum tap_frame_kind kind;
    unsigned site;              /* of TAP_FRAME_UNICAST */
    struct tap_address address; /* of TAP_FRAME_GROUP */
};

/* 16 bits in the order of the network. */
static inline unsigned tap_half(const uint8_t *bytes)
{
    return (unsigned)bytes[0] << 8 | bytes[1];
}

static inline void tap_put_half(uint8_t *out, size_t value)
{
    out[0] = (uint8_t)(value >> 8);
    out[1] = (uint8_t)value;
}

struct tap_frame tap_frame_read(const uint8_t *bytes, size_t length);

/* Is the source of a frame (of TAP_FRAME_HEADER bytes at least) this site? */
bool tap_frame_is_from(const uint8_t *bytes, unsigned site);

void tap_frame_mac(unsigned site, uint8_t mac[TAP_MAC_BYTES]);

/* ::ffff:a.b.c.d of four bytes in the order of the network. */
struct tap_address tap_address_ipv4(const uint8_t *bytes);
struct tap_address tap_address_ipv6(const uint8_t *bytes);

enum { TAP_ADDRESS_TEXT = 48 };
void tap_address_text(const struct tap_address *address, char out[TAP_ADDRESS_TEXT]);

/* Is it one that is to be joined, not flooded and not kept in its host? False for what is no multicast address. */
bool tap_address_is_joined(const struct tap_address *address);

/* The IPv4 packet of a frame: NULL if none fits. *length is that of the payload. */
const uint8_t *tap_ipv4_payload(const uint8_t *frame, size_t frame_length, size_t *length);

/* ICMPv6 behind the header, or behind options of each hop (RFC 8200, 4.3), as MLD has them. */
const uint8_t *tap_icmpv6(const uint8_t *frame, size_t frame_length, size_t *length);

enum { TAP_PROTOCOL_IGMP = 2, TAP_PROTOCOL_ICMPV6 = 58 };
enum { TAP_MLD_QUERY = 130, TAP_MLD_REPORT = 131, TAP_MLD_DONE = 132, TAP_MLD_REPORT_2 = 143 };

#endif
