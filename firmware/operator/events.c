/* See events.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "operator/events.h"

#include "wire/hints.h"

PR_NOT_INLINED static unsigned place_of(const struct pr_events *events, uint8_t handler)
{
    unsigned k = 0;
    while (k < events->handler_count && events->handlers[k].handler != handler)
        k++;
    return k;
}

PR_RARE bool pr_events_have_handler(const struct pr_events *events, uint8_t handler)
{
    return place_of(events, handler) < events->handler_count;
}

PR_RARE bool pr_events_register(struct pr_events *events, uint8_t handler, pr_operator_handler *function, void *context)
{
    unsigned k = place_of(events, handler);
    if (k == PR_OPERATOR_HANDLERS)
        return false;
    if (k == events->handler_count)
        events->handler_count++;
    events->handlers[k].handler = handler;
    events->handlers[k].function = function;
    events->handlers[k].context = context;
    return true;
}

PR_RARE bool pr_events_observe(struct pr_events *events, pr_operator_observer *function, void *context)
{
    if (events->observer_count == PR_OPERATOR_OBSERVERS)
        return false;
    events->observers[events->observer_count].function = function;
    events->observers[events->observer_count++].context = context;
    return true;
}

void pr_events_report(const struct pr_events *events, const struct pr_operator_event *event)
{
    for (unsigned k = 0; k < events->observer_count; k++)
        events->observers[k].function(events->observers[k].context, event);
}

void pr_events_deliver(const struct pr_events *events, const struct pr_delivery *delivery)
{
    unsigned k = place_of(events, delivery->handler);
    if (k < events->handler_count)
        events->handlers[k].function(events->handlers[k].context, delivery);
}
