/* See counter_requests.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/counter_requests.h"

#include "console/remote_service.h"

#include <stdlib.h>

const struct counter_name counter_names[] = {
#define COUNTER_NAME(first, count, name) {first, count, name},
    PR_COUNTER_LIST(COUNTER_NAME)
#undef COUNTER_NAME
        {0, 0, NULL}};

void counter_requests_add(struct counter_requests *requests, const struct gateway *gateway, unsigned first,
                          unsigned count)
{
    unsigned fit = pr_service_values_fit(gateway->identity.max_packet);
    for (unsigned end = first + count; first < end; first += fit) {
        if (requests->chunk_count == COUNTER_CHUNKS_MAX)
            abort();
        requests->chunks[requests->chunk_count++] = (struct counter_chunk){first,
                                                                           end - first < fit ? end - first : fit};
    }
}

void counter_requests_add_all(struct counter_requests *requests, const struct gateway *gateway, unsigned ports)
{
    const struct counter_chunk ranges[] = {
        {0, PR_COUNTER_RECEIVED_DISCARDED + 1},
        {PR_COUNTER_WORDS_OUT, ports},
        {PR_COUNTER_STALLS, ports},
        {PR_COUNTER_DROPS, ports},
        {PR_COUNTER_DELIVERED, PR_COUNTER_ACKNOWLEDGEMENTS - PR_COUNTER_DELIVERED},
        {PR_COUNTER_ACKNOWLEDGEMENTS, COUNTERS_OF_A_SITE - PR_COUNTER_ACKNOWLEDGEMENTS},
    };
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++)
        counter_requests_add(requests, gateway, ranges[r].first, ranges[r].count);
}

static const struct counter_chunk *chunk_of(const struct counter_requests *requests, size_t index)
{
    return &requests->chunks[requests->first_chunk + index / requests->set->count];
}

/* Successive requests go to different sites, since a site may have only one buffer for them. */
static unsigned site_of(const struct counter_requests *requests, size_t index)
{
    return requests->set->sites[index % requests->set->count];
}

static void request(void *context, size_t index, struct pr_frame *out)
{
    const struct counter_requests *requests = context;
    const struct counter_chunk *chunk = chunk_of(requests, index);
    if (requests->asks)
        requests->asks(requests->context, site_of(requests, index));
    pr_message_counters(out, site_of(context, index), chunk->first, chunk->count);
}

static bool answer(void *context, size_t index, const struct pr_frame *frame)
{
    const struct counter_requests *requests = context;
    const struct counter_chunk *chunk = chunk_of(requests, index);
    struct pr_message_counters counters;
    if (!pr_message_read_counters(frame, &counters) || counters.site != site_of(requests, index) ||
        counters.first != chunk->first || counters.count != chunk->count)
        return false;
    requests->take(requests->context, &counters);
    return true;
}

int counter_requests_run(struct counter_requests *requests, struct gateway *gateway, const struct site_set *set,
                         size_t first_chunk, size_t count, struct pipelined_requests *run)
{
    requests->set = set;
    requests->first_chunk = first_chunk;
    *run = (struct pipelined_requests){.label = requests->label,
                                       .count = set->count * count,
                                       .window = PIPELINED_REQUESTS_WINDOW,
                                       .context = requests,
                                       .request = request,
                                       .answer = answer};
    return pipelined_requests_run(gateway, run);
}
