/* What the memory of a board's links has of one link (hw/board_link/README.md, "Register"), read through counters.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_LINK_COUNTS_H
#define POSTROAD_CLI_LINK_COUNTS_H

#include "cli/gateway.h"
#include "cli/site_set.h"

/* A row of the memory as a counter behind PR_COUNTER_LINKS: without bit 6, which none has set, so that bit 7 is bit 6.
 */
#define LINK_COUNTS_ROW(row) (((row) >> 1 & 0x40) | ((row)&0x3f))

enum { LINK_COUNTS_LINKS = 4, LINK_COUNTS_ROWS = 128 };

/* The rows of one site. */
struct link_rows {
    bool answered;
    uint32_t rows[LINK_COUNTS_ROWS];
};

struct link_counts {
    bool there; /* the site has links to cables; else the rest is 0 */
    bool up, alive;
    bool meets;                           /* it is down, and its output meets another one: a wrong cable */
    bool eager;                           /* the far end has eager links */
    unsigned far_site, far_link;          /* of the far end, read when the link came up, or when it was last heard */
    uint16_t words_out, damaged, trained; /* words sent; damaged frames; how often the link came up: modulo 65536 */
};

enum link_rows_wanted { LINK_ROWS_ALL, LINK_ROWS_FAR_SITE /* what far_site, up and eager need */ };

/* Reads the rows of the sites; `rows` has one entry a site of the mesh. The exit code. */
int link_rows_read(struct gateway *gateway, const struct site_set *set, enum link_rows_wanted wanted,
                   struct link_rows *rows);

void link_counts_of(const struct link_rows *rows, unsigned link, struct link_counts *out);

#endif
