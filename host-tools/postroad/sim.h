/* The verb `postroad sim`: batch experiments on a simulated mesh.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTROAD_SIM_H
#define POSTROAD_POSTROAD_SIM_H

/* argv[0] is the verb, options follow. Results go to stdout, everything else to stderr. Returns the exit
 * code. */
int sim_verb(int argc, char **argv);

#endif
