/* The program of a node, without the part that an application adds: start, register handlers, run.
 *
 *   struct pr_node *node = pr_node_start();
 *   pr_operator_register(&node->operator, HANDLER, function, context);
 *   pr_node_run(node);
 *
 * An application that needs no console, or other sizes, starts from platform.h and operator.h instead, as apps/hello
 * does.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_PLATFORM_NODE_PROGRAM_H
#define POSTROAD_PLATFORM_NODE_PROGRAM_H

#include "console/node.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Starts platform, operator and console, with the sizes that this library was built with. Ends the run if these sizes
 * do not suit this site. A program has one node. */
struct pr_node *pr_node_start(void);

/* The same with fewer buffers than PR_POOL_SIZE, in memory of the application's: it has what they leave. Each takes
 * 576 bytes. */
#define PR_NODE_MEMORY_WORDS(buffers) PR_OPERATOR_MEMORY_WORDS(buffers, PR_PACKET_WORDS, PR_SITES_MAX)
struct pr_node *pr_node_start_with(uint32_t *memory, unsigned buffers);

/* Runs operator and console, and sleeps whenever there is nothing to do. */
__attribute__((noreturn)) void pr_node_run(struct pr_node *node);

/* What a program has beside them: poll and next_wake have the contracts of pr_operator_poll and pr_operator_next_wake.
 * NULL for next_wake: there is never such a clock. */
struct pr_node_part {
    bool (*poll)(void *context);
    bool (*next_wake)(void *context, uint32_t *clock);
    void *context;
};
__attribute__((noreturn)) void pr_node_run_with(struct pr_node *node, const struct pr_node_part *part);

#ifdef __cplusplus
}
#endif

#endif
