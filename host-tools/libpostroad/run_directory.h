/* Run directories: where the daemon of a mesh that is up keeps its sockets, its log and its pid file. They
 * lie in BASE, $XDG_RUNTIME_DIR/postroad-UID or /tmp/postroad-UID.
 *
 *   RUNDIR/pid      process number, one line, for information; locked by the daemon
 *   RUNDIR/site-N   unix socket, console of site N
 *   RUNDIR/qemu-N.* sockets of a site under QEMU: port, serial, gdb; debugger: locked by one
 *   RUNDIR/control  unix socket, the daemon itself
 *   RUNDIR/image-all.*    firmware that the sites were started with
 *   RUNDIR/image-N.*     image that site N was loaded with: elf, hex
 *   RUNDIR/log      what the daemon reports, and the sites' text
 *
 * Nothing in BASE or RUNDIR is believed, used or removed unless both are real directories of this user that no other
 * user can write to, and the same holds for the pid file: other users can make names in /tmp.
 *
 * The daemon holds two locks on the pid file. One (flock) its guests under QEMU inherit: it is held until the last of
 * them has gone, however they end, and tells a stale directory from a live one. The other (fcntl) is the daemon's
 * alone. The kernel names its holder: that process is signalled, whatever number the file contains.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LIBPOSTROAD_RUN_DIRECTORY_H
#define POSTROAD_LIBPOSTROAD_RUN_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/un.h>

enum { PR_RUN_DIRECTORY_SIZE = 512, PR_RUN_NAME_SIZE = 64 };

/* PR_RUN_REFUSED: the name exists, but it is not this user's alone, or is no run directory. */
enum pr_run_state { PR_RUN_ABSENT, PR_RUN_STALE, PR_RUN_ALIVE, PR_RUN_REFUSED };

/* BASE. False: too long. */
bool pr_run_directory_base(char *out, size_t size);

/* Path of the mesh NAME, or NAME itself, without symbolic links, if it has a slash. False: not a name (empty, starts
 * with a dot, too long). */
bool pr_run_directory_path(const char *name, char *out, size_t size);

/* State of a run directory. *pid is the daemon's, 0 if that is not to be seen; the last one's, as the file has it, if
 * stale. PR_RUN_REFUSED: the reason, with the path, is in error. */
enum pr_run_state pr_run_directory_state(const char *path, pid_t *pid, char *error, size_t error_size);

/* Names of this user's run directories, all or only the live ones; returns how many, at most `room`, 0 if there is no
 * BASE. -1 if BASE is refused: the reason is in error. */
int pr_run_directory_list(char names[][PR_RUN_NAME_SIZE], size_t room, bool live_only, char *error, size_t error_size);

/* Makes the directory, takes its locks and writes this process's number. Removes what a dead daemon left. Returns the
 * descriptor that holds the locks, -1 with the reason in error. Children inherit it, over exec too. To be called by the
 * process that serves: children do not inherit the second lock, which is lost when this process closes any descriptor
 * of the pid file. */
int pr_run_directory_take(const char *path, char *error, size_t error_size);

/* Removes the directory with all that a daemon puts there, unless another one has made it anew meanwhile. For the
 * process that has taken it. */
void pr_run_directory_remove(const char *path, int lock);

/* The same for a directory whose daemon has ended; of one that has a daemon, or is refused, nothing is touched. */
void pr_run_directory_clear(const char *path);

/* Signals the process `pid` if it is the daemon of the directory at this moment. False, with errno: that failed. */
bool pr_run_directory_signal(const char *path, pid_t pid, int number);

/* The firmware image of a site: RUNDIR/image-N.elf if there is one, else what all were started with. */
void pr_run_directory_image(const char *path, unsigned site, char *out, size_t size);

/* Address of a unix socket in the directory. False, with a reason: its path is too long. */
bool pr_run_directory_address(const char *path, const char *file, struct sockaddr_un *out, char *error,
                              size_t error_size);

/* A unix socket of a type (SOCK_STREAM, ...) that listens there and does not block. -1 with the reason in error. */
int pr_run_directory_listen(const char *path, const char *file, int type, char *error, size_t error_size);

/* Number of site sockets in the directory. */
int pr_run_directory_sites(const char *path);

#endif
