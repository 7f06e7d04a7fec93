/* See ranks.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE /* PATH_MAX */
#include "ranks/ranks.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ranks/process_transport.h"
#include "ranks/transport.h"
#include "support/install_paths.h"
#include "support/or_abort.h"

enum { BLOCK_BYTES = 256 };

struct envelope {
    struct ranks_outlook outlook;
    uint32_t crossing, records; /* bytes, behind the envelope or, if they do not fit there, in a message of their own */
    uint64_t sends;             /* to any rank */
};

struct block {
    struct envelope envelope;
    uint8_t bytes[BLOCK_BYTES - sizeof(struct envelope)];
};

struct buffer {
    uint8_t *bytes;
    size_t length, room;
};

/* How this process and one other exchange. */
struct peer {
    struct buffer out, records, in;
};

static const struct ranks_transport *transport; /* NULL: an ordinary process */
static unsigned own, count = 1;
static struct peer *peers;
static struct block *blocks_out, *blocks_in;
static struct ranks_bytes *bytes_out, *bytes_in;
static struct ranks_volume volume;
static ranks_take *take_sent;
static void *take_sent_context;

/* What mpirun needs. */
static int load_mpi(char *error, size_t error_size)
{
    static const char name[] = "/sim/ranks-mpi.so";
    char path[PATH_MAX];
    if (install_paths_built(path, sizeof path - sizeof name) != 0) {
        snprintf(error, error_size, "the folder of %s is not found", name + 1);
        return -1;
    }
    strcat(path, name);
    /* The library of MPI loads parts of its own, which look for its symbols among the global ones. */
    void *object = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    transport = object ? dlsym(object, RANKS_TRANSPORT_SYMBOL) : NULL;
    if (transport)
        return 0;
    snprintf(error, error_size, "several ranks: %s (make setup installs MPI, make postroad builds this file)",
             dlerror());
    return -1;
}

int ranks_begin(unsigned processes, char *error, size_t error_size)
{
    const char *started = getenv("OMPI_COMM_WORLD_SIZE");
    bool by_mpi = started && strcmp(started, "1") != 0;
    if (!by_mpi && processes == 1)
        return 0;
    if (by_mpi && processes > 1) {
        snprintf(error, error_size, "mpirun has started %s ranks: expected no other ranks", started);
        return -1;
    }
    if ((by_mpi ? load_mpi(error, error_size) : process_transport_start(processes, error, error_size)) != 0)
        return -1;
    if (!by_mpi)
        transport = &process_transport;
    transport->begin(&own, &count);
    peers = or_abort(calloc(count, sizeof *peers));
    blocks_out = or_abort(calloc(count, sizeof *blocks_out));
    blocks_in = or_abort(calloc(count, sizeof *blocks_in));
    bytes_out = or_abort(calloc(count, sizeof *bytes_out));
    bytes_in = or_abort(calloc(count, sizeof *bytes_in));
    return 0;
}

void ranks_end(void)
{
    if (!transport)
        return;
    transport->end();
    for (unsigned rank = 0; rank < count; rank++) {
        free(peers[rank].out.bytes);
        free(peers[rank].records.bytes);
        free(peers[rank].in.bytes);
    }
    free(peers);
    free(blocks_out);
    free(blocks_in);
    free(bytes_out);
    free(bytes_in);
}

unsigned ranks_count(void)
{
    return count;
}

unsigned ranks_own(void)
{
    return own;
}

unsigned ranks_first_site(unsigned rank, unsigned sites)
{
    return (unsigned)((uint64_t)sites * rank / count);
}

unsigned ranks_owner(unsigned site, unsigned sites)
{
    return (unsigned)((((uint64_t)site + 1) * count - 1) / sites);
}

static void reserve(struct buffer *buffer, size_t room)
{
    if (room <= buffer->room)
        return;
    buffer->room = 2 * room;
    buffer->bytes = or_abort(realloc(buffer->bytes, buffer->room));
}

static void append(struct buffer *buffer, const void *bytes, size_t length)
{
    if (!length)
        return;
    reserve(buffer, buffer->length + length);
    memcpy(buffer->bytes + buffer->length, bytes, length);
    buffer->length += length;
}

void ranks_cross(unsigned rank, const void *bytes, size_t length)
{
    append(&peers[rank].out, bytes, length);
}

void ranks_send(unsigned rank, const void *bytes, size_t length)
{
    append(&peers[rank].records, bytes, length);
}

void ranks_on_sent(ranks_take *take, void *context)
{
    take_sent = take;
    take_sent_context = context;
}

static bool fits_block(const struct envelope *envelope)
{
    return (size_t)envelope->crossing + envelope->records <= sizeof((struct block *)0)->bytes;
}

static bool sends_any(void)
{
    bool sends = false;
    for (unsigned rank = 0; rank < count; rank++)
        sends |= peers[rank].out.length > 0 || peers[rank].records.length > 0;
    return sends;
}

