/* Runs of the models, for experiments: a warm-up, then batches of slots. A figure is a name and a value; NaN: none.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CSR_CSR_RUNS_H
#define POSTROAD_CSR_CSR_RUNS_H

#include <stdbool.h>
#include <stdint.h>

#include "csr/csr_pattern.h"
#include "csr/csr_routes.h"

enum { CSR_MOST_FIGURES = 16 };

struct csr_figures {
    unsigned count;
    struct {
        const char *name;
        double value;
    } figures[CSR_MOST_FIGURES];
};

/* What the schemes have in common, then what single ones read. Throughputs are packets a node and slot. */
struct csr_run {
    unsigned dimensions;
    double arrival; /* of a packet at an empty entry buffer or place, in a slot */
    uint64_t slots, warm_up, seed;
    struct csr_destinations destinations; /* csr, deflection */
    double retry;                         /* csr, multicast: of a backlogged one */
    bool redraw;                          /* csr, multicast: a blocked packet is given up */
    unsigned exits;                       /* csr: packets that a node accepts in a slot; 0: all */
    unsigned targets;                     /* multicast: a power of two */
    unsigned buffers, patience;           /* graph: csr_general.h */
    const struct csr_routes *routes;      /* graph */
    bool priority;                        /* deflection, unbuffered */
    bool two_phases;                      /* deflection */
    bool new_last;                        /* unbuffered */
};

/* Each adds its figures. */
void csr_run_csr(const struct csr_run *run, struct csr_figures *figures);
void csr_run_multicast(const struct csr_run *run, struct csr_figures *figures);
void csr_run_graph(const struct csr_run *run, struct csr_figures *figures);
void csr_run_deflection(const struct csr_run *run, struct csr_figures *figures);
void csr_run_unbuffered(const struct csr_run *run, struct csr_figures *figures);

void csr_figures_add(struct csr_figures *figures, const char *name, double value);

#endif
