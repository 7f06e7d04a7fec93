/* See site_range.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "mesh/site_range.h"

#include <limits.h>
#include <stdlib.h>

/* A number that is too large becomes a site number that no mesh has. */
static bool read_site(const char **at, unsigned *out)
{
    char *end;
    if (**at < '0' || **at > '9')
        return false;
    unsigned long number = strtoul(*at, &end, 10);
    *out = number < UINT_MAX ? (unsigned)number : UINT_MAX;
    *at = end;
    return true;
}

enum site_range_result site_range_parse(const char **at, unsigned sites, bool *named, struct site_range *out)
{
    if (!read_site(at, &out->first))
        return SITE_RANGE_BAD_TEXT;
    out->last = out->first;
    if (**at == '-' && ((*at)++, !read_site(at, &out->last) || out->last < out->first))
        return SITE_RANGE_BAD_TEXT;
    for (out->wrong = out->first; out->wrong <= out->last; out->wrong++) {
        if (out->wrong >= sites)
            return SITE_RANGE_UNKNOWN;
        if (named[out->wrong])
            return SITE_RANGE_TWICE;
        named[out->wrong] = true;
    }
    return SITE_RANGE_GOOD;
}
