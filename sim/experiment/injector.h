/* How packets get into the sites, and how deliveries are noticed: a table, filled twice. Private to sim/experiment.
 *
 *   injector_native   all sites native: pr_operator_send, handlers, observers
 *   injector_console  sites that run an image: their consoles
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_EXPERIMENT_INJECTOR_H
#define POSTROAD_EXPERIMENT_INJECTOR_H

#include "experiment/experiment_state.h"

struct injector {
    uint64_t chunk;    /* clocks between two calls of step */
    uint64_t patience; /* clocks an operator may take without moving a word, beside the time-outs */
    bool (*start)(struct experiment *experiment);         /* false: failed */
    void (*step)(struct experiment *experiment);          /* between two runs of the simulation; may be NULL */
    bool (*settled)(const struct experiment *experiment); /* no answer is awaited; may be NULL */
    void (*reset)(struct experiment *experiment, uint32_t site, bool running); /* as simulation_reset_hook */
    void (*finish)(struct experiment *experiment); /* adds the operators' counters to the result */
    void (*stop)(struct experiment *experiment);   /* frees its state; also after a failed start */
};

extern const struct injector injector_native, injector_console;

#endif
