/* The commands of the console, and the answers to those that went to another site. */
#include "console/console_private.h"

enum {
    STATUS_SITE_BYTES = 3,
    PING_BYTES = STATUS_SITE_BYTES + 12,
    VALUES_BYTES = STATUS_SITE_BYTES + 2,
    SEND_BYTES = 7
};

uint8_t console_status(int error)
{
    static const uint8_t statuses[] = {
        [0] = CONSOLE_OK,
        [OPERATOR_NO_BUFFER] = CONSOLE_NO_BUFFER,
        [OPERATOR_TOO_LONG] = CONSOLE_TOO_LONG,
        [OPERATOR_NO_TARGETS] = CONSOLE_NO_TARGETS,
        [OPERATOR_UNKNOWN_SITE] = CONSOLE_UNKNOWN_SITE,
        [OPERATOR_BAD_DATA] = CONSOLE_BAD_DATA,
        [OPERATOR_FULL] = CONSOLE_BAD_REQUEST,
        [OPERATOR_WINDOW_FULL] = CONSOLE_WINDOW_FULL,
    };

    return statuses[-error];
}

struct console_ping console_ping_clocks(const struct service_answer *answer)
{
    uint32_t sent = service_value(answer, SERVICE_PING_SENT);

    return (struct console_ping){
        .round_trip = answer->clock - sent,
        .out = service_value(answer, SERVICE_PING_ARRIVED) - sent,
        .back = answer->clock - service_value(answer, SERVICE_PING_ANSWERED),
    };
}

/* An answer that starts with status and site, and has nothing more if the status is not ok. */
static bool begin_site_answer(struct frame_writer *writer, struct console *console, enum frame_priority priority,
                              uint8_t type, uint8_t id, uint8_t status, uint16_t site, size_t payload)
{
    if (!frame_begin(writer, console, priority, type | CONSOLE_ANSWER, id, payload))
        return false;
    frame_put_u8(writer, status);
    frame_put_u16(writer, site);
    return true;
}

static void refuse(struct console *console, uint8_t type, uint8_t id, uint8_t status, uint16_t site)
{
    struct frame_writer writer;

    if (begin_site_answer(&writer, console, FRAME_ANSWER, type, id, status, site, STATUS_SITE_BYTES))
        frame_end(&writer);
}

static void answer_status(struct console *console, uint8_t type, uint8_t id, uint8_t status)
{
    struct frame_writer writer;

    if (!frame_begin(&writer, console, FRAME_ANSWER, type | CONSOLE_ANSWER, id, 1))
        return;
    frame_put_u8(&writer, status);
    frame_end(&writer);
}

static uint16_t named_site(const struct console *console, uint16_t site)
{
    return site == CONSOLE_THIS_SITE ? (uint16_t)console->operator->identity->site : site;
}

/* The whole ID block needs no range before it. */
static void put_range(struct frame_writer *writer, uint8_t type, unsigned first, unsigned count)
{
    if (type == CONSOLE_IDENTIFY)
        return;
    frame_put_u8(writer, (uint8_t)first);
    frame_put_u8(writer, (uint8_t)count);
}

static void answer_values(struct console *console, uint8_t type, uint8_t id, uint8_t first, uint8_t count)
{
    const uint32_t *words = &console->operator->identity->map_version;
    struct frame_writer writer;

    if (!begin_site_answer(&writer, console, FRAME_ANSWER, type, id, CONSOLE_OK,
                           (uint16_t)console->operator->identity->site, VALUES_BYTES + 4 * (size_t)count))
        return;
    put_range(&writer, type, first, count);
    for (unsigned k = first; k < first + (unsigned)count; k++)
        frame_put_u32(&writer, type == CONSOLE_COUNTERS ? console_counter(console, k) : words[k]);
    frame_end(&writer);
}

static void ping(struct console *console, uint8_t id, struct frame_reader *reader)
{
    uint16_t site = named_site(console, frame_get_u16(reader));
    uint16_t data_words = frame_get_u16(reader);
    int error;

    if (reader->bad) {
        refuse(console, CONSOLE_PING, id, CONSOLE_BAD_REQUEST, site);
        return;
    }
    error = service_ping(&console->service, site, CONSOLE_PING, id, data_words);
    if (error != 0)
        refuse(console, CONSOLE_PING, id, console_status(error), site);
}

static bool has_values(uint8_t type, unsigned first, unsigned count)
{
    return type == CONSOLE_COUNTERS ? count <= CONSOLE_COUNTERS_MAX : first + count <= NODE_IDENTITY_WORDS;
}

/* CONSOLE_IDENTIFY, CONSOLE_IDENTIFY_PART and CONSOLE_COUNTERS. */
static void values(struct console *console, uint8_t type, uint8_t id, struct frame_reader *reader)
{
    uint16_t site = named_site(console, frame_get_u16(reader));
    uint8_t first = type == CONSOLE_IDENTIFY ? 0 : frame_get_u8(reader);
    uint8_t count = type == CONSOLE_IDENTIFY ? NODE_IDENTITY_WORDS : frame_get_u8(reader);
    int error;

    if (reader->bad || !has_values(type, first, count)) {
        refuse(console, type, id, CONSOLE_BAD_REQUEST, site);
    } else if (site == console->operator->identity->site) {
        answer_values(console, type, id, first, count);
    } else {
        error = service_values(&console->service, type == CONSOLE_COUNTERS ? SERVICE_COUNTERS : SERVICE_IDENTIFY, site, type,
                               id, first, count);
        if (error != 0)
            refuse(console, type, id, console_status(error), site);
    }
}

