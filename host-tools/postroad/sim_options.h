/* Options of `postroad sim`.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTROAD_SIM_OPTIONS_H
#define POSTROAD_POSTROAD_SIM_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "experiment/experiment.h"

enum { SIM_MAX_POINTS = 1000 };

enum sim_service { SERVICE_OF_MESH, SERVICE_RAW, SERVICE_RELIABLE };

struct sim_options {
    const char *mesh_path;
    struct experiment_options experiment; /* the load is set for each point */
    double load_from, load_step;
    int points; /* more than one: a sweep */
    bool sweep, json, quiet, verbose, help, version;
    bool csv_to_stdout;     /* --csv - */
    const char *csv, *plot; /* a file, and the start of the pictures' names; or NULL */
    enum sim_service service;
    const char *fault_text[EXPERIMENT_FAULTS];
    int fault_texts;
    const char *nodes_text; /* or NULL */
    enum site_kind *nodes;  /* owned; NULL before sim_options_apply, or without nodes_text */
};

/* 0, or -1 with a reason in `error`. The strings point into argv. */
int sim_options_parse(int argc, char **argv, struct sim_options *out, char *error, size_t error_size);

/* The service that was asked for goes into the mesh, and the faults are read for it. 0 or -1. */
int sim_options_apply(struct sim_options *options, struct mesh_config *mesh, char *error, size_t error_size);

/* What depends on the mesh: pool, level and sites. 0 or -1. */
int sim_options_check(const struct sim_options *options, const struct mesh_config *mesh, char *error,
                      size_t error_size);

double sim_options_load(const struct sim_options *options, int point);
void sim_options_help(FILE *out);

#endif
