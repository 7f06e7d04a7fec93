/* The simulators that `postroad` offers as --engine.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTROAD_ENGINES_H
#define POSTROAD_POSTROAD_ENGINES_H

/* Registers the engines (simulation_register), the default first. main() calls it once. */
void engines_register(void);

#endif
