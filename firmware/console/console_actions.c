/* What the commands and the shell share.
 *
 * SPDX-License-Identifier: ISC
 */
#include "console/console_private.h"

uint32_t pr_console_counter(struct pr_console *console, unsigned index)
{
    if (index == PR_COUNTER_BAD_FRAMES)
        return console->bad_frames;
    if (index == PR_COUNTER_DROPPED_EVENTS)
        return console->output.dropped;
    if (index == PR_COUNTER_ANSWERS_LOST)
        return console->service.answers_lost;
    if (index >= PR_COUNTER_DELIVERED && index < PR_COUNTER_LINKS)
        return pr_operator_counter(console->op, index);
    return pr_network_interface_counter(console->op->common.here.interface, index);
}

uint8_t pr_console_status(int error)
{
    static const uint8_t statuses[] = {
        [0] = PR_CONSOLE_OK,
        [PR_OPERATOR_NO_BUFFER] = PR_CONSOLE_NO_BUFFER,
        [PR_OPERATOR_TOO_LONG] = PR_CONSOLE_TOO_LONG,
        [PR_OPERATOR_NO_TARGETS] = PR_CONSOLE_NO_TARGETS,
        [PR_OPERATOR_UNKNOWN_SITE] = PR_CONSOLE_UNKNOWN_SITE,
        [PR_OPERATOR_BAD_DATA] = PR_CONSOLE_BAD_DATA,
        [PR_OPERATOR_FULL] = PR_CONSOLE_BAD_REQUEST,
        [PR_OPERATOR_WINDOW_FULL] = PR_CONSOLE_WINDOW_FULL,
    };
    return statuses[-error];
}

struct pr_console_ping pr_console_ping_clocks(const struct pr_service_answer *answer)
{
    uint32_t sent = pr_service_value(answer, PR_SERVICE_PING_SENT);
    return (struct pr_console_ping){
        .round_trip = answer->clock - sent,
        .out = pr_service_value(answer, PR_SERVICE_PING_ARRIVED) - sent,
        .back = answer->clock - pr_service_value(answer, PR_SERVICE_PING_ANSWERED),
    };
}

uint8_t pr_console_hold(struct pr_console *console, uint32_t clocks)
{
    if (clocks > PR_CONSOLE_HOLD_MOST)
        return PR_CONSOLE_BAD_REQUEST;
    console->holding = true;
    console->hold_end = pr_network_interface_clock(console->op->common.here.interface) + clocks;
    return PR_CONSOLE_OK;
}

bool pr_console_holds(struct pr_console *console)
{
    uint32_t left = console->hold_end - pr_network_interface_clock(console->op->common.here.interface);
    if (left - 1 >= PR_CONSOLE_HOLD_MOST) /* none, or the end is past */
        console->holding = false;
    return console->holding;
}