/* A block goes to another rank, and so many bytes behind it. */
static void count_volume(const struct envelope *envelope, size_t behind)
{
    volume.messages += 1 + (behind > 0);
    volume.bytes += sizeof(struct block) + behind;
    volume.crossing_bytes += envelope->crossing;
    volume.record_bytes += envelope->records;
}

/* The block for another rank, and the message behind it if there has to be one. */
static void pack(unsigned rank, const struct ranks_outlook *outlook, bool sends)
{
    struct block *block = &blocks_out[rank];
    struct buffer *out = &peers[rank].out, *records = &peers[rank].records;
    block->envelope = (struct envelope){.outlook = *outlook, .sends = sends};
    bytes_out[rank] = (struct ranks_bytes){NULL, 0};
    if (rank == own)
        return;
    block->envelope.crossing = (uint32_t)out->length;
    block->envelope.records = (uint32_t)records->length;
    append(out, records->bytes, records->length);
    if (!fits_block(&block->envelope))
        bytes_out[rank] = (struct ranks_bytes){out->bytes, out->length};
    else if (out->length)
        memcpy(block->bytes, out->bytes, out->length);
    count_volume(&block->envelope, bytes_out[rank].length);
}

/* Makes room for what comes behind the block of another rank. True if something does. */
static bool expect(unsigned rank)
{
    const struct envelope *envelope = &blocks_in[rank].envelope;
    size_t length = fits_block(envelope) ? 0 : (size_t)envelope->crossing + envelope->records;
    reserve(&peers[rank].in, length);
    bytes_in[rank] = (struct ranks_bytes){peers[rank].in.bytes, length};
    return length > 0;
}

static void merge(struct ranks_outlook *to, const struct ranks_outlook *from)
{
    to->first_event = from->first_event < to->first_event ? from->first_event : to->first_event;
    to->next_tick = from->next_tick < to->next_tick ? from->next_tick : to->next_tick;
    to->link_words += from->link_words;
    to->moves |= from->moves;
}

static void take_records(ranks_take *take, void *context, unsigned from, const uint8_t *bytes, size_t length)
{
    for (size_t used = 0; used < length;)
        used += take(context, from, bytes + used);
}

/* What has come from another rank. */
static void unpack(unsigned rank, ranks_take *take, void *context)
{
    const struct envelope *envelope = &blocks_in[rank].envelope;
    const uint8_t *bytes = fits_block(envelope) ? blocks_in[rank].bytes : peers[rank].in.bytes;
    take_records(take, context, rank, bytes, envelope->crossing);
    take_records(take_sent, take_sent_context, rank, bytes + envelope->crossing, envelope->records);
}

static uint64_t processor_nanoseconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

bool ranks_exchange(struct ranks_outlook *outlook, ranks_take *take, void *context)
{
    bool any = false, follow = false, sends = sends_any();
    uint64_t begun = processor_nanoseconds();
    for (unsigned rank = 0; rank < count; rank++)
        pack(rank, outlook, sends);
    transport->exchange_blocks(blocks_out, blocks_in, sizeof *blocks_out);
    for (unsigned rank = 0; rank < count; rank++) {
        follow |= expect(rank) || bytes_out[rank].length > 0;
        any |= blocks_in[rank].envelope.sends;
        if (rank != own)
            merge(outlook, &blocks_in[rank].envelope.outlook);
    }
    if (follow)
        transport->exchange_bytes(bytes_out, bytes_in);
    volume.exchanges++;
    volume.nanoseconds += processor_nanoseconds() - begun;
    for (unsigned rank = 0; rank < count; rank++)
        peers[rank].out.length = peers[rank].records.length = 0;
    for (unsigned rank = 0; rank < count; rank++)
        unpack(rank, take, context);
    return any;
}

void ranks_sum(uint64_t *values, size_t number)
{
    if (transport)
        transport->sum(values, number);
}

void ranks_sum32(uint32_t *values, size_t number)
{
    if (transport)
        transport->sum32(values, number);
}

uint64_t ranks_least(uint64_t value)
{
    if (transport)
        transport->least(&value, 1);
    return value;
}

uint64_t ranks_most(uint64_t value)
{
    return UINT64_MAX - ranks_least(UINT64_MAX - value);
}

uint64_t ranks_first_text(uint64_t place, char *text, size_t size)
{
    uint64_t least = ranks_least(place), first = ranks_least(place == least ? own : count);
    uint64_t words = (size + sizeof(uint64_t) - 1) / sizeof(uint64_t);
    if (!transport)
        return place;
    uint64_t *sum = or_abort(calloc(words, sizeof *sum));
    if (first == own)
        memcpy(sum, text, size);
    ranks_sum(sum, words);
    memcpy(text, sum, size);
    free(sum);
    return least;
}

struct ranks_volume ranks_take_volume(void)
{
    struct ranks_volume taken = volume;
    volume = (struct ranks_volume){0};
    return taken;
}
