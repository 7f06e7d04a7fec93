/* See small_host.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "small_host.h"

#include <string.h>

#include "check.h"

struct small_host host;

static bool has_byte(void *context)
{
    (void)context;
    return host.to_at < host.to_length;
}

static uint8_t get_byte(void *context)
{
    (void)context;
    return host.to[host.to_at++];
}

static bool has_room(void *context)
{
    (void)context;
    return !host.stuck && check_below(&host.random, 8) >= host.slowness;
}

static void put_byte(void *context, uint8_t byte)
{
    static struct pr_frame frame;
    enum pr_frames_result result = pr_frames_push(&host.reader, byte, &frame);
    (void)context;
    host.bad += result == PR_FRAMES_BAD || result == PR_FRAMES_TEXT;
    if (result != PR_FRAMES_READY)
        return;
    host.frames++;
    if (frame.type == PR_CONSOLE_DELIVERED) {
        host.deliveries++;
        CHECK(pr_message_read_delivery(&frame, &host.delivery));
    } else {
        host.last = frame;
    }
}

const struct port_console host_console = {has_byte, get_byte, has_room, put_byte, NULL};

void host_reset(uint64_t seed)
{
    memset(&host, 0, sizeof host);
    host.random = seed;
    pr_frames_reader_init(&host.reader);
}
