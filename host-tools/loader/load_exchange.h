/* One load record for many boot programs, through a carrier, and the answer of each site.
 *
 *   the record goes to all sites at once, as many in a packet as the carrier takes
 *        |
 *        | silence for `patience`: to those that have not answered, each alone, until `timeout` has passed without an
 * answer
 *        v
 *   every site has answered, or is lost
 *
 * The order to enter goes to all at once three times: firmware takes the first one, and its boot program answers the
 * second; the third is for those that have missed one.
 *
 * Load packets are of the raw service: the fabric may lose one, and a boot program sends on none for others. A record
 * that comes twice changes nothing.
 *
 * Each try has a tag of its own, which its answers carry. So the answer to an earlier try of the same record counts,
 * and tells how long a round trip takes (as RFC 7323's time stamps do): the patience follows the longest one of each
 * record, even where all records were repeated because the patience was too short.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LOADER_LOAD_EXCHANGE_H
#define POSTROAD_LOADER_LOAD_EXCHANGE_H

#include "loader/load_carrier.h"
#include "loader/load_way.h"

enum { LOAD_TRIES = 64 /* of a record, whose answers still count: the latest ones */ };

struct load_exchange {
    struct load_way way; /* first */
    struct load_carrier *carrier;
    double timeout, patience; /* seconds */
    uint32_t tag;             /* of the latest try */
    unsigned tries;           /* of the record */
    double tried[LOAD_TRIES]; /* when, by tag */
    double slowest;           /* round trip of the record's answers so far; 0: there is none */
};

/* Carrier and targets stay the caller's. `timeout`: seconds for which a site may be silent. `seed`: random. */
void load_exchange_open(struct load_exchange *exchange, struct load_carrier *carrier, struct load_target *targets,
                        size_t count, double timeout, uint32_t seed);

#endif
