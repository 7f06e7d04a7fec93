/* The commands of the console, and the answers to those that went to another site.
 *
 * SPDX-License-Identifier: ISC
 */
#include "console/console_private.h"

enum {
    STATUS_SITE_BYTES = 3,
    PING_BYTES = STATUS_SITE_BYTES + 12,
    VALUES_BYTES = STATUS_SITE_BYTES + 2,
    SEND_BYTES = 7
};

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

/* An answer that starts with status and site, and has nothing more if the status is not ok. */
static bool begin_site_answer(struct pr_frame_writer *writer, struct pr_console *console,
                              enum pr_frame_priority priority, uint8_t type, uint8_t id, uint8_t status, uint16_t site,
                              size_t payload)
{
    if (!pr_frame_begin(writer, console, priority, type | PR_CONSOLE_ANSWER, id, payload))
        return false;
    pr_frame_put_u8(writer, status);
    pr_frame_put_u16(writer, site);
    return true;
}

static void refuse(struct pr_console *console, uint8_t type, uint8_t id, uint8_t status, uint16_t site)
{
    struct pr_frame_writer writer;
    if (begin_site_answer(&writer, console, PR_FRAME_ANSWER, type, id, status, site, STATUS_SITE_BYTES))
        pr_frame_end(&writer);
}

static void answer_status(struct pr_console *console, uint8_t type, uint8_t id, uint8_t status)
{
    struct pr_frame_writer writer;
    if (!pr_frame_begin(&writer, console, PR_FRAME_ANSWER, type | PR_CONSOLE_ANSWER, id, 1))
        return;
    pr_frame_put_u8(&writer, status);
    pr_frame_end(&writer);
}

static uint16_t named_site(const struct pr_console *console, uint16_t site)
{
    return site == PR_CONSOLE_THIS_SITE ? (uint16_t)console->op->identity->site : site;
}

/* The whole ID block needs no range before it. */
static void put_range(struct pr_frame_writer *writer, uint8_t type, unsigned first, unsigned count)
{
    if (type == PR_CONSOLE_IDENTIFY)
        return;
    pr_frame_put_u8(writer, (uint8_t)first);
    pr_frame_put_u8(writer, (uint8_t)count);
}

static void answer_values(struct pr_console *console, uint8_t type, uint8_t id, uint8_t first, uint8_t count)
{
    const uint32_t *words = &console->op->identity->map_version;
    struct pr_frame_writer writer;
    if (!begin_site_answer(&writer, console, PR_FRAME_ANSWER, type, id, PR_CONSOLE_OK,
                           (uint16_t)console->op->identity->site, VALUES_BYTES + 4 * (size_t)count))
        return;
    put_range(&writer, type, first, count);
    for (unsigned k = first; k < first + (unsigned)count; k++)
        pr_frame_put_u32(&writer, type == PR_CONSOLE_COUNTERS ? pr_console_counter(console, k) : words[k]);
    pr_frame_end(&writer);
}

static void ping(struct pr_console *console, uint8_t id, struct pr_frame_reader *reader)
{
    uint16_t site = named_site(console, pr_frame_get_u16(reader));
    uint16_t data_words = pr_frame_get_u16(reader);
    int error;
    if (reader->bad) {
        refuse(console, PR_CONSOLE_PING, id, PR_CONSOLE_BAD_REQUEST, site);
        return;
    }
    error = pr_service_ping(&console->service, site, PR_CONSOLE_PING, id, data_words);
    if (error != 0)
        refuse(console, PR_CONSOLE_PING, id, pr_console_status(error), site);
}

static bool has_values(uint8_t type, unsigned first, unsigned count)
{
    return type == PR_CONSOLE_COUNTERS ? count <= PR_CONSOLE_COUNTERS_MAX : first + count <= PR_SITE_IDENTITY_WORDS;
}

