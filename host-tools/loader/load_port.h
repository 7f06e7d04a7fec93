/* The serial line of a board, lent by the daemon: bytes to its boot program, and the answers of boot programs in what
 * comes. A bench has the same functions for boards that it simulates.
 *
 * The functions return EXIT_OK, or the exit code to end with, after printing why.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LOADER_LOAD_PORT_H
#define POSTROAD_LOADER_LOAD_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LOAD_PORT_CHUNK = 256, LOAD_PORT_TEXT = 32 };

struct load_port {
    int descriptor; /* non-blocking; the caller's */
    unsigned site;  /* at its end */
    double timeout; /* seconds for which it may take no bytes */

    char text[LOAD_PORT_TEXT]; /* of the line that comes; longer ones are no answers */
    size_t used;
};

struct load_port_answer {
    char letter;  /* PR_LOAD_* */
    bool relayed; /* from another site, with the tag of the record */
    unsigned site;
    uint32_t tag;
};

int load_port_write(struct load_port *port, const uint8_t *bytes, size_t length);

/* Waits until bytes have come, no longer than so many seconds, and reads LOAD_PORT_CHUNK of them at most. */
int load_port_read(struct load_port *port, double seconds, char *text, size_t *count);

/* Drops what comes, until the line has been silent for `rest` seconds, or `longest` have passed: firmware that writes
 * all the time may run there. */
int load_port_let_rest(struct load_port *port, double rest, double longest);

/* True: an answer ends with this byte. */
bool load_port_push(struct load_port *port, char byte, struct load_port_answer *answer);

#endif
