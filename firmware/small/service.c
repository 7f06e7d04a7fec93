/* See console/remote_service.c for the words of a service packet.
 *
 * SPDX-License-Identifier: ISC
 */
#include "small/small.h"

static void answer_ping(const struct pr_small_delivery *delivery)
{
    own_data(delivery->data[SERVICE_COUNT]);
    own_value(delivery->stamp_last);
    own_value(port_clock());
    for (unsigned k = SERVICE_VALUES; k < delivery->data_words; k++)
        own_data(delivery->data[k]);
}

static void answer_values(unsigned request, unsigned first, unsigned values)
{
    if (values > IDENTITY_WORDS || (request == SERVICE_IDENTIFY && first > IDENTITY_WORDS - values))
        values = 0;
    own_data(values);
    for (; values > 0; values--, first++)
        own_value(request == SERVICE_IDENTIFY ? port_identity(4 * first) : counter(first));
}

void service(const struct pr_small_delivery *delivery)
{
    const uint32_t *data = delivery->data;
    unsigned request = data[SERVICE_REQUEST];
    uint16_t sequence;
    if (delivery->data_words < SERVICE_VALUES)
        return;
    if (CONSOLE && request & SERVICE_ANSWER) {
        console_answer(delivery);
        return;
    }
    if (request > SERVICE_COUNTERS)
        return;
    if (own_begin(PR_HANDLER_SERVICE)) {
        own_target(delivery->source);
        own_data(request | SERVICE_ANSWER);
        own_data(data[SERVICE_TYPE] & BYTE_MASK);
        own_data(data[SERVICE_ID] & BYTE_MASK);
        own_data(data[SERVICE_FIRST]);
        if (request == SERVICE_PING)
            answer_ping(delivery);
        else
            answer_values(request, data[SERVICE_FIRST], data[SERVICE_COUNT]);
        if (own_send(&sequence))
            return;
    }
    count(PR_COUNTER_ANSWERS_LOST);
}
