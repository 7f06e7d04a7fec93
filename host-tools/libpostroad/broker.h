/* A broker: many clients on one node's console. It gives every request an id of its own towards the node, so that
 * each answer goes back to who asked; deliveries and operator events go to those who listen, log text to everyone.
 *
 * Clients are processes of this user; others are not accepted. A client that does not read loses events (it is told how
 * many), never answers, and never holds up the others.
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

/* Clients are accepted on `listener`, a listening, non-blocking socket that stays the caller's. A request that
 * its node does not answer within `lifetime` seconds is forgotten. NULL: no memory.
 */
struct pr_broker *pr_broker_create(int listener, double lifetime);
void pr_broker_destroy(struct pr_broker *broker);

/* Adds the descriptors to wait for; returns how many (at most 1 + PR_BROKER_CLIENTS_MAX). */
size_t pr_broker_poll_prepare(struct pr_broker *broker, struct pollfd *polls);

/* Handles what poll() found in the same array. */
void pr_broker_poll_handle(struct pr_broker *broker, const struct pollfd *polls, size_t count);

/* True if a client has asked more than may be outstanding, or none can be accepted for want of descriptors: do not wait
 * for long in poll() then. */
bool pr_broker_blocked(const struct pr_broker *broker);

/* The node has started afresh: it is told again what is listened to, and requests to listen that it has not answered
 * are made again.
 */
void pr_broker_restarted(struct pr_broker *broker);

/* Bytes for the node: peek, then drop as many as it took. Bytes from the node. */
size_t pr_broker_outgoing(const struct pr_broker *broker, const uint8_t **bytes);
void pr_broker_outgoing_taken(struct pr_broker *broker, size_t count);
void pr_broker_incoming(struct pr_broker *broker, const uint8_t *bytes, size_t count);

/* Log text for all clients that is not the node's own; not zero-terminated. */
void pr_broker_say(struct pr_broker *broker, const char *text, size_t length);

/* The node says nothing more for now: text without a newline is passed on. */
void pr_broker_incoming_rests(struct pr_broker *broker);

/* Log text and raw text of the node, for a log of one's own; not zero-terminated. */
typedef void pr_broker_text(void *context, const char *text, size_t length);
void pr_broker_on_text(struct pr_broker *broker, pr_broker_text *function, void *context);

unsigned pr_broker_clients(const struct pr_broker *broker);

#endif
