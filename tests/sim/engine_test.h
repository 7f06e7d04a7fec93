/* What the tests of the engine share: a mesh from hw/mesh, a simulation of it and its consoles.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_SIM_ENGINE_TEST_H
#define POSTROAD_TESTS_SIM_ENGINE_TEST_H

#include "check.h"
#include "operator/operator.h"
#include "simulation/simulation.h"

/* Uniform below `limit`. */
unsigned pick(uint64_t *state, unsigned limit);

/* The digest, with one more value. */
uint64_t mix(uint64_t digest, uint64_t value);

/* Loads hw/mesh/NAME.mesh; ends the test if it cannot. */
void load_mesh(const char *name, struct mesh_config *mesh);

/* Creates a simulation; ends the test if it cannot. */
struct simulation *start(const struct simulation_options *options);

/* Runs until all is idle or `limit` clocks have passed; true if idle. */
bool run_until_idle(struct simulation *simulation, uint64_t limit);

/* Runs until all is idle and no site waits for a later clock, as one does that owes an acknowledgement, or `limit`
 * clocks have passed; true if it came to rest before. */
bool settle(struct simulation *simulation, uint64_t limit);

/* Types on a site's console; checks that there is room for all of it. */
void console_type(struct simulation *simulation, unsigned site, const char *text);

#endif
