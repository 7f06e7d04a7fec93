/* See here.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "operator/here.h"

PR_NOT_INLINED uint32_t pr_clock_of(const struct pr_here *here)
{
    return pr_network_interface_clock(here->interface);
}
