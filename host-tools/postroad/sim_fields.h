/* What a point of `postroad sim` reports, as a list of fields: JSON, CSV and pictures come from it, so that they cannot
 * disagree. A point has one run, or several that differ in their seed; each number is their mean then, and a field
 * behind it has the interval.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTROAD_SIM_FIELDS_H
#define POSTROAD_POSTROAD_SIM_FIELDS_H

#include "cli/options.h"
#include "experiment/experiment.h"
#include "workload/sample.h"

enum { SIM_FIELDS = 260, SIM_SWEEPS = 8 }; /* at most: fields of a run, keys that are swept */

enum sim_value_kind { VALUE_ABSENT, VALUE_TEXT, VALUE_COUNT, VALUE_REAL, VALUE_TRUTH };

/* Counts are exact in a double up to 2^53. */
struct sim_value {
    enum sim_value_kind kind;
    const char *text;
    double number;
};

struct sim_field {
    const char *group; /* JSON: member of this object; CSV: prefix; NULL: top level */
    const char *name, *ending;
    struct sim_value value;
};

struct sim_fields {
    struct sim_field list[SIM_SWEEPS + 2 * SIM_FIELDS];
    int count;
};

/* Where a case saturates, as searches with several seeds have found it (sim_search.h). */
struct sim_saturation {
    bool searched, complete; /* complete: each search has found it */
    struct sample load;      /* the middle of the two loads of each search */
    double resolution;       /* half of the mean distance of these */
    double least, greatest;  /* seen saturated, and seen not saturated, by any; 1, 0: none */
};

/* The runs of a point. Zeroed, it is empty. */
struct sim_summary {
    struct sim_saturation saturation; /* then there are runs of many loads, and no figures */
    bool repeated;                    /* set by the caller: means with intervals, also of a single run */
    double until; /* as well: how narrow the interval of the mean latency should be, a share of it; 0: as it is */
    unsigned runs, saturated, unsteady, undecided, incomplete;
    struct experiment_result worst; /* of the run that ended worst, with the worst verdicts of all; no histograms */
    struct {
        enum sim_value_kind kind; /* VALUE_ABSENT: no run had this figure */
        struct sample sample;
    } figures[SIM_FIELDS];
};

/* The result of a summary without runs. */
extern const char sim_not_run[];

/* Were all of its runs saturated? */
bool sim_summary_saturated(const struct sim_summary *summary);

/* A value of a sweep. */
struct sim_swept {
    const char *key, *value;
};

/* One point: its options and its runs. */
struct sim_point {
    const struct mesh_config *mesh;
    const struct experiment_options *options;
    const struct experiment_result *result; /* of its last run; NULL in questions that need none */
    const char *nodes;                      /* what runs the firmware, as users write it */
    const struct sim_summary *summary;
    const struct sim_swept *swept;
    unsigned swept_count;
};

/* Of enum load_bound. */
extern const char *const sim_bound_names[LOAD_BOUNDS];

/* The keys of the object, for the reference: sim_report_rows.def. */
extern const struct json_key sim_report_keys[];

/* Adds the result of point->result to the runs. */
void sim_summary_add(struct sim_summary *summary, const struct sim_point *point);

/* The load where it saturates, and half its interval, the resolution of the searches included; infinite if unknown. */
double sim_saturation_half(const struct sim_saturation *saturation);

/* Is the interval of the mean latency as narrow as it should be? */
bool sim_summary_narrow(const struct sim_summary *summary);

/* Counts a result without its figures. */
void sim_summary_count(struct sim_summary *summary, const struct experiment_result *result);

/* All fields of the point's summary. Texts are valid until the next call. */
void sim_fields_collect(struct sim_fields *fields, const struct sim_point *point);

/* The values of a figure in the runs of a summary, those that had it. */
const struct sample *sim_summary_figure(const struct sim_summary *summary, const char *group, const char *name);

/* Where `link_use` has the most words. */
int sim_busiest_link(const struct sim_point *point);

/* Words over the whole run, by site and clock. */
double sim_run_load(const struct mesh_config *mesh, const struct experiment_result *result);

/* Links that a word took from site to site, the mean of all words; 0: unknown. */
double sim_hops(const struct mesh_config *mesh, const struct experiment_result *result);

/* Clocks of all sites in a second of processor time. */
double sim_speed(const struct mesh_config *mesh, const struct experiment_result *result);

/* Packets discarded for lack of storage, by operators and by network_interfaces. */
uint64_t sim_discarded(const struct experiment_result *result);

#endif
