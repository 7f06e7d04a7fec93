/* See nodes.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model/site_kind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {[SITE_NATIVE] = "native", [SITE_CORE] = "core", [SITE_QEMU] = "qemu"};

enum { KINDS = sizeof names / sizeof *names, UNNAMED = KINDS };

struct parser {
    const char *at;
    int sites;
    int kind; /* of the sites that follow; UNNAMED: none yet */
    int rest;
    enum site_kind *kinds;
    bool *named;
    const char *reason;
};

/* A kind's name at `at`, and what may follow one; false if there is none. */
static bool parse_kind(struct parser *parser)
{
    for (int kind = 0; kind < KINDS; kind++) {
        size_t length = strlen(names[kind]);
        if (strncmp(parser->at, names[kind], length) == 0 && strchr(":,", parser->at[length])) {
            parser->kind = kind;
            parser->at += length;
            return true;
        }
    }
    parser->reason = "expected native, core or qemu, with sites like :0-3,5 or alone";
    return false;
}

static bool parse_number(struct parser *parser, long *out)
{
    char *end;
    if (*parser->at < '0' || *parser->at > '9') {
        parser->reason = "expected sites like 3 or 4-6";
        return false;
    }
    *out = strtol(parser->at, &end, 10);
    parser->at = end;
    return true;
}

static bool parse_sites(struct parser *parser)
{
    long first, last;
    if (!parse_number(parser, &first))
        return false;
    last = first;
    if (*parser->at == '-' && (parser->at++, !parse_number(parser, &last)))
        return false;
    if (last < first || last >= parser->sites) {
        parser->reason = "expected sites of this mesh";
        return false;
    }
    for (; first <= last; first++) {
        if (parser->named[first]) {
            parser->reason = "a site is named twice";
            return false;
        }
        parser->named[first] = true;
        parser->kinds[first] = (enum site_kind)parser->kind;
    }
    return true;
}

/* KIND, KIND:SITES, or further SITES of the kind before. */
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
    struct parser parser = {text, mesh->sites, UNNAMED, UNNAMED, kinds, calloc((size_t)mesh->sites, sizeof(bool)),
                            NULL};
    if (!parser.named)
        abort();
    bool good;
    do
        good = parse_item(&parser);
    while (good && *parser.at == ',' && parser.at++);
    if (good && *parser.at) {
        parser.reason = "expected a comma";
        good = false;
    }
    for (int site = 0; site < mesh->sites; site++)
        if (!parser.named[site])
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
