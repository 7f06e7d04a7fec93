/* Scouts: packets that find out where a route leads, where operators put routes in front of packets.
 *
 * A scout is a raw packet to PR_HANDLER_SCOUT. Its target has the first number that is no site's, its route is the one
 * that the sender has learned for that number (ways.h), and whoever gets it is meant. Its data are a number, by which
 * its answer is known, and the ports of the way back. An operator that gets the scout of another site learns that way
 * as its own route of scouts, and sends the scout back with the number alone. An answer, and the own scout that has
 * come home, are delivered as packets are, so that the console shows them. A host does the rest
 * (host-tools/cli/mapper.h).
 *
 * Private to the operator.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_OPERATOR_SCOUT_H
#define POSTROAD_OPERATOR_SCOUT_H

#include "operator/common.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Words of an answer behind its target: the header, and the number. The way back of a scout is behind these. */
enum { PR_SCOUT_WORDS = PR_HEADER_WORDS + 1 };

/* Queues a scout that was received as its answer, in the same buffer. False: it is the own scout, or an answer, or its
 * way back is too long. */
bool pr_scout_turn(struct pr_common *common, struct pr_packet *packet);

#ifdef __cplusplus
}
#endif

#endif
