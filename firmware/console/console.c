/* The console's byte streams and its events, and the one place that dispatches: a SHELL frame and a typed line to
 * console_shell.c, any other frame to console_command.c, the answer of another site to the one of them that asked.
 *
 * SPDX-License-Identifier: ISC
 */
#include "console/console.h"

#include <string.h>

#include "console/console_private.h"

_Static_assert((int)PR_CONSOLE_KIND_RESENT == (int)PR_OPERATOR_EVENT_RESENT &&
                   (int)PR_CONSOLE_KIND_FALLBACK == (int)PR_OPERATOR_EVENT_FALLBACK &&
                   (int)PR_CONSOLE_KIND_FORWARDED == (int)PR_OPERATOR_EVENT_FORWARDED &&
                   (int)PR_CONSOLE_KIND_TIMED_OUT == (int)PR_OPERATOR_EVENT_TIMED_OUT &&
                   (int)PR_CONSOLE_KIND_FAILED == (int)PR_OPERATOR_EVENT_FAILED &&
                   (int)PR_CONSOLE_KIND_SETTLED == (int)PR_OPERATOR_EVENT_SETTLED &&
                   (int)PR_CONSOLE_REASON_TIME_OUT == (int)PR_OPERATOR_FAILED_TIME_OUT &&
                   (int)PR_CONSOLE_REASON_RESTARTED == (int)PR_OPERATOR_FAILED_RESTARTED,
               "the operator's numbers are those of console.ini");

static void put_words(struct pr_payload_writer *payload, const uint32_t *words, unsigned count)
{
    for (unsigned k = 0; k < count; k++)
        pr_payload_append(payload, 4, words[k]);
}

static void report_delivered(struct pr_console *console, const struct pr_delivery *delivery)
{
    size_t length = PR_MESSAGE_DELIVERED_BYTES + 4 * (size_t)(delivery->info_words + delivery->data_words);
    struct pr_frame_writer writer;
    struct pr_payload_writer *payload = &writer.payload;
    if (!pr_frame_begin(&writer, &console->output, PR_FRAME_EVENT, PR_CONSOLE_DELIVERED, 0, length))
        return;
    pr_payload_put(payload, PR_MESSAGE_DELIVERED_SOURCE, delivery->source);
    pr_payload_put(payload, PR_MESSAGE_DELIVERED_SEQUENCE, delivery->sequence);
    pr_payload_put(payload, PR_MESSAGE_DELIVERED_HANDLER, delivery->handler);
    pr_payload_put(payload, PR_MESSAGE_DELIVERED_INFO_WORDS, delivery->info_words);
    pr_payload_put(payload, PR_MESSAGE_DELIVERED_DATA_WORDS, delivery->data_words);
    pr_payload_put(payload, PR_MESSAGE_DELIVERED_STAMP_FIRST, delivery->stamp_first);
    pr_payload_put(payload, PR_MESSAGE_DELIVERED_STAMP_LAST, delivery->stamp_last);
    pr_payload_put(payload, PR_MESSAGE_DELIVERED_CLOCK, pr_network_interface_clock(console->op->common.here.interface));
    put_words(payload, delivery->info, delivery->info_words);
    put_words(payload, delivery->data, delivery->data_words);
    pr_frame_end(&writer);
}

static void report_event(struct pr_console *console, const struct pr_operator_event *event)
{
    struct pr_frame_writer writer;
    struct pr_payload_writer *payload = &writer.payload;
    if (!pr_frame_begin(&writer, &console->output, PR_FRAME_EVENT, PR_CONSOLE_EVENT, 0, PR_MESSAGE_EVENT_BYTES))
        return;
    pr_payload_put(payload, PR_MESSAGE_EVENT_KIND, event->kind);
    pr_payload_put(payload, PR_MESSAGE_EVENT_SOURCE, event->source);
    pr_payload_put(payload, PR_MESSAGE_EVENT_SEQUENCE, event->sequence);
    pr_payload_put(payload, PR_MESSAGE_EVENT_REMAINING, event->remaining);
    pr_payload_put(payload, PR_MESSAGE_EVENT_CLOCK, pr_network_interface_clock(console->op->common.here.interface));
    pr_payload_put(payload, PR_MESSAGE_EVENT_SITE, event->site);
    pr_payload_put(payload, PR_MESSAGE_EVENT_REASON, event->failure);
    pr_frame_end(&writer);
}

/* Scouts and answers of boot programs are shown too. */
static bool is_for_evaluators(uint8_t handler)
{
    return handler < PR_HANDLER_MEMBERS || handler == PR_HANDLER_SCOUT || handler == PR_HANDLER_LOAD;
}

