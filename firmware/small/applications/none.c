/* No application: what is delivered goes to the console, if there is one.
 *
 * SPDX-License-Identifier: ISC
 */
#include "small/application.h"

void pr_small_delivered(const struct pr_small_delivery *delivery)
{
    (void)delivery;
}

bool pr_small_poll(void)
{
    return false;
}
