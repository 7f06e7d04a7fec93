/* The engine's faults: when they begin and end, and what that does to sites and links. Private to sim/engine.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_ENGINE_FAULT_INJECTION_H
#define POSTROAD_ENGINE_FAULT_INJECTION_H

#include "engine/engine.h"

/* After the sites have been wired: puts a filter into every link that a fault, or simulation_load, may hit. NULL in
 * *out if there are none of these. 0, or -1 with a reason. The caller destroys it. */
int faults_create(struct engine *engine, const struct simulation_options *options, struct faults **out, char *error,
                  size_t error_size);
void faults_destroy(struct faults *faults);

/* At the start of a clock from engine->next_fault on: begins and ends what is due, resets that were requested included,
 * and sets next_fault anew. */
void faults_change(struct engine *engine);

/* In every clock, before sites exchange what they show: what comes out of the links with a filter. begins: for the
 * first time in this clock; damage stays the same in one. */
void faults_filter_links(struct engine *engine, bool begins);

/* Every site that is in a pause stops for good. Returns how many there are. */
unsigned faults_end_pauses(struct faults *faults, uint64_t now);

void faults_set_hook(struct faults *faults, simulation_reset_hook *hook, void *context);
const struct fault_counts *faults_counts(const struct faults *faults);

#endif
