/* What the tests of the engine share: a mesh from hw/mesh, a simulation of it and its consoles, and a check that
 * counts.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_SIM_ENGINE_TEST_H
#define POSTROAD_TESTS_SIM_ENGINE_TEST_H

#include "operator/operator.h"
#include "simulation/simulation.h"

/* Counts and prints a failure unless `good`. */
void check(bool good, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What the checks that follow are about is printed before each failure; NULL: nothing. The text is not copied. */
void check_about(const char *what);

/* Prints the verdict; the exit status of the test. */
int verdict(const char *name);

/* SEED of the environment, or `otherwise`; printed. */
uint64_t test_seed(uint64_t otherwise);

/* By a clock that nobody sets. */
double seconds_now(void);

/* Uniform below `limit`. */
unsigned pick(uint64_t *state, unsigned limit);

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