/* PR_CONSOLE_IDENTIFY, PR_CONSOLE_IDENTIFY_PART and PR_CONSOLE_COUNTERS. */
static void values(struct pr_console *console, uint8_t type, uint8_t id, struct pr_frame_reader *reader)
{
    uint16_t site = named_site(console, pr_frame_get_u16(reader));
    uint8_t first = type == PR_CONSOLE_IDENTIFY ? 0 : pr_frame_get_u8(reader);
    uint8_t count = type == PR_CONSOLE_IDENTIFY ? PR_SITE_IDENTITY_WORDS : pr_frame_get_u8(reader);
    int error;
    if (reader->bad || !has_values(type, first, count)) {
        refuse(console, type, id, PR_CONSOLE_BAD_REQUEST, site);
    } else if (site == console->op->identity->site) {
        answer_values(console, type, id, first, count);
    } else {
        error = pr_service_values(&console->service,
                                  type == PR_CONSOLE_COUNTERS ? PR_SERVICE_COUNTERS : PR_SERVICE_IDENTIFY, site, type,
                                  id, first, count);
        if (error != 0)
            refuse(console, type, id, pr_console_status(error), site);
    }
}

/* Composes the packet while reading; false if the frame does not hold what it says. */
static bool compose_send(struct pr_composition *composition, struct pr_frame_reader *reader, unsigned targets,
                         unsigned data_words)
{
    for (unsigned k = 0; k < targets && !reader->bad; k++) {
        uint16_t site = pr_frame_get_u16(reader);
        uint16_t info_words = pr_frame_get_u16(reader);
        pr_operator_add_target(composition, site);
        for (unsigned i = 0; i < info_words && !reader->bad; i++)
            pr_operator_add_info(composition, pr_frame_get_u32(reader));
    }
    for (unsigned k = 0; k < data_words && !reader->bad; k++)
        pr_operator_add_data(composition, pr_frame_get_u32(reader));
    return !reader->bad && reader->left == 0;
}

static void send(struct pr_console *console, uint8_t id, struct pr_frame_reader *reader)
{
    uint8_t handler = pr_frame_get_u8(reader);
    uint8_t flags = pr_frame_get_u8(reader);
    uint16_t targets = pr_frame_get_u16(reader);
    uint16_t data_words = pr_frame_get_u16(reader);
    struct pr_composition composition;
    struct pr_frame_writer writer;
    uint8_t status = PR_CONSOLE_BAD_REQUEST;
    uint16_t sequence = 0;
    uint32_t accepted;
    bool composed;
    pr_operator_begin(console->op, &composition, handler);
    composed = compose_send(&composition, reader, targets, data_words) && flags == 0;
    accepted = pr_network_interface_clock(console->op->interface); /* before its first word can move */
    if (composed)
        status = pr_console_status(pr_operator_commit(&composition, &sequence));
    else
        pr_operator_cancel(&composition);
    if (!pr_frame_begin(&writer, console, PR_FRAME_ANSWER, PR_CONSOLE_SEND | PR_CONSOLE_ANSWER, id, SEND_BYTES))
        return;
    pr_frame_put_u8(&writer, status);
    pr_frame_put_u16(&writer, sequence);
    pr_frame_put_u32(&writer, accepted);
    pr_frame_end(&writer);
}

static void listen(struct pr_console *console, uint8_t id, struct pr_frame_reader *reader)
{
    uint8_t on = pr_frame_get_u8(reader);
    bool bad = reader->bad || on > PR_CONSOLE_LISTEN_ALL;
    if (!bad)
        console->listen = on;
    answer_status(console, PR_CONSOLE_LISTEN, id, bad ? PR_CONSOLE_BAD_REQUEST : PR_CONSOLE_OK);
}

uint8_t pr_console_hold(struct pr_console *console, uint32_t clocks)
{
    if (clocks > PR_CONSOLE_HOLD_MOST)
        return PR_CONSOLE_BAD_REQUEST;
    console->holding = true;
    console->hold_end = pr_network_interface_clock(console->op->interface) + clocks;
    return PR_CONSOLE_OK;
}

