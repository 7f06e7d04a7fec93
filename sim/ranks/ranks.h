/* The processes that run one simulation together: *ranks*. Either mpirun has started them, on one machine or several,
 * or an ordinary process forks the others on its own machine. A process without others is rank 0 of one.
 *
 * Ranks go on in step. At the end of each clock that is run they exchange what crosses from one rank to another, and
 * what each can tell about the clocks ahead. Three kinds of bytes are exchanged:
 *
 *   crossing   of the fabric, to one other rank
 *   records    of the experiment, to one other rank or to all
 *   outlook    a fixed set of figures, of all ranks to all ranks, merged into one
 *
 *           rank 0   visits its sites  --.                    .-->  takes what has come, and goes on at
 *           rank 1   visits its sites  ---+-- ranks_exchange -+-->  the first clock in which any rank
 *           ...                        --'                    '-->  has something to do
 *
 * A pair of ranks needs one message an exchange if its bytes fit the block that holds the outlook, and a second one if
 * they do not. The state is the process's own, as mpirun's is.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_RANKS_RANKS_H
#define POSTROAD_RANKS_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RANKS_PROCESSES_MOST = 64 }; /* without mpirun */

/* Joins the other ranks if mpirun has started this process; otherwise this process becomes so many, and what it has
 * written to stdout and stderr must have been flushed. 0, or -1 with a reason. */
int ranks_begin(unsigned processes, char *error, size_t error_size);

/* Waits for the other ranks to come here as well, and leaves them. */
void ranks_end(void);

unsigned ranks_count(void);
unsigned ranks_own(void);

/* Each rank has a block of sites. The first site of a rank's block; of rank `ranks_count()`: the number of sites. */
unsigned ranks_first_site(unsigned rank, unsigned sites);

unsigned ranks_owner(unsigned site, unsigned sites);

static inline bool ranks_owns(unsigned site, unsigned sites)
{
    return ranks_owner(site, sites) == ranks_own();
}

/* To be sent with the next exchange. */
void ranks_cross(unsigned rank, const void *bytes, size_t length);
void ranks_send(unsigned rank, const void *bytes, size_t length);

/* Takes one record from the front of `bytes`, and returns its length. */
typedef size_t ranks_take(void *context, unsigned from, const uint8_t *bytes);

/* What other ranks have sent goes here, that of each exchange in the order of ranks. */
void ranks_on_sent(ranks_take *take, void *context);

struct ranks_outlook {
    uint64_t first_event, next_tick; /* merged: the least */
    uint64_t link_words;             /* merged: the sum */
    uint64_t moves;                  /* merged: not 0 if any is not */
};

/* `take` gets what has crossed to this rank. Returns true if any rank has sent crossing bytes or records. */
bool ranks_exchange(struct ranks_outlook *outlook, ranks_take *take, void *context);

/* Each value becomes the sum, or the least one, of all ranks. */
void ranks_sum(uint64_t *values, size_t count);
void ranks_sum32(uint32_t *values, size_t count);
uint64_t ranks_least(uint64_t value);
uint64_t ranks_most(uint64_t value);

/* The text of the rank whose place is the least; of the lowest one if places are equal. The least place. */
uint64_t ranks_first_text(uint64_t place, char *text, size_t size);

/* What this rank has exchanged since the last call, sums and the like left out. */
struct ranks_volume {
    uint64_t exchanges;
    uint64_t messages;       /* that it has sent */
    uint64_t bytes;          /* of them */
    uint64_t crossing_bytes; /* of the fabric, */
    uint64_t record_bytes;   /* and of the experiment, both without envelopes */
    uint64_t nanoseconds;    /* of processor time in exchanges, waits included */
};

struct ranks_volume ranks_take_volume(void);

#endif
