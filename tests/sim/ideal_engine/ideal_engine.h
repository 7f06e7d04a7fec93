/* The simulator `ideal`, for tests: native operators on a network without contention. Every packet arrives whole, at
 * each of its targets, IDEAL_DELAY clocks after it was sent; where no buffer is posted then, as soon as one is.
 *
 *   operator -- ni_model -- packets in flight -- ni_model -- operator      (the packet face of ni_model.h)
 *
 * It has neither sites that run an image nor words on links, and refuses faults. It keeps the order and
 * does not divert: another fabric than cutthrough's to the operator.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_SIM_IDEAL_ENGINE_IDEAL_ENGINE_H
#define POSTROAD_TESTS_SIM_IDEAL_ENGINE_IDEAL_ENGINE_H

#include "simulation/simulation.h"

enum { IDEAL_DELAY = 20 };

extern const struct simulation_engine ideal_engine;

#endif
