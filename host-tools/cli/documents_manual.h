/* Parts of the manual page, in roff (see documents.h).
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_DOCUMENTS_MANUAL_H
#define POSTROAD_CLI_DOCUMENTS_MANUAL_H

#include "cli/options.h"

void manual_synopsis(FILE *out, const struct verb *const *verbs);
void manual_verbs(FILE *out, const struct verb *const *verbs);

/* The options that several verbs have, then a subsection a verb. */
void manual_options(FILE *out, const struct verb *const *verbs);
void manual_exit_codes(FILE *out, const struct verb *const *verbs);

#endif
