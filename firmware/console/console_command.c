/* The commands of the console, and the answers to those that went to another site.
 *
 * SPDX-License-Identifier: ISC
 */
#include "console/console_private.h"

/* An answer that starts with status and site, and has nothing more if the status is not ok. `payload`: all its bytes.
 */
static bool begin_site_answer(struct pr_frame_writer *writer, struct pr_console *console,
                              enum pr_frame_priority priority, uint8_t type, uint8_t id, uint8_t status, uint16_t site,
                              size_t payload)
{
    if (!pr_frame_begin(writer, &console->output, priority, type | PR_CONSOLE_ANSWER, id, payload))
        return false;
    pr_payload_put(&writer->payload, PR_MESSAGE_SITE_ANSWER_STATUS, status);
    pr_payload_put(&writer->payload, PR_MESSAGE_SITE_ANSWER_SITE, site);
    return true;
}

static void refuse(struct pr_console *console, uint8_t type, uint8_t id, uint8_t status, uint16_t site)
{
    struct pr_frame_writer writer;
    if (begin_site_answer(&writer, console, PR_FRAME_ANSWER, type, id, status, site, PR_MESSAGE_SITE_ANSWER_BYTES))
        pr_frame_end(&writer);
}

static void answer_status(struct pr_console *console, uint8_t type, uint8_t id, uint8_t status)
{
    struct pr_frame_writer writer;
    if (!pr_frame_begin(&writer, &console->output, PR_FRAME_ANSWER, type | PR_CONSOLE_ANSWER, id,
                        PR_MESSAGE_STATUS_ANSWER_BYTES))
        return;
    pr_payload_put(&writer.payload, PR_MESSAGE_STATUS_ANSWER_STATUS, status);
    pr_frame_end(&writer);
}

static uint16_t named_site(const struct pr_console *console, uint16_t site)
{
    return site == PR_CONSOLE_THIS_SITE ? (uint16_t)console->op->common.here.identity->site : site;
}

/* The whole ID block needs no range before it. */
static void put_range(struct pr_frame_writer *writer, uint8_t type, unsigned first, unsigned count)
{
    if (type == PR_CONSOLE_IDENTIFY)
        return;
    pr_payload_put(&writer->payload, PR_MESSAGE_RANGE_ANSWER_FIRST, first);
    pr_payload_put(&writer->payload, PR_MESSAGE_RANGE_ANSWER_COUNT, count);
}

static void answer_values(struct pr_console *console, uint8_t type, uint8_t id, uint8_t first, uint8_t count)
{
    struct pr_frame_writer writer;
    if (!begin_site_answer(&writer, console, PR_FRAME_ANSWER, type, id, PR_CONSOLE_OK,
                           (uint16_t)console->op->common.here.identity->site,
                           PR_MESSAGE_RANGE_ANSWER_BYTES + 4 * (size_t)count))
        return;
    put_range(&writer, type, first, count);
    for (unsigned k = first; k < first + (unsigned)count; k++)
        pr_payload_append(&writer.payload, 4,
                          type == PR_CONSOLE_COUNTERS ? pr_console_counter(console, k)
                                                      : pr_service_identity(console->op, k));
    pr_frame_end(&writer);
}

static void ping(struct pr_console *console, uint8_t id, struct pr_payload_reader *request)
{
    uint16_t site = named_site(console, (uint16_t)pr_payload_get(request, PR_MESSAGE_PING_SITE));
    unsigned data_words = pr_payload_get(request, PR_MESSAGE_PING_DATA_WORDS);
    int error;
    if (request->overrun) {
        refuse(console, PR_CONSOLE_PING, id, PR_CONSOLE_BAD_REQUEST, site);
        return;
    }
    error = pr_service_ping(&console->service, site, PR_CONSOLE_PING, id, data_words);
    if (error != 0)
        refuse(console, PR_CONSOLE_PING, id, pr_console_status(error), site);
}

static bool has_values(uint8_t type, unsigned first, unsigned count)
{
    return type == PR_CONSOLE_COUNTERS ? count <= PR_CONSOLE_COUNTERS_MAX : first + count <= PR_SITE_IDENTITY_ALL_WORDS;
}

