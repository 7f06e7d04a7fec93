/* See site_set.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/site_set.h"

#include "cli/report.h"
#include "mesh/site_range.h"
#include "support/or_abort.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct parser {
    const char *verb, *what, *text;
    unsigned sites;
    bool *named;
    struct site_set *out;
};

static bool refuse(const struct parser *parser, enum site_range_result result, const struct site_range *range)
{
    if (result == SITE_RANGE_UNKNOWN)
        report_error(parser->verb, "%s %s: unknown site %u, the mesh has sites 0 to %u", parser->what, parser->text,
                     range->wrong, parser->sites - 1);
    else if (result == SITE_RANGE_TWICE)
        report_error(parser->verb, "%s %s: site %u is named twice", parser->what, parser->text, range->wrong);
    else
        report_error(parser->verb, "%s %s: expected sites like 3 or 1,4-6, or all", parser->what,
                     *parser->text ? parser->text : "'' (no site)");
    return false;
}

static void add(struct parser *parser, const struct site_range *range)
{
    for (unsigned site = range->first; site <= range->last; site++)
        parser->out->sites[parser->out->count++] = (uint16_t)site;
}

static bool parse_list(struct parser *parser)
{
    const char *at = parser->text;
    do {
        struct site_range range;
        enum site_range_result result = site_range_parse(&at, parser->sites, parser->named, &range);
        if (result != SITE_RANGE_GOOD)
            return refuse(parser, result, &range);
        add(parser, &range);
    } while (*at == ',' && at++);
    return *at == 0 || refuse(parser, SITE_RANGE_BAD_TEXT, NULL);
}

static bool all_sites(struct parser *parser)
{
    if (parser->sites)
        add(parser, &(struct site_range){.last = parser->sites - 1});
    return true;
}

bool site_set_parse(const char *verb, const char *what, const char *text, unsigned sites, struct site_set *out)
{
    struct parser parser = {verb, what, text, sites, or_abort(calloc(sites + 1, sizeof(bool))), out};
    out->count = 0;
    out->sites = or_abort(calloc(sites + 1, sizeof *out->sites));
    bool good = strcmp(text, "all") == 0 ? all_sites(&parser) : parse_list(&parser);
    free(parser.named);
    if (!good)
        site_set_free(out);
    return good;
}

void site_set_free(struct site_set *set)
{
    free(set->sites);
    set->sites = NULL;
    set->count = 0;
}

void site_set_text(const struct site_set *set, char *out, size_t size)
{
    static const char more[] = "...";
    size_t used = 0, next;
    *out = 0;
    for (size_t i = 0; i < set->count; i = next) {
        char range[16];
        next = i + 1;
        while (next < set->count && set->sites[next] == set->sites[next - 1] + 1)
            next++;
        int length = snprintf(range, sizeof range, next - i > 1 ? "%s%u-%u" : "%s%u", i ? "," : "", set->sites[i],
                              set->sites[next - 1]);
        if (used + (size_t)length + sizeof more > size) {
            strcpy(out + used, more);
            return;
        }
        strcpy(out + used, range);
        used += (size_t)length;
    }
}
