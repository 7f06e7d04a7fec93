/* Sets of sites in the users' notation: 3, 1,4-6, all.
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

/* Writes the set in the notation of site_set_parse. Consecutive numbers become ranges; a text that is too long ends in
 * "...". */
void site_set_text(const struct site_set *set, char *out, size_t size);

#endif
