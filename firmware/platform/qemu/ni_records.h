/* The network_interface under QEMU: records over a virtio console, to whatever is the fabric.
 *
 * Time goes by in turns. In a turn the clock stands still; the turn ends when the firmware sleeps, or when it looks for
 * packets LOOKS_MAX times in vain. Then the fabric goes on, and says when the next turn begins: because a packet has
 * come or left, bytes were written to the UART, or the clock asked for has come. What is sent in a turn leaves at its
 * end at the latest.
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

struct pr_ni_records {
    struct pr_network_interface interface;
    uint32_t clock;
    uint16_t receive_words;
    bool identified, in_turn, asked, counted; /* asked: for the counters; counted: they are of this turn */
    unsigned looks;                           /* in vain, in this turn */
    unsigned posts_untold;                    /* buffers posted since the last post record */
    uint32_t console_given, console_taken;    /* bytes of the UART */
    uint32_t refused;                         /* records that do not fit, beside those that are none */
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

/* Finds the port, says hello, waits to be told who this is: the first turn has begun then. receive_words: word area of
 * the buffers that will be posted. False: there is no port. */
bool pr_ni_records_start(struct pr_ni_records *qemu, uint16_t receive_words, struct pr_site_identity *identity);

/* Ends the turn, and sleeps until the next; if `timed`, that begins at wake_clock at the latest. */
void pr_ni_records_sleep(struct pr_ni_records *qemu, bool timed, uint32_t wake_clock);

/* A byte of the UART; false if none has been written that was not taken yet. */
bool pr_ni_records_console_read(struct pr_ni_records *qemu, uint8_t *byte);

/* Waits until the UART has room. Its other end always reads; how fast it does is not to be seen. */
void pr_ni_records_await_room(struct pr_ni_records *qemu);

#ifdef __cplusplus
}
#endif

#endif
