/* Writes many boards at once. Each board goes its own way:
 *
 *   read label --- as it should be --> [--verify: read all, compare] -------------------------------> hello
 *      | none, or another                        | differs                                              ^
 *      v                                         v                                                      |
 *   number of the run in place   --> write a region, read back, compare --> ... --> the number is there --> label, --+
 *   of label and bitstream start,                              | differs                | another        read back
 *   read each back                                             v                        v
 *                                                   the number is there?--another--> the number again in place of the
 *                                                                                    label, the board has failed
 *
 * One run at a time has a board's lock (board_lock.h). Boards behind a JTAG server have none, and a container may have
 * device files of its own. So a run never takes the label's word for what another run may have written since: it writes
 * its label only where it finds its own number. A run that finds another one, or another label, puts its own number
 * there, so that the other run fails as well. Both say so, and the board has no label. Where there is no lock the
 * number is read before each region.
 *
 * From the clearing to the end of the label a board is half-written; the next run finds no label and writes everything.
 * A board whose programmer writes RAM is loaded, and then asked. What was read is compared here, byte by byte.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTBED_FLASH_RUN_H
#define POSTROAD_TESTBED_FLASH_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/exit_code.h"
#include "libpostroad/endpoint.h"
#include "testbed/board_image.h"
#include "testbed/programmer.h"
#include "testbed/usb_scan.h"
#include "wire/site_identity.h"

enum { FLASH_REASON = 400 };

struct flash_board {
    const char *name, *host; /* host "": this one */
    const struct board_conf *conf;
    const struct board_image *image;
    struct usb_device device;   /* as it was when it was matched; its path counts, numbers are looked up again */
    const char *probe;          /* a JTAG server that leads to it instead of USB; "": none */
    struct xvc_probe xvc;       /* that server */
    struct pr_endpoint console; /* where there is a probe; else it is found on USB */
    int baud;
};

enum flash_event_kind {
    FLASH_STEP,     /* `text`: what begins; `percent`: of the board */
    FLASH_PROGRESS, /* `percent` of the board, `text`: the program's phase */
    FLASH_NOTE,     /* `text`: a fault after which the board is tried again, or what was found */
    FLASH_ENDED     /* the result is there */
};

struct flash_event {
    enum flash_event_kind kind;
    unsigned board;
    int percent;
    const char *text;
};

/* What is known of a board's flash: nothing has been changed, or it is incomplete; or all that it is to hold is there,
 * whether its node was heard or not. */
enum flash_holds { FLASH_UNKNOWN, FLASH_HALF_WRITTEN, FLASH_HOLDS_ALL };

struct flash_result {
    enum exit_code code;
    bool ended, started, skipped;
    enum flash_holds holds;
    unsigned attempts;
    double seconds;
    char reason[FLASH_REASON]; /* of a failure */
    bool has_label;            /* with `look` */
    struct flash_label label;
    bool answered;
    struct pr_site_identity identity; /* if the node has answered */
};

struct flash_options {
    unsigned jobs, per_hub, retries;
    bool force, verify, keep_going;
    bool look;          /* reads the labels and changes nothing */
    double patience;    /* seconds without a sign of life of a programmer */
    double hello_time;  /* seconds for a node to answer */
    const char *log;    /* folder for a log a board, NULL: none */
    const char *folder; /* for files that programmers read and write, the caller's */
    void (*event)(void *context, const struct flash_event *event);
    void *context;
};

/* Writes and checks the boards; `results` has an element for each. Returns the exit code of the whole. */
enum exit_code flash_run(const struct flash_board *boards, unsigned count, const struct flash_options *options,
                         struct flash_result *results);

/* The command lines that a board would need if nothing on it were right, each given to `line`. False with a reason. */
bool flash_plan(const struct flash_board *board, const char *folder, void (*line)(void *context, const char *text),
                void *context, char *error, size_t error_size);

#endif
