/* A broker: many clients on one node's console.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "libpostroad/broker.h"

#include "libpostroad/client.h"
#include "libpostroad/peer.h"
#include "wire/console_messages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    IDS = 256,
    TO_NODE_SIZE = 2 * PR_FRAMES_WIRE_MAX, /* when full, clients are not read */
    TO_CLIENT_SIZE = 16 * PR_FRAMES_WIRE_MAX,
    ANSWER_RESERVE = 8 * PR_FRAMES_WIRE_MAX, /* of that, kept free of events */
    OUTSTANDING_MAX = 64,                    /* requests of one client, so that it leaves ids to the others */
    IDS_RESERVED = 2,                        /* id 0 is for events, and one is kept for the broker's own LISTEN */
};

static const double deaf_time = 0.5; /* seconds */

struct attached {
    int descriptor;
    uint8_t listen;
    unsigned outstanding;
    unsigned long events_lost;
    size_t outgoing_used;
    uint8_t outgoing[TO_CLIENT_SIZE];
    size_t unread, unread_at; /* bytes received and not yet looked at: the node's side is full */
    uint8_t received[512];
    struct pr_frames_reader reader;
};

/* Where the answer to an id goes: the client of the request, and the id that this client has given it. */
struct route {
    bool used;
    struct attached *client; /* NULL: the broker itself */
    uint8_t id, type;
    double since;
};

struct pr_broker {
    int listener;
    pr_broker_text *text;
    void *text_context;
    double lifetime; /* of an id whose request is never answered */
    uint8_t listen, last_id;
    struct attached *clients[PR_BROKER_CLIENTS_MAX];
    struct route routes[IDS];
    unsigned routes_used;
    double deaf_until; /* no client can be accepted before: descriptors are short */
    size_t to_node_used;
    uint8_t to_node[TO_NODE_SIZE];
    struct pr_frames_reader reader;
    struct pr_frame from_client, from_node;
};

struct pr_broker *pr_broker_create(int listener, double lifetime)
{
    struct pr_broker *broker = calloc(1, sizeof *broker);
    if (!broker)
        return NULL;
    broker->listener = listener;
    broker->lifetime = lifetime;
    pr_frames_reader_init(&broker->reader);
    return broker;
}

void pr_broker_on_text(struct pr_broker *broker, pr_broker_text *function, void *context)
{
    broker->text = function;
    broker->text_context = context;
}

unsigned pr_broker_clients(const struct pr_broker *broker)
{
    unsigned count = 0;
    for (unsigned i = 0; i < PR_BROKER_CLIENTS_MAX; i++)
        count += broker->clients[i] != NULL;
    return count;
}

static bool room_to_node(const struct pr_broker *broker)
{
    return TO_NODE_SIZE - broker->to_node_used >= PR_FRAMES_WIRE_MAX;
}

static void frame_to_node(struct pr_broker *broker, const struct pr_frame *frame)
{
    broker->to_node_used += pr_frames_encode(frame, broker->to_node + broker->to_node_used,
                                             TO_NODE_SIZE - broker->to_node_used);
}

static void flush_client(struct attached *client)
{
    ssize_t sent = send(client->descriptor, client->outgoing, client->outgoing_used, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent <= 0)
        return; /* a broken connection shows when it is read */
    memmove(client->outgoing, client->outgoing + sent, client->outgoing_used - (size_t)sent);
    client->outgoing_used -= (size_t)sent;
}

static void bytes_to_client(struct attached *client, const uint8_t *bytes, size_t count)
{
    memcpy(client->outgoing + client->outgoing_used, bytes, count);
    client->outgoing_used += count;
    flush_client(client);
}

/* ANSWER_RESERVE is for answers. Only those to a client that reads nothing find no room, and are lost. */
static void answer_to_client(struct attached *client, const struct pr_frame *frame)
{
    uint8_t wire[PR_FRAMES_WIRE_MAX];
    size_t length = pr_frames_encode(frame, wire, sizeof wire);
    if (client->outgoing_used + length <= TO_CLIENT_SIZE)
        bytes_to_client(client, wire, length);
}

static void report_lost_events(struct attached *client)
{
    struct pr_frame log;
    char text[80];
    if (!client->events_lost)
        return;
    int length = snprintf(text, sizeof text, "%lu events lost: this client reads too slowly", client->events_lost);
    pr_message_log(&log, text, (size_t)length);
    client->events_lost = 0;
    answer_to_client(client, &log);
}

