/* A client of one node's console: requests with ids, many outstanding, each with its own time-out; events as they
 * come.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LIBRARY_CLIENT_H
#define POSTROAD_LIBRARY_CLIENT_H

#include "libpostroad/endpoint.h"
#include "wire/console_frame.h"

struct client;

enum client_status {
    CLIENT_OK = 0,
    CLIENT_LOST = -1, /* the other end is gone: nothing more will come; every request has been answered NULL */
    CLIENT_INTERRUPTED = -2, /* a signal came */
    CLIENT_FULL = -3,        /* no id is free: poll, and try again */
};

/* An answer, or NULL when the request timed out or the connection was lost. */
typedef void client_answer(void *context, const struct frame *answer);

/* Frames nobody asked for: deliveries, log text, operator events. Raw text comes as type 0. */
typedef void client_event(void *context, const struct frame *event);

/* Takes the descriptor and closes it at the end. NULL: no memory. */
struct client *client_create(int descriptor);
void client_destroy(struct client *client);
void client_on_event(struct client *client, client_event *function, void *context);

/* Queues a request; its id is filled in. The answer function is called once, from client_poll. */
int client_request(struct client *client, struct frame *request, double timeout, client_answer *function,
                   void *context);

/* Every request that is still outstanding times out now. */
void client_give_up(struct client *client);
unsigned client_outstanding(const struct client *client);
int client_descriptor(const struct client *client); /* for a poll of one's own; stays the client's */
const char *client_lost_reason(const struct client *client);

/* Waits until something happens on any of the clients, `timeout` seconds at most (negative: until then), and
 * handles it. CLIENT_LOST if one of them is lost; what the others have received by then is handled first. Signals that the
 * caller has blocked are let in while it waits.
 */
int client_poll(struct client **clients, size_t count, double timeout);

/* One request and its answer. CLIENT_OK with *answered false: time-out. */
int client_ask(struct client *client, const struct frame *request, double timeout, struct frame *answer,
               bool *answered);

/* Seconds on the clock that the time-outs are measured with. */
double client_now(void);

#endif
