/* See frame.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "tap/frame.h"

#include <arpa/inet.h>
#include <string.h>

enum { TYPE = 12, TYPE_IPV4 = 0x0800, TYPE_IPV6 = 0x86dd };
enum { IPV4_BYTES = 20, IPV4_LENGTH = 2, IPV4_PROTOCOL = 9, IPV4_TARGET = 16 };
enum { IPV6_BYTES = 40, IPV6_LENGTH = 4, IPV6_NEXT = 6, IPV6_TARGET = 24, HOP_BY_HOP = 0, OPTION_UNIT = 8 };
enum { SCOPE_HOST = 1, SCOPE_LINK = 2, MAPPED = 12 /* bytes before an IPv4 address */ };

static const uint8_t site_prefix[] = {0x02, 'p', 'r', 0};
static const uint8_t ipv4_prefix[] = {0x01, 0x00, 0x5e};
static const uint8_t ipv6_prefix[] = {0x33, 0x33};
static const uint8_t mapped_prefix[MAPPED] = {[10] = 0xff, [11] = 0xff};
static const uint8_t broadcast[TAP_MAC_BYTES] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

void tap_frame_mac(unsigned site, uint8_t mac[TAP_MAC_BYTES])
{
    memcpy(mac, site_prefix, sizeof site_prefix);
    mac[4] = (uint8_t)(site >> 8);
    mac[5] = (uint8_t)site;
}

bool tap_frame_is_from(const uint8_t *bytes, unsigned site)
{
    uint8_t mac[TAP_MAC_BYTES];
    tap_frame_mac(site, mac);
    return memcmp(bytes + TAP_MAC_BYTES, mac, sizeof mac) == 0;
}

struct tap_address tap_address_ipv4(const uint8_t *bytes)
{
    struct tap_address address;
    memcpy(address.bytes, mapped_prefix, MAPPED);
    memcpy(address.bytes + MAPPED, bytes, sizeof address.bytes - MAPPED);
    return address;
}

struct tap_address tap_address_ipv6(const uint8_t *bytes)
{
    struct tap_address address;
    memcpy(address.bytes, bytes, sizeof address.bytes);
    return address;
}

/* NULL: of IPv6. */
static const uint8_t *as_ipv4(const struct tap_address *address)
{
    return memcmp(address->bytes, mapped_prefix, MAPPED) == 0 ? address->bytes + MAPPED : NULL;
}

void tap_address_text(const struct tap_address *address, char out[TAP_ADDRESS_TEXT])
{
    const uint8_t *ipv4 = as_ipv4(address);
    inet_ntop(ipv4 ? AF_INET : AF_INET6, ipv4 ? ipv4 : address->bytes, out, TAP_ADDRESS_TEXT);
}

static bool is_multicast(const struct tap_address *address)
{
    const uint8_t *ipv4 = as_ipv4(address);
    return ipv4 ? ipv4[0] >> 4 == 0xe : address->bytes[0] == 0xff;
}

static bool is_link_local(const struct tap_address *address)
{
    const uint8_t *ipv4 = as_ipv4(address);
    return ipv4 ? ipv4[0] == 224 && !ipv4[1] && !ipv4[2] : (address->bytes[1] & 0xf) == SCOPE_LINK;
}

static bool stays_in_host(const struct tap_address *address)
{
    return !as_ipv4(address) && (address->bytes[1] & 0xf) <= SCOPE_HOST;
}

bool tap_address_is_joined(const struct tap_address *address)
{
    return is_multicast(address) && !is_link_local(address) && !stays_in_host(address);
}

static const uint8_t *ipv4_header(const uint8_t *frame, size_t frame_length)
{
    const uint8_t *ip = frame + TAP_FRAME_HEADER;
    if (frame_length < TAP_FRAME_HEADER + IPV4_BYTES || tap_half(frame + TYPE) != TYPE_IPV4 || ip[0] >> 4 != 4)
        return NULL;
    size_t header = 4 * (size_t)(ip[0] & 0xf), length = tap_half(ip + IPV4_LENGTH);
    return header >= IPV4_BYTES && length >= header && length <= frame_length - TAP_FRAME_HEADER ? ip : NULL;
}

const uint8_t *tap_ipv4_payload(const uint8_t *frame, size_t frame_length, size_t *length)
{
    const uint8_t *ip = ipv4_header(frame, frame_length);
    if (!ip)
        return NULL;
    size_t header = 4 * (size_t)(ip[0] & 0xf);
    *length = tap_half(ip + IPV4_LENGTH) - header;
    return ip + header;
}

