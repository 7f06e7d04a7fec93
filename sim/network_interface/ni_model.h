/* The model of the network_interface: it connects an operator outside the RTL to the fabric's fifo_buffers.
 *
 * One word a clock each way, like the RTL. In every clock the simulator calls
 *   ni_model_offer and ni_model_wait   what this side shows in this clock, then
 *   ni_model_clock                             what the fabric showed in the same clock.
 * The model stores the word and the status that it has shown, so packets may be posted and sent at any point between.
 *
 * A dead operator must not block the network. When no buffer has been posted for receive_patience clocks, packets are
 * received and discarded, whole packets only, and counted in PR_COUNTER_RECEIVED_DISCARDED.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_NETWORK_INTERFACE_NI_MODEL_H
#define POSTROAD_NETWORK_INTERFACE_NI_MODEL_H

#include "network_interface/operator_clocks.h"
#include "operator/operator.h"

enum { NATIVE_INTERFACE_RING = 64 }; /* packets posted, and packets queued to be sent, at most (power of two) */

struct ni_model_ring {
    struct pr_packet *slots[NATIVE_INTERFACE_RING];
    uint32_t produced, moved, consumed; /* free-running: given by the operator, done with, taken back */
};

struct ni_model {
    struct pr_network_interface interface;
    unsigned word_width;
    uint16_t receive_words;
    const uint64_t *now;
    struct ni_model_ring send, receive;
    uint64_t offered; /* the word that is shown until it is taken; 0: none */
    bool relief;      /* what the operator asks the fabric for; for the simulator */
    bool wait_shown, in_packet, discarding;
    unsigned send_position;            /* words of the packet being sent that have left */
    unsigned target_words, data_words; /* of the packet being received */
    uint64_t dry_since;                /* the clock in which the last buffer posted was used up */
    uint64_t busy_until;               /* the operator's own time: the clock in which it is through with all so far */
    bool receiving;                    /* it is at work on the next packet that has come */
    uint32_t handled;                  /* deliveries whose handlers are in busy_until */
    uint64_t leaves[NATIVE_INTERFACE_RING]; /* by slot of `send`: the clock from which the packet may leave */
    uint32_t counters[16];
    /* Set by the simulator after init: clocks without a posted buffer before packets are discarded; 0: wait for ever.
     */
    uint16_t receive_patience;
    /* Set by the simulator after init: what the operator takes, and the operator. Zeroes: no time. */
    struct operator_clocks clocks;
    const struct pr_operator *op;
    /* Set by the simulator after init, may stay NULL: the fabric's counters (diversions, aborts, ...
     * words_out). */
    uint32_t (*fabric_counter)(void *context, unsigned index);
    void *fabric_context;
};

/* now: the number of the current clock, kept by the simulator. receive_words: word area of a receive
 * buffer. */
void ni_model_init(struct ni_model *native, unsigned word_width, const uint64_t *now, uint16_t receive_words);

/* tag << word_width | word shown to the downstream fifo_buffer in this clock; 0 = none. */
uint64_t ni_model_offer(struct ni_model *native);

/* Status shown to the upstream fifo_buffer in this clock: true = wait (back-pressure). */
bool ni_model_wait(struct ni_model *native);

/* Ends the clock. Arguments: the downstream fifo_buffer's status, and the upstream fifo_buffer's word (4-bit tag <<
 * word_width | word, 0 = none). */
void ni_model_clock(struct ni_model *native, bool send_wait, uint64_t receive);

/* After each poll of an operator: its handlers have taken their time. True while it is busy: it must not be polled
 * before clock busy_until. */
bool ni_model_is_busy(struct ni_model *native);

/* The clock, behind this one, from which the next packet may leave; UINT64_MAX: there is none that waits for that. */
uint64_t ni_model_next_leaves(const struct ni_model *native);

/* True if a packet waits to be sent, or one is in the middle of its transfer. */
bool ni_model_active(const struct ni_model *native);

/* The packet face, in place of the three functions above, for simulators that move whole packets and no words.
 *
 * ni_model_next_packet: the next packet that the operator has given to be sent, or NULL. The operator owns the packet,
 * which stays until ni_model_packet_left; that call makes its terminator leave in this clock, after its first word left
 * in clock `first`. */
const struct pr_packet *ni_model_next_packet(const struct ni_model *native);
void ni_model_packet_left(struct ni_model *native, uint64_t first);

/* What becomes of a packet whose first word arrives in this clock. */
enum ni_model_reception { NI_MODEL_WAITS, NI_MODEL_RECEIVES, NI_MODEL_DISCARDS };
enum ni_model_reception ni_model_reception(const struct ni_model *native);

/* The terminator arrives in this clock, of a copy of a sent packet whose first word arrived in clock `first` and was
 * received, or discarded, then. False: no buffer is posted, and nothing has changed. */
bool ni_model_receive_packet(struct ni_model *native, const struct pr_packet *sent, unsigned terminator,
                             uint64_t first);
void ni_model_discard_packet(struct ni_model *native, unsigned terminator);

#endif
