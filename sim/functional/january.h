/* The router of a site after the January 1987 paper (hw/january/rules.md): one clock of a site, and what its net_inputs
 * tell upstream.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_FUNCTIONAL_JANUARY_H
#define POSTROAD_FUNCTIONAL_JANUARY_H

#include "functional/router_model.h"

extern const struct router_model router_january;

#endif
