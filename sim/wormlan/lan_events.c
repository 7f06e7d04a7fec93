/* See lan_events.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "wormlan/lan_events.h"

#include <stdlib.h>

#include "support/or_abort.h"

enum { FIRST_ROOM = 1024 };

void lan_events_add(struct lan_events *events, uint64_t time, enum lan_event_kind kind, uint32_t where, uint64_t about)
{
    struct lan_event event = {time * 16 + kind, about, where};
    if (events->count == events->room) {
        events->room = events->room ? 2 * events->room : FIRST_ROOM;
        events->heap = or_abort(realloc(events->heap, events->room * sizeof *events->heap));
    }
    unsigned place = events->count++;
    for (; place > 0 && events->heap[(place - 1) / 2].order > event.order; place = (place - 1) / 2)
        events->heap[place] = events->heap[(place - 1) / 2];
    events->heap[place] = event;
}

struct lan_event lan_events_take(struct lan_events *events)
{
    struct lan_event first = events->heap[0], last = events->heap[--events->count];
    unsigned place = 0, below = 1;
    for (; below < events->count; below = 2 * place + 1) {
        if (below + 1 < events->count && events->heap[below + 1].order < events->heap[below].order)
            below++;
        if (events->heap[below].order >= last.order)
            break;
        events->heap[place] = events->heap[below];
        place = below;
    }
    events->heap[place] = last;
    return first;
}

void lan_events_free(struct lan_events *events)
{
    free(events->heap);
    *events = (struct lan_events){0};
}
