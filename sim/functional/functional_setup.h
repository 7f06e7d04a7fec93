/* Builds and tears down a mesh of the simulator `functional`.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_FUNCTIONAL_FUNCTIONAL_SETUP_H
#define POSTROAD_FUNCTIONAL_FUNCTIONAL_SETUP_H

#include "functional/functional_state.h"

/* NULL with a reason in `error`. */
struct functional *functional_set_up(const struct simulation_options *options, char *error, size_t error_size);
void functional_tear_down(struct functional *functional);

#endif
