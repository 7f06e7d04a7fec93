/* Packets of groups (firmware/multicast) at native sites: the groups that the traffic has drawn are formed, members
 * send, and what they deliver and report goes to the scoreboard. Private to sim/experiment.
 *
 * Targets of a packet are the members in the view in which it is sent: of its source, or of an ordered group of the
 * leader. Those that the traffic has named but that are not in that view are spared. A site that was reset, or that has
 * lost its group, sends no more to it.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_EXPERIMENT_EXPERIMENT_GROUPS_H
#define POSTROAD_EXPERIMENT_EXPERIMENT_GROUPS_H

#include "experiment/experiment_state.h"

/* All of them do nothing, successfully, where no packets go to groups. False: no memory. */
bool experiment_groups_start(struct experiment *experiment);

/* The site's operator has started, of itself or after a reset. False: it takes no handler. */
bool experiment_groups_attach(struct experiment *experiment, uint32_t site);

/* Once all sites are attached. False: a group cannot be formed, and the run has failed. */
bool experiment_groups_form(struct experiment *experiment);

/* Sites that are to join do so one after the other, at equal distances in the packets of the run. */
void experiment_groups_join(struct experiment *experiment);

/* Hands over the first packet that waits at a source of the scoreboard that is a member. `words` is room for its data.
 * False: it cannot be sent now. */
bool experiment_groups_send(struct experiment *experiment, uint32_t source, uint32_t *words, uint64_t clock);

/* Adds what the groups of a site have counted to the result. */
void experiment_groups_collect(struct experiment *experiment, uint32_t site);

#endif
