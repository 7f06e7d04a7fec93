/* postroad listen --pcap: deliveries and events as a pcapng file or stream, an interface for each site. The records are
 * those of hw/protocol/console.ini ("Record of a capture").
 *
 * Their times are those of the nodes' clocks where these can be placed in time:
 *
 *   a mesh whose clock the daemon drives   all sites have one clock, set by the host's clock when the capture begins
 *   boards                                 each site's own clock, set by the host's clock when its first record comes
 *   a record without a stamp (log text),   when it came to the host
 *   a node that does not tell its rate
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTROAD_LISTEN_CAPTURE_H
#define POSTROAD_POSTROAD_LISTEN_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gateway;
struct listen_capture;
struct pr_frame;

/* Opens `path`, or standard output for "-". `sites` of them. NULL, with the reason printed. */
struct listen_capture *listen_capture_open(const char *path, size_t sites);

/* A site and the rate of its clock, 0: unknown. To be called for every site, in the order of their indices. */
void listen_capture_site(struct listen_capture *capture, unsigned site, uint32_t clock_hz);

/* To be called once all sites are set: writes what stands before the records. False: stop. */
bool listen_capture_begin(struct listen_capture *capture, const struct gateway *gateway);

/* A record: an event frame of the site of this index. False: stop, for a write has failed or the reader has gone. */
bool listen_capture_add(struct listen_capture *capture, size_t index, const struct pr_frame *frame);

/* True if the reader of standard output has gone. */
bool listen_capture_reader_gone(const struct listen_capture *capture);

/* Ends the file, which appears at its path now, and frees the capture. Returns `status`, or another exit code, with the
 * reason printed, if a write has failed. A reader that has gone is no failure. */
int listen_capture_close(struct listen_capture *capture, int status);

#endif
