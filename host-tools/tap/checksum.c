/* See checksum.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "tap/checksum.h"

enum { IPV6_ADDRESSES = 8, IPV6_ADDRESSES_BYTES = 32 };

uint32_t tap_checksum_add(uint32_t sum, const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        sum += i % 2 ? bytes[i] : (uint32_t)bytes[i] << 8;
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return sum;
}

uint16_t tap_checksum_end(uint32_t sum)
{
    sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t) ~(sum + (sum >> 16));
}

uint32_t tap_checksum_pseudo_header(const uint8_t *ipv6_header, size_t length, uint8_t protocol)
{
    return tap_checksum_add((uint32_t)length + protocol, ipv6_header + IPV6_ADDRESSES, IPV6_ADDRESSES_BYTES);
}
