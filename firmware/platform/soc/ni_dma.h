/* The network_interface on a node: two rings of pointers in RAM, and registers that count along them.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_PLATFORM_SOC_NI_DMA_H
#define POSTROAD_PLATFORM_SOC_NI_DMA_H

#include "operator/network_interface.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PR_SOC_SEND_RING_LOG2 = 5, PR_SOC_RECEIVE_RING_LOG2 = 3 };

/* Indices are free-running, 16 bits, as in the registers. */
struct pr_ni_dma {
    struct pr_network_interface interface;
    uint16_t send_producer, send_seen;
    uint16_t receive_producer, receive_seen;
    uint32_t send_ring[1 << PR_SOC_SEND_RING_LOG2];
    uint32_t receive_ring[1 << PR_SOC_RECEIVE_RING_LOG2];
};

/* receive_words: word area of the buffers that will be posted. Enables both directions. */
void pr_ni_dma_init(struct pr_ni_dma *soc, uint16_t receive_words);

/* Stops the core until the network_interface has received or sent a packet that was not taken back yet, a byte is in
 * the UART, or the timer has expired. An event since the last check ends the sleep at once. */
void pr_ni_dma_sleep(const struct pr_ni_dma *soc);

#ifdef __cplusplus
}
#endif

#endif
