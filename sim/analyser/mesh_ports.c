/* See mesh_ports.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "analyser/mesh_ports.h"

#include "mesh/discipline.h"
#include "mesh/site_range.h"
#include "mesh/topology_view.h"
#include "support/or_abort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "0-3+8+9.east": sites, and single ports of others; "" names all sites. */
static int read_sites(const struct mesh_config *mesh, const char *text, bool *chosen, char *error, size_t error_size)
{
    struct site_range range;
    const char *at = text;
    for (int site = 0; site < mesh->sites; site++)
        chosen[site] = !*text;
    while (*at) {
        size_t length = strcspn(at, "+");
        bool port = memchr(at, '.', length) != NULL;
        const char *end = port ? at + length : at;
        bool good = port || site_range_parse(&end, (unsigned)mesh->sites, chosen, &range) == SITE_RANGE_GOOD;
        if (!good || end != at + length || (*end && !end[1])) {
            snprintf(error, error_size, "sites=%s: expected sites of this mesh, each once, as 0-3+8", text);
            return -1;
        }
        at = end + (*end == '+');
    }
    return 0;
}

/* How often a list of `read_sites` names this port; NULL: all ports that it names. */
static unsigned times_named(const char *text, const char *port)
{
    unsigned times = 0;
    for (const char *at = text; *at; at += strcspn(at, "+"), at += *at == '+') {
        size_t length = strcspn(at, "+");
        times += port ? length == strlen(port) && strncmp(at, port, length) == 0 : memchr(at, '.', length) != NULL;
    }
    return times;
}

/* The name of a port: that of its link without a space, as the name of a VCD's variable has none. */
static void name_port(const struct mesh_config *mesh, int site, int link, char out[MESH_PORT_NAME])
{
    snprintf(out, MESH_PORT_NAME, "%d.%s", site, mesh_link_name(mesh, link));
    char *space = strchr(out, ' ');
    if (space)
        memmove(space, space + 1, strlen(space));
}

static const char *const kind_names[] = {
    [MESH_PORT_STROBES] = "strobes", [MESH_PORT_LINE] = "line", [MESH_PORT_WIRES] = "wires"};

static int add_port(const struct mesh_config *mesh, int site, int link, struct mesh_ports *out, char *error,
                    size_t error_size)
{
    struct pr_far_end far = mesh_far_end(mesh, site, link);
    if (far.site < 0)
        return 0;
    struct mesh_port port = {(unsigned)site, (unsigned)link, (unsigned)far.site, far.link, ""};
    name_port(mesh, site, link, port.name);
    if ((out->count + 1) * out->channels_each > ANALYSER_CHANNELS) {
        snprintf(error, error_size,
                 "more than %d channels, expected fewer sites or ports, as sites=%s: a port has %u %s",
                 ANALYSER_CHANNELS, port.name, out->channels_each, kind_names[out->kind]);
        return -1;
    }
    out->list[out->count++] = port;
    return 0;
}

/* A line that a board of the testbed drives; channel NULL: it has the name of the line. */
static int add_line(const struct mesh_config *mesh, const struct testbed *testbed, struct testbed_end end,
                    const char *channel, struct mesh_ports *out, char *error, size_t error_size)
{
    const struct testbed_board *board = &testbed->boards[end.board];
    unsigned count = out->count;
    if (add_port(mesh, (int)board->sites[0], (int)end.link, out, error, error_size) != 0)
        return -1;
    if (out->count == count)
        return 0;
    struct mesh_port *port = &out->list[count];
    if (channel)
        snprintf(port->name, sizeof port->name, "%s", channel);
    else
        snprintf(port->name, sizeof port->name, "%s.%s", board->name, testbed_link_name(end.link));
    return 0;
}

static int add_lines(const struct mesh_config *mesh, const struct testbed *testbed, struct mesh_ports *out, char *error,
                     size_t error_size)
{
    int result = 0;
    for (unsigned i = 0; result == 0 && i < testbed->channel_count; i++) {
        const struct testbed_channel *channel = &testbed->channels[i];
        struct testbed_end end = {channel->board, channel->link};
        if (channel->strobe == TESTBED_LINE)
            result = add_line(mesh, testbed, end, channel->name, out, error, error_size);
    }
    for (unsigned i = 0; result == 0 && !testbed->channel_count && i < 2 * testbed->cable_count; i++)
        result = add_line(mesh, testbed, testbed->cables[i / 2].ends[i % 2], NULL, out, error, error_size);
    return result;
}

