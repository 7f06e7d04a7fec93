/* See carrier.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "tap/carrier.h"

#include "cli/console_text.h"
#include "cli/group_orders.h"
#include "cli/report.h"
#include "multicast/groups.h"
#include "support/or_abort.h"
#include "tap/fragments.h"
#include "tap/packet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Seconds until a packet that was refused for want of room is sent again; each further refusal doubles them. An
 * operator has room again as soon as an acknowledgement comes, often before a process could sleep. */
static const double again_first = 50e-6, again_most = 0.032;

struct waiting_frame {
    struct tap_way way;
    uint16_t length;
    uint8_t bytes[TAP_FRAME_MOST];
};

struct port {
    struct tap_carrier *carrier;
    uint16_t site;
    struct pr_client *client;
    bool heard; /* it has answered */
    /* The queue, and how far its first frame has got. */
    struct waiting_frame *frames; /* TAP_QUEUE_FRAMES */
    size_t first, count;
    uint16_t identification;
    size_t offset, piece;    /* the part that is sent: where it begins, and its bytes */
    unsigned part;           /* of the requests that send it */
    bool under_way, ordered; /* ordered: the operator has the order to send it to the group, and has not answered */
    struct pr_group_client orders;
    double again, again_at; /* seconds; again_at: 0 if nothing was refused */
};

struct tap_carrier {
    struct gateway *gateway;
    int group; /* TAP_NO_GROUP: multicasts go to lists of targets */
    const struct tap_groups *groups;
    struct tap_lan *lan;
    size_t count;
    struct port *ports;
    struct pr_client **clients;
};

static size_t place_of(const struct port *port)
{
    return (size_t)(port - port->carrier->ports);
}

static void count_at(const struct port *port, enum tap_counter counter)
{
    if (port->carrier->lan)
        tap_lan_count(port->carrier->lan, place_of(port), counter);
}

static void take_delivery(struct port *port, const struct pr_frame *frame)
{
    static struct pr_message_delivery delivery; /* large */
    uint8_t bytes[TAP_PACKET_BYTES_MOST];
    struct tap_carrier *carrier = port->carrier;
    if (!carrier->lan || !pr_message_read_delivery(frame, &delivery) || delivery.handler != TAP_HANDLER)
        return;
    size_t count = tap_packet_bytes(&carrier->gateway->identity, &delivery, bytes);
    tap_lan_receive(carrier->lan, place_of(port), delivery.source, bytes, count, pr_client_now());
}

static void take_outcome(const struct port *port, const struct pr_frame *frame)
{
    struct pr_message_event event;
    if (pr_message_read_event(frame, &event) && event.what == PR_CONSOLE_KIND_FAILED && event.source == port->site)
        count_at(port, TAP_COUNTER_undelivered);
}

static void show_log(void *context, const char *line)
{
    const struct port *port = context;
    report_note(port->carrier->gateway->options, "site %u: %s", port->site, line);
}

static void take_event(void *context, const struct pr_frame *frame)
{
    struct port *port = context;
    if (frame->type == PR_CONSOLE_DELIVERED)
        take_delivery(port, frame);
    else if (frame->type == PR_CONSOLE_EVENT)
        take_outcome(port, frame);
    else
        console_text_frame(frame, show_log, port);
}

static int lost(const struct tap_carrier *carrier, int status)
{
    struct gateway one = *carrier->gateway;
    for (size_t i = 0; i < carrier->count; i++)
        if (*pr_client_lost_reason(carrier->clients[i]))
            one.client = carrier->clients[i];
    return gateway_failed(&one, status);
}

static int connect_sites(struct tap_carrier *carrier, const struct site_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        struct port *port = &carrier->ports[i];
        *port = (struct port){.carrier = carrier, .site = set->sites[i], .again = again_first};
        port->frames = or_abort(malloc(TAP_QUEUE_FRAMES * sizeof *port->frames));
        int status = gateway_connect(carrier->gateway, set->sites[i], &carrier->clients[i]);
        if (status != EXIT_OK) {
            free(port->frames);
            return status;
        }
        carrier->count++;
        port->client = carrier->clients[i];
        pr_client_on_event(port->client, take_event, port);
    }
    return EXIT_OK;
}

static void take_identity(void *context, const struct pr_frame *answer)
{
    struct port *port = context;
    struct gateway *gateway = port->carrier->gateway;
    unsigned site;
    port->heard = answer && pr_message_read_identity(answer, &site, &gateway->identity) &&
                  gateway_mesh(&gateway->identity, &gateway->mesh);
}

static void take_answer(void *context, const struct pr_frame *answer)
{
    struct port *port = context;
    port->heard = answer && pr_message_status(answer) == PR_CONSOLE_OK;
}

static bool any_outstanding(const struct tap_carrier *carrier)
{
    for (size_t i = 0; i < carrier->count; i++)
        if (pr_client_outstanding(carrier->clients[i]))
            return true;
    return false;
}

