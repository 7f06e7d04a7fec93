/* A virtual logic analyser at the links of a simulated mesh: what each clock shows there, as capture/mesh_ports.h has
 * it.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_ENGINE_MESH_CAPTURE_H
#define POSTROAD_ENGINE_MESH_CAPTURE_H

#include <stddef.h>
#include <stdint.h>

struct mesh_capture;
struct mesh_config;
struct simulation_options;

/* Clock 0 of the mesh is time 0, at the rate `clock_hz` of its sites; of the options capture, testbed and seed. NULL
 * with a reason. */
struct mesh_capture *mesh_capture_begin(const struct mesh_config *mesh, const struct simulation_options *options,
                                        char *error, size_t error_size);

/* Clock `now` is about to run; `words`: what simulation_words says about it. Clocks that are left out show no words. */
void mesh_capture_clock(struct mesh_capture *capture, const uint64_t *words, uint64_t now);

/* Completes the file, up to the clock `now`, and frees the capture. 0, or -1 with a reason: there is no file then. */
int mesh_capture_end(struct mesh_capture *capture, uint64_t now, char *error, size_t error_size);

/* Frees the capture, and leaves no file. NULL: nothing. */
void mesh_capture_abandon(struct mesh_capture *capture);

#endif
