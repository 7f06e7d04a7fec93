/* Cables of a graph. A word may take more than a clock: a cable is a ring of slots each way, and what a site is shown
 * is what was put in so many clocks ago; the status of a link comes back with the same delay.
 *
 *   site A  word at t ----[ slot | slot | slot ]----> word at t + delay - 1  site B
 *           status   <----[ slot | slot | slot ]----  status
 *
 * Where links carry words, a word goes into the cable in the clock in which A shows it and sees no `wait`: B is shown
 * it in one clock, and takes it. So the `wait` of B has to come two delays before it has no room. Lines go in as they
 * are.
 *
 * What is on a cable keeps the mesh awake: engine->on_cables.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_ENGINE_CABLES_H
#define POSTROAD_ENGINE_CABLES_H

#include <stdbool.h>
#include <stddef.h>

struct engine;
struct cables;

/* Puts the mesh's cables between its sites, which are wired. NULL in *out: there are none. 0, or -1 with a reason.
 */
int cables_create(struct engine *engine, struct cables **out, char *error, size_t error_size);
void cables_destroy(struct cables *cables);

/* A clock: what arrives is shown to the sites, and what they show goes in, but not while all sites are in reset. */
void cables_clock(struct engine *engine, bool in_reset);

#endif
