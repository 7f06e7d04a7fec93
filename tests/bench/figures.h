/* What the parts of build/tests/bench/figures share: each measures, and prints its figures one by one. All of them
 * are exact: clocks and words of simulations that are the same in every run.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_BENCH_FIGURES_H
#define POSTROAD_TESTS_BENCH_FIGURES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "mesh/mesh.h"
#include "simulation/simulation.h"

enum { FIGURE_TEXT = 64 };

/* What a figure is about: a line of its part's table. */
struct figure_case {
    const char *part; /* a literal */
    char mesh[FIGURE_TEXT], service[FIGURE_TEXT], what[FIGURE_TEXT];
};

/* Prints a figure, with so many decimals, as a line of CSV. */
void figure_add(const struct figure_case *subject, const char *name, double value, int decimals);

/* The parts. Quick: the lines that take few seconds; they are the same lines as in a full run. */
void measure_turn_round(bool quick);
void measure_console(bool quick);
void measure_traffic(bool quick);
void measure_multicast(bool quick);
void measure_saturation(bool quick);
void measure_corner(bool quick);

/* Ends the program: something was lost, or could not be measured. */
_Noreturn void figures_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* hw/mesh/NAME.mesh with the service asked for, and a simulation of a mesh, idle: fabrics with native operators, whole
 * sites with an image of build/firmware, or native operators but for one such site. */
void figures_load(const char *name, bool reliable, struct mesh_config *mesh);
struct simulation *figures_start(const struct mesh_config *mesh, unsigned pool, unsigned window);
struct simulation *figures_start_sites(const struct mesh_config *mesh, const char *image);
struct simulation *figures_start_one_site(const struct mesh_config *mesh, unsigned site, const char *image);

const char *service_name(bool reliable);

/* Runs until nothing is under way and no timer is set. */
void figures_settle(struct simulation *simulation);

#endif
