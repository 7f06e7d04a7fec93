/* The console's byte streams and its events. Commands are in pr_console_command.c, the shell in
 * pr_console_shell.c.
 *
 * SPDX-License-Identifier: ISC
 */
#include "console/console.h"

#include <string.h>

#include "console/console_private.h"
#include "wire/cobs.h"
#include "wire/crc16.h"

enum {
    FRAME_LEAST = 4, /* type, id, CRC */
    DELIVERED_BYTES = 20,
    EVENT_BYTES = 14
};

uint32_t pr_console_counter(struct pr_console *console, unsigned index)
{
    if (index == PR_COUNTER_BAD_FRAMES)
        return console->bad_frames;
    if (index == PR_COUNTER_DROPPED_EVENTS)
        return console->events_dropped;
    if (index == PR_COUNTER_ANSWERS_LOST)
        return console->service.answers_lost;
    if (index >= PR_COUNTER_DELIVERED)
        return pr_operator_counter(console->op, index);
    return pr_network_interface_counter(console->op->interface, index);
}

static void report_delivered(struct pr_console *console, const struct pr_delivery *delivery)
{
    size_t payload = DELIVERED_BYTES + 4 * (size_t)(delivery->info_words + delivery->data_words);
    struct pr_frame_writer writer;
    if (!pr_frame_begin(&writer, console, PR_FRAME_EVENT, PR_CONSOLE_DELIVERED, 0, payload))
        return;
    pr_frame_put_u16(&writer, delivery->source);
    pr_frame_put_u16(&writer, delivery->sequence);
    pr_frame_put_u8(&writer, delivery->handler);
    pr_frame_put_u8(&writer, (uint8_t)delivery->info_words);
    pr_frame_put_u16(&writer, (uint16_t)delivery->data_words);
    pr_frame_put_u32(&writer, delivery->stamp_first);
    pr_frame_put_u32(&writer, delivery->stamp_last);
    pr_frame_put_u32(&writer, pr_network_interface_clock(console->op->interface));
    for (unsigned k = 0; k < delivery->info_words; k++)
        pr_frame_put_u32(&writer, delivery->info[k]);
    for (unsigned k = 0; k < delivery->data_words; k++)
        pr_frame_put_u32(&writer, delivery->data[k]);
    pr_frame_end(&writer);
}

static void report_event(struct pr_console *console, const struct pr_operator_event *event)
{
    struct pr_frame_writer writer;
    if (!pr_frame_begin(&writer, console, PR_FRAME_EVENT, PR_CONSOLE_EVENT, 0, EVENT_BYTES))
        return;
    pr_frame_put_u8(&writer, (uint8_t)event->kind);
    pr_frame_put_u16(&writer, event->source);
    pr_frame_put_u16(&writer, event->sequence);
    pr_frame_put_u16(&writer, event->remaining);
    pr_frame_put_u32(&writer, pr_network_interface_clock(console->op->interface));
    pr_frame_put_u16(&writer, event->site);
    pr_frame_put_u8(&writer, (uint8_t)event->failure);
    pr_frame_end(&writer);
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
    } else if (console->listen & PR_CONSOLE_LISTEN_DELIVERED && event->delivery->handler != PR_HANDLER_SERVICE) {
        report_delivered(console, event->delivery);
    }
}

void pr_console_log(struct pr_console *console, uint8_t level, const char *text)
{
    struct pr_frame_writer writer;
    if (!pr_frame_begin(&writer, console, PR_FRAME_EVENT, PR_CONSOLE_LOG, 0, 1 + strlen(text)))
        return;
    pr_frame_put_u8(&writer, level);
    pr_frame_put_text(&writer, text);
    pr_frame_end(&writer);
}

bool pr_console_is_ready(const struct pr_console *console)
{
    return !(console->listen & PR_CONSOLE_LISTEN_DELIVERED) || pr_frame_room_for_event(console);
}

static uint32_t service_counter(void *context, unsigned index)
{
    return pr_console_counter(context, index);
}

static void end_of_frame(struct pr_console *console)
{
    uint8_t *input = console->input;
    struct pr_frame_reader reader;
    size_t length;
    if (console->input_length == 0)
        return;
    length = console->input_overflow ? PR_COBS_BAD : pr_cobs_decode(input, console->input_length, input);
    if (length == PR_COBS_BAD || length < FRAME_LEAST ||
        pr_crc16(input, length - 2) != (input[length - 2] | input[length - 1] << 8)) {
        console->bad_frames++;
        return;
    }
    reader = (struct pr_frame_reader){.bytes = input + 2, .left = length - FRAME_LEAST};
    pr_console_command(console, input[0], input[1], &reader);
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
    bool room = pr_frame_room_for_command(console);
    size_t taken = 0;
    while (taken < length && room) {
        uint8_t byte = bytes[taken++];
        if (byte == 0 || is_line_end(byte)) { /* the only bytes that may end a command */
            take_end(console, byte);
            room = pr_frame_room_for_command(console);
        } else {
            append(console, byte);
        }
    }
    return taken;
}

size_t pr_console_read(struct pr_console *console, uint8_t *bytes, size_t length)
{
    size_t there = (size_t)(console->output_end - console->output_start);
    if (length > there)
        length = there;
    memcpy(bytes, console->output + console->output_start, length);
    console->output_start += length;
    if (console->output_start == console->output_end)
        console->output_start = console->output_end = 0;
    return length;
}

int pr_console_init(struct pr_console *console, struct pr_operator *op)
{
    memset(console, 0, offsetof(struct pr_console, input)); /* the buffers need none */
    console->op = op;
    console->service = (struct pr_service){
        .op = op,
        .counter = service_counter,
        .answered = pr_console_service_answer,
        .context = console,
    };
    int error = pr_operator_observe(op, observe, console);

    return error != 0 ? error : pr_service_init(&console->service);
}
