/* See shared_event.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "experiment/shared_event.h"

#include "ranks/ranks.h"

void shared_event_send(const struct shared_event *event)
{
    ranks_share(event, sizeof *event);
}

void shared_event_fail(const char text[SHARED_TEXT_SIZE])
{
    shared_event_send(&(struct shared_event){.kind = SHARED_FAILURE});
    ranks_share(text, SHARED_TEXT_SIZE);
}
