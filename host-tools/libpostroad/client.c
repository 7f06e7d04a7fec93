/* A client of a node's console. Ids are given out in turn, so that an answer which comes after its time-out finds
 * nobody for as long as possible.
 */
#define _GNU_SOURCE
#include "libpostroad/client.h"

#include "console/console.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { IDS = 256, OUTGOING_SIZE = 8 * FRAMES_WIRE_MAX, READ_SIZE = 4096 };

static const char closed[] = "the other end closed it";

struct request {
    client_answer *function; /* NULL: this id is free */
    void *context;
    uint8_t type;
    double deadline;
};

struct client {
    int descriptor;
    bool lost;
    char reason[128];
    char last_log[96]; /* may say why the other end closes */
    uint8_t last_id;
    unsigned outstanding;
    client_event *event;
    void *event_context;
    struct request requests[IDS];
    size_t outgoing_used;
    uint8_t outgoing[OUTGOING_SIZE];
    struct frames_reader reader;
    struct frame frame;
};

double client_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

struct client *client_create(int descriptor)
{
    struct client *client = calloc(1, sizeof *client);
    if (!client)
        return NULL;
    client->descriptor = descriptor;
    frames_reader_init(&client->reader);
    return client;
}

void client_destroy(struct client *client)
{
    if (!client)
        return;
    close(client->descriptor);
    free(client);
}

void client_on_event(struct client *client, client_event *function, void *context)
{
    client->event = function;
    client->event_context = context;
}

unsigned client_outstanding(const struct client *client)
{
    return client->outstanding;
}

int client_descriptor(const struct client *client)
{
    return client->descriptor;
}

const char *client_lost_reason(const struct client *client)
{
    return client->reason;
}

static void answer(struct client *client, unsigned id, const struct frame *frame)
{
    struct request request = client->requests[id];
    client->requests[id].function = NULL;
    client->outstanding--;
    request.function(request.context, frame);
}

static void lose(struct client *client, const char *reason)
{
    if (client->lost)
        return;
    client->lost = true;
    if (reason == closed && *client->last_log && !client->event)
        snprintf(client->reason, sizeof client->reason, "%s: %s", closed, client->last_log);
    else
        snprintf(client->reason, sizeof client->reason, "%s", reason);
    for (unsigned id = 1; id < IDS; id++)
        if (client->requests[id].function)
            answer(client, id, NULL);
}

/* 0 is the id of events. */
static unsigned free_id(const struct client *client)
{
    for (unsigned step = 1; step < IDS; step++) {
        unsigned id = (client->last_id + step) % IDS;
        if (id && !client->requests[id].function)
            return id;
    }
    return 0;
}

/* A closed socket is an error to report, not a signal to die of. */
static ssize_t stream_write(int descriptor, const uint8_t *bytes, size_t count)
{
    ssize_t sent = send(descriptor, bytes, count, MSG_NOSIGNAL);
    return sent < 0 && errno == ENOTSOCK ? write(descriptor, bytes, count) : sent;
}

static void take_frame(struct client *client, enum frames_result result)
{
    struct frame *frame = &client->frame;
    if (result == FRAMES_READY && frame->id) {
        struct request *request = &client->requests[frame->id];
        if (request->function && frame->type == (request->type | CONSOLE_ANSWER))
            answer(client, frame->id, frame);
        return;
    }
    if (result == FRAMES_READY && frame->type == CONSOLE_LOG && frame->length)
        snprintf(client->last_log, sizeof client->last_log, "%.*s", frame->length - 1, (char *)frame->payload + 1);
    if ((result == FRAMES_READY || result == FRAMES_TEXT) && client->event)
        client->event(client->event_context, frame);
}

static void receive(struct client *client)
{
    uint8_t bytes[READ_SIZE];
    ssize_t count = read(client->descriptor, bytes, sizeof bytes);
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (count <= 0) {
        lose(client, count == 0 || errno == ECONNRESET ? closed : strerror(errno));
        return;
    }
    for (ssize_t i = 0; i < count; i++) {
        enum frames_result result = frames_push(&client->reader, bytes[i], &client->frame);
        if (result != FRAMES_NONE)
            take_frame(client, result);
    }
}

/* What the other end said before it closed is still to be read. */
static void lose_in_write(struct client *client)
{
    const char *reason = errno == EPIPE ? closed : strerror(errno);
    if (reason == closed)
        receive(client);
    lose(client, reason);
}

