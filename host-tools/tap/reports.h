/* What hosts say of multicast groups: reports of IGMPv1 to v3 (RFC 1112, 2236, 3376) and of MLDv1 and v2 (RFC 2710,
 * 3810), and the queries that make them say it again.
 *
 * A group is joined with all its sources or not at all: a switch does not have to know sources (RFC 4541, 2.1.1).
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TAP_REPORTS_H
#define POSTROAD_TAP_REPORTS_H

#include "tap/frame.h"

/* wanted: joined; else left. */
typedef void tap_report_change(void *context, const struct tap_address *address, bool wanted);

/* Calls `change` for each address that a frame of kind TAP_FRAME_REPORT says something of. False: it is malformed, or
 * its checksum is wrong; nothing was called. A query says nothing. */
bool tap_reports_read(const uint8_t *frame, size_t length, tap_report_change *change, void *context);

enum { TAP_QUERY_BYTES = 96 /* at most */ };

/* General queries, as frames from a MAC address that no site has. Return their length. */
size_t tap_query_igmp(uint8_t out[TAP_QUERY_BYTES]);
size_t tap_query_mld(uint8_t out[TAP_QUERY_BYTES]);

#endif
