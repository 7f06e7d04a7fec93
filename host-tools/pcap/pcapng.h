/* Writer of pcapng files, in little-endian order. A file is one section: its header, a block for each interface, then
 * packets.
 *
 * Nothing is checked here: a write that fails leaves the stream's error flag set, for the caller to look at.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_PCAP_PCAPNG_H
#define POSTROAD_PCAP_PCAPNG_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Longest texts and packets, in bytes; what is longer is cut. */
enum { PCAPNG_TEXT_MAX = 255, PCAPNG_PACKET_MAX = 65536 };

/* The section header; `program` writes the file. */
void pcapng_begin(FILE *out, const char *program);

/* The next interface. The first one has the number 0. Times of its packets are in nanoseconds. */
void pcapng_interface(FILE *out, uint16_t link_type, const char *name, const char *description);

/* A packet; nanoseconds since 1970. */
void pcapng_packet(FILE *out, uint32_t interface, uint64_t nanoseconds, const uint8_t *bytes, size_t length);

#endif
