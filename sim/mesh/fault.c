/* Parser of fault specifications. A specification is a list of fields between colons. One function reads each field,
 * and its error text names the expected value.
 *
 * SPDX-License-Identifier: ISC
 */
#include "mesh/fault.h"

#include "mesh/topology_view.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TEXT = 96, MAX_FIELDS = 4 };

struct parser {
    const char *text;
    const struct mesh_config *mesh;
    struct fault *fault;
    char copy[MAX_TEXT];
    const char *fields[MAX_FIELDS];
    int count;
    char *error;
    size_t error_size;
};

static int refuse(struct parser *parser, const char *format, ...)
{
    int used = snprintf(parser->error, parser->error_size, "fault %.*s: ", MAX_TEXT, parser->text);
    if (used < 0 || (size_t)used >= parser->error_size)
        return -1;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(parser->error + used, parser->error_size - (size_t)used, format, arguments);
    va_end(arguments);
    return -1;
}

/* Cuts the copy into fields; false if there are too many of them. */
static bool split(struct parser *parser)
{
    for (char *at = parser->copy; at; parser->count++) {
        if (parser->count == MAX_FIELDS)
            return false;
        parser->fields[parser->count] = at;
        at = strchr(at, ':');
        if (at)
            *at++ = 0;
    }
    return true;
}

/* Decimal, up to 10^18. */
static bool read_clocks(const char *text, uint64_t lowest, uint64_t *out)
{
    if (!*text || strlen(text) > 18 || strspn(text, "0123456789") != strlen(text))
        return false;
    *out = strtoull(text, NULL, 10);
    return *out >= lowest;
}

static int read_share(struct parser *parser, const char *text)
{
    char *end;
    double share = strtod(text, &end);
    if (!*text || strspn(text, "0123456789.eE-") != strlen(text) || *end || !(share > 0) || share > 1)
        return refuse(parser, "share is %s, expected a decimal above 0, at most 1", text);
    parser->fault->share = share;
    return 0;
}

static int read_site(struct parser *parser, const char *text)
{
    uint64_t number;
    if (strcmp(text, "any") == 0) {
        parser->fault->site = FAULT_ANY;
        return 0;
    }
    if (!read_clocks(text, 0, &number) || number >= (uint64_t)parser->mesh->sites)
        return refuse(parser, "site is %s, expected 0 to %d or any", text, parser->mesh->sites - 1);
    if (parser->fault->kind == FAULT_STOP && mesh_is_switch(parser->mesh, (int)number))
        return refuse(parser, "site is %s, a switch, expected one that has an operator", text);
    parser->fault->site = (int)number;
    return 0;
}

static int link_of_name(const struct mesh_config *mesh, const char *name)
{
    uint64_t number;
    if (topology_view(mesh)->numbered)
        return read_clocks(name, 0, &number) && number < (uint64_t)mesh->links ? (int)number : -1;
    for (int link = 0; link < mesh->links; link++)
        if (strcmp(name, mesh_link_name(mesh, link)) == 0)
            return link;
    return -1;
}

static bool link_exists(const struct mesh_config *mesh, int site, int link)
{
    for (int i = 0; i < mesh->sites; i++)
        if ((site == FAULT_ANY || site == i) && mesh_far_end(mesh, i, link).site >= 0)
            return true;
    return false;
}

/* SITE.DIRECTION, or `any`. */
static int read_link(struct parser *parser, const char *text)
{
    const struct mesh_config *mesh = parser->mesh;
    struct fault *fault = parser->fault;
    const char *dot = strchr(text, '.');
    char site[MAX_TEXT];
    fault->site = fault->link = FAULT_ANY;
    if (strcmp(text, "any") == 0)
        return 0;
    if (!dot)
        return refuse(parser, "link is %s, expected SITE.DIRECTION", text);
    snprintf(site, sizeof site, "%.*s", (int)(dot - text), text);
    if (read_site(parser, site) != 0)
        return -1;
    fault->link = link_of_name(mesh, dot + 1);
    if (fault->link < 0)
        return refuse(parser, "direction is %s, expected %s", dot + 1, topology_view(mesh)->directions);
    if (!link_exists(mesh, fault->site, fault->link))
        return refuse(parser, "%s leads over the edge, expected a link to a neighbour", text);
    return 0;
}

static int read_time(struct parser *parser)
{
    struct fault *fault = parser->fault;
    const char *at = parser->fields[2];
    fault->repeated = *at == '~';
    if (!read_clocks(at + fault->repeated, fault->repeated ? 1 : 0, &fault->at))
        return refuse(parser, "clock is %s, expected a number of clocks, or ~ and a mean from 1 on", at);
    fault->clocks = fault->kind == FAULT_RESET ? FAULT_RESET_CLOCKS : 0;
    if (parser->count == 4 && !read_clocks(parser->fields[3], 1, &fault->clocks))
        return refuse(parser, "length is %s, expected a number of clocks from 1 on", parser->fields[3]);
    if (fault->repeated && fault->clocks == 0)
        return refuse(parser, "again and again, and for good: expected a number of clocks at the end");
    return 0;
}

static int read_corrupt(struct parser *parser)
{
    parser->fault->site = parser->fault->link = FAULT_ANY;
    if (parser->count < 2 || parser->count > 3)
        return refuse(parser, "%d fields, expected corrupt:SHARE or corrupt:SITE.DIRECTION:SHARE", parser->count);
    if (parser->count == 3) {
        if (read_link(parser, parser->fields[1]) != 0)
            return -1;
        if (parser->fault->site == FAULT_ANY)
            return refuse(parser, "any site, expected its number, or corrupt:SHARE for all links");
    }
    return read_share(parser, parser->fields[parser->count - 1]);
}

static int read_event(struct parser *parser)
{
    bool link = parser->fault->kind == FAULT_LINK;
    const char *where = link ? "SITE.DIRECTION" : "SITE";
    if (parser->count < 3)
        return refuse(parser, "%d fields, expected %s:%s:AT or %s:%s:AT:CLOCKS", parser->count, parser->fields[0],
                      where, parser->fields[0], where);
    if ((link ? read_link : read_site)(parser, parser->fields[1]) != 0)
        return -1;
    if (link && parser->fault->link == FAULT_ANY && parser->mesh->sites == 1)
        return refuse(parser, "no link in this mesh, expected a site");
    return read_time(parser);
}

int fault_parse(const char *text, const struct mesh_config *mesh, struct fault *out, char *error, size_t error_size)
{
    static const char *const kinds[] = {"corrupt", "link", "reset", "stop"};
    struct parser parser = {.text = text, .mesh = mesh, .fault = out, .error = error, .error_size = error_size};
    *out = (struct fault){.site = FAULT_ANY, .link = FAULT_ANY};
    if (strlen(text) >= MAX_TEXT)
        return refuse(&parser, "%zu characters, expected less than %d", strlen(text), MAX_TEXT);
    strcpy(parser.copy, text);
    if (!split(&parser))
        return refuse(&parser, "more than %d fields, expected KIND:WHERE:AT:CLOCKS at most", MAX_FIELDS);
    for (int kind = FAULT_CORRUPT; kind <= FAULT_STOP; kind++) {
        if (strcmp(parser.fields[0], kinds[kind]) != 0)
            continue;
        out->kind = (enum fault_kind)kind;
        return kind == FAULT_CORRUPT ? read_corrupt(&parser) : read_event(&parser);
    }
    return refuse(&parser, "unknown kind %s, expected corrupt, link, reset or stop", parser.fields[0]);
}
