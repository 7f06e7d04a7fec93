/* What an image of the small operator has, from the command line of the compiler (firmware/small/rules.mk).
 *
 *   PR_SMALL_RELIABLE  1: the reliable service, 0: the raw service
 *   PR_SMALL_SENDS     1: sends packets of its own, and answers ping, identify and counters of other sites
 *   PR_SMALL_CONSOLE   1: frames of the console on the UART
 *
 * Reliable, with both of the others, does not fit 8 KB. Code asks by constants, not by #if: a compiler looks at what
 * an image leaves out, too.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_SMALL_CONFIG_H
#define POSTROAD_SMALL_CONFIG_H

enum {
    RELIABLE = PR_SMALL_RELIABLE,
    SENDS = PR_SMALL_SENDS,
    CONSOLE = PR_SMALL_CONSOLE,
    BUFFERS = PR_SMALL_BUFFERS,           /* that receive */
    PACKET_WORDS = PR_SMALL_PACKET_WORDS, /* of one buffer: a mesh's max_packet must fit */
    SITES_MAX = PR_SMALL_SITES_MAX        /* of the largest mesh with the reliable service */
};

#endif
