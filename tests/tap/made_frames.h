/* Frames as hosts send them, made by other code than that which reads them.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_TAP_MADE_FRAMES_H
#define POSTROAD_TESTS_TAP_MADE_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MADE_FRAME_ROOM = 4096 };

struct made_frame {
    size_t length;
    uint8_t bytes[MADE_FRAME_ROOM];
};

/* Data of so many bytes, a pattern that begins with `seed`, in Ethernet. The address is text: "10.1.0.5" or "fd00::1:5"
 * to a site, "239.1.2.3" or "ff05::3", or "broadcast". */
void made_data(struct made_frame *frame, unsigned from, const char *to, size_t data, uint8_t seed);

/* Reports of the addresses (text, separated by blanks). version: of IGMP 1 to 3, of MLD 1 and 2. */
void made_igmp(struct made_frame *frame, unsigned from, unsigned version, bool join, const char *addresses);
void made_mld(struct made_frame *frame, unsigned from, unsigned version, bool join, const char *addresses);

/* IGMPv3 or MLDv2 with one record: its type, and a number of sources. */
void made_record(struct made_frame *frame, unsigned from, unsigned type, unsigned sources, const char *address);

/* Writes the checksums of the message again, behind an edit. */
void made_seal(struct made_frame *frame);

#endif
