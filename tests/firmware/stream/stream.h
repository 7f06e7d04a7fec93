/* What the image and the bench that runs it agree on.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_FIRMWARE_STREAM_STREAM_H
#define POSTROAD_TESTS_FIRMWARE_STREAM_STREAM_H

enum {
    STREAM_HANDLER = 1,
    STREAM_WORDS = 50, /* data words of a packet */
    STREAM_REPORT = 16 /* packets that a byte on the UART stands for */
};

#endif