/* The ports that a list names, or all of a chosen site. */
static int add_ports_of(const struct mesh_config *mesh, int site, bool chosen, unsigned *named, struct mesh_ports *out,
                        char *error, size_t error_size)
{
    char name[MESH_PORT_NAME];
    for (int link = 0; link < mesh->links; link++) {
        name_port(mesh, site, link, name);
        unsigned times = times_named(out->options.sites, name), count = out->count;
        if ((chosen || times == 1) && add_port(mesh, site, link, out, error, error_size) != 0)
            return -1;
        *named += times == 1 && !chosen && out->count > count;
    }
    return 0;
}

static int add_ports(const struct mesh_config *mesh, struct mesh_ports *out, char *error, size_t error_size)
{
    const char *text = out->options.sites;
    unsigned named = 0;
    bool *chosen = or_abort(calloc((size_t)mesh->sites, sizeof *chosen));
    int result = read_sites(mesh, text, chosen, error, error_size);
    for (int site = 0; result == 0 && site < mesh->sites; site++)
        result = add_ports_of(mesh, site, chosen[site], &named, out, error, error_size);
    free(chosen);
    if (result == 0 && named != times_named(text, NULL)) {
        char example[MESH_PORT_NAME];
        name_port(mesh, 0, 0, example);
        snprintf(error, error_size, "sites=%s: expected ports of this mesh, each once, as %s", text, example);
        result = -1;
    }
    return result;
}

static void choose_kind(const struct mesh_config *mesh, struct mesh_ports *out)
{
    bool wires = mesh->discipline->lines;
    *out = (struct mesh_ports){.kind = wires ? MESH_PORT_WIRES : MESH_PORT_STROBES,
                               .channels_each = wires ? mesh_link_width(mesh) : MESH_PORT_STROBE_COUNT,
                               .word_wires = wires && !mesh->discipline->link_bits ? (unsigned)mesh->word_width : 0};
    if (mesh->board_links)
        *out = (struct mesh_ports){.kind = MESH_PORT_LINE, .channels_each = 1};
}

static void name_wire(const struct mesh_ports *ports, const char *port, unsigned wire, char *out, size_t size)
{
    unsigned first = ports->word_wires ? ports->word_wires : ports->channels_each / 2;
    const char *names[2] = {ports->word_wires ? "word" : "data", ports->word_wires ? "tag" : "busy"};
    snprintf(out, size, "%s.%s%u", port, names[wire >= first], wire < first ? wire : wire - first);
}

void mesh_ports_name(const struct mesh_ports *ports, unsigned channel, char *out, size_t size)
{
    static const char *const strobes[] = {[MESH_PORT_HEAD] = ".head", [MESH_PORT_TERMINATOR] = ".terminator"};
    unsigned which = channel % ports->channels_each;
    const struct mesh_port *port = &ports->list[channel / ports->channels_each];
    if (ports->kind == MESH_PORT_WIRES)
        name_wire(ports, port->name, which, out, size);
    else
        snprintf(out, size, "%s%s", port->name, ports->kind == MESH_PORT_LINE ? "" : strobes[which]);
}

int mesh_ports_choose(const struct mesh_config *mesh, const struct testbed *testbed, const char *text,
                      struct mesh_ports *out, char *error, size_t error_size)
{
    enum { SAMPLES_A_CLOCK = 2 }; /* eight a bit of a link */
    enum capture_of of = testbed ? CAPTURE_OF_BOARDS : CAPTURE_OF_MESH;
    choose_kind(mesh, out);
    if (capture_options_parse(text, of, &out->options, error, error_size) != 0)
        return -1;
    if (testbed && out->options.rate_hz == 0)
        out->options.rate_hz = testbed->analyser_rate ? testbed->analyser_rate
                                                      : (uint64_t)SAMPLES_A_CLOCK * mesh->clock_hz;
    int result = testbed ? add_lines(mesh, testbed, out, error, error_size) : add_ports(mesh, out, error, error_size);
    if (result == 0 && !out->count) {
        snprintf(error, error_size,
                 testbed ? "no lines between boards, expected a channel at one in [analyser]"
                         : "no links, expected a mesh of several sites");
        result = -1;
    }
    return result;
}
