/* The mapper's scouts, sent by the gateway's operator (operator/scout.h).
 *
 * A scout takes three messages: its way, as the route of scouts; the packet, to the number behind those of the sites;
 * and the event that tells what has become of it. Each has another number, so that one that is late is not taken for
 * its successor. If nothing comes within some times the longest of the last journeys, nothing will.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_SCOUTS_H
#define POSTROAD_CLI_SCOUTS_H

#include "cli/gateway.h"
#include "cli/mapper.h"

/* Can the operators of this mesh send scouts? */
bool scouts_exist(const struct gateway *gateway);

enum { SCOUTS_TRIES = 3 }; /* in vain before a way is taken to end nowhere */

struct scouts {
    struct gateway *gateway;
    uint16_t number; /* of the scout that is under way */
    int site;        /* that it told of, MAPPER_NOTHING so far */
    double longest;  /* of the last journeys */
    int code;        /* EXIT_OK, or that with which to end */
    int lock;        /* a descriptor of the run directory; -1: none */
};

/* Waits until no other verb has scouts in the mesh, as an operator has one route for them, and sends one that stays at
 * home. False: `code` has the exit code to end with, after printing why. scouts_end in either
 * case, which returns the code; until then the address of `scouts` must not change. */
bool scouts_begin(struct scouts *scouts, struct gateway *gateway);
int scouts_end(struct scouts *scouts);

/* The probe of struct mapper. MAPPER_STOP: `code` says why. */
int scouts_probe(void *scouts, const struct mapper_route *way, const struct mapper_route *back);

/* Maps the mesh from the gateway. Returns EXIT_OK, or the exit code to end with after printing why. mapper_free in
 * either case. */
int scouts_map(struct gateway *gateway, struct mapper *mapper);

#endif
