/* Documents that are generated from the tables of the verbs: parts of the manual page, the completion, the reference.
 *
 * The texts of the tables have a markup: `bold`, <PLACEHOLDER>, and a newline between paragraphs.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_DOCUMENTS_H
#define POSTROAD_CLI_DOCUMENTS_H

#include "cli/options.h"

/* Copies a template, and replaces each line that is the name of a part, such as @SYNOPSIS@, by that part. The manual
 * page has the parts @VERSION@ (within a line), @SYNOPSIS@, @VERBS@, @OPTIONS@ and @EXIT@, in roff. The completion has
 * @TABLES@, in bash. `verbs` ends with NULL. False: a line has the form of a part's name, but no such part exists. */
bool documents_fill(FILE *template, FILE *out, const struct verb *const *verbs);

/* The reference of all verbs in Markdown: options, JSON keys, exit codes. */
void documents_reference(FILE *out, const struct verb *const *verbs);

#endif
