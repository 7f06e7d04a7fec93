/* The application of a small operator. It defines pr_small_delivered() and pr_small_poll(); an image without an
 * application takes applications/none.c.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_SMALL_APPLICATION_H
#define POSTROAD_SMALL_APPLICATION_H

#include <stdbool.h>
#include <stdint.h>

/* A packet that was delivered; valid until pr_small_delivered() returns. */
struct pr_small_delivery {
    uint32_t source, sequence, handler;
    const uint32_t *data, *info; /* info: the target_info words of this site */
    uint32_t data_words, info_words;
    uint32_t stamp_first, stamp_last; /* clocks in which the first word and the terminator moved in */
};

/* Called once for each packet of any handler but PR_HANDLER_SERVICE. May send. */
void pr_small_delivered(const struct pr_small_delivery *delivery);

/* Called in each round of the operator's work: once at least after each event. May send. True: the core does not
 * sleep before the next call. */
bool pr_small_poll(void);

/* In images that send. can_send: the last packet of this site is settled. send: sends a packet to another site; false:
 * it is not, there is no such site, or the packet is too long. */
bool pr_small_can_send(void);
bool pr_small_send(unsigned site, unsigned handler, const uint32_t *data, unsigned words);

#endif
