/* See site_console.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "engine/site_console.h"

#include <stdlib.h>

#include "mesh/mesh_routes.h"
#include "wire/console_messages.h"

/* Between frames or lines of text? */
static bool is_between_commands(const struct byte_ring *ring)
{
    uint8_t last = ring->bytes[(ring->written - 1) % BYTE_RING_SIZE];
    return ring->written == 0 || last == 0 || last == '\n' || last == '\r';
}

void site_console_hold(struct engine *engine, struct site *site, struct site_console *console)
{
    enum { HOLD_WIRE = PR_ENVELOPE_WIRE(PR_MESSAGE_FRAME_BYTES + PR_MESSAGE_HOLD_BYTES) };
    struct pr_frame request;
    uint8_t wire[PR_FRAMES_WIRE_MAX];
    uint64_t clocks = site->hits->stop_until > engine->now ? site->hits->stop_until - engine->now : 0;
    console->hold_due = !is_between_commands(&console->to_site) || byte_ring_room(&console->to_site) < HOLD_WIRE;
    if (console->hold_due)
        return;
    pr_message_hold(&request, (uint32_t)(clocks < PR_CONSOLE_HOLD_MOST ? clocks : PR_CONSOLE_HOLD_MOST));
    byte_ring_write(&console->to_site, wire, pr_frames_encode(&request, wire, sizeof wire));
    engine_activate(engine, site);
}

void site_console_routes(struct engine *engine, struct site *site, struct site_console *console)
{
    struct pr_frame request;
    uint8_t wire[PR_FRAMES_WIRE_MAX];
    struct pr_route *routes = mesh_has_routes(&engine->mesh) ? mesh_routes(&engine->mesh, site->number) : NULL;
    if (routes && pr_message_routes(&request, 0, routes, (unsigned)engine->mesh.sites))
        byte_ring_write(&console->to_site, wire, pr_frames_encode(&request, wire, sizeof wire));
    free(routes);
}

size_t site_console_write(struct engine *engine, struct site *site, struct site_console *console, const uint8_t *bytes,
                          size_t length)
{
    size_t written = byte_ring_write(&console->to_site, bytes, length);
    if (console->hold_due)
        site_console_hold(engine, site, console);
    return written;
}

void site_console_restart(struct site_console *console)
{
    console->to_site.read = console->to_site.written;
    console->hold_due = false;
}
