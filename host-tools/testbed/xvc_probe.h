/* A JTAG probe that a server leads to: the Xilinx Virtual Cable protocol (XVC) over TCP. openFPGALoader takes the
 * server's address as four numbers, so a name is looked up here.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTBED_XVC_PROBE_H
#define POSTROAD_TESTBED_XVC_PROBE_H

#include <stdbool.h>
#include <stddef.h>

struct xvc_probe {
    char address[16], port[6];
};

/* `text`: xvc:HOST:PORT, as a testbed file has it. False with a reason: the host is not found. */
bool xvc_probe_find(const char *text, struct xvc_probe *out, char *error, size_t error_size);

#endif
