/* See reports.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "tap/reports.h"

#include "tap/checksum.h"

#include <string.h>

enum { IGMP_REPORT_1 = 0x12, IGMP_QUERY = 0x11, IGMP_REPORT_2 = 0x16, IGMP_LEAVE = 0x17, IGMP_REPORT_3 = 0x22 };
enum { IPV4_BYTES = 4, IPV6_BYTES = 16, HEADER = 8 /* of every message */, RECORDS = 6 /* their number */ };
enum { IS_INCLUDE = 1, IS_EXCLUDE, TO_INCLUDE, TO_EXCLUDE, ALLOW, BLOCK };
enum { IPV4_FRAGMENT = 6, IPV6_SOURCE = 8, IPV6_HOP_LIMIT = 7 };

/* A message of either protocol, which differ in the length of addresses. */
struct message {
    const uint8_t *bytes;
    size_t length, address_bytes;
    tap_report_change *change; /* NULL: only checked */
    void *context;
};

/* Addresses that are flooded need no member. */
static void change(const struct message *message, const uint8_t *bytes, bool wanted)
{
    struct tap_address address = message->address_bytes == IPV4_BYTES ? tap_address_ipv4(bytes)
                                                                      : tap_address_ipv6(bytes);
    if (message->change && tap_address_is_joined(&address))
        message->change(message->context, &address, wanted);
}

static bool one_address(const struct message *message, size_t at, bool wanted)
{
    if (message->length < at + message->address_bytes)
        return false;
    change(message, message->bytes + at, wanted);
    return true;
}

static void take_record(const struct message *message, const uint8_t *record)
{
    unsigned type = record[0], sources = tap_half(record + 2);
    if (type == IS_EXCLUDE || type == TO_EXCLUDE || (sources && type != BLOCK))
        change(message, record + 4, true);
    else if (type == IS_INCLUDE || type == TO_INCLUDE)
        change(message, record + 4, false);
}

/* Records of IGMPv3 and MLDv2: type, words of auxiliary data, number of sources, address, sources, auxiliary data. */
static bool take_records(const struct message *message)
{
    size_t at = HEADER;
    for (unsigned count = tap_half(message->bytes + RECORDS); count > 0; count--) {
        if (message->length < at + 4 + message->address_bytes)
            return false;
        const uint8_t *record = message->bytes + at;
        at += 4 + message->address_bytes * (1 + (size_t)tap_half(record + 2)) + 4 * (size_t)record[1];
        if (message->length < at || record[0] < IS_INCLUDE || record[0] > BLOCK)
            return false;
        take_record(message, record);
    }
    return true;
}

static bool take_igmp(const struct message *message)
{
    switch (message->bytes[0]) {
    case IGMP_REPORT_1:
    case IGMP_REPORT_2:
    case IGMP_LEAVE:
        return one_address(message, 4, message->bytes[0] != IGMP_LEAVE);
    case IGMP_REPORT_3:
        return take_records(message);
    default:
        return message->bytes[0] == IGMP_QUERY;
    }
}

static bool take_mld(const struct message *message)
{
    switch (message->bytes[0]) {
    case TAP_MLD_REPORT:
    case TAP_MLD_DONE:
        return one_address(message, HEADER, message->bytes[0] != TAP_MLD_DONE);
    case TAP_MLD_REPORT_2:
        return take_records(message);
    default:
        return message->bytes[0] == TAP_MLD_QUERY;
    }
}

static bool take(const struct message *message)
{
    return message->address_bytes == IPV4_BYTES ? take_igmp(message) : take_mld(message);
}

/* IGMP is never fragmented: a part of a message has no place for a checksum. */
static bool find_igmp(const uint8_t *frame, size_t length, struct message *message)
{
    message->address_bytes = IPV4_BYTES;
    message->bytes = tap_ipv4_payload(frame, length, &message->length);
    const uint8_t *ip = frame + TAP_FRAME_HEADER;
    return message->bytes && message->length >= HEADER && !(tap_half(ip + IPV4_FRAGMENT) & 0x3fff) &&
           tap_checksum_end(tap_checksum_add(0, ip, (size_t)(message->bytes - ip))) == 0 &&
           tap_checksum_end(tap_checksum_add(0, message->bytes, message->length)) == 0;
}

