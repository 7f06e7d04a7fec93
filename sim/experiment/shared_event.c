/* See shared_event.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "experiment/shared_event.h"

#include "ranks/ranks.h"

void shared_event_send_all(const void *bytes, size_t length)
{
    for (unsigned rank = 0; rank < ranks_count(); rank++)
        if (rank != ranks_own())
            ranks_send(rank, bytes, length);
}

void shared_event_fail(const char text[SHARED_TEXT_SIZE])
{
    struct shared_event event = {.kind = SHARED_FAILURE};
    shared_event_send_all(&event, sizeof event);
    shared_event_send_all(text, SHARED_TEXT_SIZE);
}
