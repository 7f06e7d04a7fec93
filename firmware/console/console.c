/* The console's byte streams and its events. Commands are in console_command.c, the shell in
 * console_shell.c. */
#include "console/console.h"

#include <string.h>

#include "wire/cobs.h"
#include "console/console_private.h"
#include "wire/crc16.h"

enum {
    FRAME_LEAST = 4,              /* type, id, CRC */
    DELIVERED_BYTES = 20,
    EVENT_BYTES = 14
};

uint32_t console_counter(struct console *console, unsigned index)
{
    if (index == COUNTER_BAD_FRAMES)
        return console->bad_frames;
    if (index == COUNTER_DROPPED_EVENTS)
        return console->events_dropped;
    if (index == COUNTER_ANSWERS_LOST)
        return console->service.answers_lost;
    if (index >= COUNTER_DELIVERED)
        return operator_counter(console->operator, index);
    return network_interface_counter(console->operator->interface, index);
}

static void report_delivered(struct console *console, const struct delivery *delivery)
{
    size_t payload = DELIVERED_BYTES + 4 * (size_t)(delivery->info_words + delivery->data_words);
    struct frame_writer writer;

    if (!frame_begin(&writer, console, FRAME_EVENT, CONSOLE_DELIVERED, 0, payload))
        return;
    frame_put_u16(&writer, delivery->source);
    frame_put_u16(&writer, delivery->sequence);
    frame_put_u8(&writer, delivery->handler);
    frame_put_u8(&writer, (uint8_t)delivery->info_words);
    frame_put_u16(&writer, (uint16_t)delivery->data_words);
    frame_put_u32(&writer, delivery->stamp_first);
    frame_put_u32(&writer, delivery->stamp_last);
    frame_put_u32(&writer, network_interface_clock(console->operator->interface));
    for (unsigned k = 0; k < delivery->info_words; k++)
        frame_put_u32(&writer, delivery->info[k]);
    for (unsigned k = 0; k < delivery->data_words; k++)
        frame_put_u32(&writer, delivery->data[k]);
    frame_end(&writer);
}

static void report_event(struct console *console, const struct operator_event *event)
{
    struct frame_writer writer;

    if (!frame_begin(&writer, console, FRAME_EVENT, CONSOLE_EVENT, 0, EVENT_BYTES))
        return;
    frame_put_u8(&writer, (uint8_t)event->kind);
    frame_put_u16(&writer, event->source);
    frame_put_u16(&writer, event->sequence);
    frame_put_u16(&writer, event->remaining);
    frame_put_u32(&writer, network_interface_clock(console->operator->interface));
    frame_put_u16(&writer, event->site);
    frame_put_u8(&writer, (uint8_t)event->failure);
    frame_end(&writer);
}

static void observe(void *context, const struct operator_event *event)
{
    struct console *console = context;
    uint8_t wanted = CONSOLE_LISTEN_EVENTS;

    if (event->kind == OPERATOR_EVENT_FAILED || event->kind == OPERATOR_EVENT_SETTLED)
        wanted |= CONSOLE_LISTEN_OUTCOMES;
    if (event->kind != OPERATOR_EVENT_DELIVERED) {
        if (console->listen & wanted)
            report_event(console, event);
    } else if (console->listen & CONSOLE_LISTEN_DELIVERED && event->delivery->handler != HANDLER_SERVICE) {
        report_delivered(console, event->delivery);
    }
}

void console_log(struct console *console, uint8_t level, const char *text)
{
    struct frame_writer writer;

    if (!frame_begin(&writer, console, FRAME_EVENT, CONSOLE_LOG, 0, 1 + strlen(text)))
        return;
    frame_put_u8(&writer, level);
    frame_put_text(&writer, text);
    frame_end(&writer);
}

bool console_is_ready(const struct console *console)
{
    return !(console->listen & CONSOLE_LISTEN_DELIVERED) || frame_room_for_event(console);
}

static uint32_t service_counter(void *context, unsigned index)
{
    return console_counter(context, index);
}

static void end_of_frame(struct console *console)
{
    uint8_t *input = console->input;
    struct frame_reader reader;
    size_t length;

    if (console->input_length == 0)
        return;
    length = console->input_overflow ? COBS_BAD : cobs_decode(input, console->input_length, input);
    if (length == COBS_BAD || length < FRAME_LEAST ||
        crc16(input, length - 2) != (input[length - 2] | input[length - 1] << 8)) {
        console->bad_frames++;
        return;
    }
    reader = (struct frame_reader){ .bytes = input + 2, .left = length - FRAME_LEAST };
    console_command(console, input[0], input[1], &reader);
}

static bool is_line_end(uint8_t byte)
{
    return byte == '\r' || byte == '\n';
}

/* Where the typed text starts, behind line ends; the length if this is not text. A frame is never taken
 * for text: its second byte is a type, and none is printable. */
static size_t text_start(const struct console *console)
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

static void append(struct console *console, uint8_t byte)
{
    if (console->input_length < sizeof console->input)
        console->input[console->input_length++] = byte;
    else
        console->input_overflow = true;
}

static void take_end(struct console *console, uint8_t byte)
{
    size_t start = byte == 0 ? console->input_length : text_start(console);

    if (byte == 0) {
        end_of_frame(console);
    } else if (start < console->input_length) {
        console_shell(console, CONSOLE_TEXT, 0, console->input + start, console->input_length - start);
    } else {
        append(console, byte);
        return;
    }
    console->input_length = 0;
    console->input_overflow = false;
}

size_t console_write(struct console *console, const uint8_t *bytes, size_t length)
{
    bool room = frame_room_for_command(console);
    size_t taken = 0;

    while (taken < length && room) {
        uint8_t byte = bytes[taken++];

        if (byte == 0 || is_line_end(byte)) {    /* the only bytes that may end a command */
            take_end(console, byte);
            room = frame_room_for_command(console);
        } else {
            append(console, byte);
        }
    }
    return taken;
}

size_t console_read(struct console *console, uint8_t *bytes, size_t length)
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

int console_init(struct console *console, struct operator *operator)
{
    memset(console, 0, offsetof(struct console, input));    /* the buffers need none */
    console->operator = operator;
    console->service = (struct service){
        .operator = operator,
        .counter = service_counter,
        .answered = console_service_answer,
        .context = console,
    };
    int error = operator_observe(operator, observe, console);

    return error != 0 ? error : service_init(&console->service);
}
