/* Run directories: where a simulated mesh that runs in the background keeps its sockets, its log and its pid file.
 * The daemon holds a lock on the pid file for as long as it lives, however it ends, so that a stale directory is
 * told from a live one with certainty.
 *
 *   RUNDIR/pid      process number, one line; locked (flock) by the daemon
 *   RUNDIR/site-N   unix socket, console of site N
 *   RUNDIR/qemu-N.* sockets of a site under QEMU: port, serial, gdb; debugger: locked by one
 *   RUNDIR/control  unix socket, the daemon itself
 *   RUNDIR/image-all.*    firmware that the sites were started with
 *   RUNDIR/image-N.*     image that site N was loaded with: elf, hex
 *   RUNDIR/log      what the daemon has to say
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LIBRARY_RUN_DIRECTORY_H
#define POSTROAD_LIBRARY_RUN_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/un.h>

enum { RUN_DIRECTORY_SIZE = 512, RUN_NAME_SIZE = 64 };

enum run_state { RUN_ABSENT, RUN_STALE, RUN_ALIVE };

/* Where all run directories of this user are: $XDG_RUNTIME_DIR or /tmp, then postroad-UID. False: too long. */
bool run_directory_base(char *out, size_t size);

/* Path of the mesh NAME, or NAME itself if it has a slash. False: not a name (empty, starts with a dot, too long).
 */
bool run_directory_path(const char *name, char *out, size_t size);

/* State of a run directory; *pid is the daemon's (the last one's if stale), 0 if unknown. */
enum run_state run_directory_state(const char *path, pid_t *pid);

/* Makes the directory, takes its lock and writes this process's number. Removes what a dead daemon left. Returns
 * the descriptor that holds the lock, -1 with the reason in error. Children inherit it, over exec too: the lock is held until
 * the last guest has gone.
 */
int run_directory_take(const char *path, char *error, size_t error_size);

/* After a fork: the pid file names the process that calls this. */
bool run_directory_set_pid(int lock);

/* Removes the directory with all that a daemon puts there. */
void run_directory_remove(const char *path);

/* Names of this user's run directories, all or only the live ones; returns how many, at most `room`. */
size_t run_directory_list(char names[][RUN_NAME_SIZE], size_t room, bool live_only);

/* The firmware image of a site: RUNDIR/image-N.elf if there is one, else what all were started with. */
void run_directory_image(const char *path, unsigned site, char *out, size_t size);

/* Address of a unix socket in the directory. False, with a reason: its path is too long. */
bool run_directory_address(const char *path, const char *file, struct sockaddr_un *out, char *error, size_t error_size);

/* A unix socket of a type (SOCK_STREAM, ...) that listens there and does not block. -1 with the reason in error. */
int run_directory_listen(const char *path, const char *file, int type, char *error, size_t error_size);

/* Number of site sockets in the directory. */
int run_directory_sites(const char *path);

#endif
