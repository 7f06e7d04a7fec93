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

/* Sets bits in every site word. */
void packet_mark_sites(struct packet *packet, uint32_t bits);

/* O6, a packet with several targets as one unicast after the other from the same buffer. First: the packet
 * now has its first target only, the others wait behind the data. Next: the packet has the next target, or
 * false: that was the last. */
void packet_peel_first(struct packet *packet);
bool packet_peel_next(struct packet *packet);

#endif
