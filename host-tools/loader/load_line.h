/* Load records for the boot program of one board by its serial line, which answers each by "boot " and a letter.
 *
 *   enter    the board's firmware gets the order, as a packet to its own site, and the boot program the record: again
 * and again, since a site whose firmware has crashed takes the record only shortly after its watchdog has fired others
 * an answer of a damaged record, or silence: the record is sent again, when the line has come to rest
 *
 * Answers have no tags. The pause before each repetition keeps a late one from counting as that to the next record; if
 * one does all the same, the check of the whole image in RAM finds what is missing.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LOADER_LOAD_LINE_H
#define POSTROAD_LOADER_LOAD_LINE_H

#include "loader/load_port.h"
#include "loader/load_way.h"

struct load_line {
    struct load_way way; /* first */
    struct load_port *port;
};

/* Port and target stay the caller's. The site may be silent for the port's time-out. */
void load_line_open(struct load_line *line, struct load_port *port, struct load_target *target);

#endif
