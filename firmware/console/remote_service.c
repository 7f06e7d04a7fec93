/* See remote_service.h. Words of a service packet: request, type, id, then
 *   ping                 request: clock, data    answer: clock, clock arrived, clock answered, data
 *   identify, counters   request: first, count   answer: first, count, values
 *
 * SPDX-License-Identifier: ISC
 */
#include "console/remote_service.h"

enum {
    WORD_REQUEST,
    WORD_TYPE,
    WORD_ID,
    WORDS_COMMON,
    ANSWER = 0x80, /* in WORD_REQUEST */
    PING_REQUEST_WORDS = WORDS_COMMON + 2,
    PING_ANSWER_WORDS = WORDS_COMMON + 2 * PR_SERVICE_PING_VALUES,
    VALUES_MAX = PR_SITE_IDENTITY_ALL_WORDS
};

_Static_assert(1 + PR_HEADER_WORDS + PING_ANSWER_WORDS == PR_SERVICE_MAX_PACKET_LEAST,
               "a target, the header, the clocks");

static void begin(struct pr_service *service, struct pr_composition *composition, unsigned site, unsigned request,
                  uint8_t type, uint8_t id)
{
    pr_operator_begin(service->op, composition, PR_HANDLER_SERVICE);
    pr_operator_add_target(composition, site);
    pr_operator_add_data(composition, request);
    pr_operator_add_data(composition, type);
    pr_operator_add_data(composition, id);
}

static void add_value(struct pr_composition *composition, uint32_t value)
{
    pr_operator_add_data(composition, value & 0xffff);
    pr_operator_add_data(composition, value >> 16);
}

/* Data of a ping: not all alike, and the same wherever they are made. */
static uint32_t pattern(unsigned index)
{
    return (index << 8 ^ ~index) & 0xffff;
}

int pr_service_ping(struct pr_service *service, unsigned site, uint8_t type, uint8_t id, unsigned data_words)
{
    struct pr_composition composition;
    begin(service, &composition, site, PR_SERVICE_PING, type, id);
    add_value(&composition, pr_network_interface_clock(service->op->common.here.interface));
    for (unsigned k = 0; k < data_words && composition.error == 0; k++)
        pr_operator_add_data(&composition, pattern(k));
    return pr_operator_commit(&composition, NULL);
}

int pr_service_values(struct pr_service *service, enum pr_service_request request, unsigned site, uint8_t type,
                      uint8_t id, unsigned first, unsigned count)
{
    struct pr_composition composition;
    if (count > pr_service_values_fit(service->op->common.here.identity->max_packet))
        return -PR_OPERATOR_TOO_LONG;
    begin(service, &composition, site, request, type, id);
    pr_operator_add_data(&composition, first);
    pr_operator_add_data(&composition, count);
    return pr_operator_commit(&composition, NULL);
}

static void answer_ping(struct pr_service *service, struct pr_composition *composition,
                        const struct pr_delivery *delivery)
{
    pr_operator_add_data(composition, delivery->data[WORDS_COMMON]);
    pr_operator_add_data(composition, delivery->data[WORDS_COMMON + 1]);
    add_value(composition, delivery->stamp_last);
    add_value(composition, pr_network_interface_clock(service->op->common.here.interface));
    for (unsigned k = PING_REQUEST_WORDS; k < delivery->data_words; k++)
        pr_operator_add_data(composition, delivery->data[k]);
}

uint32_t pr_service_identity(const struct pr_operator *op, unsigned index)
{
    const uint32_t *words = &op->common.here.identity->map_version;
    if (words + index == &op->common.here.identity->links)
        return pr_network_interface_links(op->common.here.interface, op->common.here.identity);
    return index == PR_SITE_IDENTITY_SERVES ? op->common.here.serves : words[index];
}

static void answer_values(struct pr_service *service, struct pr_composition *composition,
                          const struct pr_delivery *delivery)
{
    bool identify = delivery->data[WORD_REQUEST] == PR_SERVICE_IDENTIFY;
    unsigned first = delivery->data[WORDS_COMMON];
    unsigned count = delivery->data[WORDS_COMMON + 1];
    if (count > VALUES_MAX || (identify && first > PR_SITE_IDENTITY_ALL_WORDS - count))
        count = 0;
    pr_operator_add_data(composition, first);
    pr_operator_add_data(composition, count);
    for (unsigned k = first; k < first + count; k++)
        add_value(composition, identify ? pr_service_identity(service->op, k) : service->counter(service->context, k));
}

static void answer_request(struct pr_service *service, const struct pr_delivery *delivery)
{
    unsigned request = delivery->data[WORD_REQUEST];
    struct pr_composition composition;
    if (request > PR_SERVICE_COUNTERS || delivery->data_words < WORDS_COMMON + 2) /* a clock, or first and count */
        return;
    begin(service, &composition, delivery->source, request | ANSWER, (uint8_t)delivery->data[WORD_TYPE],
          (uint8_t)delivery->data[WORD_ID]);
    if (request == PR_SERVICE_PING)
        answer_ping(service, &composition, delivery);
    else
        answer_values(service, &composition, delivery);
    if (pr_operator_commit(&composition, NULL) != 0)
        service->answers_lost++;
}

static bool data_came_back(const struct pr_delivery *delivery)
{
    for (unsigned k = PING_ANSWER_WORDS; k < delivery->data_words; k++) {
        if (delivery->data[k] != pattern(k - PING_ANSWER_WORDS))
            return false;
    }
    return true;
}

static void take_answer(struct pr_service *service, const struct pr_delivery *delivery)
{
    struct pr_service_answer answer = {
        .request = delivery->data[WORD_REQUEST] & ~(uint32_t)ANSWER,
        .type = (uint8_t)delivery->data[WORD_TYPE],
        .id = (uint8_t)delivery->data[WORD_ID],
        .site = delivery->source,
        .halves = delivery->data + WORDS_COMMON,
        .clock = delivery->stamp_last,
    };
    unsigned expected = WORDS_COMMON;
    if (answer.request == PR_SERVICE_PING) {
        answer.count = PR_SERVICE_PING_VALUES;
        answer.data_ok = data_came_back(delivery);
    } else if (answer.request <= PR_SERVICE_COUNTERS && delivery->data_words >= PR_SERVICE_VALUES_WORDS) {
        answer.first = delivery->data[WORDS_COMMON];
        answer.count = delivery->data[WORDS_COMMON + 1];
        answer.halves += 2;
        expected = PR_SERVICE_VALUES_WORDS;
    } else {
        return;
    }
    if (answer.count <= VALUES_MAX && delivery->data_words >= expected + 2 * answer.count)
        service->answered(service->context, &answer);
}

static void service_handler(void *context, const struct pr_delivery *delivery)
{
    struct pr_service *service = context;
    if (delivery->data_words < WORDS_COMMON)
        return;
    if (delivery->data[WORD_REQUEST] & ANSWER)
        take_answer(service, delivery);
    else
        answer_request(service, delivery);
}

int pr_service_init(struct pr_service *service)
{
    return pr_operator_register(service->op, PR_HANDLER_SERVICE, service_handler, service);
}
