/* Sets of sites as users write them: 3, 1,4-6, all.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_SITE_SET_H
#define POSTROAD_CLI_SITE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct site_set {
    size_t count;
    uint16_t *sites; /* owned; in the order written */
};

/* True with a set of at least one site, each below `sites` and named once; otherwise a message has been printed
 * that starts with `what`. Free it with site_set_free.
 */
bool site_set_parse(const char *verb, const char *what, const char *text, unsigned sites, struct site_set *out);
void site_set_free(struct site_set *set);

/* The set as site_set_parse takes it, ranges of numbers that follow each other in the set joined; what does not fit
 * ends in "...". */
void site_set_text(const struct site_set *set, char *out, size_t size);

#endif
