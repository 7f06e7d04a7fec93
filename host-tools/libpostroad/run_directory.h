/* Run directories: where the daemon of a mesh that is up keeps its sockets, its log and its pid file. They
 * lie in BASE, $XDG_RUNTIME_DIR/postroad-UID or /tmp/postroad-UID.
 *
 *   RUNDIR/pid      process number, one line, for information; locked by the daemon
 *   RUNDIR/site-N   unix socket, console of site N; an empty file: the site has no console
 *   RUNDIR/qemu-N.* sockets of a site under QEMU: port, serial, gdb; debugger: locked by one
 *   RUNDIR/control  unix socket, the daemon itself
 *   RUNDIR/image-all.*    firmware that the sites were started with
 *   RUNDIR/image-N.*     image that site N was loaded with: elf, hex
 *   RUNDIR/mesh     the .mesh file that a simulated mesh was started from
 *   RUNDIR/log      what the daemon reports, and the sites' text
 *
 * The programs use or remove nothing in BASE or RUNDIR unless both are real directories of this user that no other user
 * can write to. The same holds for the pid file. Other users can create names in /tmp.
 *
 * The daemon holds two locks on the pid file. The first (flock) is inherited by its guests under QEMU. It is held until
 * the last guest has ended, however the guest ends, and distinguishes a stale directory from a live one. The second
 * (fcntl) belongs to the daemon alone. The kernel names its holder, and signals go to that process, whatever number the
 * file contains.
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

/* PR_RUN_REFUSED: the name exists, but it does not belong to this user alone, or is no run directory. */
enum pr_run_state { PR_RUN_ABSENT, PR_RUN_STALE, PR_RUN_ALIVE, PR_RUN_REFUSED };

/* BASE. False: too long. */
bool pr_run_directory_base(char *out, size_t size);

/* Path of the mesh NAME, or NAME itself, without symbolic links, if it has a slash. False: not a name (empty, starts
 * with a dot, too long). */
bool pr_run_directory_path(const char *name, char *out, size_t size);

/* State of a run directory. *pid is the daemon's process number, 0 if it cannot be determined. For a stale directory it
 * is the last daemon's, as the file contains it. PR_RUN_REFUSED: the reason, with the path, is in error. */
enum pr_run_state pr_run_directory_state(const char *path, pid_t *pid, char *error, size_t error_size);

/* Names of this user's run directories, all or only the live ones. Returns how many, at most `room`; 0 if BASE does not
 * exist; -1 if BASE is refused, with the reason in error. */
int pr_run_directory_list(char names[][PR_RUN_NAME_SIZE], size_t room, bool live_only, char *error, size_t error_size);

/* Makes the directory, takes its locks, writes this process's number, and removes the files of a dead daemon. Returns
 * the descriptor that holds the locks, or -1 with the reason in error. Children inherit the descriptor, across exec
 * too. The process that serves must make this call: children do not inherit the second lock, and the process loses that
 * lock when it closes any descriptor of the pid file. */
int pr_run_directory_take(const char *path, char *error, size_t error_size);

/* Removes the directory with all files that a daemon creates in it, unless another daemon has made it anew meanwhile.
 * For the process that has taken the directory. */
void pr_run_directory_remove(const char *path, int lock);

/* The same for a directory whose daemon has ended. A directory that has a daemon, or is refused, is left untouched. */
void pr_run_directory_clear(const char *path);

/* Signals the process `pid` if it is the daemon of the directory at this moment. False, with errno: that failed. */
bool pr_run_directory_signal(const char *path, pid_t pid, int number);

/* The firmware image of a site: RUNDIR/image-N.elf if it exists, else the image that all sites were started with. */
void pr_run_directory_image(const char *path, unsigned site, char *out, size_t size);

/* Address of a unix socket in the directory. False, with a reason: the socket's path is too long. */
bool pr_run_directory_address(const char *path, const char *file, struct sockaddr_un *out, char *error,
                              size_t error_size);

/* A listening, non-blocking unix socket of a type (SOCK_STREAM, ...) in the directory. -1 with the reason in error. */
int pr_run_directory_listen(const char *path, const char *file, int type, char *error, size_t error_size);

/* Number of sites, with and without consoles, in the directory. */
int pr_run_directory_sites(const char *path);

/* Puts an empty file in place of a site's socket: the site has no console. False, with errno: that failed. */
bool pr_run_directory_close_console(const char *path, unsigned site);

/* Whether a site has a console, and the first one that has; 0 if there is none. */
bool pr_run_directory_has_console(const char *path, unsigned site);
unsigned pr_run_directory_first_console(const char *path);

#endif
