/* The TAP device of a namespace, and its addresses. Everything happens in the network namespace of the caller.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TAP_INTERFACE_H
#define POSTROAD_TAP_INTERFACE_H

#include "tap/frame.h"

/* The addresses of a site: 10.1.HI.LO and fd00::1:SITE. */
struct tap_address tap_interface_ipv4(unsigned site);
struct tap_address tap_interface_ipv6(unsigned site);

/* Makes the device and brings it up. Returns its descriptor, non-blocking; -1: *what and errno say why not. */
int tap_interface_create(const char *name, unsigned site, const char **what);

#endif
