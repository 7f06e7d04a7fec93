/* A programmer's command line for a board at another host: ssh runs it there, with the file sent to it or taken from
 * it.
 *
 * ssh joins its arguments with blanks for a shell at the other end. So all of them are quoted here, once, and nowhere
 * else. The file lies in a temporary folder of that host while the program runs.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTBED_REMOTE_H
#define POSTROAD_TESTBED_REMOTE_H

#include <stddef.h>

#include "testbed/programmer.h"

/* In place of a file's name, in the job that `programmer_command` gets. The end of the name tells what a file is. */
#define REMOTE_FILE    "\001.bin"
#define REMOTE_BITFILE "\001.bit"

/* Writing: the file is standard input. Reading: it is standard output, and the program's own output goes to standard
 * error. The program shares the lock of the device at `node` (board_lock.h) for as long as it runs, even if ssh has
 * been cut; "": there is none. */
void remote_command(const char *host, const char *node, const struct programmer_command *command,
                    enum programmer_action action, struct programmer_command *out);

/* Takes the lock of the device at this node there, says REMOTE_LOCKED, and keeps it until its input ends. It ends with
 * REMOTE_BUSY, as the command above does, if another run has it. */
void remote_keep_lock(const char *host, const char *node, struct programmer_command *out);

#define REMOTE_LOCKED "postroad: locked"
enum { REMOTE_BUSY = 75 };

/* What `postroad line` says when it has opened the tty. */
#define LINE_JOINED "postroad: joined"

/* The line behind the devices. */
#define REMOTE_LISTED "postroad: end of the devices"

/* Joins the ends of a tty at the other host with standard input and output, by `postroad line` there, which first says
 * LINE_JOINED. */
void remote_console(const char *host, const char *tty, int baud, struct programmer_command *out);

/* The same for a tty that is to be found there:
 *
 *   there                                      here
 *   postroad boards --json, REMOTE_LISTED -->  which device is the board?
 *   postroad line tty:TTY@BAUD            <--  TTY, a line
 */
void remote_sought_console(const char *host, int baud, struct programmer_command *out);

/* Prints a command line as a shell would take it; `out` always ends with a zero. */
void remote_quote_line(const struct programmer_command *command, char *out, size_t size);

#endif
