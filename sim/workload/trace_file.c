/* See trace_file.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "workload/trace_file.h"

#include "support/run_memory.h"
#include "workload/netrace.h"
#include "workload/trace_builder.h"
#include "workload/trace_text.h"

#include <stdlib.h>
#include <string.h>

static bool read_all(struct trace_reading *reading)
{
    struct packet_trace *trace = reading->trace;
    bool netrace = trace_bytes_peek(&reading->bytes) == NETRACE_FIRST_BYTE;
    bool good = netrace ? netrace_read(reading) : trace_text_read(reading);
    if (reading->bytes.failed)
        snprintf(reading->reason, sizeof reading->reason, "%s: %s", trace->path, reading->bytes.failed);
    else if (good && trace->count == 0)
        snprintf(reading->reason, sizeof reading->reason, "%s: no packets, expected at least one", trace->path);
    else if (good && !packet_trace_link(trace))
        snprintf(reading->reason, sizeof reading->reason, "%s: out of memory for its packets", trace->path);
    return !reading->reason[0];
}

struct packet_trace *trace_file_load(const struct mesh_config *mesh, const struct trace_file_options *options,
                                     char *error, size_t error_size)
{
    struct trace_reading *reading = calloc(1, sizeof *reading); /* large */
    struct packet_trace *trace = run_memory_allocate(1, sizeof *trace);
    bool good = reading && trace && (trace->path = run_memory_text(options->path));
    snprintf(error, error_size, "out of memory");
    if (good)
        good = trace_bytes_open(&reading->bytes, options->path, error, error_size) == 0;
    if (good) {
        reading->mesh = mesh;
        reading->options = options;
        reading->trace = trace;
        good = read_all(reading);
        trace_bytes_close(&reading->bytes);
        if (!good)
            snprintf(error, error_size, "%s", reading->reason);
    }
    free(reading);
    if (good)
        return trace;
    packet_trace_free(trace);
    return NULL;
}
