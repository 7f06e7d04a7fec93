/* The native network_interface: what a simulator puts between a native operator and the fabric's
 * fifo_buffers.
 *
 * One word a clock each way, like the RTL. In every clock the simulator calls
 *   native_interface_offer and native_interface_wait   what this side shows in this clock, then
 *   native_interface_clock                             what the fabric showed in the same clock.
 * What was shown is remembered, so packets may be posted and sent at any point between.
 *
 * A dead operator must not hold up the network: when no buffer has been posted for receive_patience clocks, packets are
 * taken and thrown away, whole ones only, and counted at COUNTER_RECEIVED_DISCARDED.
 */
#ifndef PLATFORM_NATIVE_INTERFACE_H
#define PLATFORM_NATIVE_INTERFACE_H

#include "operator/network_interface.h"

enum { NATIVE_INTERFACE_RING = 64 };   /* packets posted, and packets queued to be sent, at most (power of two) */

struct native_ring {
    struct packet *slots[NATIVE_INTERFACE_RING];
    uint32_t produced, moved, consumed;   /* free-running: given by the operator, done with, taken back */
};

struct native_interface {
    struct network_interface interface;
    unsigned word_width;
    uint16_t receive_words;
    const uint64_t *now;
    struct native_ring send, receive;
    uint64_t offered;
    bool relief;                          /* what the operator asks the fabric for; for the simulator */
    bool wait_shown, in_packet, discarding;
    unsigned send_position;               /* words of the packet being sent that have left */
    unsigned target_words, data_words;    /* of the packet being received */
    uint64_t dry_since;                   /* the clock in which the last buffer posted was used up */
    uint32_t counters[16];
    /* Set by the simulator after init: clocks without a posted buffer before packets are discarded; 0: wait for ever. */
    uint16_t receive_patience;
    /* Set by the simulator after init, may stay NULL: the fabric's counters (diversions, aborts, ...
     * words_out). */
    uint32_t (*fabric_counter)(void *context, unsigned index);
    void *fabric_context;
};

/* now: the number of the current clock, kept by the simulator. receive_words: word area of a receive
 * buffer. */
void native_interface_init(struct native_interface *native, unsigned word_width, const uint64_t *now,
                           uint16_t receive_words);

/* tag << word_width | word shown to the downstream fifo_buffer in this clock; 0 = none. */
uint64_t native_interface_offer(struct native_interface *native);

/* Status shown to the upstream fifo_buffer in this clock: true = wait. */
bool native_interface_wait(struct native_interface *native);

/* End of the clock: the downstream fifo_buffer's status, and the upstream fifo_buffer's word
 * (4-bit tag << word_width | word, 0 = none). */
void native_interface_clock(struct native_interface *native, bool send_wait, uint64_t receive);

/* True if it has something to send or is in the middle of a packet. */
bool native_interface_active(const struct native_interface *native);

#endif
