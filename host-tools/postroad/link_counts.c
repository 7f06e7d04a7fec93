/* See link_counts.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "postroad/link_counts.h"

#include "cli/pipelined_requests.h"
#include "console/remote_service.h"

#include <stdlib.h>
#include <string.h>

/* Rows of the memory, without bit 6, which none has set: bit 7 is bit 6 here. */
#define ROW(row) (((row) >> 1 & 0x40) | ((row)&0x3f))

enum {
    STATE = ROW(0x00),
    HEADER = ROW(0x08),
    FAR_SITE = ROW(0x88),
    DAMAGED_WORDS = ROW(0xa0),
    WORDS_OUT = ROW(0xa8),
    DAMAGED_STATUS = ROW(0xb0),
    TRAINED = ROW(0xbc),
    ALIVE = 1 << 11,
    FAR_EAGER = 1 << 15,
    UP_SHIFT = 16
};

static const struct range {
    unsigned first, count;
} ranges[] = {{STATE, 4}, {HEADER, 4}, {FAR_SITE, 4}, {DAMAGED_WORDS, 12}, {DAMAGED_STATUS, 16}};

enum { RANGES = sizeof ranges / sizeof *ranges, CHUNKS_MAX = 40 };

struct reading {
    const struct site_set *set;
    struct link_rows *rows;
    struct range chunks[CHUNKS_MAX];
    size_t count;
};

/* An answer has to fit a packet of the mesh. */
static void make_chunks(struct reading *reading, unsigned fit)
{
    for (size_t r = 0; r < RANGES; r++)
        for (unsigned at = 0; at < ranges[r].count && reading->count < CHUNKS_MAX; at += fit) {
            unsigned rest = ranges[r].count - at;
            reading->chunks[reading->count++] = (struct range){ranges[r].first + at, rest < fit ? rest : fit};
        }
}

/* Successive requests go to different sites, since a site may have only one buffer for them. */
static void request(void *context, size_t index, struct pr_frame *out)
{
    const struct reading *reading = context;
    const struct range *chunk = &reading->chunks[index / reading->set->count];
    pr_message_counters(out, reading->set->sites[index % reading->set->count], PR_COUNTER_LINKS + chunk->first,
                        chunk->count);
}

static bool answer(void *context, size_t index, const struct pr_frame *frame)
{
    struct reading *reading = context;
    struct pr_message_counters counters;
    const struct range *chunk = &reading->chunks[index / reading->set->count];
    unsigned site = reading->set->sites[index % reading->set->count];
    if (!pr_message_read_counters(frame, &counters) || counters.site != site ||
        counters.first != PR_COUNTER_LINKS + chunk->first || counters.count != chunk->count)
        return false;
    memcpy(reading->rows[site].rows + chunk->first, counters.values, chunk->count * sizeof *counters.values);
    reading->rows[site].answered = true;
    return true;
}

int link_rows_read(struct gateway *gateway, const struct site_set *set, struct link_rows *rows)
{
    struct reading reading = {.set = set, .rows = rows};
    memset(rows, 0, (size_t)gateway->mesh.sites * sizeof *rows);
    make_chunks(&reading, pr_service_values_fit(gateway->identity.max_packet));
    struct pipelined_requests requests = {.label = "links",
                                          .count = set->count * reading.count,
                                          .window = PIPELINED_REQUESTS_WINDOW,
                                          .context = &reading,
                                          .request = request,
                                          .answer = answer};
    int status = pipelined_requests_run(gateway, &requests);
    return status == EXIT_OK ? pipelined_requests_exit_code(&requests) : status;
}

void link_counts_of(const struct link_rows *rows, unsigned link, struct link_counts *out)
{
    const uint32_t *of = rows->rows + link;
    uint32_t any = 0;
    for (unsigned k = 0; k < LINK_COUNTS_ROWS; k++)
        any |= rows->rows[k];
    *out = (struct link_counts){
        .there = any != 0,
        .up = of[STATE] >> (UP_SHIFT + link) & 1,
        .alive = of[STATE] & ALIVE,
        .eager = of[FAR_SITE] & FAR_EAGER,
        .far_site = of[FAR_SITE] & (FAR_EAGER - 1),
        .far_link = of[HEADER] & 3,
        .words_out = (uint16_t)of[WORDS_OUT],
        .damaged = (uint16_t)(of[DAMAGED_WORDS] + of[DAMAGED_STATUS]),
        .trained = (uint16_t)of[TRAINED],
    };
}
