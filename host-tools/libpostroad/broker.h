/* A broker: many clients on one node's console. It gives every request an id of its own towards the node, so that
 * each answer goes back to who asked; deliveries and operator events go to those who listen, log text to everyone.
 *
 * Clients are processes of this user; others are not accepted. A client that does not read loses events (it is told how
 * many), never answers, and never holds up the others.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LIBRARY_BROKER_H
#define POSTROAD_LIBRARY_BROKER_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct broker;

enum { BROKER_CLIENTS_MAX = 32 };

/* Clients are accepted on `listener`, a listening, non-blocking socket that stays the caller's. A request that
 * its node does not answer within `lifetime` seconds is forgotten. NULL: no memory.
 */
struct broker *broker_create(int listener, double lifetime);
void broker_destroy(struct broker *broker);

/* Adds the descriptors to wait for; returns how many (at most 1 + BROKER_CLIENTS_MAX). */
size_t broker_poll_prepare(struct broker *broker, struct pollfd *polls);

/* Handles what poll() found in the same array. */
void broker_poll_handle(struct broker *broker, const struct pollfd *polls, size_t count);

/* True if a client has asked more than may be outstanding, or none can be accepted for want of descriptors: do not wait for long
 * in poll() then. */
bool broker_blocked(const struct broker *broker);

/* The node has started afresh: it is told again what is listened to, and requests to listen that it has not answered are made
 * again.
 */
void broker_restarted(struct broker *broker);

/* Bytes for the node: peek, then drop as many as it took. Bytes from the node. */
size_t broker_outgoing(const struct broker *broker, const uint8_t **bytes);
void broker_outgoing_taken(struct broker *broker, size_t count);
void broker_incoming(struct broker *broker, const uint8_t *bytes, size_t count);

/* Log text for all clients that is not the node's own; not zero-terminated. */
void broker_say(struct broker *broker, const char *text, size_t length);

/* The node says nothing more for now: text without a newline is passed on. */
void broker_incoming_rests(struct broker *broker);

/* Log text and raw text of the node, for a log of one's own; not zero-terminated. */
typedef void broker_text(void *context, const char *text, size_t length);
void broker_on_text(struct broker *broker, broker_text *function, void *context);

unsigned broker_clients(const struct broker *broker);

#endif
