/* The console: frames of hw/protocol/console.ini, no shell. No command is looked at while output is left, so that every
 * answer has room.
 *
 * An image that sends asks every site through the mesh, itself too. One that does not knows itself alone.
 *
 * SPDX-License-Identifier: ISC
 */
#include "small/small.h"

#include "wire/envelope.h"
#include "wire/payload.h"

enum {
    INPUT_BYTES = PR_SMALL_INPUT_BYTES,
    BYTES_A_ROUND = 4, /* so that packets, and their sources, do not wait for long */
    DELIVERY_WORDS_MAX = PACKET_WORDS - 1 - PR_HEADER_WORDS,
    PING_WORDS = 1 + PR_HEADER_WORDS + SERVICE_PONG /* of a packet, without data of the ping's */
};

static uint8_t input[INPUT_BYTES];
static uint16_t input_length;
static uint8_t listens;

bool console_is_ready(void)
{
    return !(listens & PR_CONSOLE_LISTEN_DELIVERED) ||
           frame_has_room(PR_MESSAGE_DELIVERED_BYTES + 4 * DELIVERY_WORDS_MAX);
}

static void put_words(const uint32_t *words, unsigned count)
{
    for (; count > 0; count--)
        frame_put(4, *words++);
}

void console_delivered(const struct pr_small_delivery *delivery)
{
    unsigned bytes = PR_MESSAGE_DELIVERED_BYTES + 4 * (delivery->info_words + delivery->data_words);
    if (!(listens & PR_CONSOLE_LISTEN_DELIVERED) || !frame_begin(PR_CONSOLE_DELIVERED, 0, bytes))
        return;
    frame_put(2, delivery->source);
    frame_put(2, delivery->sequence);
    frame_put(1, delivery->handler);
    frame_put(1, delivery->info_words);
    frame_put(2, delivery->data_words);
    frame_put(4, delivery->stamp_first);
    frame_put(4, delivery->stamp_last);
    frame_put(4, port_clock());
    put_words(delivery->info, delivery->info_words);
    put_words(delivery->data, delivery->data_words);
    frame_end();
}

/* The status of a request for a site; behind it, so many bytes of what the site has answered. */
static bool begin_answer(unsigned type, unsigned id, unsigned status, unsigned site, unsigned bytes)
{
    if (!frame_begin(type | PR_CONSOLE_ANSWER, id, PR_MESSAGE_SITE_ANSWER_BYTES + bytes))
        return false;
    frame_put(1, status);
    frame_put(2, site);
    return true;
}

/* True: this type's answers have the range before the values. */
static bool has_range(unsigned type)
{
    return type != PR_CONSOLE_IDENTIFY;
}

static uint32_t value(const uint32_t *halves)
{
    return halves[0] | halves[1] << 16;
}

static unsigned status_of_ping(const struct pr_small_delivery *pong)
{
    for (unsigned k = SERVICE_PONG; k < pong->data_words; k++) {
        if (pong->data[k] != ping_pattern(k - SERVICE_PONG))
            return PR_CONSOLE_BAD_DATA;
    }
    return PR_CONSOLE_OK;
}

static void answer_ping(const struct pr_small_delivery *pong)
{
    uint32_t asked = value(pong->data + SERVICE_FIRST);
    if (pong->data_words < SERVICE_PONG || !begin_answer(PR_CONSOLE_PING, pong->data[SERVICE_ID], status_of_ping(pong),
                                                         pong->source, PR_MESSAGE_PING_ANSWER_BYTES))
        return;
    frame_put(4, pong->stamp_last - asked);
    frame_put(4, value(pong->data + SERVICE_VALUES) - asked);
    frame_put(4, pong->stamp_last - value(pong->data + SERVICE_VALUES + 2));
    frame_end();
}

