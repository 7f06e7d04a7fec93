/* Handlers of evaluators, and observers of the operator's events.
 *
 * SPDX-License-Identifier: ISC
 */
#include "operator/operator_private.h"

int pr_operator_register(struct pr_operator *op, uint8_t handler, pr_operator_handler *function, void *context)
{
    unsigned k = 0;
    while (k < op->handler_count && op->handlers[k].handler != handler)
        k++;
    if (handler == PR_HANDLER_LOAD && k < op->handler_count)
        return -PR_OPERATOR_RESERVED;
    if (k == PR_OPERATOR_HANDLERS)
        return -PR_OPERATOR_FULL;
    if (k == op->handler_count)
        op->handler_count++;
    op->handlers[k].handler = handler;
    op->handlers[k].function = function;
    op->handlers[k].context = context;
    return 0;
}

int pr_operator_observe(struct pr_operator *op, pr_operator_observer *function, void *context)
{
    if (op->observer_count == PR_OPERATOR_OBSERVERS)
        return -PR_OPERATOR_FULL;
    op->observers[op->observer_count].function = function;
    op->observers[op->observer_count++].context = context;
    return 0;
}

void pr_operator_report(struct pr_operator *op, const struct pr_operator_event *event)
{
    for (unsigned k = 0; k < op->observer_count; k++)
        op->observers[k].function(op->observers[k].context, event);
}
