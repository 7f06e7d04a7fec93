/* A broker: many clients on one node's console.
 *
 *   client, id 7 --\                            /--> node, id 31
 *                   +-- requests, renumbered --+
 *   client, id 7 --/                            \--> node, id 32
 *
 * Towards the node every request has an id of the broker's own, so that each answer goes back to the client of the
 * request, with the id that this client has given it. Deliveries and operator events go to the clients that listen to
 * them, log text to all clients.
 *
 * The broker accepts only processes of this user as clients. A client that does not read loses events; a log message
 * gives it their number. It loses no answers, and it does not delay the other clients.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LIBPOSTROAD_BROKER_H
#define POSTROAD_LIBPOSTROAD_BROKER_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pr_broker;

enum { PR_BROKER_CLIENTS_MAX = 32 };

/* Clients are accepted on `listener`, a listening, non-blocking socket that the caller closes. A request that the node
 * does not answer within `lifetime` seconds is forgotten. NULL: no memory. */
struct pr_broker *pr_broker_create(int listener, double lifetime);
void pr_broker_destroy(struct pr_broker *broker);

/* Adds the descriptors to wait for; returns how many (at most 1 + PR_BROKER_CLIENTS_MAX). */
size_t pr_broker_poll_prepare(struct pr_broker *broker, struct pollfd *polls);

/* Handles what poll() found in the same array. */
void pr_broker_poll_handle(struct pr_broker *broker, const struct pollfd *polls, size_t count);

/* True if a client has sent more requests than may be outstanding, or the broker has too few descriptors to accept a
 * client. No descriptor announces the end of such a state, so the caller must not wait for long in poll(). */
bool pr_broker_blocked(const struct pr_broker *broker);

/* To be called when the node has started afresh. The broker requests again the events that clients listen to, and
 * repeats the requests to listen that are not answered yet. */
void pr_broker_restarted(struct pr_broker *broker);

/* Bytes for the node: the caller peeks, then drops as many as the node has accepted. Bytes from the node. */
size_t pr_broker_outgoing(const struct pr_broker *broker, const uint8_t **bytes);
void pr_broker_outgoing_taken(struct pr_broker *broker, size_t count);
void pr_broker_incoming(struct pr_broker *broker, const uint8_t *bytes, size_t count);

/* Sends log text that does not come from the node to all clients; not zero-terminated. */
void pr_broker_say(struct pr_broker *broker, const char *text, size_t length);

/* To be called when the node is silent: passes on text that has no newline at its end. */
void pr_broker_incoming_rests(struct pr_broker *broker);

/* Called with log text and raw text of the node, for a log of the caller's own; not zero-terminated. */
typedef void pr_broker_text(void *context, const char *text, size_t length);
void pr_broker_on_text(struct pr_broker *broker, pr_broker_text *function, void *context);

unsigned pr_broker_clients(const struct pr_broker *broker);

#endif
