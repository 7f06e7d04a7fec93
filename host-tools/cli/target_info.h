/* The target_info words of `postroad send`: for each target, the words that only this target receives.
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

/* Each text is [SITES:]WORDS; without SITES it applies to all targets that no other text names. False: a message has
 * been printed. Free the result with target_info_free. */
bool target_info_parse(const struct option_list *texts, const struct site_set *targets, unsigned sites,
                       unsigned word_width, struct target_info *out);
void target_info_free(struct target_info *info);

/* The number of words that the targets take in the packet: the site numbers and all target_info words. */
unsigned target_info_words(const struct target_info *info, size_t targets);

#endif
