/* In place of host-tools/postroad/engines.c: a `postroad` that offers the simulator `ideal` too.
 *
 * SPDX-License-Identifier: ISC
 */
#include "postroad/engines.h"

#include "engine/rtl_engine.h"
#include "ideal_engine.h"

void engines_register(void)
{
    simulation_register(&rtl_engine);
    simulation_register(&ideal_engine);
}
