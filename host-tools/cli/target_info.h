/* The target_info words of `postroad send`: for each target those that it alone gets to see.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_TARGET_INFO_H
#define POSTROAD_CLI_TARGET_INFO_H

#include "cli/options.h"
#include "cli/payload_text.h"
#include "cli/site_set.h"
#include "wire/console_messages.h"

struct target_info {
    struct pr_message_info *of_target; /* in the order of the targets */
    struct payload *data;              /* one for each option */
};

/* Each text is [SITES:]WORDS; without SITES, all targets that no other one names. False: a message has been printed.
 * Free it with target_info_free. */
bool target_info_parse(const struct option_list *texts, const struct site_set *targets, unsigned sites,
                       unsigned word_width, struct target_info *out);
void target_info_free(struct target_info *info);

/* Words that the targets take in the packet, those of the sites and all of these. */
unsigned target_info_words(const struct target_info *info, size_t targets);

#endif
