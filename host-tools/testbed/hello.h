/* The first words of a node after its board has been written: its console is opened, and it is asked for its identity
 * until it answers, and then for the build id of its firmware. The console may come and go meanwhile. Firmware without
 * a build id refuses that, or is silent: its build id is 0.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTBED_HELLO_H
#define POSTROAD_TESTBED_HELLO_H

#include <stdbool.h>

#include "libpostroad/client.h"
#include "libpostroad/endpoint.h"
#include "wire/site_identity.h"

enum { HELLO_REASON = 256 };

struct hello {
    struct pr_client *client; /* NULL: not open */
    bool asked, identified, answered;
    unsigned silences;  /* requests for the build id without an answer */
    double answer_time; /* seconds that the next request waits */
    int baud;           /* at which the line was opened; 0: it has none */
    int descriptor;     /* of the client */
    unsigned questions;
    struct pr_site_identity identity; /* once it has answered */
    char reason[HELLO_REASON];        /* why there is no answer so far */
};

void hello_begin(struct hello *hello);
void hello_end(struct hello *hello);

/* Does what can be done without waiting: opens the console if it is not open (NULL: there is none yet), asks, and
 * reads. Returns whether the node has answered both requests. */
bool hello_step(struct hello *hello, const struct pr_endpoint *console);

/* A console that is open already: takes the descriptor. */
void hello_take(struct hello *hello, int descriptor);

#endif
