/* Changes to a packet's target entries, in the buffer it lies in: nothing is copied to another one, and its data stay
 * where they are. A target entry is a site word and the target_info words behind it. What is to be sent are the entries
 * from the packet's first_target to its end_target; those in front of them are left out for good.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_OPERATOR_TARGET_LIST_H
#define POSTROAD_OPERATOR_TARGET_LIST_H

#include "wire/hints.h"
#include "wire/packet.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Marks target word k as target_info, or as a site word. */
void pr_packet_set_info(struct pr_packet *packet, unsigned target_word, bool is_info);

/* Leaves out, of the entries that are not yet, those for whose site word keep() is false. Returns how many others there
 * are. Their order stays. */
unsigned pr_packet_leave_out(struct pr_packet *packet, bool (*keep)(const void *context, uint32_t site_word),
                             const void *context);

/* Sorts the entries that are not left out: no site word precedes one in front of it. */
void pr_packet_sort_targets(struct pr_packet *packet,
                            bool (*precedes)(const void *context, uint32_t first, uint32_t second),
                            const void *context);

/* True for few targets without target_info, as most packets have. Such a packet has one word an entry. */
static inline bool pr_packet_is_plain(const struct pr_packet *packet)
{
    return (pr_packet_target_words(packet) <= 32) & (packet->info[0] == 0);
}

/* The target word behind the entry that starts at target word `first`. */
unsigned pr_packet_end_of_entry_with_info(const struct pr_packet *packet, unsigned first);

static inline unsigned pr_packet_end_of_entry(const struct pr_packet *packet, unsigned first)
{
    return PR_LIKELY(pr_packet_is_plain(packet)) ? first + 1 : pr_packet_end_of_entry_with_info(packet, first);
}

/* Puts so many target_info words in front of the target word `at`; what they hold is undefined. The buffer must have
 * room for them, and so must the targets. */
void pr_packet_insert_info(struct pr_packet *packet, unsigned at, unsigned words);

/* Takes that many out again. */
void pr_packet_remove_info(struct pr_packet *packet, unsigned at, unsigned words);

/* Makes room for words in the data, at data word `at`; what it holds is undefined. The buffer must have it. */
void pr_packet_insert_data(struct pr_packet *packet, unsigned at, unsigned words);

/* Takes words out of the data, from data word `at` on. */
void pr_packet_remove_data(struct pr_packet *packet, unsigned at, unsigned words);

#ifdef __cplusplus
}
#endif

#endif
