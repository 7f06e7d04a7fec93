/* See engines.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "postroad/engines.h"

#include "engine/rtl_engine.h"
#include "functional/functional_engine.h"

void engines_register(void)
{
    simulation_register(&rtl_engine);
    simulation_register(&functional_engine);
}