static void send_outgoing(struct client *client)
{
    size_t sent = 0;
    while (sent < client->outgoing_used && !client->lost) {
        ssize_t count = stream_write(client->descriptor, client->outgoing + sent, client->outgoing_used - sent);
        if (count < 0 && (errno == EAGAIN || errno == EINTR))
            break;
        if (count < 0)
            lose_in_write(client);
        else
            sent += (size_t)count;
    }
    memmove(client->outgoing, client->outgoing + sent, client->outgoing_used - sent);
    client->outgoing_used -= sent;
}

int client_request(struct client *client, struct frame *request, double timeout, client_answer *function,
                   void *context)
{
    unsigned id = free_id(client);
    if (client->lost)
        return CLIENT_LOST;
    if (!id || OUTGOING_SIZE - client->outgoing_used < FRAMES_WIRE_MAX)
        return CLIENT_FULL;
    request->id = client->last_id = (uint8_t)id;
    client->requests[id] = (struct request){function, context, request->type, client_now() + timeout};
    client->outstanding++;
    client->outgoing_used +=
        frames_encode(request, client->outgoing + client->outgoing_used, OUTGOING_SIZE - client->outgoing_used);
    send_outgoing(client);
    return client->lost ? CLIENT_LOST : CLIENT_OK;
}

void client_give_up(struct client *client)
{
    for (unsigned id = 1; id < IDS && client->outstanding; id++)
        if (client->requests[id].function)
            answer(client, id, NULL);
}

static void expire(struct client *client, double now)
{
    for (unsigned id = 1; id < IDS && client->outstanding; id++)
        if (client->requests[id].function && client->requests[id].deadline <= now)
            answer(client, id, NULL);
}

static double next_deadline(struct client **clients, size_t count, double deadline)
{
    for (size_t i = 0; i < count; i++)
        for (unsigned id = 1; id < IDS && clients[i]->outstanding; id++)
            if (clients[i]->requests[id].function && clients[i]->requests[id].deadline < deadline)
                deadline = clients[i]->requests[id].deadline;
    return deadline;
}

static int wait_for(struct client **clients, size_t count, struct pollfd *polls, double deadline)
{
    double left = (deadline - client_now()) * 1000;
    int milliseconds = isinf(deadline) ? -1 : left <= 0 ? 0 : left > 3600e3 ? 3600000 : (int)ceil(left);
    for (size_t i = 0; i < count; i++) {
        polls[i].fd = clients[i]->descriptor;
        polls[i].events = (short)(POLLIN | (clients[i]->outgoing_used ? POLLOUT : 0));
        polls[i].revents = 0;
    }
    sigset_t none;
    sigemptyset(&none);
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    return ppoll(polls, (nfds_t)count, milliseconds < 0 ? NULL : &time, &none);
}

/* One is lost: what the others have been told until now is taken too, for nobody may ask them any more. */
static void receive_rests(struct client **clients, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct pollfd rest = {.fd = clients[i]->descriptor, .events = POLLIN};
        while (!clients[i]->lost && poll(&rest, 1, 0) > 0)
            receive(clients[i]);
    }
}

int client_poll(struct client **clients, size_t count, double timeout)
{
    struct pollfd polls[count];
    int status = CLIENT_OK;
    double limit = timeout < 0 ? INFINITY : client_now() + timeout;
    if (wait_for(clients, count, polls, next_deadline(clients, count, limit)) < 0)
        return errno == EINTR ? CLIENT_INTERRUPTED : CLIENT_LOST;
    for (size_t i = 0; i < count; i++) {
        if (polls[i].revents & POLLOUT)
            send_outgoing(clients[i]);
        if (polls[i].revents & (POLLIN | POLLHUP | POLLERR))
            receive(clients[i]);
        expire(clients[i], client_now());
        if (clients[i]->lost)
            status = CLIENT_LOST;
    }
    if (status == CLIENT_LOST)
        receive_rests(clients, count);
    return status;
}

struct wait {
    struct frame *answer;
    bool done, answered;
};

static void wait_answer(void *context, const struct frame *frame)
{
    struct wait *wait = context;
    wait->done = true;
    wait->answered = frame != NULL;
    if (frame)
        *wait->answer = *frame;
}

int client_ask(struct client *client, const struct frame *request, double timeout, struct frame *out,
               bool *answered)
{
    struct frame copy = *request;
    struct wait wait = {.answer = out};
    int status = client_request(client, &copy, timeout, wait_answer, &wait);
    while (status == CLIENT_OK && !wait.done)
        status = client_poll(&client, 1, -1);
    if (status == CLIENT_INTERRUPTED && !wait.done)
        client->requests[copy.id].function = NULL, client->outstanding--;
    *answered = wait.answered;
    return wait.answered ? CLIENT_OK : status;
}
