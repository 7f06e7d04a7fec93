/* Each pair of ranks has, in each direction, two blocks that are used in turn, and a ring of bytes. A rank that has
 * written to another rings that one's bell. It waits for its own by looking for a short while, about as long as a
 * message takes, and then sleeps in the kernel, so that there may be more ranks than processors.
 *
 *   block, exchange n      writer: bytes, then sequence = n, then bell       reader: waits for sequence >= n
 *   block, exchange n + 2  the same memory: the writer has had the reader's block n + 1, which it sent behind reading n
 *   ring                   writer advances `written`, reader `taken`; both ring the bell of the other
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "ranks/process_transport.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ranks/ranks.h"
#include "support/or_abort.h"

enum { LINE = 64, BLOCK_MOST = 256, RING_BYTES = 65536, LOOKS = 300, SLEEP_NANOSECONDS = 50000000, EXIT_SIGNAL = 128 };

/* From one rank to another. What the two write has cache lines of its own. */
struct way {
    _Alignas(LINE) atomic_uint_fast64_t sequence; /* of the last block */
    uint8_t blocks[2][BLOCK_MOST];
    _Alignas(LINE) atomic_size_t written;
    _Alignas(LINE) atomic_size_t taken;
    uint8_t ring[RING_BYTES];
};

struct bell {
    _Alignas(LINE) atomic_uint rings;
    atomic_bool sleeps; /* its rank waits in the kernel */
};

/* The memory that all ranks share. */
struct hall {
    atomic_bool closed; /* rank 0 has come to its end */
    struct bell bells[RANKS_PROCESSES_MOST];
    struct way ways[]; /* from * ranks + to */
};

static struct hall *hall;
static size_t hall_size;
static unsigned own_rank, rank_count;
static pid_t processes[RANKS_PROCESSES_MOST]; /* rank 0: those of the others; 0: it has ended */
static bool may_look;                         /* there is a processor for each rank */
static uint64_t exchanges;
static const char *last_words = "";

static struct way *way(unsigned from, unsigned to)
{
    return &hall->ways[from * rank_count + to];
}

