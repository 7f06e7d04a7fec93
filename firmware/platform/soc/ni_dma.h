/* The network_interface on a node: rings of packets (drivers/packet_rings.h), and registers.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_PLATFORM_SOC_NI_DMA_H
#define POSTROAD_PLATFORM_SOC_NI_DMA_H

#include "operator/network_interface.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pr_ni_dma {
    struct pr_network_interface interface;
    struct pr_packet_rings rings;
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