static void event_to_client(struct attached *client, const uint8_t *bytes, size_t count)
{
    if (client->outgoing_used + count + ANSWER_RESERVE > TO_CLIENT_SIZE) {
        client->events_lost++;
        return;
    }
    report_lost_events(client);
    bytes_to_client(client, bytes, count);
}

static void broadcast(struct pr_broker *broker, const uint8_t *bytes, size_t count, uint8_t listen)
{
    for (unsigned i = 0; i < PR_BROKER_CLIENTS_MAX; i++)
        if (broker->clients[i] && (!listen || broker->clients[i]->listen & listen))
            event_to_client(broker->clients[i], bytes, count);
}

static void release(struct pr_broker *broker, struct route *route)
{
    if (route->client)
        route->client->outstanding--;
    route->used = false;
    broker->routes_used--;
}

/* A node sends no answer for a site from which it gets none. */
static void release_old(struct pr_broker *broker)
{
    double oldest = pr_client_now() - broker->lifetime;
    for (unsigned id = 1; id < IDS; id++)
        if (broker->routes[id].used && broker->routes[id].since < oldest)
            release(broker, &broker->routes[id]);
}

/* Ids are used in turn, so that the id of a late answer stays unused for as long as possible. At least one is free. */
static unsigned take_id(struct pr_broker *broker)
{
    do
        broker->last_id++;
    while (broker->last_id == 0 || broker->routes[broker->last_id].used);
    return broker->last_id;
}

static bool may_request(const struct pr_broker *broker, const struct attached *client)
{
    return room_to_node(broker) && broker->routes_used < IDS - IDS_RESERVED && client->outstanding < OUTSTANDING_MAX;
}

static void request_to_node(struct pr_broker *broker, struct attached *client, struct pr_frame *frame)
{
    unsigned id = take_id(broker);
    broker->routes[id] = (struct route){true, client, frame->id, frame->type, pr_client_now()};
    broker->routes_used++;
    if (client)
        client->outstanding++;
    frame->id = (uint8_t)id;
    frame_to_node(broker, frame);
}

static uint8_t wanted_listen(const struct pr_broker *broker)
{
    uint8_t all = 0;
    for (unsigned i = 0; i < PR_BROKER_CLIENTS_MAX; i++)
        if (broker->clients[i])
            all |= broker->clients[i]->listen;
    return all;
}

/* Requests from the node the events that all clients together listen to. */
static void update_listen(struct pr_broker *broker)
{
    struct pr_frame frame;
    uint8_t wanted = wanted_listen(broker);
    if (wanted == broker->listen || !room_to_node(broker) || broker->routes_used == IDS - 1)
        return;
    pr_message_listen(&frame, wanted);
    request_to_node(broker, NULL, &frame);
    broker->listen = wanted;
}

/* A client's LISTEN always goes to the node: once its answer is there, events flow. */
static void merge_listen(struct pr_broker *broker, struct attached *client, struct pr_frame *frame)
{
    uint8_t *bits = &frame->payload[PR_FIELD_OFFSET(PR_MESSAGE_LISTEN_BITS)];
    if (frame->type != PR_CONSOLE_LISTEN || frame->length != PR_MESSAGE_LISTEN_BYTES)
        return;
    client->listen = *bits;
    *bits = broker->listen = wanted_listen(broker);
}

/* There is room for a request. */
static void take_from_client(struct pr_broker *broker, struct attached *client, enum pr_frames_result result)
{
    struct pr_frame *frame = &broker->from_client;
    if (result == PR_FRAMES_READY) {
        merge_listen(broker, client, frame);
        request_to_node(broker, client, frame);
    } else if (result == PR_FRAMES_TEXT) { /* a bare terminal */
        memcpy(broker->to_node + broker->to_node_used, frame->payload, frame->length);
        broker->to_node_used += frame->length;
    }
}

static void detach(struct pr_broker *broker, unsigned place)
{
    struct attached *client = broker->clients[place];
    for (unsigned id = 1; id < IDS; id++)
        if (broker->routes[id].used && broker->routes[id].client == client)
            release(broker, &broker->routes[id]);
    close(client->descriptor);
    free(client);
    broker->clients[place] = NULL;
    update_listen(broker);
}

/* Takes requests from the received bytes, for as long as another one may be outstanding. */
static void digest(struct pr_broker *broker, struct attached *client)
{
    while (client->unread && may_request(broker, client)) {
        uint8_t byte = client->received[client->unread_at++];
        enum pr_frames_result result = pr_frames_push(&client->reader, byte, &broker->from_client);
        client->unread--;
        if (result != PR_FRAMES_NONE)
            take_from_client(broker, client, result);
    }
}

