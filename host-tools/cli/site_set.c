/* Sets of sites.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/site_set.h"

#include "cli/report.h"

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

static bool add(struct parser *parser, unsigned long site)
{
    if (site >= parser->sites) {
        report_error(parser->verb, "%s %s: unknown site %lu, the mesh has sites 0 to %u", parser->what, parser->text,
                     site, parser->sites - 1);
        return false;
    }
    if (parser->named[site]) {
        report_error(parser->verb, "%s %s: site %lu is named twice", parser->what, parser->text, site);
        return false;
    }
    parser->named[site] = true;
    parser->out->sites[parser->out->count++] = (uint16_t)site;
    return true;
}

static bool bad_text(const struct parser *parser)
{
    report_error(parser->verb, "%s %s: expected sites like 3 or 1,4-6, or all", parser->what,
                 *parser->text ? parser->text : "'' (no site)");
    return false;
}

static bool parse_number(const char **at, unsigned long *out)
{
    char *end;
    if (**at < '0' || **at > '9')
        return false;
    *out = strtoul(*at, &end, 10);
    *at = end;
    return true;
}

static bool parse_list(struct parser *parser)
{
    const char *at = parser->text;
    do {
        unsigned long first, last;
        if (!parse_number(&at, &first))
            return bad_text(parser);
        last = first;
        if (*at == '-' && (at++, !parse_number(&at, &last) || last < first))
            return bad_text(parser);
        for (; first <= last; first++)
            if (!add(parser, first))
                return false;
    } while (*at == ',' && at++);
    return *at == 0 || bad_text(parser);
}

static bool all_sites(struct parser *parser)
{
    for (unsigned site = 0; site < parser->sites; site++)
        add(parser, site);
    return true;
}

bool site_set_parse(const char *verb, const char *what, const char *text, unsigned sites, struct site_set *out)
{
    struct parser parser = {verb, what, text, sites, calloc(sites + 1, sizeof(bool)), out};
    out->count = 0;
    out->sites = calloc(sites + 1, sizeof *out->sites);
    if (!parser.named || !out->sites)
        abort();
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
