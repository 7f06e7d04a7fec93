/* See service.h. Words of a service packet: request, type, id, then
 *   ping                 request: clock, data    answer: clock, clock arrived, clock answered, data
 *   identify, counters   request: first, count   answer: first, count, values
 */
#include "console/remote_service.h"

enum {
    WORD_REQUEST,
    WORD_TYPE,
    WORD_ID,
    WORDS_COMMON,
    ANSWER = 0x80,                /* in WORD_REQUEST */
    PING_REQUEST_WORDS = WORDS_COMMON + 2,
    PING_ANSWER_WORDS = WORDS_COMMON + 2 * SERVICE_PING_VALUES,
    VALUES_MAX = NODE_IDENTITY_WORDS
};

_Static_assert(1 + HEADER_WORDS + PING_ANSWER_WORDS == SERVICE_MAX_PACKET_LEAST, "a target, the header, the clocks");

static void begin(struct service *service, struct composition *composition, unsigned site, unsigned request,
                  uint8_t type, uint8_t id)
{
    operator_begin(service->operator, composition, HANDLER_SERVICE);
    operator_add_target(composition, site);
    operator_add_data(composition, request);
    operator_add_data(composition, type);
    operator_add_data(composition, id);
}

static void add_value(struct composition *composition, uint32_t value)
{
    operator_add_data(composition, value & 0xffff);
    operator_add_data(composition, value >> 16);
}

/* Data of a ping: not all alike, and the same wherever they are made. */
static uint32_t pattern(unsigned index)
{
    return (index << 8 ^ ~index) & 0xffff;
}

int service_ping(struct service *service, unsigned site, uint8_t type, uint8_t id, unsigned data_words)
{
    struct composition composition;

    begin(service, &composition, site, SERVICE_PING, type, id);
    add_value(&composition, network_interface_clock(service->operator->interface));
    for (unsigned k = 0; k < data_words && composition.error == 0; k++)
        operator_add_data(&composition, pattern(k));
    return operator_commit(&composition, NULL);
}

int service_values(struct service *service, enum service_request request, unsigned site, uint8_t type, uint8_t id,
                   unsigned first, unsigned count)
{
    struct composition composition;

    if (count > service_values_fit(service->operator->identity->max_packet))
        return -OPERATOR_TOO_LONG;
    begin(service, &composition, site, request, type, id);
    operator_add_data(&composition, first);
    operator_add_data(&composition, count);
    return operator_commit(&composition, NULL);
}

static void answer_ping(struct service *service, struct composition *composition, const struct delivery *delivery)
{
    operator_add_data(composition, delivery->data[WORDS_COMMON]);
    operator_add_data(composition, delivery->data[WORDS_COMMON + 1]);
    add_value(composition, delivery->stamp_last);
    add_value(composition, network_interface_clock(service->operator->interface));
    for (unsigned k = PING_REQUEST_WORDS; k < delivery->data_words; k++)
        operator_add_data(composition, delivery->data[k]);
}

static void answer_values(struct service *service, struct composition *composition, const struct delivery *delivery)
{
    bool identify = delivery->data[WORD_REQUEST] == SERVICE_IDENTIFY;
    const uint32_t *words = &service->operator->identity->map_version;
    unsigned first = delivery->data[WORDS_COMMON];
    unsigned count = delivery->data[WORDS_COMMON + 1];

    if (count > VALUES_MAX || (identify && first > NODE_IDENTITY_WORDS - count))
        count = 0;
    operator_add_data(composition, first);
    operator_add_data(composition, count);
    for (unsigned k = first; k < first + count; k++)
        add_value(composition, identify ? words[k] : service->counter(service->context, k));
}

static void answer_request(struct service *service, const struct delivery *delivery)
{
    unsigned request = delivery->data[WORD_REQUEST];
    struct composition composition;

    if (request > SERVICE_COUNTERS || delivery->data_words < WORDS_COMMON + 2)    /* a clock, or first and count */
        return;
    begin(service, &composition, delivery->source, request | ANSWER, (uint8_t)delivery->data[WORD_TYPE],
          (uint8_t)delivery->data[WORD_ID]);
    if (request == SERVICE_PING)
        answer_ping(service, &composition, delivery);
    else
        answer_values(service, &composition, delivery);
    if (operator_commit(&composition, NULL) != 0)
        service->answers_lost++;
}

static bool data_came_back(const struct delivery *delivery)
{
    for (unsigned k = PING_ANSWER_WORDS; k < delivery->data_words; k++) {
        if (delivery->data[k] != pattern(k - PING_ANSWER_WORDS))
            return false;
    }
    return true;
}

static void take_answer(struct service *service, const struct delivery *delivery)
{
    struct service_answer answer = {
        .request = delivery->data[WORD_REQUEST] & ~(uint32_t)ANSWER,
        .type = (uint8_t)delivery->data[WORD_TYPE],
        .id = (uint8_t)delivery->data[WORD_ID],
        .site = delivery->source,
        .halves = delivery->data + WORDS_COMMON,
        .clock = delivery->stamp_last,
    };
    unsigned expected = WORDS_COMMON;

    if (answer.request == SERVICE_PING) {
        answer.count = SERVICE_PING_VALUES;
        answer.data_ok = data_came_back(delivery);
    } else if (answer.request <= SERVICE_COUNTERS && delivery->data_words >= SERVICE_VALUES_WORDS) {
        answer.first = delivery->data[WORDS_COMMON];
        answer.count = delivery->data[WORDS_COMMON + 1];
        answer.halves += 2;
        expected = SERVICE_VALUES_WORDS;
    } else {
        return;
    }
    if (answer.count <= VALUES_MAX && delivery->data_words >= expected + 2 * answer.count)
        service->answered(service->context, &answer);
}

static void service_handler(void *context, const struct delivery *delivery)
{
    struct service *service = context;

    if (delivery->data_words < WORDS_COMMON)
        return;
    if (delivery->data[WORD_REQUEST] & ANSWER)
        take_answer(service, delivery);
    else
        answer_request(service, delivery);
}

int service_init(struct service *service)
{
    return operator_register(service->operator, HANDLER_SERVICE, service_handler, service);
}
