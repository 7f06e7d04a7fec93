/* A server of the Xilinx Virtual Cable protocol, version 1.0: a JTAG chain over TCP.
 *
 *   getinfo:                              answer: xvcServer_v1.0:ROOM and a newline; ROOM: bytes of TMS and TDI
 * together settck: PERIOD                        answer: the same; nanoseconds, 32 bits shift: COUNT, bytes of TMS, of
 * TDI    answer: bytes of TDO; COUNT: bits, 32 bits
 *
 * Numbers have their low byte first, and so have bits. Source: Xilinx XAPP1251 and
 * github.com/Xilinx/XilinxVirtualCable.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_HOST_TOOLS_FAKE_JTAG_XVC_SERVER_H
#define POSTROAD_TESTS_HOST_TOOLS_FAKE_JTAG_XVC_SERVER_H

#include <stdbool.h>

#include "jtag_tap.h"

/* A socket that listens on 127.0.0.1, at a port that the kernel chooses: `port` gets it. Ends the program on error. */
int xvc_listen(unsigned *port);

/* Serves one client until it closes, or until it has sent `most` shifts (0: any number). Returns how many there were.
 */
unsigned xvc_serve(int client, struct jtag_tap *tap, unsigned most);

#endif
