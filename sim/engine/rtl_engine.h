/* The engine: a mesh of verilated sites, clock by clock, as a struct simulation by the name `rtl`.
 *
 * The fabric is always RTL. Each site is native, a whole site in RTL, or under QEMU (site_functions.h). Sites that are
 * quiet are not clocked, and where all are quiet time jumps.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_ENGINE_RTL_ENGINE_H
#define POSTROAD_ENGINE_RTL_ENGINE_H

#include "simulation/simulation.h"

/* create() builds the verilated sites first if this parameter set has not been built yet: that needs make, verilator
 * and a C++ compiler. */
extern const struct simulation_engine rtl_engine;

#endif
