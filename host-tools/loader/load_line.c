/* See load_line.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "loader/load_line.h"

#include "cli/exit_code.h"
#include "libpostroad/client.h"
#include "wire/console_messages.h"

#include <math.h>

/* Parts of the time-out. Two orders to enter have to fall into the 2^21 clocks in which a boot program listens behind a
 * restart by the watchdog: 84 ms at 25 MHz. */
static const double enter_pause = 1.0 / 300, patience = 1.0 / 8, rest = 1.0 / 50,
                    starting_time = 1.0 / 50; /* of a boot program */

static int let_rest(struct load_line *line)
{
    return load_port_let_rest(line->port, line->port->timeout * rest, line->port->timeout);
}

/* The order for firmware: a packet to its own site with the record. */
static int order_firmware(const struct load_line *line, const struct load_record *record)
{
    uint32_t data[LOAD_PACKET_WORDS];
    uint8_t wire[PR_FRAMES_WIRE_MAX];
    struct pr_frame frame;
    const uint16_t site = (uint16_t)line->way.targets->site;
    const struct pr_message_send packet = {.handler = PR_HANDLER_LOAD,
                                           .targets = 1,
                                           .data_words = load_record_packet(record, 0, 0, data),
                                           .sites = &site,
                                           .data = data};
    pr_message_send(&frame, &packet);
    frame.id = 0;
    return load_port_write(line->port, wire, pr_frames_encode(&frame, wire, sizeof wire));
}

static int write_record(const struct load_line *line, const struct load_record *record)
{
    uint8_t wire[LOAD_RECORD_WIRE];
    int status = load_record_enters(record) ? order_firmware(line, record) : EXIT_OK;
    return status == EXIT_OK ? load_port_write(line->port, wire, load_record_wire(record, wire)) : status;
}

typedef bool is_awaited(const struct load_record *record, char letter);

/* Is this the answer to the record? A boot program that starts announces itself. To an order to enter only one counts:
 * the boot program takes the packet for firmware as a damaged record. */
static bool is_answer(const struct load_record *record, char letter)
{
    return load_record_enters(record) ? letter == PR_LOAD_DONE
                                      : letter != 0 && letter != PR_LOAD_WAITS && letter != PR_LOAD_UNCOUNTED;
}

/* Is this what comes of an order for firmware? It starts the boot program, or that has taken it for a record. */
static bool is_sign(const struct load_record *record, char letter)
{
    (void)record;
    return letter != 0 && letter != PR_LOAD_UNCOUNTED;
}

/* Reads until an answer has come that is awaited, or `end`. It becomes the target's. */
static int await_answer(struct load_line *line, const struct load_record *record, is_awaited *awaited, double end)
{
    struct load_target *target = line->way.targets;
    struct load_port_answer answer;
    char text[LOAD_PORT_CHUNK];
    size_t count;
    do {
        int status = load_port_read(line->port, fmax(end - pr_client_now(), 0), text, &count);
        if (status != EXIT_OK)
            return status;
        for (size_t k = 0; k < count; k++)
            if (load_port_push(line->port, text[k], &answer) && !answer.relayed && awaited(record, answer.letter))
                target->answer = answer.letter;
    } while (target->answer == 0 && pr_client_now() < end);
    return EXIT_OK;
}

/* True in *entered: firmware has taken the order, and its boot program waits. Nothing else is under way then. */
static int enter_at_once(struct load_line *line, const struct load_record *record, bool *entered)
{
    struct load_target *target = line->way.targets;
    target->answer = 0;
    int status = order_firmware(line, record);
    if (status == EXIT_OK)
        status = await_answer(line, record, is_sign, pr_client_now() + line->port->timeout * starting_time);
    *entered = target->answer == PR_LOAD_WAITS;
    if (*entered)
        target->answer = PR_LOAD_DONE;
    return status;
}

static int try_record(struct load_line *line, const struct load_record *record, bool again)
{
    double pause = line->port->timeout * (load_record_enters(record) ? enter_pause : patience);
    int status = again && !load_record_enters(record) ? let_rest(line) : EXIT_OK;
    line->way.targets->answer = 0;
    line->way.sent++;
    line->way.repeats += again;
    if (status == EXIT_OK)
        status = write_record(line, record);
    return status == EXIT_OK ? await_answer(line, record, is_answer, pr_client_now() + pause) : status;
}

/* Nothing has come of the record, or it was damaged on its way. */
static bool is_open(const struct load_target *target)
{
    return target->answer == 0 || target->answer == PR_LOAD_BAD_CHECK || target->answer == PR_LOAD_BAD_LENGTH;
}

static int send_record(struct load_way *way, const struct load_record *record)
{
    struct load_line *line = (struct load_line *)way;
    struct load_target *target = way->targets;
    double end = pr_client_now() + line->port->timeout;
    bool again = false, entered = false;
    if (!load_way_is_wanted(target))
        return EXIT_OK;
    int status = load_record_enters(record) ? enter_at_once(line, record, &entered) : EXIT_OK;
    if (status != EXIT_OK || entered)
        return status;
    do {
        status = try_record(line, record, again);
        if (status != EXIT_OK)
            return status;
        again = true;
    } while (is_open(target) && pr_client_now() < end);
    target->lost = target->answer == 0;
    return load_record_enters(record) ? let_rest(line) : EXIT_OK;
}

void load_line_open(struct load_line *line, struct load_port *port, struct load_target *target)
{
    *line = (struct load_line){.way = {.targets = target, .count = 1, .room = PR_LOAD_DATA_MAX, .send = send_record},
                               .port = port};
}
