/* Checkpoints of a run of `postroad sim`, in a folder:
 *
 *   part-CLOCK-RANK   what rank RANK had in run memory before clock CLOCK (checkpoint_part.h)
 *   manifest          which parts are the checkpoint: text, replaced in one step
 *
 *       rank 0   writes its part --.                      .-- replaces the manifest, removes other parts
 *       rank 1   writes its part ---+-- all are written --+-- goes on
 *
 * A process that is killed at any moment leaves the checkpoint before it whole. The state is the process's own: there
 * is one run in a process that has checkpoints.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTROAD_SIM_CHECKPOINT_H
#define POSTROAD_POSTROAD_SIM_CHECKPOINT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "experiment/experiment.h"

/* When to write. Neither set: when a signal ends the run, and then in any case. */
struct sim_checkpoint_period {
    uint64_t clocks; /* a checkpoint in the first pause behind each multiple; 0: none */
    double seconds;  /* of real time; 0: none */
};

/* Before the first allocation of a run: it will have checkpoints in this folder, which is made if need be. A folder
 * that has one already is refused, unless `restored` names it too. `processes` as --ranks has them. 0, or -1 with a
 * reason in `error`; of all ranks. */
int sim_checkpoint_begin(const char *folder, const char *restored, const struct sim_checkpoint_period *period,
                         unsigned processes, char *error, size_t error_size);

/* Fills fixed run memory from the checkpoint in a folder. 0 and the processor time that the run has taken, or -1 with a
 * reason in `error`; of all ranks. */
int sim_checkpoint_restore(const char *folder, double *seconds_spent, char *error, size_t error_size);

/* For experiment_options.between. */
bool sim_checkpoint_between(const struct experiment *experiment);

/* SIGINT, SIGTERM and SIGHUP end the run with a checkpoint from now on, and set the flag behind the pointer. */
const volatile sig_atomic_t *sim_checkpoint_signals(void);

/* Some checkpoint could not be written; the error has been printed. */
bool sim_checkpoint_failed(void);

#endif
