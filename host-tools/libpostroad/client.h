/* A client of one node's console. It sends requests with ids; many may be outstanding, each with its own time-out. It
 * passes on events as they arrive.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LIBPOSTROAD_CLIENT_H
#define POSTROAD_LIBPOSTROAD_CLIENT_H

#include "libpostroad/endpoint.h"
#include "wire/console_frame.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pr_client;

enum pr_client_status {
    PR_CLIENT_OK = 0,
    PR_CLIENT_LOST = -1,        /* the other end has closed; every outstanding request has been answered with NULL */
    PR_CLIENT_INTERRUPTED = -2, /* a signal arrived */
    PR_CLIENT_FULL = -3,        /* no id is free: poll, and try again */
};

/* Called with an answer, or with NULL when the request has timed out or the connection is lost. */
typedef void pr_client_answer(void *context, const struct pr_frame *answer);

/* Called with frames that answer no request: deliveries, log text, operator events. Raw text comes as type 0. */
typedef void pr_client_event(void *context, const struct pr_frame *event);

/* Takes the descriptor and closes it at the end. NULL: no memory. */
struct pr_client *pr_client_create(int descriptor);
void pr_client_destroy(struct pr_client *client);
void pr_client_on_event(struct pr_client *client, pr_client_event *function, void *context);

/* Queues a request; its id is filled in. The answer function is called once, from pr_client_poll. */
int pr_client_request(struct pr_client *client, struct pr_frame *request, double timeout, pr_client_answer *function,
                      void *context);

/* Every request that is still outstanding times out now. */
void pr_client_give_up(struct pr_client *client);
unsigned pr_client_outstanding(const struct pr_client *client);
int pr_client_descriptor(const struct pr_client *client); /* for a poll of one's own; stays the client's */
const char *pr_client_lost_reason(const struct pr_client *client);

/* Waits for bytes or a time-out on any of the clients, `timeout` seconds at most (negative: without a limit), and
 * handles them. PR_CLIENT_LOST if a client is lost; what the others have received by then is handled first. While it
 * waits, no signal is blocked, even if the caller has blocked it. */
int pr_client_poll(struct pr_client **clients, size_t count, double timeout);

/* One request and its answer. PR_CLIENT_OK with *answered false: time-out. */
int pr_client_ask(struct pr_client *client, const struct pr_frame *request, double timeout, struct pr_frame *answer,
                  bool *answered);

/* Seconds on the clock that the time-outs are measured with. */
double pr_client_now(void);

#ifdef __cplusplus
}
#endif

#endif