/* Sends a request to all sites at once; every one has to answer. */
static int ask_all(struct tap_carrier *carrier, const struct pr_frame *request, pr_client_answer *function)
{
    int status = PR_CLIENT_OK;
    for (size_t i = 0; i < carrier->count && status == PR_CLIENT_OK; i++) {
        struct pr_frame one = *request;
        status = pr_client_request(carrier->clients[i], &one, carrier->gateway->timeout, function, &carrier->ports[i]);
    }
    while (status == PR_CLIENT_OK && any_outstanding(carrier))
        status = pr_client_poll(carrier->clients, carrier->count, -1);
    if (status != PR_CLIENT_OK)
        return lost(carrier, status);
    for (size_t i = 0; i < carrier->count; i++)
        if (!carrier->ports[i].heard)
            return report_failure(EXIT_TIMEOUT, carrier->gateway->options->verb, "site %u does not answer",
                                  carrier->ports[i].site);
    return EXIT_OK;
}

int tap_carrier_open(struct gateway *gateway, const struct site_set *set, struct tap_carrier **out)
{
    struct pr_frame request;
    struct tap_carrier *carrier = *out = or_abort(calloc(1, sizeof *carrier));
    carrier->gateway = gateway;
    carrier->group = TAP_NO_GROUP;
    carrier->ports = or_abort(calloc(set->count, sizeof *carrier->ports));
    carrier->clients = or_abort(calloc(set->count, sizeof(struct pr_client *)));
    int status = connect_sites(carrier, set);
    pr_message_identify(&request, PR_CONSOLE_THIS_SITE);
    if (status == EXIT_OK)
        status = ask_all(carrier, &request, take_identity);
    pr_message_listen(&request, PR_CONSOLE_LISTEN_DELIVERED | PR_CONSOLE_LISTEN_OUTCOMES);
    if (status == EXIT_OK)
        status = ask_all(carrier, &request, take_answer);
    return status;
}

static int check_member(struct port *port, unsigned group)
{
    const struct gateway *gateway = port->carrier->gateway;
    const struct pr_group_order show = {.what = PR_GROUP_ORDER_SHOW, .group = (uint8_t)group};
    struct pr_group_answer answer;
    int status = group_orders_start(gateway, &port->orders, port->client, take_event, port);
    if (status == EXIT_OK)
        status = group_orders_send(gateway, &port->orders, port->site, &show, &answer);
    if (status != EXIT_OK || answer.state == PR_GROUP_ORDER_IN)
        return status;
    return report_failure(EXIT_MISMATCH, gateway->options->verb,
                          "site %u is no member of group %u: postroad group SITES --join %u", port->site, group, group);
}

int tap_carrier_use_group(struct tap_carrier *carrier, unsigned group)
{
    struct pr_frame request;
    int status = EXIT_OK;
    for (size_t i = 0; i < carrier->count && status == EXIT_OK; i++)
        status = check_member(&carrier->ports[i], group);
    carrier->group = (int)group;
    pr_message_listen(&request, PR_CONSOLE_LISTEN_DELIVERED | PR_CONSOLE_LISTEN_OUTCOMES);
    return status == EXIT_OK ? ask_all(carrier, &request, take_answer) : status;
}

void tap_carrier_join(struct tap_carrier *carrier, const struct tap_groups *groups, struct tap_lan *lan)
{
    carrier->groups = groups;
    carrier->lan = lan;
}

void tap_carrier_close(struct tap_carrier *carrier)
{
    if (!carrier)
        return;
    carrier->lan = NULL; /* a request that is given up now counts nowhere */
    for (size_t i = 0; i < carrier->count; i++) {
        pr_client_destroy(carrier->clients[i]);
        free(carrier->ports[i].frames);
    }
    free(carrier->ports);
    free(carrier->clients);
    free(carrier);
}

bool tap_carrier_send(struct tap_carrier *carrier, size_t place, struct tap_way way, const uint8_t *frame,
                      size_t length)
{
    struct port *port = &carrier->ports[place];
    if (port->count == TAP_QUEUE_FRAMES)
        return false;
    struct waiting_frame *waiting = &port->frames[(port->first + port->count++) % TAP_QUEUE_FRAMES];
    waiting->way = way;
    waiting->length = (uint16_t)length;
    memcpy(waiting->bytes, frame, length);
    return true;
}

/* The first frame is done with. */
static void next_frame(struct port *port)
{
    port->first = (port->first + 1) % TAP_QUEUE_FRAMES;
    port->count--;
    port->identification++;
    port->offset = 0;
    port->part = 0;
}

/* The part is sent to all. */
static void next_piece(struct port *port)
{
    port->part = 0;
    port->offset += port->piece;
    if (port->offset >= port->frames[port->first].length)
        next_frame(port);
}

/* The order to send to the group, to the operator of the same site. */
static void compose_order(struct port *port, const uint8_t *bytes, size_t count, struct pr_frame *request)
{
    uint32_t data[TAP_PACKET_BYTES_MOST], words[PR_MESSAGE_WORDS_MAX];
    struct pr_group_order order = {.what = PR_GROUP_ORDER_SEND,
                                   .group = (uint8_t)port->carrier->group,
                                   .tag = ++port->orders.tag,
                                   .handler = TAP_HANDLER,
                                   .data = data,
                                   .words = tap_packet_words(&port->carrier->gateway->identity, bytes, count, data)};
    struct pr_message_send packet = {.handler = PR_HANDLER_MEMBERS, .targets = 1, .sites = &port->site, .data = words};
    packet.data_words = pr_group_order_encode(&order, words, PR_MESSAGE_WORDS_MAX);
    port->orders.answered = false;
    port->ordered = true;
    pr_message_send(request, &packet);
}

