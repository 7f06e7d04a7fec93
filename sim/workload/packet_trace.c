/* See packet_trace.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "workload/packet_trace.h"

#include "support/run_memory.h"

void packet_trace_free(struct packet_trace *trace)
{
    if (!trace)
        return;
    run_memory_free(trace->path);
    run_memory_free(trace->packets);
    run_memory_free(trace->targets);
    run_memory_free(trace->dependents);
    run_memory_free(trace->dependencies);
    run_memory_free(trace);
}

bool packet_trace_link(struct packet_trace *trace)
{
    uint32_t next = 0;
    trace->dependents = run_memory_allocate(trace->dependency_count + 1, sizeof *trace->dependents);
    if (!trace->dependents)
        return false;
    for (size_t i = 0; i < trace->dependency_count; i++) {
        trace->packets[trace->dependencies[i].before].dependents++;
        trace->packets[trace->dependencies[i].after].awaited++;
    }
    for (size_t i = 0; i < trace->count; i++) {
        trace->packets[i].first_dependent = next;
        next += trace->packets[i].dependents;
        trace->packets[i].dependents = 0;
    }
    for (size_t i = 0; i < trace->dependency_count; i++) {
        struct trace_packet *before = &trace->packets[trace->dependencies[i].before];
        trace->dependents[before->first_dependent + before->dependents++] = trace->dependencies[i].after;
    }
    run_memory_free(trace->dependencies);
    trace->dependencies = NULL;
    return true;
}
