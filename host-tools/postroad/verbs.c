/* See verbs.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "postroad/verbs.h"

#define VERB(name) &verb_##name,
const struct verb *const verbs[] = {
#include "postroad/verbs.def"
    NULL};
