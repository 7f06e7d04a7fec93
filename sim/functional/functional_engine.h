/* The simulator `functional`: an event-driven model of the fabric `cutthrough` (August paper, section 5).
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_FUNCTIONAL_FUNCTIONAL_ENGINE_H
#define POSTROAD_FUNCTIONAL_FUNCTIONAL_ENGINE_H

#include "simulation/simulation.h"

extern const struct simulation_engine functional_engine;

#endif