static void observe(void *context, const struct pr_operator_event *event)
{
    struct pr_console *console = context;
    uint8_t wanted = PR_CONSOLE_LISTEN_EVENTS;
    if (event->kind == PR_OPERATOR_EVENT_FAILED || event->kind == PR_OPERATOR_EVENT_SETTLED)
        wanted |= PR_CONSOLE_LISTEN_OUTCOMES;
    if (event->kind != PR_OPERATOR_EVENT_DELIVERED) {
        if (console->listen & wanted)
            report_event(console, event);
    } else if (console->listen & PR_CONSOLE_LISTEN_DELIVERED && is_for_evaluators(event->delivery->handler)) {
        report_delivered(console, event->delivery);
    }
}

void pr_console_log(struct pr_console *console, uint8_t level, const char *text)
{
    struct pr_frame_writer writer;
    if (!pr_frame_begin(&writer, &console->output, PR_FRAME_EVENT, PR_CONSOLE_LOG, 0,
                        PR_MESSAGE_LOG_BYTES + strlen(text)))
        return;
    pr_payload_put(&writer.payload, PR_MESSAGE_LOG_LEVEL, level);
    pr_frame_put_text(&writer, text);
    pr_frame_end(&writer);
}

bool pr_console_is_ready(const struct pr_console *console)
{
    return PR_LIKELY(!(console->listen & PR_CONSOLE_LISTEN_DELIVERED)) || pr_frame_room_for_event(&console->output);
}

static uint32_t service_counter(void *context, unsigned index)
{
    return pr_console_counter(context, index);
}

/* The answer of another site goes to the part that asked: a ping of the shell has its type, not PING's. */
static void service_answered(void *context, const struct pr_service_answer *answer)
{
    struct pr_console *console = context;
    if (answer->request == PR_SERVICE_PING && answer->type != PR_CONSOLE_PING)
        pr_console_shell_ping(console, answer);
    else
        pr_console_command_answer(console, answer);
}

static void end_of_frame(struct pr_console *console)
{
    uint8_t *input = console->input;
    if (console->input_length == 0)
        return;
    size_t length = console->input_overflow ? PR_ENVELOPE_BAD : pr_envelope_decode(input, console->input_length, input);
    if (length == PR_ENVELOPE_BAD || length < PR_MESSAGE_FRAME_BYTES) {
        console->bad_frames++;
        return;
    }
    uint8_t type = input[PR_FIELD_OFFSET(PR_MESSAGE_FRAME_TYPE)], id = input[PR_FIELD_OFFSET(PR_MESSAGE_FRAME_ID)];
    struct pr_payload_reader payload = {
        .bytes = input + PR_MESSAGE_FRAME_BYTES,
        .length = length - PR_MESSAGE_FRAME_BYTES,
    };
    if (type == PR_CONSOLE_SHELL)
        pr_console_shell(console, type, id, payload.bytes, payload.length);
    else
        pr_console_command(console, type, id, &payload);
}

static bool is_line_end(uint8_t byte)
{
    return byte == '\r' || byte == '\n';
}

/* Where the typed text starts, behind line ends; the length if this is not text. A frame is never taken
 * for text: its second byte is a type, and none is printable. */
static size_t text_start(const struct pr_console *console)
{
    size_t start = 0;
    while (start < console->input_length && is_line_end(console->input[start]))
        start++;
    for (size_t k = start; k < console->input_length; k++) {
        if (console->input[k] < ' ' || console->input[k] > '~')
            return console->input_length;
    }
    return start;
}

static void append(struct pr_console *console, uint8_t byte)
{
    if (console->input_length < sizeof console->input)
        console->input[console->input_length++] = byte;
    else
        console->input_overflow = true;
}

static void take_end(struct pr_console *console, uint8_t byte)
{
    size_t start = byte == 0 ? console->input_length : text_start(console);
    if (byte == 0) {
        end_of_frame(console);
    } else if (start < console->input_length) {
        pr_console_shell(console, PR_CONSOLE_TEXT, 0, console->input + start, console->input_length - start);
    } else {
        append(console, byte);
        return;
    }
    console->input_length = 0;
    console->input_overflow = false;
}

size_t pr_console_write(struct pr_console *console, const uint8_t *bytes, size_t length)
{
    bool room = pr_frame_room_for_command(&console->output);
    size_t taken = 0;
    while (taken < length && room) {
        uint8_t byte = bytes[taken++];
        if (byte == 0 || is_line_end(byte)) { /* the only bytes that may end a command */
            take_end(console, byte);
            room = pr_frame_room_for_command(&console->output);
        } else {
            append(console, byte);
        }
    }
    return taken;
}

size_t pr_console_read(struct pr_console *console, uint8_t *bytes, size_t length)
{
    return pr_frame_take_output(&console->output, bytes, length);
}

int pr_console_init(struct pr_console *console, struct pr_operator *op)
{
    memset(console, 0, offsetof(struct pr_console, input)); /* the buffers need none */
    memset(&console->output, 0, offsetof(struct pr_frame_output, bytes));
    console->op = op;
    console->service = (struct pr_service){
        .op = op,
        .counter = service_counter,
        .answered = service_answered,
        .context = console,
    };
    int error = pr_operator_observe(op, observe, console);

    return error != 0 ? error : pr_service_init(&console->service);
}