static void digest_all(struct pr_broker *broker)
{
    for (unsigned i = 0; i < PR_BROKER_CLIENTS_MAX; i++)
        if (broker->clients[i])
            digest(broker, broker->clients[i]);
    update_listen(broker);
}

static bool is_deaf(const struct pr_broker *broker)
{
    return broker->deaf_until > pr_client_now();
}

bool pr_broker_blocked(const struct pr_broker *broker)
{
    if (is_deaf(broker))
        return true;
    for (unsigned i = 0; i < PR_BROKER_CLIENTS_MAX; i++)
        if (broker->clients[i] && broker->clients[i]->unread)
            return true;
    return false;
}

static void read_client(struct pr_broker *broker, unsigned place)
{
    struct attached *client = broker->clients[place];
    ssize_t count = recv(client->descriptor, client->received, sizeof client->received, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (count <= 0) {
        detach(broker, place);
        return;
    }
    client->unread = (size_t)count;
    client->unread_at = 0;
    digest(broker, client);
}

static void turn_away(int descriptor)
{
    static const char reason[] = "this console has as many clients as it can serve";
    struct pr_frame log;
    uint8_t wire[PR_FRAMES_WIRE_MAX];
    pr_message_log(&log, reason, sizeof reason - 1);
    size_t length = pr_frames_encode(&log, wire, sizeof wire);
    send(descriptor, wire, length, MSG_NOSIGNAL | MSG_DONTWAIT);
    close(descriptor);
}

/* A connection that cannot be accepted stays in the queue, where poll() would find it again at once. */
static int accept_own(struct pr_broker *broker)
{
    int descriptor = accept4(broker->listener, NULL, NULL, SOCK_CLOEXEC);
    if (descriptor < 0 && errno != EAGAIN && errno != ECONNABORTED)
        broker->deaf_until = pr_client_now() + deaf_time;
    if (descriptor < 0 || pr_peer_is_own(descriptor))
        return descriptor;
    close(descriptor);
    return -1;
}

static void attach(struct pr_broker *broker)
{
    int descriptor = accept_own(broker);
    unsigned place = 0;
    if (descriptor < 0)
        return;
    while (place < PR_BROKER_CLIENTS_MAX && broker->clients[place])
        place++;
    if (place < PR_BROKER_CLIENTS_MAX)
        broker->clients[place] = calloc(1, sizeof *broker->clients[place]);
    if (place == PR_BROKER_CLIENTS_MAX || !broker->clients[place]) {
        turn_away(descriptor);
        return;
    }
    broker->clients[place]->descriptor = descriptor;
    pr_frames_reader_init(&broker->clients[place]->reader);
}

size_t pr_broker_poll_prepare(struct pr_broker *broker, struct pollfd *polls)
{
    size_t count = 0;
    polls[count++] = (struct pollfd){.fd = is_deaf(broker) ? -1 : broker->listener, .events = POLLIN};
    for (unsigned i = 0; i < PR_BROKER_CLIENTS_MAX; i++) {
        struct attached *client = broker->clients[i];
        if (client)
            polls[count++] = (struct pollfd){
                .fd = client->descriptor,
                .events = (short)((client->unread ? 0 : POLLIN) | (client->outgoing_used ? POLLOUT : 0))};
    }
    return count;
}

static void handle_client(struct pr_broker *broker, unsigned place, const struct pollfd *poll)
{
    if (poll->revents & POLLOUT)
        flush_client(broker->clients[place]);
    if (!broker->clients[place]->outgoing_used)
        report_lost_events(broker->clients[place]);
    if (broker->clients[place]->unread && poll->revents & POLLHUP)
        detach(broker, place);
    else if (!broker->clients[place]->unread && poll->revents & (POLLIN | POLLHUP | POLLERR))
        read_client(broker, place);
}

void pr_broker_poll_handle(struct pr_broker *broker, const struct pollfd *polls, size_t count)
{
    for (unsigned i = 0; i < PR_BROKER_CLIENTS_MAX; i++)
        for (size_t p = 1; broker->clients[i] && p < count; p++)
            if (polls[p].fd == broker->clients[i]->descriptor) {
                handle_client(broker, i, &polls[p]);
                break;
            }
    if (polls[0].revents & POLLIN)
        attach(broker);
    if (pr_broker_blocked(broker)) {
        release_old(broker);
        digest_all(broker);
    }
}

/* The node has lost its unanswered requests. The broker repeats the LISTEN requests among them under the same ids, so
 * that their clients get an answer. */
void pr_broker_restarted(struct pr_broker *broker)
{
    struct pr_frame frame;
    uint8_t wanted = wanted_listen(broker);
    broker->listen = 0;
    pr_message_listen(&frame, wanted);
    for (unsigned id = 1; id < IDS && room_to_node(broker); id++)
        if (broker->routes[id].used && broker->routes[id].type == PR_CONSOLE_LISTEN) {
            frame.id = (uint8_t)id;
            frame_to_node(broker, &frame);
            broker->listen = wanted;
        }
    update_listen(broker);
}

size_t pr_broker_outgoing(const struct pr_broker *broker, const uint8_t **bytes)
{
    *bytes = broker->to_node;
    return broker->to_node_used;
}

void pr_broker_outgoing_taken(struct pr_broker *broker, size_t count)
{
    memmove(broker->to_node, broker->to_node + count, broker->to_node_used - count);
    broker->to_node_used -= count;
    digest_all(broker);
}

static void answer_from_node(struct pr_broker *broker, struct pr_frame *frame)
{
    struct route *route = &broker->routes[frame->id];
    if (!route->used || frame->type != (route->type | PR_CONSOLE_ANSWER))
        return;
    struct attached *client = route->client;
    frame->id = route->id;
    release(broker, route);
    if (client)
        answer_to_client(client, frame);
}

/* In a frame of log text a byte with the level comes first; raw text has none. */
static void note_text(const struct pr_broker *broker, const struct pr_frame *frame)
{
    size_t length;
    const char *text = pr_message_text(frame, &length);
    if (broker->text && text)
        broker->text(broker->text_context, text, length);
}

/* The listen bits for this frame: a client needs one of them to get it. 0: every client gets the frame. */
static uint8_t listeners_of(const struct pr_frame *frame)
{
    uint8_t kind = frame->length ? frame->payload[PR_FIELD_OFFSET(PR_MESSAGE_EVENT_KIND)] : 0;
    bool outcome = kind == PR_CONSOLE_KIND_FAILED || kind == PR_CONSOLE_KIND_SETTLED;
    if (frame->type == PR_CONSOLE_DELIVERED)
        return PR_CONSOLE_LISTEN_DELIVERED;
    if (frame->type != PR_CONSOLE_EVENT)
        return 0;
    return outcome ? PR_CONSOLE_LISTEN_EVENTS | PR_CONSOLE_LISTEN_OUTCOMES : PR_CONSOLE_LISTEN_EVENTS;
}

static void take_from_node(struct pr_broker *broker, enum pr_frames_result result)
{
    struct pr_frame *frame = &broker->from_node;
    uint8_t wire[PR_FRAMES_WIRE_MAX];
    if (result == PR_FRAMES_TEXT) {
        note_text(broker, frame);
        broadcast(broker, frame->payload, frame->length, 0);
        return;
    }
    if (frame->id) {
        answer_from_node(broker, frame);
        return;
    }
    if (frame->type == PR_CONSOLE_LOG)
        note_text(broker, frame);
    size_t length = pr_frames_encode(frame, wire, sizeof wire);
    broadcast(broker, wire, length, listeners_of(frame));
}

void pr_broker_incoming(struct pr_broker *broker, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        enum pr_frames_result result = pr_frames_push(&broker->reader, bytes[i], &broker->from_node);
        if (result == PR_FRAMES_READY || result == PR_FRAMES_TEXT)
            take_from_node(broker, result);
    }
    if (count)
        digest_all(broker);
}

void pr_broker_say(struct pr_broker *broker, const char *text, size_t length)
{
    struct pr_frame log;
    uint8_t wire[PR_FRAMES_WIRE_MAX];
    pr_message_log(&log, text, length);
    broadcast(broker, wire, pr_frames_encode(&log, wire, sizeof wire), 0);
}

void pr_broker_incoming_rests(struct pr_broker *broker)
{
    if (pr_frames_flush(&broker->reader, &broker->from_node) == PR_FRAMES_TEXT)
        take_from_node(broker, PR_FRAMES_TEXT);
}

void pr_broker_destroy(struct pr_broker *broker)
{
    if (!broker)
        return;
    for (unsigned i = 0; i < PR_BROKER_CLIENTS_MAX; i++)
        if (broker->clients[i]) {
            close(broker->clients[i]->descriptor);
            free(broker->clients[i]);
        }
    free(broker);
}
