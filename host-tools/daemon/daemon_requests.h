/* The daemon's own socket, RUNDIR/control: what is asked of the daemon and not of a node. SOCK_SEQPACKET, one request
 * and one answer a connection, of a client of this user; requests are done one at a time, and a client that asks
 * nothing for five seconds is hung up on. A request is lines of text, the first names it:
 *
 *   load        sites, as 1,2,5-7; path of an ELF file. The sites start with that image.
 *   debugger    site. A debugger has been attached to it (sim/qemu/qemu_debugger.h).
 *
 * The answer is an exit code, a newline, and what is to be said about it, which may be nothing.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_DAEMON_DAEMON_REQUESTS_H
#define POSTROAD_DAEMON_DAEMON_REQUESTS_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

struct control;
struct mesh_config;
struct monitor;
struct simulation;

enum { CONTROL_MESSAGE_MAX = 32768, CONTROL_CLIENTS = 8, CONTROL_POLLS = 1 + CONTROL_CLIENTS };

/* What the requests are about; all of it outlives the control. */
struct control_subject {
    struct simulation *simulation;
    const struct mesh_config *mesh;
    struct monitor *monitor;
    const char *directory;
};

/* Listens. NULL with the reason in error. */
struct control *control_create(const struct control_subject *subject, char *error, size_t error_size);
void control_destroy(struct control *control);

/* Adds the descriptors to wait for, at most CONTROL_POLLS. */
size_t control_poll_prepare(struct control *control, struct pollfd *polls);

/* Takes requests, and answers when they are done. Never waits. */
void control_step(struct control *control);

/* Milliseconds until control_step has something to do without a descriptor; -1: never. */
int control_milliseconds(struct control *control);

/* The other end. Asks and waits for the answer, its text in `text`; EXIT_TRANSPORT or EXIT_TIMEOUT, and why, if there
 * is none. Returns the exit code. */
int control_ask(const char *directory, const char *request, double timeout, char *text, size_t size);

#endif
