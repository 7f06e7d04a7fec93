/* Reads a file of packets: text (trace_text.h) or netrace (netrace.h), compressed with bzip2 or not. Its first bytes
 * tell which.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WORKLOAD_TRACE_FILE_H
#define POSTROAD_WORKLOAD_TRACE_FILE_H

#include "workload/packet_trace.h"
#include "workload/trace_builder.h"

/* NULL with "PATH:LINE: reason" or "PATH: reason" in `error`. A packet that this mesh cannot carry is an error too. */
struct packet_trace *trace_file_load(const struct mesh_config *mesh, const struct trace_file_options *options,
                                     char *error, size_t error_size);

#endif
