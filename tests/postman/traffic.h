/* Random traffic on the fast model of `postman`, with a scoreboard: packets of mixed lengths, from every machine of
 * every plane, arrive exactly once with the right flits, and all comes to rest.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_POSTMAN_TRAFFIC_H
#define POSTROAD_TESTS_POSTMAN_TRAFFIC_H

#include <stdint.h>

#include "postman/grid.h"

enum { TRAFFIC_OPTION_SETS = 16 };

/* Strategy, adaptive routing and sourcing, priority: a set for each number. */
void traffic_options(struct postman_options *options, unsigned set);

/* Every node tries so many loads before clock 0: 8 fill all that it has. `hot`: all packets go to one node. */
void traffic_run(const struct postman_options *options, unsigned tries, bool hot, uint64_t *seed);

#endif
