/* The operator of a site: the firmware's sources built into this process, on the packet face of the
 * network_interface's model.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_FUNCTIONAL_NATIVE_OPERATOR_H
#define POSTROAD_FUNCTIONAL_NATIVE_OPERATOR_H

#include "console/node.h"
#include "functional/functional_state.h"
#include "network_interface/native_groups.h"
#include "network_interface/native_traffic.h"
#include "network_interface/ni_model.h"

/* The clocks in which a packet's first word and its terminator arrived, low 32 bits. */
struct native_arrival {
    uint32_t first, last;
};

struct native_operator {
    struct ni_model interface; /* the first member */
    struct pr_operator *op;
    struct pr_node *node; /* that `op` is part of; NULL: the operator has no console */
    struct pr_site_identity identity;
    const struct pr_network_interface_functions *model; /* the model's functions, */
    struct pr_network_interface_functions functions;    /* and those that the operator calls */
    struct functional *functional;
    struct functional_site *site;
    void *memory;             /* of the operator or the node, and of its buffers */
    void *groups_memory;      /* NULL: no groups, */
    struct pr_groups *groups; /* as if this is NULL */
    void *traffic_memory;     /* NULL: no console, and no traffic evaluator */
    struct pr_traffic_evaluator *traffic;
    uint64_t random; /* state of the stalls */
    uint64_t wake;   /* clock of its first timer; UINT64_MAX: none */
    bool poll;       /* it is polled in the next clock in which its site is visited */
    bool visited;    /* its site is being visited */
    bool abandoned;  /* it is polled no more */
    bool stopped;    /* by a fault: it is not polled */
    bool holds;      /* a packet that may not leave yet */
    struct native_arrival arrivals[NATIVE_INTERFACE_RING]; /* as the receive ring */
    struct pr_operator_size size;
    struct pr_relay_source relay_source;
};

/* The operator begins. 0, or -1 with a reason. */
int native_operator_start(struct functional *functional, struct functional_site *site,
                          const struct simulation_options *options, char *error, size_t error_size);
void native_operator_free(struct native_operator *native);

/* It begins afresh: this is its site's reset number `epoch`. */
void native_operator_restart(struct native_operator *native, unsigned epoch);

/* It does nothing, until it is told to go on. */
void native_operator_stop(struct native_operator *native, bool stopped);

/* It is polled in the clock that runs next. */
void native_operator_poll_soon(struct native_operator *native);

/* It is polled no more, and packets that find no buffer are discarded. */
void native_operator_abandon(struct native_operator *native);

/* One clock: its poll, and its side of both fifo_buffers. */
void native_operator_clock(struct functional *functional, struct functional_site *site);

#endif
