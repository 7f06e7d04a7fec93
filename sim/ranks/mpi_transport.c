/* The table of transport.h on MPI. Built into build/sim/ranks-mpi.so.
 *
 * MPI waits by looking again and again, which stops all ranks when there are more of them than processors. So this file
 * looks for a short while, about as long as a message takes, and sleeps between looks after that.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

#include "ranks/transport.h"
#include "support/or_abort.h"

enum { LOOKS = 50, SLEEP_NANOSECONDS = 10000 };

static unsigned rank_count;
static MPI_Request *requests;

static void begin(unsigned *own, unsigned *count)
{
    int rank, size;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    *own = (unsigned)rank;
    *count = rank_count = (unsigned)size;
    requests = or_abort(calloc(2 * (size_t)size, sizeof *requests));
}

/* Until the first `count` requests have ended. */
static void await(int count)
{
    int ended = 0;
    for (unsigned look = 0; !ended; look++) {
        if (look > LOOKS)
            nanosleep(&(struct timespec){.tv_nsec = SLEEP_NANOSECONDS}, NULL);
        MPI_Testall(count, requests, &ended, MPI_STATUSES_IGNORE);
    }
}

/* No rank leaves before all have come here. */
static void end(void)
{
    MPI_Ibarrier(MPI_COMM_WORLD, requests);
    await(1);
    free(requests);
    MPI_Finalize();
}

static void exchange_blocks(const void *out, void *in, size_t block)
{
    MPI_Ialltoall(out, (int)block, MPI_BYTE, in, (int)block, MPI_BYTE, MPI_COMM_WORLD, requests);
    await(1);
}

static void exchange_bytes(const struct ranks_bytes *out, const struct ranks_bytes *in)
{
    int count = 0;
    for (unsigned rank = 0; rank < rank_count; rank++) {
        if (in[rank].length)
            MPI_Irecv(in[rank].bytes, (int)in[rank].length, MPI_BYTE, (int)rank, 0, MPI_COMM_WORLD, &requests[count++]);
        if (out[rank].length)
            MPI_Isend(out[rank].bytes, (int)out[rank].length, MPI_BYTE, (int)rank, 0, MPI_COMM_WORLD,
                      &requests[count++]);
    }
    await(count);
}

static void reduce(void *values, size_t count, MPI_Datatype type, MPI_Op operation)
{
    MPI_Iallreduce(MPI_IN_PLACE, values, (int)count, type, operation, MPI_COMM_WORLD, requests);
    await(1);
}

static void sum(uint64_t *values, size_t count)
{
    reduce(values, count, MPI_UINT64_T, MPI_SUM);
}

static void sum32(uint32_t *values, size_t count)
{
    reduce(values, count, MPI_UINT32_T, MPI_SUM);
}

static void least(uint64_t *values, size_t count)
{
    reduce(values, count, MPI_UINT64_T, MPI_MIN);
}

extern const struct ranks_transport ranks_mpi_transport;
const struct ranks_transport ranks_mpi_transport = {
    .begin = begin,
    .end = end,
    .exchange_blocks = exchange_blocks,
    .exchange_bytes = exchange_bytes,
    .sum = sum,
    .sum32 = sum32,
    .least = least,
};
