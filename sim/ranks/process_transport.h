/* The transport of ranks that are processes of one machine, without MPI: this process forks the others, and all of them
 * share memory.
 *
 *   rank 0, which was started --fork--> rank 1, rank 2, ...      one table of pairs of ranks, anonymous and shared
 *
 * Rank 0 notices within a twentieth of a second that another rank has ended before its time. It ends the others,
 * reports, and exits with the same code; with 128 and the number of the signal if that rank was killed. If rank 0 ends,
 * however it does, the kernel kills the others. So neither processes nor memory are left behind.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_RANKS_PROCESS_TRANSPORT_H
#define POSTROAD_RANKS_PROCESS_TRANSPORT_H

#include "ranks/transport.h"

/* At most RANKS_PROCESSES_MOST (ranks.h). Returns in every rank: 0; or, in this process alone, -1 with a reason. What
 * has been written to stdout and stderr must have been flushed. */
int process_transport_start(unsigned ranks, char *error, size_t error_size);

extern const struct ranks_transport process_transport;

/* What rank 0 prints behind its error when another rank has ended before its time. The text stays the caller's. */
void process_transport_last_words(const char *text);

#endif
