/* The host's end of a small operator's console: what it writes, and the frames that it reads.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_FIRMWARE_SMALL_HOST_H
#define POSTROAD_TESTS_FIRMWARE_SMALL_HOST_H

#include "small/port_native.h"
#include "wire/console_messages.h"

struct small_host {
    uint8_t to[PR_FRAMES_WIRE_MAX];
    size_t to_length, to_at;
    bool stuck;        /* nobody reads */
    unsigned slowness; /* of 8 */
    uint64_t random;
    struct pr_frames_reader reader;
    struct pr_frame last; /* but for deliveries */
    unsigned frames, bad, deliveries;
    struct pr_message_delivery delivery;
};

extern struct small_host host;
extern const struct port_console host_console;

/* Nothing is written or read. */
void host_reset(uint64_t seed);

#endif
