/* A capture file through the decoders. Edges are counted in samples of the analyser, whatever unit the file has: where
 * the length of a sample is only found when all edges have been read, the file is read twice.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LATENCY_CAPTURE_LINES_H
#define POSTROAD_LATENCY_CAPTURE_LINES_H

#include "latency/wire_traffic.h"

/* 0, or -1 with a reason that names the file. After 0 the caller frees *traffic. watch: or NULL. */
int capture_lines_read(const char *path, const struct testbed *testbed, const struct wires_watch *watch,
                       struct wire_traffic *traffic, char *error, size_t error_size);

#endif
