/* The checksum of IPv4, IGMP and ICMPv6 (RFC 1071): a sum of big-endian halves, in parts.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TAP_CHECKSUM_H
#define POSTROAD_TAP_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Adds bytes to a sum that starts with 0; only the last part may have an odd length. */
uint32_t tap_checksum_add(uint32_t sum, const uint8_t *bytes, size_t length);

/* The checksum. Of bytes that contain a right one: 0. */
uint16_t tap_checksum_end(uint32_t sum);

/* What ICMPv6 adds of its IPv6 header (RFC 8200, 8.1): both addresses, the length of the message, its protocol. */
uint32_t tap_checksum_pseudo_header(const uint8_t *ipv6_header, size_t length, uint8_t protocol);

#endif
