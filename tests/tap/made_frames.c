/* See made_frames.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "made_frames.h"

#include "check.h"

#include <arpa/inet.h>
#include <string.h>

enum {
    ETHERNET = 14,
    IPV4 = 24,
    IPV6 = 40,
    OPTIONS = 8,
    IGMP_AT = ETHERNET + IPV4,
    MLD_AT = ETHERNET + IPV6 + OPTIONS
};

static void add(struct made_frame *frame, const void *bytes, size_t count)
{
    CHECK(frame->length + count <= sizeof frame->bytes);
    memcpy(frame->bytes + frame->length, bytes, count);
    frame->length += count;
}

static void add_numbers(struct made_frame *frame, const char *hex)
{
    for (unsigned value; sscanf(hex, "%2x", &value) == 1; hex += hex[2] ? 3 : 2) {
        uint8_t byte = (uint8_t)value;
        add(frame, &byte, 1);
        if (!hex[2])
            break;
    }
}

static void put16(uint8_t *out, size_t value)
{
    out[0] = (uint8_t)(value / 256);
    out[1] = (uint8_t)(value % 256);
}

static bool is_ipv6(const char *text)
{
    return strchr(text, ':') != NULL;
}

static size_t address_of(const char *text, uint8_t out[16])
{
    CHECK(inet_pton(is_ipv6(text) ? AF_INET6 : AF_INET, text, out) == 1);
    return is_ipv6(text) ? 16 : 4;
}

/* Where an address leads on the wire. Sites have the number that the address ends in. */
static void add_target(struct made_frame *frame, const char *to)
{
    uint8_t address[16], mac[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    if (strcmp(to, "broadcast") != 0) {
        size_t count = address_of(to, address);
        const uint8_t ipv4[] = {1, 0, 0x5e, address[1] & 0x7f, address[2], address[3]};
        const uint8_t ipv6[] = {0x33, 0x33, address[12], address[13], address[14], address[15]};
        const uint8_t site[] = {2, 'p', 'r', 0, address[count - 2], address[count - 1]};
        bool many = count == 4 ? (address[0] & 0xf0) == 0xe0 : address[0] == 0xff;
        memcpy(mac, !many ? site : count == 4 ? ipv4 : ipv6, sizeof mac);
    }
    add(frame, mac, sizeof mac);
}

static void add_ethernet(struct made_frame *frame, unsigned from, const char *to, unsigned type)
{
    const uint8_t rest[] = {2, 'p', 'r', 0, (uint8_t)(from / 256), (uint8_t)from, (uint8_t)(type / 256), (uint8_t)type};
    frame->length = 0;
    add_target(frame, to);
    add(frame, rest, sizeof rest);
}

static uint16_t sum_of(const uint8_t *bytes, size_t count, unsigned start)
{
    unsigned long sum = start;
    for (size_t i = 0; i < count; i += 2)
        sum += (unsigned)bytes[i] * 256 + (i + 1 < count ? bytes[i + 1] : 0u);
    while (sum > 0xffff)
        sum = sum / 0x10000 + sum % 0x10000;
    return (uint16_t)(0xffff - sum);
}

static void add_ipv4(struct made_frame *frame, const char *to, size_t data, unsigned protocol)
{
    uint8_t target[16] = {255, 255, 255, 255};
    uint8_t header[IPV4] = {0x46, 0, 0, 0, 0, 0, 0, 0, 1, (uint8_t)protocol, 0, 0, 10, 1, 0, 9, [20] = 0x94, 4};
    if (strcmp(to, "broadcast") != 0)
        address_of(to, target);
    memcpy(header + 16, target, 4);
    put16(header + 2, sizeof header + data);
    put16(header + 10, sum_of(header, sizeof header, 0));
    add(frame, header, sizeof header);
}

static void add_ipv6(struct made_frame *frame, const char *to, size_t data, unsigned next)
{
    uint8_t header[IPV6] = {0x60, [6] = (uint8_t)next, 1, 0xfe, 0x80, [23] = 9};
    put16(header + 4, data);
    address_of(to, header + 24);
    add(frame, header, sizeof header);
}

void made_data(struct made_frame *frame, unsigned from, const char *to, size_t data, uint8_t seed)
{
    add_ethernet(frame, from, to, is_ipv6(to) ? 0x86dd : 0x0800);
    if (is_ipv6(to))
        add_ipv6(frame, to, data, 17);
    else
        add_ipv4(frame, to, data, 17);
    for (size_t i = 0; i < data; i++) {
        uint8_t byte = (uint8_t)(seed + i * 7);
        add(frame, &byte, 1);
    }
}

static bool is_igmp(const struct made_frame *frame)
{
    return frame->bytes[12] == 8;
}

void made_seal(struct made_frame *frame)
{
    size_t at = is_igmp(frame) ? IGMP_AT : MLD_AT, count = frame->length - at;
    uint8_t *message = frame->bytes + at;
    unsigned start = is_igmp(frame) ? 0 : 0xffffu - sum_of(frame->bytes + ETHERNET + 8, 32, (unsigned)count + 58);
    put16(frame->bytes + ETHERNET + (is_igmp(frame) ? 2 : 4), count + (is_igmp(frame) ? IPV4 : OPTIONS));
    if (is_igmp(frame)) {
        put16(frame->bytes + ETHERNET + 10, 0);
        put16(frame->bytes + ETHERNET + 10, sum_of(frame->bytes + ETHERNET, IPV4, 0));
    }
    put16(message + 2, 0);
    put16(message + 2, sum_of(message, count, start));
}

static void add_address(struct made_frame *frame, const char *text)
{
    uint8_t address[16];
    size_t count = address_of(text, address);
    add(frame, address, count);
}

static void begin_igmp(struct made_frame *frame, unsigned from, const char *to, const char *head)
{
    add_ethernet(frame, from, to, 0x0800);
    add_ipv4(frame, to, 8, 2);
    add_numbers(frame, head);
}

static void begin_mld(struct made_frame *frame, unsigned from, const char *to, const char *head)
{
    add_ethernet(frame, from, to, 0x86dd);
    add_ipv6(frame, to, 8, 0);
    add_numbers(frame, "3a 00 05 02 00 00 01 00");
    add_numbers(frame, head);
}

static void add_record(struct made_frame *frame, unsigned type, unsigned sources, const char *address)
{
    const uint8_t head[] = {(uint8_t)type, 0, (uint8_t)(sources / 256), (uint8_t)sources};
    add(frame, head, sizeof head);
    add_address(frame, address);
    for (unsigned i = 0; i < sources; i++)
        add_address(frame, is_ipv6(address) ? "fd00::1:7" : "10.1.0.7");
}

static void add_records(struct made_frame *frame, size_t at, unsigned type, const char *addresses)
{
    char copy[512];
    unsigned count = 0;
    snprintf(copy, sizeof copy, "%s", addresses);
    for (char *address = strtok(copy, " "); address; address = strtok(NULL, " "), count++)
        add_record(frame, type, 0, address);
    put16(frame->bytes + at + 6, count);
    made_seal(frame);
}

void made_igmp(struct made_frame *frame, unsigned from, unsigned version, bool join, const char *addresses)
{
    if (version == 3) {
        begin_igmp(frame, from, "224.0.0.22", "22 00 00 00 00 00 00 00");
        add_records(frame, IGMP_AT, join ? 4 : 3, addresses);
        return;
    }
    begin_igmp(frame, from, join ? addresses : "224.0.0.2",
               version == 1 ? "12 00 00 00"
               : join       ? "16 00 00 00"
                            : "17 00 00 00");
    add_address(frame, addresses);
    made_seal(frame);
}

void made_mld(struct made_frame *frame, unsigned from, unsigned version, bool join, const char *addresses)
{
    if (version == 2) {
        begin_mld(frame, from, "ff02::16", "8f 00 00 00 00 00 00 00");
        add_records(frame, MLD_AT, join ? 4 : 3, addresses);
        return;
    }
    begin_mld(frame, from, join ? addresses : "ff02::2", join ? "83 00 00 00 00 00 00 00" : "84 00 00 00 00 00 00 00");
    add_address(frame, addresses);
    made_seal(frame);
}

void made_record(struct made_frame *frame, unsigned from, unsigned type, unsigned sources, const char *address)
{
    size_t at = is_ipv6(address) ? MLD_AT : IGMP_AT;
    if (is_ipv6(address))
        begin_mld(frame, from, "ff02::16", "8f 00 00 00 00 00 00 00");
    else
        begin_igmp(frame, from, "224.0.0.22", "22 00 00 00 00 00 00 00");
    add_record(frame, type, sources, address);
    put16(frame->bytes + at + 6, 1);
    made_seal(frame);
}
