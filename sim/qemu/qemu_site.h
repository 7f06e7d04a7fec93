/* A site whose operator is firmware under QEMU: the host end of its port. The fabric sees a native network_interface,
 * as with operators in this process; records carry what the firmware posts and sends to it, and what comes and leaves
 * back.
 *
 * Nothing here waits. What the guest says is held against what it may say: it can stop its own site, and nothing else.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_QEMU_QEMU_SITE_H
#define POSTROAD_QEMU_QEMU_SITE_H

#include <poll.h>

#include "model/byte_ring.h"
#include "network_interface/ni_model.h"
#include "qemu/qemu_process.h"
#include "wire/record.h"
#include "wire/site_identity.h"

enum { QEMU_SITE_POLLS = 3, QEMU_SITE_PACKETS = PR_RECORD_SENDS_MAX + PR_RECORD_POSTS_MAX, QEMU_SITE_REASON = 200 };

enum qemu_state {
    QEMU_STARTING, /* has not said hello */
    QEMU_IN_SLICE,
    QEMU_ASLEEP, /* its turn is over */
    QEMU_ENDED
};

struct qemu_site {
    struct ni_model interface;
    enum qemu_state state;
    bool news;       /* there is something to begin a turn for, beside bytes for the UART */
    bool slice_over; /* set when a turn ends, with the two below; for the owner to clear */
    bool timed;
    uint32_t wake;                 /* low half of the clock at which it wants to be woken */
    double slice_began;            /* seconds; or when it was started */
    uint64_t slice_clock;          /* the same, as a clock of the fabric */
    double debugged;               /* seconds: when a debugger was there last, as far as anybody looked */
    int status;                    /* QEMU_ENDED: of the process, or 128 and its signal */
    char reason[QEMU_SITE_REASON]; /* QEMU_ENDED: why, if this side or QEMU says so, or "" */
    bool has_rested;               /* a turn has ended since the start */
    bool restarts;    /* QEMU_ENDED: because its firmware has started again, so that the site is to be reset */
    uint32_t refused; /* records of the guest that did not fit */

    struct qemu_process process;
    struct pr_site_identity identity;
    const uint64_t *now;
    struct byte_ring *to_site, *from_site;
    uint32_t console_base, console_told; /* of to_site->written: at the start, and when the last turn began */
    struct pr_packet *packets[QEMU_SITE_PACKETS];
    unsigned packets_free;
    uint32_t *memory;
    struct pr_record_reader reader;
    uint32_t record[PR_RECORD_WORDS_MAX + 1];
    uint8_t *out; /* bytes for the port that it has not taken yet */
    size_t out_length, out_room;
};

/* Who a site is, which image it runs, and where its sockets are. */
struct qemu_site_options {
    struct pr_site_identity identity;
    unsigned receive_patience;
    const char *directory, *elf;
    const uint64_t *now; /* the engine's clock */
    struct byte_ring *to_site, *from_site;
};

/* Starts QEMU; `site` is all zeroes, or was stopped. 0, or -1 with a reason. */
int qemu_site_start(struct qemu_site *site, const struct qemu_site_options *options, char *error, size_t error_size);

/* Kills QEMU, if it runs. qemu_site_free also frees. */
void qemu_site_stop(struct qemu_site *site);
void qemu_site_free(struct qemu_site *site);

/* Descriptors to wait for; returns how many, at most QEMU_SITE_POLLS. */
size_t qemu_site_poll_prepare(const struct qemu_site *site, struct pollfd *polls);

/* Reads and writes what can be without waiting. */
void qemu_site_serve(struct qemu_site *site);

/* Packets have ended in the network_interface: the guest is told when its next turn begins. Not in a turn, in which its
 * clock stands still: it would see packets that come later than now. So call this when a turn is over, too. */
void qemu_site_collect(struct qemu_site *site);

/* A sleeping guest that there is something for. */
bool qemu_site_wants_slice(const struct qemu_site *site);

/* Begins its turn. */
void qemu_site_begin_slice(struct qemu_site *site);

/* True if the site is to be waited for. */
static inline bool qemu_site_in_slice(const struct qemu_site *site)
{
    return site->state == QEMU_STARTING || site->state == QEMU_IN_SLICE;
}

/* Seconds of a clock that only goes forward. */
double qemu_site_time(void);

#endif
