/* Changes to a packet's target entries, in the buffer it lies in: nothing is copied to another one.
 * A target entry is a site word and the target_info words behind it.
 */
#ifndef OPERATOR_PACKET_EDIT_H
#define OPERATOR_PACKET_EDIT_H

#include "operator/packet.h"

/* Length of the entry that starts at target word `first`. */
unsigned packet_entry_words(const struct packet *packet, unsigned first, unsigned target_words);

/* Marks target word k as target_info, or as a site word. */
void packet_set_info(struct packet *packet, unsigned target_word, bool is_info);

/* Keeps the entries for whose site word keep() is true. Returns how many that are. */
unsigned packet_keep_entries(struct packet *packet, bool (*keep)(const void *context, uint32_t site_word),
                             const void *context);

/* Sets, or clears, bits in every site word. */
void packet_mark_sites(struct packet *packet, uint32_t bits, bool set);

/* O6, a packet with several targets as one unicast after the other from the same buffer. First: the packet
 * now has its first target only, the others wait behind the data. Next: the packet has the next target, or
 * false: that was the last. */
void packet_peel_first(struct packet *packet);
bool packet_peel_next(struct packet *packet);

/* Undoes packet_peel_first: all targets in front of the data again. */
void packet_join(struct packet *packet);

/* The first target becomes the last one. */
void packet_rotate_targets(struct packet *packet);

/* Makes room for words in the data, at data word `at`; what it holds is undefined. The buffer must have it. */
void packet_insert_data(struct packet *packet, unsigned at, unsigned words);

/* Takes words out of the data, from data word `at` on. */
void packet_remove_data(struct packet *packet, unsigned at, unsigned words);

#endif
