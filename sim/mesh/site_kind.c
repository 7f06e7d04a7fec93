/* See site_kind.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "mesh/site_kind.h"

#include "mesh/site_range.h"
#include "support/or_abort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SITE_KIND_NAME(constant, name) [constant] = #name,
static const char *const names[] = {SITE_KINDS(SITE_KIND_NAME)};

enum { UNNAMED = SITE_KIND_COUNT, REASON_SIZE = 160 };

struct parser {
    const char *at;
    const struct mesh_config *mesh;
    int kind; /* of the sites that follow; UNNAMED: none yet */
    int rest;
    enum site_kind *kinds;
    bool *named;
    const char *reason;
    char expected[REASON_SIZE]; /* what `reason` may point to */
};

/* "expected native, core or qemu, ..." */
static const char *expect_kind(struct parser *parser)
{
    size_t used = (size_t)snprintf(parser->expected, REASON_SIZE, "expected ");
    for (int kind = 0; kind < SITE_SWITCH; kind++) {
        const char *between = kind == 0 ? "" : kind + 1 == SITE_SWITCH ? " or " : ", ";
        used += (size_t)snprintf(parser->expected + used, REASON_SIZE - used, "%s%s", between, names[kind]);
    }
    snprintf(parser->expected + used, REASON_SIZE - used, ", with sites like :0-3,5 or alone");
    return parser->expected;
}

/* Reads a kind's name at `at`. False: there is none, or a wrong character follows it. */
static bool parse_kind(struct parser *parser)
{
    for (int kind = 0; kind < SITE_SWITCH; kind++) {
        size_t length = strlen(names[kind]);
        if (strncmp(parser->at, names[kind], length) == 0 && strchr(":,", parser->at[length])) {
            parser->kind = kind;
            parser->at += length;
            return true;
        }
    }
    parser->reason = expect_kind(parser);
    return false;
}

static bool parse_sites(struct parser *parser)
{
    static const char *const reasons[] = {[SITE_RANGE_BAD_TEXT] = "expected sites like 3 or 4-6",
                                          [SITE_RANGE_UNKNOWN] = "expected sites of this mesh",
                                          [SITE_RANGE_TWICE] = "a site is named twice"};
    struct site_range range;
    enum site_range_result result = site_range_parse(&parser->at, (unsigned)parser->mesh->sites, parser->named, &range);
    if (result != SITE_RANGE_GOOD) {
        parser->reason = reasons[result];
        return false;
    }
    for (unsigned site = range.first; site <= range.last; site++) {
        parser->kinds[site] = (enum site_kind)parser->kind;
        if (mesh_is_switch(parser->mesh, (int)site))
            parser->reason = "expected sites with an operator: a switch has none";
    }
    return !parser->reason;
}

/* Reads KIND, KIND:SITES, or further SITES of the previous kind. */
static bool parse_item(struct parser *parser)
{
    if (*parser->at >= '0' && *parser->at <= '9' && parser->kind != UNNAMED)
        return parse_sites(parser);
    if (!parse_kind(parser))
        return false;
    if (*parser->at == ':') {
        parser->at++;
        return parse_sites(parser);
    }
    if (parser->rest != UNNAMED) {
        parser->reason = "two kinds without sites";
        return false;
    }
    parser->rest = parser->kind;
    parser->kind = UNNAMED;
    return true;
}

int site_kinds_parse(const char *text, const struct mesh_config *mesh, enum site_kind rest, enum site_kind *kinds,
                     char *error, size_t error_size)
{
    struct parser parser = {.at = text,
                            .mesh = mesh,
                            .kind = UNNAMED,
                            .rest = UNNAMED,
                            .kinds = kinds,
                            .named = or_abort(calloc((size_t)mesh->sites, sizeof(bool)))};
    bool good;
    do
        good = parse_item(&parser);
    while (good && *parser.at == ',' && parser.at++);
    if (good && *parser.at) {
        parser.reason = "expected a comma";
        good = false;
    }
    for (int site = 0; site < mesh->sites; site++)
        if (mesh_is_switch(mesh, site))
            kinds[site] = SITE_SWITCH;
        else if (!parser.named[site])
            kinds[site] = parser.rest == UNNAMED ? rest : (enum site_kind)parser.rest;
    free(parser.named);
    if (!good)
        snprintf(error, error_size, "%s: %s", text, parser.reason);
    return good ? 0 : -1;
}

bool site_kinds_have(const enum site_kind *kinds, int sites, enum site_kind kind)
{
    for (int site = 0; site < sites; site++)
        if (kinds[site] == kind)
            return true;
    return false;
}

bool site_kinds_all(const enum site_kind *kinds, int sites, enum site_kind kind)
{
    for (int site = 0; site < sites; site++)
        if (kinds[site] != kind && kinds[site] != SITE_SWITCH)
            return false;
    return true;
}
