/* The faults of a simulation: what resets, stops and dead cables do to its sites and channels.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_FUNCTIONAL_FAULTS_H
#define POSTROAD_FUNCTIONAL_FAULTS_H

#include "functional/functional_state.h"

/* A mesh that has been built gets its faults. False: no memory. faults_tear_down may be called then too. */
bool faults_set_up(struct functional *functional, const struct simulation_options *options);
void faults_tear_down(struct functional *functional);

/* At the start of a clock: what begins or ends in it, and what is shown on channels. */
void faults_clock(struct functional *functional);

/* The first clock in which a fault begins or ends; UINT64_MAX: none. */
uint64_t faults_next(const struct functional *functional);

#endif
