/* Load records by the serial line of one site, whose boot program sends them on to others, and takes them itself if its
 * site is among the targets. So the words of an image go once over one line.
 *
 *   host ----- relay record: sites ----> | boot program | ------ packets ------> boot programs
 *        ----- records, two on the way > |  of the site | <----- answers --------
 *        <---- "boot k", for each ------ |  of the line |
 *        <---- "boot k SITE TAG" ------- |              |
 *
 * The line's own answers come in the order of the records. A relay record is awaited, so that no record goes to the
 * sites of another one. Of the other records a lost or damaged one is not repeated here: load_exchange sends again what
 * it gets no answer to.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LOADER_LOAD_RELAY_H
#define POSTROAD_LOADER_LOAD_RELAY_H

#include "loader/load_carrier.h"
#include "loader/load_port.h"
#include "wire/site_identity.h"

enum {
    LOAD_RELAY_FRAMES = 4,  /* without an answer, at most */
    LOAD_RELAY_BYTES = 511, /* of these: what a board's UART keeps (CONSOLE_DEPTH of hw/mesh/board_site.v) */
    LOAD_RELAY_SITES = PR_LOAD_DATA_MAX
};

struct load_relay {
    struct load_carrier carrier; /* first */
    struct load_port *port;      /* the caller's, as the next one */
    const struct pr_site_identity *identity;

    struct load_relay_frame {
        size_t bytes;
        bool own; /* its answer is that of the site; with: */
        uint32_t tag;
    } frames[LOAD_RELAY_FRAMES]; /* under way, the oldest first */
    unsigned under_way;
    bool checks; /* the last of them has RAM checked */
    char letter; /* of the last answer of the site */

    uint16_t sites[LOAD_RELAY_SITES]; /* that get the records now, with the tag; */
    unsigned count, others;           /* how many, and how many of them are not the site of the line */
    uint32_t tag;
    bool lost; /* the boot program does not answer any more */
};

/* The boot program of the site runs, and waits. `identity`: of any site of the mesh; `count`: sites to be loaded.
 * EXIT_OK, or the exit code to end with, after printing why; *relays: its boot program is new enough. */
int load_relay_open(struct load_relay *relay, struct load_port *port, const struct pr_site_identity *identity,
                    size_t count, bool *relays);

#endif