/* From a link-local address (RFC 3810, 5), or from none, which must not be refused (RFC 4541, 3). */
static bool is_near(const uint8_t *source)
{
    static const uint8_t none[IPV6_BYTES];
    return (source[0] == 0xfe && (source[1] & 0xc0) == 0x80) || memcmp(source, none, sizeof none) == 0;
}

static bool find_mld(const uint8_t *frame, size_t length, struct message *message)
{
    message->address_bytes = IPV6_BYTES;
    message->bytes = tap_icmpv6(frame, length, &message->length);
    const uint8_t *ip = frame + TAP_FRAME_HEADER;
    return message->bytes && message->length >= HEADER && ip[IPV6_HOP_LIMIT] == 1 && is_near(ip + IPV6_SOURCE) &&
           tap_checksum_end(tap_checksum_add(tap_checksum_pseudo_header(ip, message->length, TAP_PROTOCOL_ICMPV6),
                                             message->bytes, message->length)) == 0;
}

bool tap_reports_read(const uint8_t *frame, size_t length, tap_report_change *change, void *context)
{
    struct message message = {.context = context};
    if (!find_igmp(frame, length, &message) && !find_mld(frame, length, &message))
        return false;
    if (!take(&message))
        return false;
    message.change = change;
    return take(&message);
}

/* To 224.0.0.1 from nobody, with the option Router Alert; answers within 10 s; robustness 2, interval 125 s. */
size_t tap_query_igmp(uint8_t out[TAP_QUERY_BYTES])
{
    static const uint8_t query[] = {
        0x01, 0x00, 0x5e, 0x00, 0x00, 0x01, 0x02, 'p', 'r', 0x01, 0, 0, 0x08, 0x00, /* Ethernet */
        0x46, 0xc0, 0,    36,   0,    0,    0,    0,   1,   2,    0, 0, 0,    0,
        0,    0,    224,  0,    0,    1,    0x94, 4,   0,   0,          /* IPv4 */
        0x11, 100,  0,    0,    0,    0,    0,    0,   2,   125,  0, 0, /* IGMPv3 */
    };
    enum { IP = TAP_FRAME_HEADER, IP_BYTES = 24, IGMP = IP + IP_BYTES };
    memcpy(out, query, sizeof query);
    tap_put_half(out + IP + 10, tap_checksum_end(tap_checksum_add(0, out + IP, IP_BYTES)));
    tap_put_half(out + IGMP + 2, tap_checksum_end(tap_checksum_add(0, out + IGMP, sizeof query - IGMP)));
    return sizeof query;
}

/* The same of MLDv2: to ff02::1 from fe80::1:0:0, which no site has. */
size_t tap_query_mld(uint8_t out[TAP_QUERY_BYTES])
{
    static const uint8_t query[] = {
        0x33, 0x33, 0x00, 0x00, 0x00, 0x01, 0x02, 'p', 'r',  0x01, 0, 0, 0x86, 0xdd,       /* Ethernet */
        0x60, 0,    0,    0,    0,    36,   0,    1,   0xfe, 0x80, 0, 0, 0,    0,    0, 0, /* IPv6 */
        0,    0,    0,    1,    0,    0,    0,    0,   0xff, 0x02, 0, 0, 0,    0,    0, 0,
        0,    0,    0,    0,    0,    0,    0,    1,   58,   0,    5, 2, 0,    0,    1, 0, /* Router Alert */
        130,  0,    0,    0,    0x27, 0x10, 0,    0,   0,    0,    0, 0, 0,    0,    0, 0, /* MLDv2 */
        0,    0,    0,    0,    0,    0,    0,    0,   2,    125,  0, 0,
    };
    enum { IP = TAP_FRAME_HEADER, MLD = IP + 48 };
    memcpy(out, query, sizeof query);
    uint32_t sum = tap_checksum_pseudo_header(out + IP, sizeof query - MLD, TAP_PROTOCOL_ICMPV6);
    tap_put_half(out + MLD + 2, tap_checksum_end(tap_checksum_add(sum, out + MLD, sizeof query - MLD)));
    return sizeof query;
}
