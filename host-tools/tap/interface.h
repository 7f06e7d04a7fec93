/* The TAP device of a namespace, and its addresses. Everything happens in the network namespace of the caller.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TAP_INTERFACE_H
#define POSTROAD_TAP_INTERFACE_H

#include <stdint.h>

/* 10.1.HI.LO and fd00::1:SITE of a site, in the order of the network. */
void tap_interface_ipv4(unsigned site, uint8_t out[4]);
void tap_interface_ipv6(unsigned site, uint8_t out[16]);

/* Makes the device and brings it up. Returns its descriptor, non-blocking; -1: *what and errno say why not. */
int tap_interface_create(const char *name, unsigned site, const char **what);

#endif
