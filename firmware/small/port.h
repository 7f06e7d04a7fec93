/* What the small operator needs of its machine: rings of packets, a clock, counters, the node ID block, the UART. A
 * core has registers; natively a test provides a network_interface.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_SMALL_PORT_H
#define POSTROAD_SMALL_PORT_H

#ifdef __riscv
#include "small/port_core.h"
#else
#include "small/port_native.h"
#endif

#endif
