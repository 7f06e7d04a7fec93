/* The UART of a site that runs an image: its bytes on their way, and requests to the console that the engine makes.
 * Private to sim/engine.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_ENGINE_SITE_CONSOLE_H
#define POSTROAD_ENGINE_SITE_CONSOLE_H

#include "engine/engine.h"
#include "support/byte_ring.h"

struct site_console {
    struct byte_ring to_site, from_site;
    bool hold_due; /* a stop has begun, and the request to the console is yet to be written */
};

/* Writes a request to hold the operator until site->hits->stop_until to the console, as soon as that would not fall
 * into a frame or a line that is being written there. */
void site_console_hold(struct engine *engine, struct site *site, struct site_console *console);

/* Bytes for the site; returns how many the ring had room for. */
size_t site_console_write(struct engine *engine, struct site *site, struct site_console *console, const uint8_t *bytes,
                          size_t length);

/* Writes the routes from the site to all others, if its operator has to know them: the first request to a console that
 * has started. */
void site_console_routes(struct engine *engine, struct site *site, struct site_console *console);

/* The site starts afresh: bytes and requests that it has not read are lost. */
void site_console_restart(struct site_console *console);

#endif