void console_answer(const struct pr_small_delivery *delivery)
{
    const uint32_t *data = delivery->data;
    unsigned request = data[SERVICE_REQUEST] & ~(unsigned)SERVICE_ANSWER, values = data[SERVICE_COUNT];
    unsigned type = PR_CONSOLE_IDENTIFY_PART; /* of the request: no answer is trusted to name another one */
    if (request == SERVICE_PING) {
        answer_ping(delivery);
        return;
    }
    if (request == SERVICE_COUNTERS)
        type = PR_CONSOLE_COUNTERS;
    else if (data[SERVICE_TYPE] == PR_CONSOLE_IDENTIFY && values == IDENTITY_WORDS)
        type = PR_CONSOLE_IDENTIFY;
    if (request > SERVICE_COUNTERS || values > IDENTITY_WORDS || delivery->data_words < SERVICE_VALUES + 2 * values ||
        !begin_answer(type, data[SERVICE_ID], PR_CONSOLE_OK, delivery->source, 2 + 4 * values))
        return;
    if (has_range(type)) {
        frame_put(1, data[SERVICE_FIRST]);
        frame_put(1, values);
    }
    for (data += SERVICE_VALUES; values > 0; values--, data += 2)
        frame_put(4, value(data));
    frame_end();
}

/* A request as it came. */
struct command {
    unsigned type, id;
    struct pr_payload_reader payload;
};

static unsigned get(struct command *command, unsigned field)
{
    return pr_payload_get(&command->payload, field);
}

/* Asks a site for values, or for a ping with so many data words. A status. */
static unsigned ask(const struct command *command, unsigned request, unsigned site, unsigned first, unsigned count)
{
    uint16_t sequence;
    if (site >= here.sites)
        return PR_CONSOLE_UNKNOWN_SITE;
    if (!own_begin(PR_HANDLER_SERVICE))
        return PR_CONSOLE_WINDOW_FULL;
    own_target(site);
    own_data(request);
    own_data(command->type);
    own_data(command->id);
    if (request == SERVICE_PING) {
        own_value(port_clock());
        for (unsigned k = 0; k < count && k < PACKET_WORDS; k++)
            own_data(ping_pattern(k));
    } else {
        own_data(first);
        own_data(count);
    }
    return own_send(&sequence) ? PR_CONSOLE_OK : PR_CONSOLE_TOO_LONG;
}

static void answer_values(const struct command *command, unsigned first, unsigned count)
{
    if (!begin_answer(command->type, command->id, PR_CONSOLE_OK, here.site, 2 + 4 * count))
        return;
    if (has_range(command->type)) {
        frame_put(1, first);
        frame_put(1, count);
    }
    for (; count > 0; count--, first++)
        frame_put(4, command->type == PR_CONSOLE_COUNTERS ? counter(first) : port_identity(4 * first));
    frame_end();
}

/* IDENTIFY, IDENTIFY_PART, COUNTERS and PING. */
static void about_site(struct command *command)
{
    unsigned type = command->type, site = get(command, PR_MESSAGE_RANGE_SITE), first = 0, count = IDENTITY_WORDS;
    unsigned status = PR_CONSOLE_UNSUPPORTED;
    if (site == PR_CONSOLE_THIS_SITE)
        site = here.site;
    if (type == PR_CONSOLE_PING) {
        count = get(command, PR_MESSAGE_PING_DATA_WORDS);
    } else if (type != PR_CONSOLE_IDENTIFY) {
        first = get(command, PR_MESSAGE_RANGE_FIRST);
        count = get(command, PR_MESSAGE_RANGE_COUNT);
    }
    if (command->payload.overrun || (type == PR_CONSOLE_COUNTERS && count > PR_CONSOLE_COUNTERS_MAX) ||
        (type == PR_CONSOLE_IDENTIFY_PART && first + count > IDENTITY_WORDS)) {
        status = PR_CONSOLE_BAD_REQUEST;
    } else if (SENDS) {
        unsigned request = type == PR_CONSOLE_PING       ? SERVICE_PING
                           : type == PR_CONSOLE_COUNTERS ? SERVICE_COUNTERS
                                                         : SERVICE_IDENTIFY;
        status = ask(command, request, site, first, count);
        if (status == PR_CONSOLE_OK)
            return;
    } else if (site == here.site && type != PR_CONSOLE_PING) {
        answer_values(command, first, count);
        return;
    }
    if (begin_answer(type, command->id, status, site, 0))
        frame_end();
}

