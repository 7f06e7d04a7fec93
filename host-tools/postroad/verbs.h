/* The verbs. Each returns an exit code.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTROAD_VERBS_H
#define POSTROAD_POSTROAD_VERBS_H

#include "cli/options.h"

int verb_up(const struct options *options);
int verb_down(const struct options *options);
int verb_list(const struct options *options);
int verb_map(const struct options *options);
int verb_send(const struct options *options);
int verb_listen(const struct options *options);
int verb_ping(const struct options *options);
int verb_stats(const struct options *options);
int verb_gdb(const struct options *options);
int verb_load(const struct options *options);
int verb_console(const struct options *options);

#endif