/* A group has more words in front of the data than a list of targets has. */
static size_t room_of(const struct port *port, const struct waiting_frame *frame)
{
    const struct tap_carrier *carrier = port->carrier;
    if (!frame->way.to_group)
        return tap_packet_room(&carrier->gateway->identity, 1);
    if (carrier->group != TAP_NO_GROUP)
        return tap_packet_room(&carrier->gateway->identity, 1 + PR_GROUP_ORDERED_WORDS);
    return tap_groups_room(carrier->groups, place_of(port), (uint8_t)frame->way.number);
}

/* Composes the next packet of the first frame. False: there is none any more, to anybody. */
static bool compose(struct port *port, struct pr_frame *request)
{
    const struct tap_carrier *carrier = port->carrier;
    const struct pr_site_identity *mesh = &carrier->gateway->identity;
    const struct waiting_frame *frame = &port->frames[port->first];
    struct tap_cut cut = {frame->bytes, frame->length, port->identification};
    uint8_t bytes[TAP_PACKET_BYTES_MOST], group = (uint8_t)frame->way.number;
    size_t room = room_of(port, frame);
    if (room == 0)
        return false;
    if (port->part > 0)
        room = TAP_FRAGMENT_HEADER + port->piece; /* the same for all targets, whoever has joined or left meanwhile */
    size_t count = tap_fragment_write(&cut, port->offset, room, bytes);
    port->piece = count - TAP_FRAGMENT_HEADER;
    if (frame->way.to_group && carrier->group != TAP_NO_GROUP) {
        if (port->part == 0)
            compose_order(port, bytes, count, request);
        return port->part == 0;
    }
    if (frame->way.to_group)
        return tap_groups_request(carrier->groups, place_of(port), group, port->part, bytes, count, request);
    if (port->part == 0)
        tap_packet_compose(mesh, &frame->way.number, 1, bytes, count, request);
    return port->part == 0;
}

/* What has come of the packet. Full: it is sent again. */
static void note_outcome(struct port *port, bool sent, bool full)
{
    port->under_way = port->ordered = false;
    if (full) {
        port->again_at = pr_client_now() + port->again;
        port->again = fmin(2 * port->again, again_most);
        return;
    }
    port->again = again_first;
    port->again_at = 0;
    if (sent) {
        count_at(port, TAP_COUNTER_packets_sent);
        port->part++;
    } else {
        count_at(port, TAP_COUNTER_refused);
        next_frame(port);
    }
}

static void take_sent(void *context, const struct pr_frame *answer)
{
    struct port *port = context;
    int status = answer ? pr_message_status(answer) : -1;
    if (status != PR_CONSOLE_OK || !port->ordered)
        note_outcome(port, status == PR_CONSOLE_OK, status == PR_CONSOLE_NO_BUFFER || status == PR_CONSOLE_WINDOW_FULL);
}

/* The operator has carried the order out, or not. */
static void look_for_answer(struct port *port)
{
    if (port->ordered && port->orders.answered)
        note_outcome(port, port->orders.answer.error == 0, port->orders.answer.error == PR_GROUPS_BUSY);
}

/* A piece to a group goes on with its further targets, until there are none. */
static int send_next(struct port *port)
{
    struct pr_frame request;
    while (port->count > 0 && !compose(port, &request)) {
        if (port->part > 0)
            next_piece(port);
        else
            next_frame(port); /* the group has become empty */
    }
    if (port->count == 0)
        return PR_CLIENT_OK;
    port->under_way = true;
    return pr_client_request(port->client, &request, port->carrier->gateway->timeout, take_sent, port);
}

void tap_carrier_prepare(const struct tap_carrier *carrier, struct pollfd *polls)
{
    for (size_t i = 0; i < carrier->count; i++)
        polls[i] = (struct pollfd){.fd = pr_client_descriptor(carrier->clients[i]), .events = POLLIN};
}

int tap_carrier_handle(struct tap_carrier *carrier)
{
    int status = pr_client_poll(carrier->clients, carrier->count, 0);
    for (size_t i = 0; i < carrier->count && status == PR_CLIENT_OK; i++) {
        struct port *port = &carrier->ports[i];
        look_for_answer(port);
        if (!port->under_way && pr_client_now() >= port->again_at)
            status = send_next(port);
    }
    return status == PR_CLIENT_OK ? EXIT_OK : lost(carrier, status);
}

int tap_carrier_wait(const struct tap_carrier *carrier, int most)
{
    double now = pr_client_now(), left = most / 1e3;
    for (size_t i = 0; i < carrier->count; i++)
        if (carrier->ports[i].count > 0 && !carrier->ports[i].under_way)
            left = fmin(left, fmax(carrier->ports[i].again_at - now, 0));
    return (int)(left * 1e3);
}
