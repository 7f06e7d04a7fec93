/* The verbs of postroad: one line each in verbs.def.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTROAD_VERBS_H
#define POSTROAD_POSTROAD_VERBS_H

#include "cli/options.h"

#define VERB(name) extern const struct verb verb_##name;
#include "postroad/verbs.def"
#undef VERB

/* In the order of verbs.def; NULL behind the last. */
extern const struct verb *const verbs[];

#endif
