/* A client of a node's console. Ids are assigned in turn, so that an answer which comes after its time-out
 * meets no request with its id for as long as possible.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "libpostroad/client.h"

#include "libpostroad/clock.h"

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

enum { IDS = 256, OUTGOING_SIZE = 8 * PR_FRAMES_WIRE_MAX, READ_SIZE = 4096 };

static const char closed[] = "the other end closed it";

struct request {
    pr_client_answer *function; /* NULL: this id is free */
    void *context;
    uint8_t type;
    double deadline;
};

struct pr_client {
    int descriptor;
    bool lost;
    char reason[128];
    char last_log[96]; /* may be the reason why the other end closes */
    uint8_t last_id;
    unsigned outstanding;
    pr_client_event *event;
    void *event_context;
    struct request requests[IDS];
    size_t outgoing_used;
    uint8_t outgoing[OUTGOING_SIZE];
    struct pr_frames_reader reader;
    struct pr_frame frame;
};

double pr_client_now(void)
{
    return pr_clock_now();
}

struct pr_client *pr_client_create(int descriptor)
{
    struct pr_client *client = calloc(1, sizeof *client);
    if (!client)
        return NULL;
    client->descriptor = descriptor;
    pr_frames_reader_init(&client->reader);
    return client;
}

void pr_client_destroy(struct pr_client *client)
{
    if (!client)
        return;
    close(client->descriptor);
    free(client);
}

void pr_client_on_event(struct pr_client *client, pr_client_event *function, void *context)
{
    client->event = function;
    client->event_context = context;
}

unsigned pr_client_outstanding(const struct pr_client *client)
{
    return client->outstanding;
}

int pr_client_descriptor(const struct pr_client *client)
{
    return client->descriptor;
}

const char *pr_client_lost_reason(const struct pr_client *client)
{
    return client->reason;
}

static void answer(struct pr_client *client, unsigned id, const struct pr_frame *frame)
{
    struct request request = client->requests[id];
    client->requests[id].function = NULL;
    client->outstanding--;
    request.function(request.context, frame);
}

static void lose(struct pr_client *client, const char *reason)
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
static unsigned free_id(const struct pr_client *client)
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

static void take_frame(struct pr_client *client, enum pr_frames_result result)
{
    struct pr_frame *frame = &client->frame;
    if (result == PR_FRAMES_READY && frame->id) {
        struct request *request = &client->requests[frame->id];
        if (request->function && frame->type == (request->type | PR_CONSOLE_ANSWER))
            answer(client, frame->id, frame);
        return;
    }
    if (result == PR_FRAMES_READY && frame->type == PR_CONSOLE_LOG && frame->length)
        snprintf(client->last_log, sizeof client->last_log, "%.*s", (int)(frame->length - PR_MESSAGE_LOG_BYTES),
                 (char *)frame->payload + PR_MESSAGE_LOG_BYTES);
    if ((result == PR_FRAMES_READY || result == PR_FRAMES_TEXT) && client->event)
        client->event(client->event_context, frame);
}

static void receive(struct pr_client *client)
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
        enum pr_frames_result result = pr_frames_push(&client->reader, bytes[i], &client->frame);
        if (result != PR_FRAMES_NONE)
            take_frame(client, result);
    }
}

/* Bytes that the other end sent before it closed are still to be read. */
static void lose_in_write(struct pr_client *client)
{
    const char *reason = errno == EPIPE ? closed : strerror(errno);
    if (reason == closed)
        receive(client);
    lose(client, reason);
}

static void send_outgoing(struct pr_client *client)
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

int pr_client_request(struct pr_client *client, struct pr_frame *request, double timeout, pr_client_answer *function,
                      void *context)
{
    unsigned id = free_id(client);
    if (client->lost)
        return PR_CLIENT_LOST;
    if (!id || OUTGOING_SIZE - client->outgoing_used < PR_FRAMES_WIRE_MAX)
        return PR_CLIENT_FULL;
    request->id = client->last_id = (uint8_t)id;
    client->requests[id] = (struct request){function, context, request->type, pr_client_now() + timeout};
    client->outstanding++;
    client->outgoing_used += pr_frames_encode(request, client->outgoing + client->outgoing_used,
                                              OUTGOING_SIZE - client->outgoing_used);
    send_outgoing(client);
    return client->lost ? PR_CLIENT_LOST : PR_CLIENT_OK;
}

