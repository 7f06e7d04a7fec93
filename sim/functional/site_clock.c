/*   what neighbours told --> operator, network_interface, fifo_buffers --> router --> what neighbours are told
 *
 * SPDX-License-Identifier: ISC
 */
#include "functional/site_clock.h"

#include "functional/link.h"
#include "functional/native_operator.h"
#include "functional/router_model.h"

/* The site is visited again in the first clock in which it has something to do. An entry in the calendar that is too
 * early does no harm: the visit finds that out. */
static void register_visit(struct functional *functional, struct functional_site *site)
{
    uint64_t now = functional->now;
    if (site->due == UINT64_MAX)
        return;
    if (site->due == now + 1) {
        site_set_add(&functional->calendar.next, site->number);
    } else if (site->registered <= now || site->due < site->registered) {
        site->registered = calendar_add(&functional->calendar, site->number, now, site->due);
    }
}

void site_clock(struct functional *functional, struct functional_site *site)
{
    site->due = UINT64_MAX;
    link_receive(functional, site);
    native_operator_clock(functional, site);
    functional->router->clock(functional, site);
    register_visit(functional, site);
}
