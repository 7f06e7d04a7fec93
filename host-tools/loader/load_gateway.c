/* See load_gateway.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "loader/load_gateway.h"

#include "cli/exit_code.h"
#include "cli/report.h"

enum {
    ANSWER = PR_LOAD_PACKET_ANSWER - PR_HEADER_WORDS,                 /* behind the header */
    FRAME_AROUND = PR_MESSAGE_FRAME_BYTES + PR_MESSAGE_SEND_BYTES + 6 /* a request's bytes: zeros, CRC and COBS are 6 */
};

static void handle_event(void *context, const struct pr_frame *frame)
{
    static struct pr_message_delivery delivery; /* large */
    const struct load_gateway *load = context;
    if (frame->type == PR_CONSOLE_DELIVERED && pr_message_read_delivery(frame, &delivery) &&
        delivery.handler == PR_HANDLER_LOAD && delivery.data_words == ANSWER + 2)
        load->carrier.answered(load->carrier.context, delivery.source, (char)delivery.data[ANSWER],
                               delivery.data[ANSWER + 1]);
}

static int send_packet(struct load_carrier *carrier, const uint16_t *sites, unsigned count,
                       const struct load_record *record, uint32_t tag)
{
    struct load_gateway *load = (struct load_gateway *)carrier;
    uint32_t data[LOAD_PACKET_WORDS];
    const struct pr_message_send packet = {
        .handler = PR_HANDLER_LOAD,
        .targets = count,
        .data_words = load_record_packet(record, load->gateway->identity.address, tag, data),
        .sites = sites,
        .data = data,
        .halves = load->halves};
    return load_requests_put(&load->requests, &packet);
}

static int finish(struct load_carrier *carrier)
{
    return load_requests_finish(&((struct load_gateway *)carrier)->requests);
}

static int poll_gateway(struct load_carrier *carrier, double seconds)
{
    const struct load_gateway *load = (struct load_gateway *)carrier;
    int status = pr_client_poll(&load->gateway->client, 1, seconds);
    return status == PR_CLIENT_OK ? EXIT_OK : gateway_failed(load->gateway, status);
}

static unsigned least(unsigned first, unsigned second)
{
    return first < second ? first : second;
}

/* Words of RAM that a data record may have, so that its packet fits the mesh and the boot program, and two requests for
 * such a packet the gateway's UART: its core takes one while the other is on the line. */
static unsigned room_of(const struct gateway *gateway, size_t count)
{
    unsigned targets = count < LOAD_GROUP ? (unsigned)count : LOAD_GROUP;
    unsigned bytes = LOAD_REQUESTS_BYTES / 2 - FRAME_AROUND - targets * PR_MESSAGE_ENTRY_BYTES;
    unsigned fits = least(load_packet_room(gateway->identity.max_packet, targets),
                          load_packet_room(bytes / 2 + PR_HEADER_WORDS, 0));
    return least(fits, PR_LOAD_DATA_MAX);
}

/* Does the gateway take data words of 16 bits? A request without targets fails in either case. */
static int ask_for_halves(struct load_gateway *load)
{
    const struct pr_message_send nothing = {.handler = PR_HANDLER_LOAD, .halves = true};
    struct pr_frame request, answer;
    bool answered;
    pr_message_send(&request, &nothing);
    int status = pr_client_ask(load->gateway->client, &request, load->requests.timeout, &answer, &answered);
    if (status != PR_CLIENT_OK)
        return gateway_failed(load->gateway, status);
    load->halves = answered && pr_message_status(&answer) == PR_CONSOLE_NO_TARGETS;
    return EXIT_OK;
}

/* Deliveries are reported from now on. */
static int listen_to_answers(struct load_gateway *load)
{
    struct pr_frame request, answer;
    pr_message_listen(&request, PR_CONSOLE_LISTEN_DELIVERED);
    return gateway_ask(load->gateway, &request, &answer, "listen");
}

int load_gateway_open(struct load_gateway *load, struct gateway *gateway, size_t count, double timeout)
{
    *load = (struct load_gateway){.carrier = {.group = LOAD_GROUP,
                                              .room = room_of(gateway, count),
                                              .send = send_packet,
                                              .finish = finish,
                                              .poll = poll_gateway},
                                  .gateway = gateway,
                                  .requests = {.gateway = gateway, .timeout = timeout}};
    if (load->carrier.room == 0)
        return report_failure(EXIT_USAGE, "load", "packets of %u words, expected room for a load record",
                              (unsigned)gateway->identity.max_packet);
    pr_client_on_event(gateway->client, handle_event, load);
    int status = ask_for_halves(load);
    return status == EXIT_OK ? listen_to_answers(load) : status;
}