static void ring_bell(unsigned rank)
{
    struct bell *bell = &hall->bells[rank];
    atomic_fetch_add(&bell->rings, 1);
    if (atomic_load(&bell->sleeps))
        syscall(SYS_futex, &bell->rings, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void kill_others(void)
{
    for (unsigned rank = 1; rank < rank_count; rank++) {
        if (!processes[rank])
            continue;
        kill(processes[rank], SIGKILL);
        waitpid(processes[rank], NULL, 0);
        processes[rank] = 0;
    }
}

void process_transport_last_words(const char *text)
{
    last_words = text;
}

/* A rank has ended before its time: so does the run. */
static _Noreturn void fail(unsigned rank, int status)
{
    bool killed = WIFSIGNALED(status);
    int code = killed ? WTERMSIG(status) : WEXITSTATUS(status);
    processes[rank] = 0;
    kill_others();
    fflush(stdout);
    fprintf(stderr, "postroad sim: rank %u of %u (process of this run) ended with %s %d\n%s", rank, rank_count,
            killed ? "signal" : "exit code", code, last_words);
    fflush(stderr);
    _exit(killed ? EXIT_SIGNAL + code : code ? code : EXIT_FAILURE);
}

/* Rank 0 looks whether the others live. */
static void check_others(void)
{
    int status;
    for (unsigned rank = 1; rank < rank_count; rank++)
        if (processes[rank] && waitpid(processes[rank], &status, WNOHANG) == processes[rank])
            fail(rank, status);
}

static void sleep_until_rung(struct bell *bell, unsigned rings)
{
    const struct timespec most = {.tv_nsec = SLEEP_NANOSECONDS};
    atomic_store(&bell->sleeps, true);
    long result = 0;
    if (atomic_load(&bell->rings) == rings)
        result = syscall(SYS_futex, &bell->rings, FUTEX_WAIT, rings, &most, NULL, 0);
    atomic_store(&bell->sleeps, false);
    if (own_rank != 0 && atomic_load(&hall->closed))
        _exit(EXIT_SUCCESS);
    if (own_rank == 0 && result != 0 && errno == ETIMEDOUT)
        check_others();
}

static void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* Until `ready` is true, which another rank makes so and rings. */
static void await(bool (*ready)(void *context), void *context)
{
    struct bell *bell = &hall->bells[own_rank];
    for (unsigned look = 0;; look++) {
        unsigned rings = atomic_load(&bell->rings);
        if (ready(context))
            return;
        if (may_look && look < LOOKS)
            pause_briefly();
        else
            sleep_until_rung(bell, rings);
    }
}

static void begin(unsigned *own, unsigned *count)
{
    *own = own_rank;
    *count = rank_count;
}

static bool all_blocks_came(void *context)
{
    (void)context;
    for (unsigned rank = 0; rank < rank_count; rank++)
        if (rank != own_rank && atomic_load_explicit(&way(rank, own_rank)->sequence, memory_order_acquire) < exchanges)
            return false;
    return true;
}

static void exchange_blocks(const void *out, void *in, size_t block)
{
    unsigned turn = ++exchanges % 2;
    if (block > BLOCK_MOST)
        abort();
    for (unsigned rank = 0; rank < rank_count; rank++) {
        struct way *to = way(own_rank, rank);
        memcpy(to->blocks[turn], (const uint8_t *)out + rank * block, block);
        atomic_store_explicit(&to->sequence, exchanges, memory_order_release);
        if (rank != own_rank)
            ring_bell(rank);
    }
    await(all_blocks_came, NULL);
    for (unsigned rank = 0; rank < rank_count; rank++)
        memcpy((uint8_t *)in + rank * block, way(rank, own_rank)->blocks[turn], block);
}

/* The part of a ring from `position` on that lies in one piece, and is not longer than `length`. */
static size_t piece(size_t position, size_t length)
{
    size_t room = RING_BYTES - position % RING_BYTES;
    return length < room ? length : room;
}

/* Moves what there is room for. True if anything moved. */
static bool put(unsigned rank, struct ranks_bytes *rest)
{
    struct way *to = way(own_rank, rank);
    size_t written = atomic_load_explicit(&to->written, memory_order_relaxed);
    size_t room = RING_BYTES - (written - atomic_load_explicit(&to->taken, memory_order_acquire));
    size_t length = piece(written, rest->length < room ? rest->length : room);
    if (length == 0)
        return false;
    memcpy(to->ring + written % RING_BYTES, rest->bytes, length);
    atomic_store_explicit(&to->written, written + length, memory_order_release);
    *rest = (struct ranks_bytes){rest->bytes + length, rest->length - length};
    ring_bell(rank);
    return true;
}

static bool take(unsigned rank, struct ranks_bytes *rest)
{
    struct way *from = way(rank, own_rank);
    size_t taken = atomic_load_explicit(&from->taken, memory_order_relaxed);
    size_t filled = atomic_load_explicit(&from->written, memory_order_acquire) - taken;
    size_t length = piece(taken, rest->length < filled ? rest->length : filled);
    if (length == 0)
        return false;
    memcpy(rest->bytes, from->ring + taken % RING_BYTES, length);
    atomic_store_explicit(&from->taken, taken + length, memory_order_release);
    *rest = (struct ranks_bytes){rest->bytes + length, rest->length - length};
    ring_bell(rank);
    return true;
}

struct transfer {
    struct ranks_bytes out[RANKS_PROCESSES_MOST], in[RANKS_PROCESSES_MOST]; /* what has not been moved */
    bool left;
};

/* Moves what can be moved. True if something was, or nothing is left. */
static bool transfer_goes_on(void *context)
{
    struct transfer *transfer = context;
    bool moved = false;
    transfer->left = false;
    for (unsigned rank = 0; rank < rank_count; rank++) {
        moved |= put(rank, &transfer->out[rank]);
        moved |= take(rank, &transfer->in[rank]);
        transfer->left |= transfer->out[rank].length || transfer->in[rank].length;
    }
    return moved || !transfer->left;
}

static void exchange_bytes(const struct ranks_bytes *out, const struct ranks_bytes *in)
{
    struct transfer transfer = {.left = true};
    memcpy(transfer.out, out, rank_count * sizeof *out);
    memcpy(transfer.in, in, rank_count * sizeof *in);
    while (transfer.left)
        await(transfer_goes_on, &transfer);
}

/* The values of every rank, one rank behind the other. */
static uint8_t *gather(void *values, size_t size)
{
    struct ranks_bytes out[RANKS_PROCESSES_MOST], in[RANKS_PROCESSES_MOST];
    uint8_t *all = or_abort(malloc(rank_count * size));
    for (unsigned rank = 0; rank < rank_count; rank++) {
        size_t length = rank == own_rank ? 0 : size;
        out[rank] = (struct ranks_bytes){values, length};
        in[rank] = (struct ranks_bytes){all + rank * size, length};
    }
    exchange_bytes(out, in);
    memcpy(all + own_rank * size, values, size);
    return all;
}

static void sum(uint64_t *values, size_t count)
{
    uint8_t *all = gather(values, count * sizeof *values);
    const uint64_t *terms = (const uint64_t *)(const void *)all;
    for (size_t i = 0; i < count; i++) {
        values[i] = 0;
        for (unsigned rank = 0; rank < rank_count; rank++)
            values[i] += terms[rank * count + i];
    }
    free(all);
}

static void sum32(uint32_t *values, size_t count)
{
    uint8_t *all = gather(values, count * sizeof *values);
    const uint32_t *terms = (const uint32_t *)(const void *)all;
    for (size_t i = 0; i < count; i++) {
        values[i] = 0;
        for (unsigned rank = 0; rank < rank_count; rank++)
            values[i] += terms[rank * count + i];
    }
    free(all);
}

static void least(uint64_t *values, size_t count)
{
    uint8_t *all = gather(values, count * sizeof *values);
    const uint64_t *terms = (const uint64_t *)(const void *)all;
    for (size_t i = 0; i < count; i++)
        for (unsigned rank = 0; rank < rank_count; rank++)
            if (terms[rank * count + i] < values[i])
                values[i] = terms[rank * count + i];
    free(all);
}

/* Rank 0 ends last. One that is elsewhere when rank 0 comes here has no part in the result, and ends where it waits. */
static void end(void)
{
    int status;
    if (own_rank != 0)
        return;
    atomic_store(&hall->closed, true);
    for (unsigned rank = 1; rank < rank_count; rank++)
        ring_bell(rank);
    for (unsigned rank = 1; rank < rank_count; rank++)
        if (processes[rank] && waitpid(processes[rank], &status, 0) == processes[rank] && status != 0)
            fail(rank, status);
    munmap(hall, hall_size);
}

/* A rank that was forked dies with rank 0. */
static void follow_rank_0(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
}

static bool has_processors(unsigned ranks)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 && (unsigned)CPU_COUNT(&set) >= ranks;
}

int process_transport_start(unsigned ranks, char *error, size_t error_size)
{
    pid_t parent = getpid();
    hall_size = sizeof *hall + (size_t)ranks * ranks * sizeof *hall->ways;
    void *memory = mmap(NULL, hall_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        snprintf(error, error_size, "%u ranks: shared memory of %zu bytes: %s", ranks, hall_size, strerror(errno));
        return -1;
    }
    hall = memory;
    rank_count = ranks;
    may_look = has_processors(ranks);
    for (unsigned rank = 1; rank < ranks; rank++) {
        processes[rank] = fork();
        if (processes[rank] == 0) {
            follow_rank_0(parent);
            own_rank = rank;
            return 0;
        }
        if (processes[rank] < 0) {
            snprintf(error, error_size, "%u ranks: rank %u does not start: %s", ranks, rank, strerror(errno));
            processes[rank] = 0;
            kill_others();
            return -1;
        }
    }
    return 0;
}

const struct ranks_transport process_transport = {
    .begin = begin,
    .end = end,
    .exchange_blocks = exchange_blocks,
    .exchange_bytes = exchange_bytes,
    .sum = sum,
    .sum32 = sum32,
    .least = least,
};
