/* Options of `postroad sim`: its rows, the struct that they fill, and the checks that depend on the mesh.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTROAD_SIM_OPTIONS_H
#define POSTROAD_POSTROAD_SIM_OPTIONS_H

#include "cli/options.h"
#include "experiment/experiment.h"
#include "postroad/sim_checkpoint.h"
#include "workload/trace_file.h"

enum { SIM_MAX_POINTS = 1000, SIM_MAX_REPEATS = 1000, SIM_UNTIL_LEAST = 5, SIM_MAX_JOBS = 256, SIM_PATH = 4096 };

/* A range of loads ends with so many points that are saturated. */
enum { SIM_SATURATED_POINTS = 2 };

/* The runs whose number, divided by `of`, leaves `number` - 1. */
struct sim_part {
    int number, of;
};

struct sim_options {
    struct options common;
    struct experiment_options experiment; /* the load is set for each point */
    double loads[SIM_MAX_POINTS];
    int load_count;
    bool load_range;    /* as a range or a list, which may have one load */
    bool load_ends;     /* a range alone and no faults: it ends behind saturation */
    bool saturation;    /* --load saturation: no list of loads */
    int repeat;         /* runs of a point, with one seed after the other; 0: not given */
    double until;       /* a point ends when the interval of its mean latency is this share of it; 0: at the last run */
    int jobs;           /* runs at a time */
    int ranks;          /* processes for one point */
    bool csv_to_stdout; /* --csv - */
    const char *csv, *plot; /* a file, and the start of the pictures' names; or NULL */
    const char *over_time;  /* file of the slices; or NULL */
    int reliable;           /* -1: as the .mesh file has it */
    struct option_list faults, set, sweeps, classes;
    char traffic_path[SIM_PATH]; /* of a trace, followed by its settings, which have been read; or of a matrix */
    struct trace_file_options trace_file;
    struct packet_trace *trace;    /* owned; NULL before sim_options_apply, or for synthetic traffic */
    struct traffic_matrix *matrix; /* the same */
    const char *nodes_text;        /* or NULL */
    enum site_kind *nodes;         /* owned; NULL before sim_options_apply, or without nodes_text */
    char checkpoint[SIM_PATH];     /* folder; followed by its settings, which have been read; "": no checkpoints */
    struct sim_checkpoint_period checkpoint_period;
    const char *resume;       /* folder with a checkpoint, or a run folder; or NULL */
    const char *out, *verify; /* run folders, or NULL: a new one, and one to look at */
    struct sim_part part;
    const char *testbed; /* file, in the place of a .mesh file; or NULL */
};

/* What stands behind PREFIX of --plot in the names of the files; NULL behind the last. */
enum sim_picture { SIM_PICTURE_LATENCY, SIM_PICTURE_HISTOGRAM, SIM_PICTURE_LINKS, SIM_PICTURE_TIME };
extern const char *const sim_options_pictures[];

extern const struct option_row sim_option_rows[];
extern const struct sim_options sim_option_defaults;

/* Sets the mesh's service and what was not given, and reads the kinds of nodes, the faults and the trace for that mesh.
 * Returns 0, or -1 with a reason in `error`. */
int sim_options_apply(struct sim_options *options, struct mesh_config *mesh, char *error, size_t error_size);

/* Checks what depends on the mesh: pool, level and sites. Returns 0, or -1 with a reason in `error`. */
int sim_options_check(const struct sim_options *options, const struct mesh_config *mesh, char *error,
                      size_t error_size);

/* With --resume: the options of the run, all but those of its output, are in the checkpoint, and no others are given.
 * Returns 0, or -1 with a reason in `error`. */
int sim_options_check_resume(const struct verb *verb, const struct sim_options *options, char *error,
                             size_t error_size);

/* Frees what sim_options_apply has made. */
void sim_options_free(struct sim_options *options);

/* Runs of a point, with `until` at most. */
int sim_options_repeats(const struct sim_options *options);

/* Is there more than one run, or a list of loads, so that results are lines? */
bool sim_options_several(const struct sim_options *options);

#endif