static void hold(struct pr_console *console, uint8_t id, struct pr_frame_reader *reader)
{
    uint32_t clocks = pr_frame_get_u32(reader);
    answer_status(console, PR_CONSOLE_HOLD, id,
                  reader->bad ? PR_CONSOLE_BAD_REQUEST : pr_console_hold(console, clocks));
}

bool pr_console_holds(struct pr_console *console)
{
    uint32_t left = console->hold_end - pr_network_interface_clock(console->op->interface);
    if (left - 1 >= PR_CONSOLE_HOLD_MOST) /* none, or the end is past */
        console->holding = false;
    return console->holding;
}

void pr_console_command(struct pr_console *console, uint8_t type, uint8_t id, struct pr_frame_reader *reader)
{
    if (type == PR_CONSOLE_IDENTIFY || type == PR_CONSOLE_IDENTIFY_PART || type == PR_CONSOLE_COUNTERS)
        values(console, type, id, reader);
    else if (type == PR_CONSOLE_PING)
        ping(console, id, reader);
    else if (type == PR_CONSOLE_SEND)
        send(console, id, reader);
    else if (type == PR_CONSOLE_LISTEN)
        listen(console, id, reader);
    else if (type == PR_CONSOLE_SHELL)
        pr_console_shell(console, type, id, reader->bytes, reader->left);
    else if (type == PR_CONSOLE_HOLD)
        hold(console, id, reader);
    else if (type < PR_CONSOLE_ANSWER)
        answer_status(console, type, id, PR_CONSOLE_UNSUPPORTED);
    else
        console->bad_frames++; /* an answer or event: never answered, or two nodes would talk for ever */
}

static void put_ping(struct pr_frame_writer *writer, const struct pr_service_answer *answer)
{
    struct pr_console_ping clocks = pr_console_ping_clocks(answer);
    pr_frame_put_u32(writer, clocks.round_trip);
    pr_frame_put_u32(writer, clocks.out);
    pr_frame_put_u32(writer, clocks.back);
}

static void put_values(struct pr_frame_writer *writer, uint8_t type, const struct pr_service_answer *answer)
{
    put_range(writer, type, answer->first, answer->count);
    for (unsigned k = 0; k < answer->count; k++)
        pr_frame_put_u32(writer, pr_service_value(answer, k));
}

/* The command that an answer is for. */
static uint8_t answered_type(const struct pr_service_answer *answer)
{
    if (answer->request != PR_SERVICE_IDENTIFY)
        return answer->request == PR_SERVICE_PING ? PR_CONSOLE_PING : PR_CONSOLE_COUNTERS;
    return answer->type == PR_CONSOLE_IDENTIFY && answer->count == PR_SITE_IDENTITY_WORDS ? PR_CONSOLE_IDENTIFY
                                                                                          : PR_CONSOLE_IDENTIFY_PART;
}

void pr_console_service_answer(void *context, const struct pr_service_answer *answer)
{
    struct pr_console *console = context;
    uint8_t type = answered_type(answer);
    bool is_ping = answer->request == PR_SERVICE_PING;
    uint8_t status = is_ping && !answer->data_ok ? PR_CONSOLE_BAD_DATA : PR_CONSOLE_OK;
    struct pr_frame_writer writer;
    if (is_ping && answer->type != PR_CONSOLE_PING) {
        pr_console_shell_ping(console, answer);
        return;
    }
    if (!begin_site_answer(&writer, console, PR_FRAME_REMOTE_ANSWER, type, answer->id, status, answer->site,
                           VALUES_BYTES + 4 * (size_t)answer->count))
        return;
    if (is_ping)
        put_ping(&writer, answer);
    else
        put_values(&writer, type, answer);
    pr_frame_end(&writer);
}
