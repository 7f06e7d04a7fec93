/* The net_outputs of a connection in the January 1987 protocol (4.7, Table H, Figure 9; rules J3, J11, J12):
 *
 *          connected            its first word crosses         terminator crosses, or aborted
 *   FREE -------------> FIRST ----------------------> OPEN -----------------------------------> DONE
 *    ^                                                                                           |
 *    '---- a link: the far net_input tells that it is free; local: the terminator has left ------'
 *
 * FREE is what arbiter_is_free tells. FIRST and OPEN have an owner, and OPEN is `begun`. The paper's wait is open
 * behind a limit. In DONE a link's `wait` is set, which the far net_input keeps until it is free, and `owing` while an
 * abort_packet is to follow (J11).
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_FUNCTIONAL_JANUARY_OUTPUT_H
#define POSTROAD_FUNCTIONAL_JANUARY_OUTPUT_H

#include "functional/january_state.h"

#define JANUARY_NO_MARK UINT32_MAX

/* The net_output that target `index` leads to, from this site, whichever link the packet came by (J6). */
unsigned january_way(const struct turn *turn, const struct flight *flight, unsigned index);

/* Index of the word with which a net_input knows the list of a packet that comes to it from word `first` on: the word
 * behind the list, or the one that fills the net_input (J5). */
unsigned january_list_end(const struct flight *flight, unsigned first);

/* The net_input is connected to these net_outputs, from the next clock on, by the type of its connection. */
void january_output_connect(const struct turn *turn, unsigned from, uint32_t outputs);

/* Index of the next mark before the terminator on this net_output of a connection; JANUARY_NO_MARK: there is none. */
unsigned january_output_next(const struct turn *turn, unsigned from, unsigned port);

/* And that mark crosses. */
void january_output_send(const struct turn *turn, unsigned from, unsigned port);

/* The net_input behind a branch learns of a gap (MARK_GAP), or of the word behind it (MARK_WORD). */
void january_output_tell(const struct turn *turn, unsigned port, enum mark_kind kind, unsigned index);

/* The terminator crosses to all net_outputs of the connection (J12). */
void january_output_end(const struct turn *turn, unsigned from, const struct mark *end);

/* Packets that are split at a connection of this type. */
bool january_splits(unsigned connection);

#endif
