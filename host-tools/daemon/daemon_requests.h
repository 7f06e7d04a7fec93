/* The daemon's own socket, RUNDIR/control: requests that are for the daemon and not for a node. It is SOCK_SEQPACKET. A
 * connection carries one request and one answer, and its client is a process of this user. Requests are done one at a
 * time. A client that sends no request within five seconds is disconnected. A request is lines of text, the first of
 * which names it:
 *
 *   load        sites, as 1,2,5-7; path of an ELF file. The sites start with that image.
 *   debugger    site. A debugger has been attached to it (sim/qemu/qemu_debugger.h).
 *   clock       nothing. The message is the mesh's own clock; 0: the mesh has no clock that the daemon drives.
 *   tap         site. The way of its packets over the links is noted from now on, for a minute after the last such
 *               request. Simulated meshes only.
 *   passages    site, sequence number; or site, number in a group, group. The message has a line for each link that
 *               this packet has passed, in the order of heads: site link head terminator tag words epoch
 *               (simulation/packet_tap.h)
 *   line        site; path of an ELF file, which is to suit the mesh. The answer brings the descriptor of the serial
 *               line of this site's board. The line is the client's until it closes its connection; the site counts as
 *               lost meanwhile.
 *
 * The answer is an exit code, a newline, and a message for the user, which may be empty.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_DAEMON_DAEMON_REQUESTS_H
#define POSTROAD_DAEMON_DAEMON_REQUESTS_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct backend;
struct daemon_requests;
struct site_health;

enum {
    DAEMON_REQUESTS_MESSAGE_MAX = 32768,
    DAEMON_REQUESTS_CLIENTS = 8,
    DAEMON_REQUESTS_PASSAGES = 256, /* at most, of one packet */
    DAEMON_REQUESTS_POLLS = 1 + DAEMON_REQUESTS_CLIENTS
};

/* Starts to listen. The arguments must outlive the returned object. NULL with the reason in error. */
struct daemon_requests *daemon_requests_create(struct backend *backend, struct site_health *health,
                                               const char *directory, char *error, size_t error_size);
void daemon_requests_destroy(struct daemon_requests *requests);

/* Adds the descriptors to wait for, at most DAEMON_REQUESTS_POLLS. */
size_t daemon_requests_poll_prepare(struct daemon_requests *requests, struct pollfd *polls);

/* Takes requests, and answers the finished ones. Never waits. */
void daemon_requests_step(struct daemon_requests *requests);

/* Milliseconds until daemon_requests_step has work without a ready descriptor; -1: never. */
int daemon_requests_milliseconds(struct daemon_requests *requests);

/* The client's end: sends a request and waits for its answer, whose message goes to `text`. Returns the exit code in
 * the answer. Without an answer it returns EXIT_TRANSPORT or EXIT_TIMEOUT, with the reason in `text`. */
int daemon_requests_ask(const char *directory, const char *request, double timeout, char *text, size_t size);

/* The same for the request `line`, which is repeated until the line is open, or `timeout` seconds have passed. EXIT_OK:
 * the line is the caller's until daemon_requests_return, but for settings of the device. */
struct daemon_requests_line {
    int connection, descriptor;
};
int daemon_requests_borrow(const char *directory, unsigned site, const char *elf, double timeout,
                           struct daemon_requests_line *out, char *text, size_t size);
void daemon_requests_return(struct daemon_requests_line *line);

/* The clock of a mesh whose clock the daemon drives. All its sites have this one clock. False: there is no such clock.
 */
bool daemon_requests_clock(const char *directory, uint64_t *clock);

#endif
