/* The console of a board at another host, as the output and input of an ssh process. Nothing here waits, however long
 * the other host takes.
 *
 *                              devices                      tty                    LINE_JOINED
 *   remote_line_start: LISTS ----------> choose() gives it ------> OPENS the tty ------------> joined
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTBED_REMOTE_LINE_H
#define POSTROAD_TESTBED_REMOTE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "testbed/usb_scan.h"

enum { REMOTE_REASON = 512 };

struct remote_line {
    pid_t process; /* 0: none */
    int errors;    /* its standard error */
    bool chosen;   /* the tty; before that the devices are listed */
    char *text;    /* what it has printed; NULL: it is joined */
    size_t used;
};

/* Starts ssh, and returns a non-blocking descriptor of its ends, which the caller closes; then remote_line_end. -1 with
 * the reason. */
int remote_line_start(struct remote_line *line, const char *host, int baud, char *error, size_t error_size);

/* Goes on with what has arrived at the descriptor. `choose` is called once, with the devices there; it gives the
 * board's tty, or NULL with the reason. 1: the tty is joined; 0: not yet; -1: ssh or the program there has ended, with
 * the reason; -2: `choose` gave none. */
int remote_line_go_on(struct remote_line *line, int descriptor,
                      const char *(*choose)(void *context, const struct usb_list *list, char *error, size_t error_size),
                      void *context, char *error, size_t error_size);

/* Ends the process, if it has not ended yet. */
void remote_line_end(struct remote_line *line);

#endif