/* PR_CONSOLE_IDENTIFY, PR_CONSOLE_IDENTIFY_PART and PR_CONSOLE_COUNTERS. */
static void values(struct pr_console *console, uint8_t type, uint8_t id, struct pr_payload_reader *request)
{
    bool all = type == PR_CONSOLE_IDENTIFY; /* whose fields are those that a range begins with */
    uint16_t site = named_site(console, (uint16_t)pr_payload_get(request, PR_MESSAGE_RANGE_SITE));
    uint8_t first = all ? 0 : (uint8_t)pr_payload_get(request, PR_MESSAGE_RANGE_FIRST);
    uint8_t count = all ? PR_SITE_IDENTITY_WORDS : (uint8_t)pr_payload_get(request, PR_MESSAGE_RANGE_COUNT);
    int error;
    if (request->overrun || !has_values(type, first, count)) {
        refuse(console, type, id, PR_CONSOLE_BAD_REQUEST, site);
    } else if (site == console->op->common.here.identity->site) {
        answer_values(console, type, id, first, count);
    } else {
        error = pr_service_values(&console->service,
                                  type == PR_CONSOLE_COUNTERS ? PR_SERVICE_COUNTERS : PR_SERVICE_IDENTIFY, site, type,
                                  id, first, count);
        if (error != 0)
            refuse(console, type, id, pr_console_status(error), site);
    }
}

/* Composes the packet while reading; false if the frame holds less or more than its counts promise. */
static bool compose_send(struct pr_composition *composition, struct pr_payload_reader *request, unsigned targets,
                         unsigned data_words, unsigned word_bytes)
{
    for (unsigned k = 0; k < targets && !request->overrun; k++) {
        unsigned site = pr_payload_next(request, PR_FIELD_BYTES(PR_MESSAGE_ENTRY_SITE));
        unsigned info_words = pr_payload_next(request, PR_FIELD_BYTES(PR_MESSAGE_ENTRY_INFO_WORDS));
        pr_operator_add_target(composition, site);
        for (unsigned i = 0; i < info_words && !request->overrun; i++)
            pr_operator_add_info(composition, pr_payload_next(request, 4));
    }
    for (unsigned k = 0; k < data_words && !request->overrun; k++)
        pr_operator_add_data(composition, pr_payload_next(request, word_bytes));
    return pr_payload_is_complete(request);
}

static void answer_send(struct pr_console *console, uint8_t id, uint8_t status, uint16_t sequence, uint32_t clock)
{
    struct pr_frame_writer writer;
    if (!pr_frame_begin(&writer, &console->output, PR_FRAME_ANSWER, PR_CONSOLE_SEND | PR_CONSOLE_ANSWER, id,
                        PR_MESSAGE_SEND_ANSWER_BYTES))
        return;
    pr_payload_put(&writer.payload, PR_MESSAGE_SEND_ANSWER_STATUS, status);
    pr_payload_put(&writer.payload, PR_MESSAGE_SEND_ANSWER_SEQUENCE, sequence);
    pr_payload_put(&writer.payload, PR_MESSAGE_SEND_ANSWER_CLOCK, clock);
    pr_frame_end(&writer);
}

static void send(struct pr_console *console, uint8_t id, struct pr_payload_reader *request)
{
    uint8_t handler = (uint8_t)pr_payload_get(request, PR_MESSAGE_SEND_HANDLER);
    unsigned flags = pr_payload_get(request, PR_MESSAGE_SEND_FLAGS);
    unsigned targets = pr_payload_get(request, PR_MESSAGE_SEND_TARGETS);
    unsigned data_words = pr_payload_get(request, PR_MESSAGE_SEND_DATA_WORDS);
    struct pr_composition composition;
    uint8_t status = PR_CONSOLE_BAD_REQUEST;
    uint16_t sequence = 0;
    pr_operator_begin(console->op, &composition, handler);
    unsigned word_bytes = flags == PR_CONSOLE_SEND_HALVES ? 2 : 4;
    bool composed = compose_send(&composition, request, targets, data_words, word_bytes) &&
                    flags <= PR_CONSOLE_SEND_HALVES;
    uint32_t accepted = pr_network_interface_clock(
        console->op->common.here.interface); /* before its first word can move */
    if (composed)
        status = pr_console_status(pr_operator_commit(&composition, &sequence));
    else
        pr_operator_cancel(&composition);
    answer_send(console, id, status, sequence, accepted);
}

static void listen(struct pr_console *console, uint8_t id, struct pr_payload_reader *request)
{
    uint8_t on = (uint8_t)pr_payload_get(request, PR_MESSAGE_LISTEN_BITS);
    bool bad = request->overrun || on > PR_CONSOLE_LISTEN_ALL;
    if (!bad)
        console->listen = on;
    answer_status(console, PR_CONSOLE_LISTEN, id, bad ? PR_CONSOLE_BAD_REQUEST : PR_CONSOLE_OK);
}

