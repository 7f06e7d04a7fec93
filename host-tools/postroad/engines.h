/* The simulators that `postroad` offers as --engine.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTROAD_ENGINES_H
#define POSTROAD_POSTROAD_ENGINES_H

/* Makes them known (simulation_register), the default first. Called once, by main(). */
void engines_register(void);

#endif
