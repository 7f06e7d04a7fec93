/* The probe pins of boards, and the strobes that they show (hw/board_link/README.md, "Probe pins"). They are chosen by
 * the rows of the links' memory, and these are read as counters.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_PROBE_PINS_H
#define POSTROAD_CLI_PROBE_PINS_H

#include "board/testbed.h"
#include "cli/gateway.h"
#include "cli/site_set.h"

/* A strobe: PR_STROBE_HEAD, _TERMINATOR or _STALL and PR_PORT_*, added; or PR_STROBE_NONE. */

struct probe_pins {
    bool answered;
    unsigned count;                       /* 0: the site has none */
    unsigned strobes[PR_PROBE_MOST_PINS]; /* of the pins that there are */
};

/* "east.head", "none". False: there is no such strobe at a site, which has the ports east, west, north, south and
 * local. */
bool probe_pins_strobe(const char *text, unsigned *strobe);
bool probe_pins_strobe_of(const struct testbed_channel *channel, unsigned *strobe);

/* The text of a strobe, in `out`. */
enum { PROBE_PINS_TEXT = 24 };
const char *probe_pins_text(unsigned strobe, char out[PROBE_PINS_TEXT]);

/* Reads the pins of the sites; `pins` has one entry a site of the mesh. The exit code. */
int probe_pins_read(struct gateway *gateway, const struct site_set *set, struct probe_pins *pins);

/* Gives a pin, which each site of the set has, a strobe. EXIT_MISMATCH, after printing why: a site did not keep it. */
int probe_pins_set(struct gateway *gateway, const struct site_set *set, unsigned pin, unsigned strobe);

#endif
