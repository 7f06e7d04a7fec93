/* The machine of a native small operator, its application, and what its shared object exports.
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdlib.h>

#include "small/small.h"
#include "small_site.h"

struct pr_network_interface *port_interface;
const struct pr_site_identity *port_site;
struct port_console port_console;

static void (*deliver)(void *context, const struct pr_small_delivery *delivery);
static void *deliver_context;

void port_post(struct pr_packet *packet)
{
    if (!pr_network_interface_post(port_interface, packet))
        abort();
}

void port_send(struct pr_packet *packet)
{
    if (!pr_network_interface_send(port_interface, packet))
        abort();
}

void pr_small_delivered(const struct pr_small_delivery *delivery)
{
    if (deliver)
        deliver(deliver_context, delivery);
}

bool pr_small_poll(void)
{
    return false;
}

static bool start(struct pr_network_interface *interface, const struct pr_site_identity *identity,
                  const struct port_console *console)
{
    port_interface = interface;
    port_site = identity;
    if (console)
        port_console = *console;
    return small_start();
}

static void set_application(void (*delivered)(void *context, const struct pr_small_delivery *delivery), void *context)
{
    deliver = delivered;
    deliver_context = context;
}

extern const struct small_functions small_functions;
__attribute__((visibility("default"))) const struct small_functions small_functions = {
    .start = start,
    .round = small_round,
    .wake = small_wake,
    .counter = counter,
    .set_application = set_application,
    .send = SENDS ? pr_small_send : NULL,
    .can_send = SENDS ? pr_small_can_send : NULL,
    .buffers = BUFFERS,
    .has_console = CONSOLE,
};
