/* A case of the deadlock search: a small mesh with settings at their limits, and traffic that is meant to get in its
 * own way. Everything follows from the search's seed and the number of the run.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_DEADLOCK_SEARCH_DEADLOCK_CASE_H
#define POSTROAD_TESTS_DEADLOCK_SEARCH_DEADLOCK_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mesh/mesh.h"

struct discipline; /* mesh/discipline.h */
struct simulation_engine;

enum { CASE_SITES = 36, CASE_PACKETS = 400, CASE_TEXT = 1024 };

struct case_packet {
    uint64_t due; /* clock from which on its source's operator is asked to take it */
    uint8_t source, target_count;
    uint8_t targets[CASE_SITES];
    uint16_t data_words;
};

struct deadlock_case {
    const struct simulation_engine *engine;
    const char *model; /* as in simulation_options, */
    bool relays;       /* and this one */
    struct mesh_config mesh;
    char text[CASE_TEXT]; /* the same as a .mesh file */
    uint64_t seed;
    unsigned pool, window, stall;             /* as in simulation_options */
    const char *unicasts, *multicasts;        /* names of the patterns; multicasts: NULL if there are none */
    struct case_packet packets[CASE_PACKETS]; /* of each source in the order of their clocks */
    unsigned packet_count;
};

/* All meshes, and the name of one ("grid 2x3"). */
unsigned deadlock_meshes(void);
const char *deadlock_mesh_name(unsigned mesh);

/* Those that are searched with a simulator, and one beyond the last: with the RTL some of up to 16 sites, which are
 * built once; with others any of up to 6 sites a side. */
struct deadlock_mesh_range {
    unsigned first, end;
};
struct deadlock_mesh_range deadlock_mesh_range(const struct simulation_engine *engine);

/* Draws case number `run` for this simulator and fabric. False if the .mesh that it drew is refused, which is a mistake
 * of the search. */
bool deadlock_draw(struct deadlock_case *out, const struct simulation_engine *engine, const struct discipline *fabric,
                   uint64_t seed, uint64_t run, unsigned mesh, bool reliable, char *error, size_t error_size);

#endif
