/* The folder of a plan of runs, of `postroad sim --out`:
 *
 *   run.json   the settings: options, command, version and commit      run.mesh   a copy of the mesh
 *   points/    a file for each run of a point, which appears whole or not at all
 *   claims     locked where a run is being made, a byte a run: a lock ends with its process
 *   table.csv, table.json, runs.csv, replay.json, plot-*   once all points are there
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTROAD_SIM_FOLDER_H
#define POSTROAD_POSTROAD_SIM_FOLDER_H

#include "postroad/sim_plan.h"

enum { SIM_POINT_NAME = 80 };

struct sim_folder {
    const char *path;
    struct cJSON *settings; /* run.json; owned */
    char mesh[SIM_PATH];    /* the copy */
    unsigned sum;           /* of the options that a result depends on */
};

/* What a file of points/ is. */
enum sim_point_state {
    POINT_GOOD,
    POINT_FAILED, /* good, of a run that could not be started */
    POINT_MISSING,
    POINT_DAMAGED,
    POINT_OTHER_PROGRAM, /* and those behind: whole, but of something else */
    POINT_OTHER_MESH,
    POINT_OTHER_SETTINGS
};
extern const char *const sim_point_states[];

/* Is there a run folder, rather than a checkpoint? */
bool sim_folder_there(const char *path);

/* Makes the folder of a plan that has been checked. 0, or -1 with a reason: nothing that is there is touched. */
int sim_folder_make(struct sim_folder *folder, const char *path, const struct sim_options *options, char *error,
                    size_t error_size);

/* Opens one, and puts its options into the place of those given, but for what does not belong to a plan. 0, or -1 with
 * a reason: one was given that is the folder's alone, or there are fewer repeats than in the folder. */
int sim_folder_open(struct sim_folder *folder, const char *path, const struct verb *verb, struct sim_options *options,
                    char *error, size_t error_size);

/* Has this program made the folder? 0, or -1 with a reason. */
int sim_folder_check_program(const struct sim_folder *folder, char *error, size_t error_size);

/* Writes a number of repeats into the folder's settings. 0, or -1 with a reason. */
int sim_folder_extend(struct sim_folder *folder, int repeats, char *error, size_t error_size);

void sim_folder_close(struct sim_folder *folder);

/* "FOLDER/NAME". And the text of such a file, which the caller frees, or NULL. */
const char *sim_folder_file(const struct sim_folder *folder, const char *name, char out[SIM_PATH]);
char *sim_folder_read(const struct sim_folder *folder, const char *name);

/* The name of the file of a run, without its folder. */
const char *sim_point_name(const struct sim_run *run, char out[SIM_POINT_NAME]);

enum sim_point_state sim_point_look(const struct sim_folder *folder, const struct sim_run *run);

/* Reads a result, which the caller frees; of a file that is not good it says that it failed. */
void sim_point_read(const struct sim_folder *folder, const struct sim_run *run, struct experiment_result *result);

/* Of a range of loads that ends before this one: are there enough points before it that are saturated? */
bool sim_point_behind(const struct sim_folder *folder, const struct sim_run *run);

/* experiment_run, and in a folder the file of the run; a run that another process makes, or that has been made, or is
 * behind saturation, is not made: it was then interrupted before it ran. An error in writing is the result's
 * `capture_error`. */
void sim_point_make(const struct sim_run *run, experiment_report *report, void *context,
                    struct experiment_result *result);

#endif
