/* The network_interface's clock, for whatever is not on the way of a packet that is sent on.
 *
 * SPDX-License-Identifier: ISC
 */
#include "operator/operator_private.h"

/* One copy for all callers: which back end the clock comes from is asked in each. */
PR_NOT_INLINED uint32_t pr_clock_of(const struct pr_operator *op)
{
    return pr_network_interface_clock(op->interface);
}
