/* The router of a site after the January 1987 paper (hw/january/rules.md): one clock of a site, and what its net_inputs
 * tell upstream. A packet has a front edge, which is the list of its targets (J5), and a terminator. A connection takes
 * place in the clock behind the one in which the list is complete, at the earliest. The head is on the next link two
 * clocks later: shown - FIRST - connected - in the register. A terminator takes a clock more than a word, in the state
 * done.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_FUNCTIONAL_JANUARY_H
#define POSTROAD_FUNCTIONAL_JANUARY_H

#include "functional/router_model.h"

extern const struct router_model router_january;

#endif