/* Composes the packet while reading; false if the frame does not hold what it says. */
static bool compose_send(struct composition *composition, struct frame_reader *reader, unsigned targets,
                         unsigned data_words)
{
    for (unsigned k = 0; k < targets && !reader->bad; k++) {
        uint16_t site = frame_get_u16(reader);
        uint16_t info_words = frame_get_u16(reader);

        operator_add_target(composition, site);
        for (unsigned i = 0; i < info_words && !reader->bad; i++)
            operator_add_info(composition, frame_get_u32(reader));
    }
    for (unsigned k = 0; k < data_words && !reader->bad; k++)
        operator_add_data(composition, frame_get_u32(reader));
    return !reader->bad && reader->left == 0;
}

static void send(struct console *console, uint8_t id, struct frame_reader *reader)
{
    uint8_t handler = frame_get_u8(reader);
    uint8_t flags = frame_get_u8(reader);
    uint16_t targets = frame_get_u16(reader);
    uint16_t data_words = frame_get_u16(reader);
    struct composition composition;
    struct frame_writer writer;
    uint8_t status = CONSOLE_BAD_REQUEST;
    uint16_t sequence = 0;
    uint32_t accepted;
    bool composed;

    operator_begin(console->operator, &composition, handler);
    composed = compose_send(&composition, reader, targets, data_words) && flags == 0;
    accepted = network_interface_clock(console->operator->interface);    /* before its first word can move */
    if (composed)
        status = console_status(operator_commit(&composition, &sequence));
    else
        operator_cancel(&composition);
    if (!frame_begin(&writer, console, FRAME_ANSWER, CONSOLE_SEND | CONSOLE_ANSWER, id, SEND_BYTES))
        return;
    frame_put_u8(&writer, status);
    frame_put_u16(&writer, sequence);
    frame_put_u32(&writer, accepted);
    frame_end(&writer);
}

static void listen(struct console *console, uint8_t id, struct frame_reader *reader)
{
    uint8_t on = frame_get_u8(reader);
    bool bad = reader->bad || on > CONSOLE_LISTEN_ALL;

    if (!bad)
        console->listen = on;
    answer_status(console, CONSOLE_LISTEN, id, bad ? CONSOLE_BAD_REQUEST : CONSOLE_OK);
}

uint8_t console_hold(struct console *console, uint32_t clocks)
{
    if (clocks > CONSOLE_HOLD_MOST)
        return CONSOLE_BAD_REQUEST;
    console->holding = true;
    console->hold_end = network_interface_clock(console->operator->interface) + clocks;
    return CONSOLE_OK;
}

static void hold(struct console *console, uint8_t id, struct frame_reader *reader)
{
    uint32_t clocks = frame_get_u32(reader);

    answer_status(console, CONSOLE_HOLD, id, reader->bad ? CONSOLE_BAD_REQUEST : console_hold(console, clocks));
}

bool console_holds(struct console *console)
{
    uint32_t left = console->hold_end - network_interface_clock(console->operator->interface);

    if (left - 1 >= CONSOLE_HOLD_MOST)    /* none, or the end is past */
        console->holding = false;
    return console->holding;
}

void console_command(struct console *console, uint8_t type, uint8_t id, struct frame_reader *reader)
{
    if (type == CONSOLE_IDENTIFY || type == CONSOLE_IDENTIFY_PART || type == CONSOLE_COUNTERS)
        values(console, type, id, reader);
    else if (type == CONSOLE_PING)
        ping(console, id, reader);
    else if (type == CONSOLE_SEND)
        send(console, id, reader);
    else if (type == CONSOLE_LISTEN)
        listen(console, id, reader);
    else if (type == CONSOLE_SHELL)
        console_shell(console, type, id, reader->bytes, reader->left);
    else if (type == CONSOLE_HOLD)
        hold(console, id, reader);
    else if (type < CONSOLE_ANSWER)
        answer_status(console, type, id, CONSOLE_UNSUPPORTED);
    else
        console->bad_frames++;    /* an answer or event: never answered, or two nodes would talk for ever */
}

static void put_ping(struct frame_writer *writer, const struct service_answer *answer)
{
    struct console_ping clocks = console_ping_clocks(answer);

    frame_put_u32(writer, clocks.round_trip);
    frame_put_u32(writer, clocks.out);
    frame_put_u32(writer, clocks.back);
}

static void put_values(struct frame_writer *writer, uint8_t type, const struct service_answer *answer)
{
    put_range(writer, type, answer->first, answer->count);
    for (unsigned k = 0; k < answer->count; k++)
        frame_put_u32(writer, service_value(answer, k));
}

/* The command that an answer is for. */
static uint8_t answered_type(const struct service_answer *answer)
{
    if (answer->request != SERVICE_IDENTIFY)
        return answer->request == SERVICE_PING ? CONSOLE_PING : CONSOLE_COUNTERS;
    return answer->type == CONSOLE_IDENTIFY && answer->count == NODE_IDENTITY_WORDS ? CONSOLE_IDENTIFY : CONSOLE_IDENTIFY_PART;
}

void console_service_answer(void *context, const struct service_answer *answer)
{
    struct console *console = context;
    uint8_t type = answered_type(answer);
    bool is_ping = answer->request == SERVICE_PING;
    uint8_t status = is_ping && !answer->data_ok ? CONSOLE_BAD_DATA : CONSOLE_OK;
    struct frame_writer writer;

    if (is_ping && answer->type != CONSOLE_PING) {
        console_shell_ping(console, answer);
        return;
    }
    if (!begin_site_answer(&writer, console, FRAME_REMOTE_ANSWER, type, answer->id, status, answer->site,
                           VALUES_BYTES + 4 * (size_t)answer->count))
        return;
    if (is_ping)
        put_ping(&writer, answer);
    else
        put_values(&writer, type, answer);
    frame_end(&writer);
}