static const uint8_t *ipv6_header(const uint8_t *frame, size_t frame_length)
{
    const uint8_t *ip = frame + TAP_FRAME_HEADER;
    bool whole = frame_length >= TAP_FRAME_HEADER + IPV6_BYTES && tap_half(frame + TYPE) == TYPE_IPV6 &&
                 ip[0] >> 4 == 6 && tap_half(ip + IPV6_LENGTH) <= frame_length - TAP_FRAME_HEADER - IPV6_BYTES;
    return whole ? ip : NULL;
}

const uint8_t *tap_icmpv6(const uint8_t *frame, size_t frame_length, size_t *length)
{
    const uint8_t *ip = ipv6_header(frame, frame_length);
    if (!ip)
        return NULL;
    const uint8_t *payload = ip + IPV6_BYTES;
    unsigned next = ip[IPV6_NEXT];
    *length = tap_half(ip + IPV6_LENGTH);
    if (next == HOP_BY_HOP && *length >= OPTION_UNIT) {
        size_t options = OPTION_UNIT * (1 + (size_t)payload[1]);
        if (options > *length)
            return NULL;
        next = payload[0];
        payload += options;
        *length -= options;
    }
    return next == TAP_PROTOCOL_ICMPV6 ? payload : NULL;
}

static bool is_mld(const uint8_t *frame, size_t frame_length)
{
    size_t length;
    const uint8_t *message = tap_icmpv6(frame, frame_length, &length);
    return message && length > 0 &&
           ((message[0] >= TAP_MLD_QUERY && message[0] <= TAP_MLD_DONE) || message[0] == TAP_MLD_REPORT_2);
}

static enum tap_frame_kind multicast_kind(const struct tap_address *address, bool report)
{
    if (!is_multicast(address))
        return TAP_FRAME_BAD;
    if (report)
        return TAP_FRAME_REPORT;
    return stays_in_host(address) ? TAP_FRAME_NOWHERE : is_link_local(address) ? TAP_FRAME_FLOOD : TAP_FRAME_GROUP;
}

/* The MAC address has the low 23 bits of the IPv4 address. */
static struct tap_frame read_ipv4(const uint8_t *bytes, size_t length)
{
    struct tap_frame frame = {.kind = TAP_FRAME_BAD};
    const uint8_t *ip = ipv4_header(bytes, length);
    if (!ip || bytes[3] != (ip[IPV4_TARGET + 1] & 0x7f) || memcmp(bytes + 4, ip + IPV4_TARGET + 2, 2) != 0)
        return frame;
    frame.address = tap_address_ipv4(ip + IPV4_TARGET);
    frame.kind = multicast_kind(&frame.address, ip[IPV4_PROTOCOL] == TAP_PROTOCOL_IGMP);
    return frame;
}

/* The MAC address has the low 32 bits of the IPv6 address. */
static struct tap_frame read_ipv6(const uint8_t *bytes, size_t length)
{
    struct tap_frame frame = {.kind = TAP_FRAME_BAD};
    const uint8_t *ip = ipv6_header(bytes, length);
    if (!ip || memcmp(bytes + 2, ip + IPV6_TARGET + 12, 4) != 0)
        return frame;
    frame.address = tap_address_ipv6(ip + IPV6_TARGET);
    frame.kind = as_ipv4(&frame.address) ? TAP_FRAME_BAD : multicast_kind(&frame.address, is_mld(bytes, length));
    return frame;
}

struct tap_frame tap_frame_read(const uint8_t *bytes, size_t length)
{
    if (length < TAP_FRAME_HEADER)
        return (struct tap_frame){.kind = TAP_FRAME_BAD};
    if (memcmp(bytes, broadcast, sizeof broadcast) == 0)
        return (struct tap_frame){.kind = TAP_FRAME_FLOOD};
    if (memcmp(bytes, site_prefix, sizeof site_prefix) == 0)
        return (struct tap_frame){.kind = TAP_FRAME_UNICAST, .site = tap_half(bytes + 4)};
    if (memcmp(bytes, ipv4_prefix, sizeof ipv4_prefix) == 0 && !(bytes[3] & 0x80))
        return read_ipv4(bytes, length);
    if (memcmp(bytes, ipv6_prefix, sizeof ipv6_prefix) == 0)
        return read_ipv6(bytes, length);
    return (struct tap_frame){.kind = TAP_FRAME_NOWHERE};
}