static void hold(struct pr_console *console, uint8_t id, struct pr_payload_reader *request)
{
    uint32_t clocks = pr_payload_get(request, PR_MESSAGE_HOLD_CLOCKS);
    answer_status(console, PR_CONSOLE_HOLD, id,
                  request->overrun ? PR_CONSOLE_BAD_REQUEST : pr_console_hold(console, clocks));
}

static void routes(struct pr_console *console, uint8_t id, struct pr_payload_reader *request)
{
    bool good = console->op->common.here.ways.routes;
    while (good && request->at < request->length) {
        unsigned site = pr_payload_next(request, PR_FIELD_BYTES(PR_MESSAGE_ROUTE_SITE));
        unsigned count = pr_payload_next(request, PR_FIELD_BYTES(PR_MESSAGE_ROUTE_COUNT));
        good = !request->overrun && count <= request->length - request->at &&
               pr_ways_learn(&console->op->common.here.ways, site, request->bytes + request->at, count);
        request->at += count;
    }
    answer_status(console, PR_CONSOLE_ROUTES, id, good ? PR_CONSOLE_OK : PR_CONSOLE_BAD_REQUEST);
}

void pr_console_command(struct pr_console *console, uint8_t type, uint8_t id, struct pr_payload_reader *request)
{
    if (type == PR_CONSOLE_IDENTIFY || type == PR_CONSOLE_IDENTIFY_PART || type == PR_CONSOLE_COUNTERS)
        values(console, type, id, request);
    else if (type == PR_CONSOLE_PING)
        ping(console, id, request);
    else if (type == PR_CONSOLE_SEND)
        send(console, id, request);
    else if (type == PR_CONSOLE_LISTEN)
        listen(console, id, request);
    else if (type == PR_CONSOLE_HOLD)
        hold(console, id, request);
    else if (type == PR_CONSOLE_ROUTES)
        routes(console, id, request);
    else if (type < PR_CONSOLE_ANSWER)
        answer_status(console, type, id, PR_CONSOLE_UNSUPPORTED);
    else
        console->bad_frames++; /* an answer or event: never answered, or two nodes would answer each other for ever */
}

static void put_ping(struct pr_payload_writer *payload, const struct pr_service_answer *answer)
{
    struct pr_console_ping clocks = pr_console_ping_clocks(answer);
    pr_payload_put(payload, PR_MESSAGE_PING_ANSWER_ROUND_TRIP, clocks.round_trip);
    pr_payload_put(payload, PR_MESSAGE_PING_ANSWER_OUT, clocks.out);
    pr_payload_put(payload, PR_MESSAGE_PING_ANSWER_BACK, clocks.back);
}

static void put_values(struct pr_frame_writer *writer, uint8_t type, const struct pr_service_answer *answer)
{
    put_range(writer, type, answer->first, answer->count);
    for (unsigned k = 0; k < answer->count; k++)
        pr_payload_append(&writer->payload, 4, pr_service_value(answer, k));
}

/* The command that an answer is for. */
static uint8_t answered_type(const struct pr_service_answer *answer)
{
    if (answer->request != PR_SERVICE_IDENTIFY)
        return answer->request == PR_SERVICE_PING ? PR_CONSOLE_PING : PR_CONSOLE_COUNTERS;
    return answer->type == PR_CONSOLE_IDENTIFY && answer->count == PR_SITE_IDENTITY_WORDS ? PR_CONSOLE_IDENTIFY
                                                                                          : PR_CONSOLE_IDENTIFY_PART;
}

void pr_console_command_answer(struct pr_console *console, const struct pr_service_answer *answer)
{
    uint8_t type = answered_type(answer);
    bool is_ping = answer->request == PR_SERVICE_PING;
    uint8_t status = is_ping && !answer->data_ok ? PR_CONSOLE_BAD_DATA : PR_CONSOLE_OK;
    struct pr_frame_writer writer;
    if (!begin_site_answer(&writer, console, PR_FRAME_REMOTE_ANSWER, type, answer->id, status, answer->site,
                           PR_MESSAGE_RANGE_ANSWER_BYTES + 4 * (size_t)answer->count))
        return;
    if (is_ping)
        put_ping(&writer.payload, answer);
    else
        put_values(&writer, type, answer);
    pr_frame_end(&writer);
}
