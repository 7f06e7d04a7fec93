/* See link_counts.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/link_counts.h"

#include "cli/counter_requests.h"

#include <string.h>

enum {
    STATE = LINK_COUNTS_ROW(0x00),
    HEADER = LINK_COUNTS_ROW(0x08),
    FAR_SITE = LINK_COUNTS_ROW(0x88),
    DAMAGED_WORDS = LINK_COUNTS_ROW(0xa0),
    WORDS_OUT = LINK_COUNTS_ROW(0xa8),
    DAMAGED_STATUS = LINK_COUNTS_ROW(0xb0),
    TRAINED = LINK_COUNTS_ROW(0xbc),
    ALIVE = 1 << 11,
    FAR_EAGER = 1 << 15,
    UP_SHIFT = 16,
    MEETS_SHIFT = 20
};

/* The first is the one of LINK_ROWS_FAR_SITE. */
static const struct counter_chunk ranges[] = {
    {FAR_SITE, 4}, {STATE, 4}, {HEADER, 4}, {DAMAGED_WORDS, 12}, {DAMAGED_STATUS, 16}};

static void take_rows(void *context, const struct pr_message_counters *counters)
{
    struct link_rows *rows = (struct link_rows *)context + counters->site;
    memcpy(rows->rows + (counters->first - PR_COUNTER_LINKS), counters->values,
           counters->count * sizeof *counters->values);
    rows->answered = true;
}

int link_rows_read(struct gateway *gateway, const struct site_set *set, enum link_rows_wanted wanted,
                   struct link_rows *rows)
{
    size_t count = wanted == LINK_ROWS_FAR_SITE ? 1 : sizeof ranges / sizeof *ranges;
    struct counter_requests requests = {.label = "links", .context = rows, .take = take_rows};
    struct pipelined_requests run;
    memset(rows, 0, (size_t)gateway->mesh.sites * sizeof *rows);
    for (size_t r = 0; r < count; r++)
        counter_requests_add(&requests, gateway, PR_COUNTER_LINKS + ranges[r].first, ranges[r].count);
    int status = counter_requests_run(&requests, gateway, set, 0, requests.chunk_count, &run);
    return status == EXIT_OK ? pipelined_requests_exit_code(&run) : status;
}

void link_counts_of(const struct link_rows *rows, unsigned link, struct link_counts *out)
{
    const uint32_t *of = rows->rows + link;
    uint32_t any = 0;
    for (unsigned k = 0; k < LINK_COUNTS_ROWS; k++)
        any |= rows->rows[k];
    *out = (struct link_counts){
        .there = any != 0,
        .up = of[FAR_SITE] >> (UP_SHIFT + link) & 1,
        .meets = of[FAR_SITE] >> (MEETS_SHIFT + link) & 1,
        .alive = of[STATE] & ALIVE,
        .eager = of[FAR_SITE] & FAR_EAGER,
        .far_site = of[FAR_SITE] & (FAR_EAGER - 1),
        .far_link = of[HEADER] & 3,
        .words_out = (uint16_t)of[WORDS_OUT],
        .damaged = (uint16_t)(of[DAMAGED_WORDS] + of[DAMAGED_STATUS]),
        .trained = (uint16_t)of[TRAINED],
    };
}