/* A packet without target_info. A status. */
static unsigned send(struct command *command, uint16_t *sequence)
{
    struct pr_payload_reader *payload = &command->payload;
    unsigned handler = get(command, PR_MESSAGE_SEND_HANDLER), flags = get(command, PR_MESSAGE_SEND_FLAGS);
    unsigned targets = get(command, PR_MESSAGE_SEND_TARGETS), words = get(command, PR_MESSAGE_SEND_DATA_WORDS);
    uint32_t wide = 0;
    if (flags != 0 || payload->overrun)
        return PR_CONSOLE_BAD_REQUEST;
    if (targets > PACKET_WORDS || words > PACKET_WORDS)
        return PR_CONSOLE_TOO_LONG;
    if (targets == 0)
        return PR_CONSOLE_NO_TARGETS;
    if (!own_begin(handler))
        return PR_CONSOLE_WINDOW_FULL;
    for (; targets > 0; targets--) {
        unsigned site = pr_payload_next(payload, 4); /* its upper half counts target_info words */
        if (site >= here.sites)
            return site > HALF_MASK ? PR_CONSOLE_UNSUPPORTED : PR_CONSOLE_UNKNOWN_SITE;
        own_target(site);
    }
    for (; words > 0; words--) {
        uint32_t word = pr_payload_next(payload, 4);
        wide |= word;
        own_data(word);
    }
    if (payload->overrun || payload->at != payload->length)
        return PR_CONSOLE_BAD_REQUEST;
    if (wide > HALF_MASK)
        return PR_CONSOLE_BAD_DATA;
    return own_send(sequence) ? PR_CONSOLE_OK : PR_CONSOLE_TOO_LONG;
}

static void answer_send(struct command *command)
{
    uint32_t clock = port_clock(); /* before its first word can move */
    uint16_t sequence = 0;
    unsigned status = send(command, &sequence);
    if (!frame_begin(PR_CONSOLE_SEND | PR_CONSOLE_ANSWER, command->id, PR_MESSAGE_SEND_ANSWER_BYTES))
        return;
    frame_put(1, status);
    frame_put(2, sequence);
    frame_put(4, clock);
    frame_end();
}

static unsigned listen(struct command *command)
{
    unsigned bits = get(command, PR_MESSAGE_LISTEN_BITS);
    if (command->payload.overrun || bits > PR_CONSOLE_LISTEN_ALL)
        return PR_CONSOLE_BAD_REQUEST;
    listens = (uint8_t)bits;
    return PR_CONSOLE_OK;
}

static void answer(struct command *command)
{
    unsigned type = command->type;
    if (type == PR_CONSOLE_IDENTIFY || type == PR_CONSOLE_IDENTIFY_PART || type == PR_CONSOLE_COUNTERS ||
        type == PR_CONSOLE_PING) {
        about_site(command);
    } else if (SENDS && type == PR_CONSOLE_SEND) {
        answer_send(command);
    } else if (type >= PR_CONSOLE_ANSWER) {
        count(PR_COUNTER_BAD_FRAMES); /* never answered, or two nodes would answer each other for ever */
    } else if (frame_begin(type | PR_CONSOLE_ANSWER, command->id, PR_MESSAGE_STATUS_ANSWER_BYTES)) {
        frame_put(1, type == PR_CONSOLE_LISTEN ? listen(command) : (unsigned)PR_CONSOLE_UNSUPPORTED);
        frame_end();
    }
}

static void take_frame(void)
{
    size_t length = input_length > INPUT_BYTES ? PR_ENVELOPE_BAD : pr_envelope_decode(input, input_length, input);
    struct command command;
    if (length == PR_ENVELOPE_BAD || length < PR_MESSAGE_FRAME_BYTES) {
        count(PR_COUNTER_BAD_FRAMES);
        return;
    }
    command = (struct command){
        .type = input[PR_FIELD_OFFSET(PR_MESSAGE_FRAME_TYPE)],
        .id = input[PR_FIELD_OFFSET(PR_MESSAGE_FRAME_ID)],
        .payload = {.bytes = input + PR_MESSAGE_FRAME_BYTES, .length = length - PR_MESSAGE_FRAME_BYTES},
    };
    answer(&command);
}

static void take_byte(uint8_t byte)
{
    if (byte != 0) {
        if (input_length < INPUT_BYTES)
            input[input_length] = byte;
        if (input_length <= INPUT_BYTES)
            input_length++;
        return;
    }
    if (input_length > 0)
        take_frame();
    input_length = 0;
}

bool console_poll(void)
{
    for (unsigned k = 0; k < BYTES_A_ROUND; k++) {
        if (frame_is_waiting()) {
            if (!port_has_room())
                break;
            port_put_byte(frame_take());
        } else if (port_has_byte()) {
            take_byte(port_get_byte());
        } else {
            break;
        }
    }
    return frame_is_waiting();
}