void pr_client_give_up(struct pr_client *client)
{
    for (unsigned id = 1; id < IDS && client->outstanding; id++)
        if (client->requests[id].function)
            answer(client, id, NULL);
}

static void expire(struct pr_client *client, double now)
{
    for (unsigned id = 1; id < IDS && client->outstanding; id++)
        if (client->requests[id].function && client->requests[id].deadline <= now)
            answer(client, id, NULL);
}

static double next_deadline(struct pr_client **clients, size_t count, double deadline)
{
    for (size_t i = 0; i < count; i++)
        for (unsigned id = 1; id < IDS && clients[i]->outstanding; id++)
            if (clients[i]->requests[id].function && clients[i]->requests[id].deadline < deadline)
                deadline = clients[i]->requests[id].deadline;
    return deadline;
}

static int wait_for(struct pr_client **clients, size_t count, struct pollfd *polls, double deadline)
{
    double left = (deadline - pr_client_now()) * 1000;
    int milliseconds = isinf(deadline) ? -1 : left <= 0 ? 0 : left > 3600e3 ? 3600000 : (int)ceil(left);
    for (size_t i = 0; i < count; i++) {
        polls[i].fd = clients[i]->descriptor;
        polls[i].events = (short)(POLLIN | (clients[i]->outgoing_used ? POLLOUT : 0));
        polls[i].revents = 0;
    }
    return pr_clock_wait(polls, count, milliseconds);
}

/* One client is lost. Bytes that the others have received by now are handled too, since the caller may not poll them
 * again. */
static void receive_rests(struct pr_client **clients, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct pollfd rest = {.fd = clients[i]->descriptor, .events = POLLIN};
        while (!clients[i]->lost && poll(&rest, 1, 0) > 0)
            receive(clients[i]);
    }
}

int pr_client_poll(struct pr_client **clients, size_t count, double timeout)
{
    struct pollfd polls[count];
    int status = PR_CLIENT_OK;
    double limit = timeout < 0 ? INFINITY : pr_client_now() + timeout;
    if (wait_for(clients, count, polls, next_deadline(clients, count, limit)) < 0)
        return errno == EINTR ? PR_CLIENT_INTERRUPTED : PR_CLIENT_LOST;
    for (size_t i = 0; i < count; i++) {
        if (polls[i].revents & POLLOUT)
            send_outgoing(clients[i]);
        if (polls[i].revents & (POLLIN | POLLHUP | POLLERR))
            receive(clients[i]);
        expire(clients[i], pr_client_now());
        if (clients[i]->lost)
            status = PR_CLIENT_LOST;
    }
    if (status == PR_CLIENT_LOST)
        receive_rests(clients, count);
    return status;
}

struct wait {
    struct pr_frame *answer;
    bool done, answered;
};

static void wait_answer(void *context, const struct pr_frame *frame)
{
    struct wait *wait = context;
    wait->done = true;
    wait->answered = frame != NULL;
    if (frame)
        *wait->answer = *frame;
}

int pr_client_ask(struct pr_client *client, const struct pr_frame *request, double timeout, struct pr_frame *out,
                  bool *answered)
{
    struct pr_frame copy = *request;
    struct wait wait = {.answer = out};
    int status = pr_client_request(client, &copy, timeout, wait_answer, &wait);
    while (status == PR_CLIENT_OK && !wait.done)
        status = pr_client_poll(&client, 1, -1);
    if (status == PR_CLIENT_INTERRUPTED && !wait.done)
        client->requests[copy.id].function = NULL, client->outstanding--;
    *answered = wait.answered;
    return wait.answered ? PR_CLIENT_OK : status;
}
