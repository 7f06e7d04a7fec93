/* Who waits for whom: follows a run clock by clock, and draws what stands still.
 *
 * A node is a net_input that holds a word, or is connected to net_outputs while its packet's next word has not come. It
 * waits for the net_input at the other end of a link, for those that hold what it wants, or for the one that its next
 * word has to come from.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_DEADLOCK_SEARCH_DEADLOCK_PICTURE_H
#define POSTROAD_TESTS_DEADLOCK_SEARCH_DEADLOCK_PICTURE_H

#include <stdio.h>

#include "deadlock_case.h"
#include "deadlock_run.h"

struct simulation;

struct deadlock_picture;

/* NULL without memory. The caller frees it. */
struct deadlock_picture *deadlock_picture_create(const struct deadlock_case *drawn);
void deadlock_picture_free(struct deadlock_picture *picture);

/* Before every clock of the run. */
void deadlock_picture_follow(struct deadlock_picture *picture, const struct simulation *simulation);

/* What stands still now, a line each, and a ring of those that wait for each other if there is one. */
void deadlock_picture_print(struct deadlock_picture *picture, const struct simulation *simulation, FILE *out);

/* The same for Graphviz. */
void deadlock_picture_draw(struct deadlock_picture *picture, const struct simulation *simulation, FILE *out);

#endif
