/* The host end of the port of a site under QEMU. The fabric is connected to a model of the network_interface
 * (ni_model), as for operators in this process. Records (hw/protocol/records.ini) carry the packets that the firmware
 * posts and sends to the model, and carry back which packets have arrived and left.
 *
 *                     hello                 slice over
 *   QEMU_STARTING ------------> QEMU_IN_SLICE -----> QEMU_ASLEEP
 *        |                        |      ^               |
 *        |                        |      +---------------+  qemu_site_begin_slice: a packet, console bytes, a time
 *        |                        |                      |
 *        +------------------------+----------------------+---> QEMU_ENDED: the process ended, the firmware broke the
 *                                                              protocol or has started again, or it was stopped
 *
 * No function here waits. Every record is checked: faulty firmware can stop its own site, and no other.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_QEMU_QEMU_SITE_H
#define POSTROAD_QEMU_QEMU_SITE_H

#include <poll.h>

#include "network_interface/ni_model.h"
#include "qemu/qemu_process.h"
#include "support/byte_ring.h"
#include "wire/record.h"
#include "wire/site_identity.h"

enum { QEMU_SITE_POLLS = 3, QEMU_SITE_PACKETS = PR_RECORD_SENDS_MAX + PR_RECORD_POSTS_MAX, QEMU_SITE_REASON = 200 };

enum qemu_state {
    QEMU_STARTING, /* its hello has not come yet */
    QEMU_IN_SLICE,
    QEMU_ASLEEP, /* its slice is over: the firmware waits for an event */
    QEMU_ENDED
};

struct qemu_site {
    struct ni_model interface;
    enum qemu_state state;
    bool news;       /* there is a reason to begin a slice, beside bytes for the UART */
    bool slice_over; /* set when a slice ends, with the two below; for the owner to clear */
    bool timed;
    uint32_t wake;                 /* low half of the clock at which it wants to be woken */
    double slice_began;            /* seconds; or when it was started */
    uint64_t slice_clock;          /* the same, as a clock of the fabric */
    double debugged;               /* seconds: when a debugger was seen last */
    int status;                    /* QEMU_ENDED: of the process, or 128 and its signal */
    char reason[QEMU_SITE_REASON]; /* QEMU_ENDED: why, as this side or QEMU has it, or "" */
    bool has_rested;               /* a slice has ended since the start */
    bool restarts;    /* QEMU_ENDED: because its firmware has started again, so that the site is to be reset */
    uint32_t refused; /* records of the firmware that did not fit */

    struct qemu_process process;
    struct pr_site_identity identity;
    const uint64_t *now;
    struct byte_ring *to_site, *from_site;
    uint32_t console_base, console_announced; /* of to_site->written: at the start, and when the last slice began */
    struct pr_packet *packets[QEMU_SITE_PACKETS];
    unsigned packets_free;
    uint32_t *memory;
    struct pr_record_reader reader;
    uint32_t record[PR_RECORD_WORDS_MAX + 1];
    uint8_t *out; /* bytes for the port that it has not taken yet */
    size_t out_length, out_room;
};

/* A site's identity, its image, and where its sockets are. */
struct qemu_site_options {
    struct pr_site_identity identity;
    uint32_t capabilities; /* of the fabric: bits of NI_CAPABILITIES */
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

/* Reads and writes as much as is possible without waiting. */
void qemu_site_serve(struct qemu_site *site);

/* To be called when packets have ended in the network_interface: the firmware gets records of them when its next slice
 * begins. The firmware gets none during a slice, in which its clock stands still, since those packets would lie in its
 * future. So call this when a slice is over, too. */
void qemu_site_collect(struct qemu_site *site);

/* True if the site sleeps and there is a reason to begin a slice. */
bool qemu_site_wants_slice(const struct qemu_site *site);

/* Begins its time slice. */
void qemu_site_begin_slice(struct qemu_site *site);

/* True if the firmware runs in a slice, or its QEMU is starting. */
static inline bool qemu_site_in_slice(const struct qemu_site *site)
{
    return site->state == QEMU_STARTING || site->state == QEMU_IN_SLICE;
}

/* Seconds of a monotonic clock. */
double qemu_site_time(void);

#endif
