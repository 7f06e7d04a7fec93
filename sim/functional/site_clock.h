/* One site in one clock in which something happens to it.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_FUNCTIONAL_SITE_CLOCK_H
#define POSTROAD_FUNCTIONAL_SITE_CLOCK_H

#include "functional/functional_state.h"

void site_clock(struct functional *functional, struct functional_site *site);

#endif
