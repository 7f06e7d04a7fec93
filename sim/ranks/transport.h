/* How ranks exchange bytes, as a table for ranks.c: by a library of message passing (mpi_transport.c), or by shared
 * memory (process_transport.c). The first is in a shared object of its own: a program that is not started by mpirun
 * neither links nor loads that library.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_RANKS_TRANSPORT_H
#define POSTROAD_RANKS_TRANSPORT_H

#include <stddef.h>
#include <stdint.h>

struct ranks_bytes {
    uint8_t *bytes;
    size_t length;
};

struct ranks_transport {
    void (*begin)(unsigned *own, unsigned *count);
    void (*end)(void);

    /* Block r of `out` goes to rank r, and block r of `in` comes from it. */
    void (*exchange_blocks)(const void *out, void *in, size_t block);

    /* The same with a length for each pair of ranks, which both of them know. */
    void (*exchange_bytes)(const struct ranks_bytes *out, const struct ranks_bytes *in);

    /* Each value becomes the sum, or the least one, of all ranks. */
    void (*sum)(uint64_t *values, size_t count);
    void (*sum32)(uint32_t *values, size_t count);
    void (*least)(uint64_t *values, size_t count);
};

/* The name of the table in the shared object. */
#define RANKS_TRANSPORT_SYMBOL "ranks_mpi_transport"

#endif
