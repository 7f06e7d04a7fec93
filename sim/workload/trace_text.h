/* Traces as text: a line a packet, fields between blanks. What follows a # is a comment.
 *
 *   CLOCK SOURCE TARGETS WORDS [after PACKETS]
 *
 *   0    0  5        8             site 0 sends 8 data words to site 5
 *   10   3  1,2,7    4             a multicast
 *   20   5  0        2  after 0    once packet 0 has arrived, in clock 20 at the earliest
 *
 * Sites and packets are numbers from 0, several with commas between them. Packets count in the order of the lines.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WORKLOAD_TRACE_TEXT_H
#define POSTROAD_WORKLOAD_TRACE_TEXT_H

#include "workload/trace_builder.h"

/* Reads the packets that are wanted. False with a reason in reading->reason. */
bool trace_text_read(struct trace_reading *reading);

#endif
