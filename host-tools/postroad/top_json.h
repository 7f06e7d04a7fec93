/* `postroad top --once --json`.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTROAD_TOP_JSON_H
#define POSTROAD_POSTROAD_TOP_JSON_H

#include "postroad/top_view.h"

void top_print_json(const struct top_view *view);

#endif
