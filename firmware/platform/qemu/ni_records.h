/* The network_interface under QEMU: it exchanges records over a virtio console with the program that simulates the
 * fabric.
 *
 * Time advances in turns (time slices). During a turn the clock stands still. The turn ends when the firmware sleeps,
 * or when it has polled for packets LOOKS_MAX times without a result. Then the fabric runs on, and determines when the
 * next turn begins: a packet has arrived or left, bytes were written to the UART, or the wake clock has come. A packet
 * sent in a turn leaves at the end of the turn at the latest.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_PLATFORM_QEMU_NI_RECORDS_H
#define POSTROAD_PLATFORM_QEMU_NI_RECORDS_H

#include "operator/network_interface.h"
#include "platform/qemu/virtio_console.h"
#include "wire/record.h"
#include "wire/site_identity.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where QEMU's machine has struct pr_ni_records: it has 16 MB, and no image is linked for more than the half of it
 * (postroad.ld). */
#define PR_RECORDS_BASE (PR_RAM_BASE + (8u << 20))

struct pr_ni_records {
    struct pr_network_interface interface;
    uint32_t clock;
    uint16_t receive_words;
    bool identified, in_turn, asked, counted; /* asked: for the counters; counted: they are of this turn */
    unsigned looks;                           /* in vain, in this turn */
    unsigned posts_untold;                    /* buffers posted since the last post record */
    uint32_t console_given, console_taken;    /* bytes of the UART */
    uint32_t refused; /* well-formed records that are invalid or do not fit; reader.bad counts malformed ones */
    /* Rings: free-running indices, given by the operator, done with by the fabric, taken back. */
    struct pr_packet *posts[PR_RECORD_POSTS_MAX], *sends[PR_RECORD_SENDS_MAX];
    uint32_t posted, filled, received;
    uint32_t queued, left, returned;
    uint32_t counters[PR_COUNTER_DELIVERED];
    uint8_t *space; /* the console's buffer that is being filled, NULL: none */
    size_t space_used;
    struct pr_site_identity *identity;
    struct pr_virtio_console console;
    struct pr_record_reader reader;
    uint32_t record[PR_RECORD_WORDS_MAX + 1];
};

/* Finds the port, sends the hello record, and waits for the site's identity: with it the first turn has begun.
 * receive_words: word area of the buffers that will be posted. False: there is no port. */
bool pr_ni_records_start(struct pr_ni_records *qemu, uint16_t receive_words, struct pr_site_identity *identity);

/* Ends the turn, and sleeps until the next one begins; if `timed`, at wake_clock at the latest. */
void pr_ni_records_sleep(struct pr_ni_records *qemu, bool timed, uint32_t wake_clock);

/* Takes the next byte written to the UART; false if all have been taken. */
bool pr_ni_records_console_read(struct pr_ni_records *qemu, uint8_t *byte);

/* Waits until the UART has room. The other end always reads, and its speed has no visible effect. */
void pr_ni_records_await_room(struct pr_ni_records *qemu);

#ifdef __cplusplus
}
#endif

#endif
