/* .mesh files: what is accepted and what it means, what is refused with which line and reason, and the
 * topology functions against independent definitions (a breadth-first search for distances, both ends of
 * every link).
 *
 * SPDX-License-Identifier: ISC
 */
#include "check.h"
#include "mesh/mesh_own.h"
#include "mesh/topology_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int parse(const char *text, struct mesh_config *config, char *error, size_t size)
{
    return mesh_config_parse("t.mesh", text, strlen(text), config, error, size);
}

#define GRID         "[mesh]\ntopology=grid\nsize=4x4\n"
#define POSTMAN      "[mesh]\nfabric=postman\n"
#define POSTMAN_GRID POSTMAN "topology=grid\nsize=4x4\n"
#define CUBE         "[mesh]\ntopology=hypercube\ndimensions=4\n"

static void refused(const char *text, const char *start, const char *reason)
{
    struct mesh_config config;
    char error[512] = "accepted";
    int result = parse(text, &config, error, sizeof error);
    check(result == -1 && strncmp(error, start, strlen(start)) == 0 && strstr(error, reason), "%s: %s", text, error);
    check(result == 0 || strstr(error, "expected"), "says what was expected: %s", error);
}

/* Each row: text, where it must be blamed, a part of the reason. */
static const char *const bad[][3] = {
    {"", "t.mesh:0:", "no topology"},
    {"[mesh]\nsize=4x4\n", "t.mesh:2:", "no topology"},
    {"topology=grid\n", "t.mesh:1:", "before any section"},
    {"[mesh]\ntopology=ring\n", "t.mesh:2:", "topology is ring"},
    {"[mesh]\ntopology=grid\n", "t.mesh:2:", "no size"},
    {"[mesh]\ntopology=grid\nsize=4x4x4\n", "t.mesh:3:", "size is 4x4x4"},
    {"[mesh]\ntopology=grid\nsize=0x4\n", "t.mesh:3:", "size is 0x4"},
    {"[mesh]\ntopology=grid\nsize=-1x4\n", "t.mesh:3:", "size is -1x4"},
    {"[mesh]\ntopology=grid\nsize=\n", "t.mesh:3:", "size is empty"},
    {"[mesh]\ntopology=grid\nsize=200x4\n", "t.mesh:3:", "at most 128x128"},
    {"[mesh]\nword_width=32\ntopology=grid\nsize=4097x1\n", "t.mesh:4:", "size is"},
    {"[mesh]\nword_width=32\ntopology=grid\nsize=4096x4097\n", "t.mesh:4:", "size is"},
    {"[mesh]\ntopology=hypercube\nsize=4x4\n", "t.mesh:3:", "size of a hypercube"},
    {"[mesh]\ntopology=grid\ndimensions=4\n", "t.mesh:3:", "dimensions of a grid"},
    {"[mesh]\ntopology=hypercube\ndimensions=15\n", "t.mesh:3:", "1 to 14"},
    {"[mesh]\ntopology=hypercube\n", "t.mesh:2:", "no dimensions"},
    {GRID "size=4x4\n", "t.mesh:4:", "given twice"},
    {GRID "colour=red\n", "t.mesh:4:", "unknown key colour"},
    {GRID "[paint]\n", "t.mesh:4:", "unknown section [paint]"},
    {GRID "[mesh\n", "t.mesh:4:", "no key = value"},
    {GRID "word_width\n", "t.mesh:4:", "no key = value"},
    {GRID "word_width=24\n", "t.mesh:4:", "word_width is 24"},
    {GRID "fabric=omega\n", "t.mesh:4:", "fabric is omega"},
    {POSTMAN "topology=hypercube\ndimensions=4\n",
     "t.mesh:3:", "fabric postman on a hypercube, expected a grid or a torus"},
    {POSTMAN "topology=grid\nsize=4x4\n[postman]\ninterleave=8\n",
     "t.mesh:6:", "interleave = 8 with topology = grid, expected at most 4"},
    {POSTMAN "word_width=32\ntopology=grid\nsize=129x2\n", "t.mesh:5:", "size 129x2 with fabric postman"},
    {POSTMAN_GRID "[links]\nboard=yes\n", "t.mesh:6:", "board = yes with fabric postman"},
    {POSTMAN_GRID "[buffers]\nupstream=128\n",
     "t.mesh:6:", "upstream 128 with max_packet 127 and fabric postman, expected at least 129"},
    {POSTMAN_GRID "[routing]\nunicast=adaptive\n", "t.mesh:6:", "unicast in [routing] with fabric postman"},
    {POSTMAN_GRID "[postman]\nstrategy=lazy\n", "t.mesh:6:", "strategy is lazy, expected eager or vct"},
    {POSTMAN_GRID "[postman]\ninterleave=3\n", "t.mesh:6:", "interleave is 3"},
    {POSTMAN_GRID "[postman]\npriority=yes\n", "t.mesh:6:", "priority is yes, expected sources or lines"},
    {POSTMAN_GRID "[postman]\nlate_pass=1\n", "t.mesh:6:", "late_pass is 1, expected yes or no"},
    {POSTMAN_GRID "[postman]\nlate_pass=yes\nstrategy=vct\n",
     "t.mesh:7:", "late_pass = yes with strategy = vct, expected strategy = eager"},
    {POSTMAN_GRID "[postman]\nphases=3\n", "t.mesh:6:", "phases is 3, expected 1, 2, 4 or 8"},
    {POSTMAN "topology=torus\nsize=4x4\n[postman]\nphases=2\n",
     "t.mesh:6:", "phases = 2 with topology = torus, expected a grid"},
    {POSTMAN_GRID "[postman]\nshared_wire=2\n", "t.mesh:6:", "shared_wire is 2, expected yes or no"},
    {POSTMAN "topology=torus\nsize=4x4\n[postman]\nshared_wire=yes\n",
     "t.mesh:6:", "shared_wire = yes with topology = torus, expected a grid"},
    {POSTMAN_GRID "[postman]\nshared_wire=yes\ninterleave=2\n",
     "t.mesh:7:", "shared_wire = yes with interleave = 2, expected interleave = 1"},
    {POSTMAN_GRID "[postman]\nphases=4\nshared_wire=yes\n",
     "t.mesh:7:", "shared_wire = yes with phases = 4, expected phases = 1"},
    {GRID "[postman]\nphases=2\n", "t.mesh:5:", "phases in [postman] with fabric cutthrough"},
    {GRID "[postman]\nstrategy=vct\n", "t.mesh:5:", "strategy in [postman] with fabric cutthrough"},
    {GRID "[thresholds]\nabort=abc\n", "t.mesh:5:", "abort is abc"},
    {GRID "[thresholds]\nabort=99999999999999999999\n", "t.mesh:5:", "abort is 9999"},
    {GRID "[thresholds]\nabort=100\n", "t.mesh:5:", "abort is 100, expected a power of two from 4 to 32768 clocks"},
    {GRID "[thresholds]\nabort=0\n", "t.mesh:5:", "abort is 0, expected a power of two"},
    {GRID "[thresholds]\nabort=2\ndivert=never\n", "t.mesh:5:", "abort is 2, expected a power of two"},
    {GRID "[thresholds]\nabort=65536\n", "t.mesh:5:", "abort is 65536"},
    {GRID "[thresholds]\ndivert=9\n", "t.mesh:5:", "divert is 9, expected never, 0 or a power of two from 1 to 32768"},
    {GRID "[thresholds]\ndivert=65535\n", "t.mesh:5:", "divert is 65535"},
    {GRID "[thresholds]\nabort_random=127\n", "t.mesh:5:", "unknown key abort_random"},
    {GRID "[thresholds]\nretry_limit=256\n", "t.mesh:5:", "retry_limit is 256"},
    {GRID "[thresholds]\nrelease_single=yes\n", "t.mesh:5:", "unknown key release_single"},
    {GRID "[service]\nreliable=1\n", "t.mesh:5:", "reliable is 1"},
    {GRID "[service]\nreliable=yes\nreliable=yes\n", "t.mesh:6:", "given twice"},
    {GRID "[thresholds]\nreliable=no\n", "t.mesh:5:", "unknown key reliable"},
    {GRID "[thresholds]\nrelief=65536\n", "t.mesh:5:", "relief is 65536"},
    {GRID "[thresholds]\nrelief=never\n", "t.mesh:5:", "relief is never"},
    {GRID "[thresholds]\nrelief=48\n", "t.mesh:5:", "relief is 48, expected 0 or a power of two from 1 to 32768"},
    {GRID "[thresholds]\nrelief=4\n",
     "t.mesh:5:", "relief 4 is below divert 16, the default, expected 0 or at least divert"},
    {GRID "[thresholds]\npatience=65536\n", "t.mesh:5:", "patience is 65536"},
    {GRID "[thresholds]\npatience=-1\n", "t.mesh:5:", "patience is -1"},
    {GRID "[thresholds]\npatience=0\n", "t.mesh:5:", "patience 0 with reliable = yes"},
    {GRID "[thresholds]\npatience=5\n[service]\nreliable=no\n", "t.mesh:7:", "patience 5 with reliable = no"},
    {GRID "[routing]\nunicast=adaptive\n[thresholds]\ndivert=never\n", "t.mesh:7:", "strict dimension order"},
    {CUBE "[routing]\nunicast=list\n[unicast]\nany=lowest_first\n[thresholds]\ndivert=never\n",
     "t.mesh:9:", "strict dimension order"},
    {"[mesh]\ntopology=torus\nsize=4x4\n[routing]\nunicast=strict\n[thresholds]\ndivert=never\n", "t.mesh:7:", "ring"},
    {GRID "[buffers]\ndownstream=24\n", "t.mesh:5:", "power of two"},
    {GRID "[buffers]\nupstream=2\n", "t.mesh:5:", "power of two"},
    {GRID "[buffers]\nnet_input=2\n", "t.mesh:5:", "net_input is 2, expected 1 or a power of two from 4 to 64 words"},
    {GRID "[buffers]\nnet_input=0\n", "t.mesh:5:", "net_input is 0"},
    {GRID "[buffers]\nnet_input=128\n", "t.mesh:5:", "net_input is 128"},
    {GRID "[buffers]\nmax_packet=12\n", "t.mesh:5:", "13 to 4096"},
    {GRID "[site]\nram_bytes=60000\n", "t.mesh:5:", "power of two"},
    {GRID "[site]\nclock_hz=1\n", "t.mesh:5:", "clock_hz is 1"},
    {GRID "[site]\ncpu=z80\n", "t.mesh:5:", "vexriscv or serv"},
    {GRID "[routing]\nunicast=random\n", "t.mesh:5:", "strict, adaptive or list"},
    {GRID "[routing]\nmulticast=strict\n", "t.mesh:5:", "unknown key multicast"},
    {"[postman]\nphases=2\n" GRID, "t.mesh:2:", "phases in [postman] with fabric cutthrough"},
    {"[postman]\nphases=2\n[mesh]\nfabric=omega\n", "t.mesh:4:", "fabric is omega"},
    {GRID "[multicast]\nnorth_east=east\n", "t.mesh:4:", "unknown section [multicast]"},
    {GRID "[links]\nboard=maybe\n", "t.mesh:5:", "board is maybe, expected no, yes or eager"},
    {"[mesh]\ntopology=hypercube\ndimensions=3\n[links]\nboard=eager\n",
     "t.mesh:5:", "board = eager on a hypercube of 3 dimensions, expected 4"},
    {GRID "[unicast]\nnorth_east=east\n", "t.mesh:5:", "a list that nothing uses"},
    {GRID "[routing]\nunicast=list\n[unicast]\nnorth_east=east\n", "t.mesh:5:", "no list for north_west"},
    {GRID "[routing]\nunicast=list\n[unicast]\nnorth_east=west\n",
     "t.mesh:7:", "north_east is west, expected east, north, east north or north east"},
    {GRID "[routing]\nunicast=list\n[unicast]\nnorth=north\n", "t.mesh:5:", "no list for north_east"},
    {GRID "[routing]\nunicast=list\n[unicast]\nnorth_east=east east\n",
     "t.mesh:7:", "north_east is east east, expected east, north, east north or north east"},
    {GRID "[routing]\nunicast=list\n[unicast]\nnorth_east=up\n", "t.mesh:7:", "north_east is up, expected east, north"},
    {GRID "[routing]\nunicast=list\n[unicast]\nnorth_east=\n", "t.mesh:7:", "north_east is empty"},
    {GRID "[routing]\nunicast=list\n[unicast]\nup=east\n", "t.mesh:7:", "unknown key up in [unicast]"},
    {GRID "[routing]\nunicast=list\n[unicast]\nnorth=north\nnorth=north\n", "t.mesh:8:", "given twice"},
    {"[mesh]\ntopology=grid\nsize=4x1\n[routing]\nunicast=list\n[unicast]\nnorth_east=east north\n",
     "t.mesh:7:", "over the edge"},
    {CUBE "[routing]\nunicast=list\n[unicast]\nnorth_east=east\n", "t.mesh:7:", "expected any"},
    {CUBE "[routing]\nunicast=list\n[unicast]\nany=middle\n", "t.mesh:7:", "highest_first"},
    {"[mesh]\nfabric=wormlan\ntopology=torus\nsize=4x4\n[wormlan]\nmulticast=flush\n[service]\nreliable=no\n",
     "t.mesh:8:", "multicast = flush with reliable = no, expected reliable = yes"},
    {"[mesh]\nfabric=wormlan\ntopology=torus\nsize=4x4\n[wormlan]\nmulticast=interrupt\n[buffers]\nmax_packet=251\n",
     "t.mesh:8:", "multicast = interrupt with max_packet 251, expected max_packet of at most 250"},
};

static void test_refused(void)
{
    char text[512];
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        refused(bad[i][0], bad[i][1], bad[i][2]);
    memset(text, ' ', 300);
    memset(text + 1, 'x', 290);
    strcpy(text + 300, "\n");
    refused(text, "t.mesh:1:", "line of");
    struct mesh_config config;
    char error[256];
    check(mesh_config_parse("z", "[mesh]\n\0\n", 9, &config, error, sizeof error) == -1 && strstr(error, "zero byte"),
          "zero byte: %s", error);
    check(mesh_config_load("/nonexistent.mesh", &config, error, sizeof error) == -1, "no such file: %s", error);
    check(mesh_config_load("/tmp", &config, error, sizeof error) == -1, "a folder: %s", error);
    check(mesh_config_load("/dev/zero", &config, error, sizeof error) == -1, "endless file: %s", error);
}

/* Accepted, with a message of the parser if it is not. */
static void accepted(const char *text, struct mesh_config *config)
{
    char error[512] = "";
    check(parse(text, config, error, sizeof error) == 0, "%s: %s", text, error);
}

/* What the hardware has of the routing of unicasts: codes of preference lists, and whether it reads them. */
static uint32_t lists(const struct mesh_config *config)
{
    return mesh_own_straps(config);
}

static bool adapts(const struct mesh_config *config)
{
    return mesh_own_build(config) & 1;
}

static void test_defaults(void)
{
    struct mesh_config config;
    accepted(GRID, &config);
    check(config.sites == 16 && config.links == 4 && config.word_width == 16, "defaults: %s", "geometry");
    check(lists(&config) == 0 && !adapts(&config) && mesh_own(&config, "buffers.net_input") == 1, "defaults: %s",
          "routing");
    check(mesh_diversion_clocks(&config) == 36 && config.abort_threshold == 8, "defaults: %s", "thresholds");
    check(mesh_longest_wait(&config) == 36 + 2 * 64 + 12, "defaults: %s", "longest wait");
    check(config.reliable && config.relief_limit == 64 && config.receive_patience == 4096, "defaults: %s", "service");
    accepted(CUBE, &config);
    check(config.sites == 16 && config.links == 4 && config.size_x == 4 && config.size_y == 1, "cube: %s", "geometry");
}

static void test_thresholds(void)
{
    struct mesh_config config;
    accepted(GRID "[thresholds]\ndivert=0\nabort=16\n", &config);
    check(config.divert_threshold == 0 && mesh_diversion_clocks(&config) == 6, "divert 0: %s", "clocks");
    accepted(GRID "[thresholds]\ndivert=never\n", &config);
    check(config.divert_threshold == MESH_DIVERT_NEVER && mesh_diversion_clocks(&config) == 0 &&
              config.abort_threshold == 8,
          "never: %s", "clocks");
    accepted(GRID "[thresholds]\ndivert=never\nabort=4\nrelief=1\n", &config);
    accepted(GRID "[thresholds]\nrelief=0\npatience=65535\n", &config);
    check(config.relief_limit == 0 && config.receive_patience == 65535, "relief 0: %s", "values");
    accepted(GRID "[thresholds]\ndivert=128\n", &config);
    check(config.relief_limit == 128, "divert 128: %s", "relief follows");
    accepted(GRID "[thresholds]\ndivert=8192\nrelief=32768\nabort=32768\n", &config);
    check(config.relief_limit == 32768 && config.abort_threshold == 32768, "largest: %s", "values");
}

static void test_lists(void)
{
    struct mesh_config config;
    accepted(GRID "[routing]\nunicast=adaptive\n", &config);
    check(adapts(&config) && lists(&config) == 0xaa, "adaptive: %s", "codes");
    accepted(GRID "[routing]\nunicast=list\n[unicast]\nnorth_east=east north\nnorth_west=north west\n"
                  "south_east=east\nsouth_west=south\nnorth=north\n",
             &config);
    check(adapts(&config) && lists(&config) == (2 | 3 << 2 | 0 << 4 | 1 << 6), "lists: %s", "codes");
    accepted(GRID "[thresholds]\ndivert=never\n[routing]\nunicast=list\n[unicast]\nnorth_east=north\n"
                  "north_west=north\nsouth_east=south\nsouth_west=south\n",
             &config);
    check(adapts(&config) && lists(&config) == 0x55, "y before x: %s", "codes");
    accepted(CUBE "[routing]\nunicast=list\n[unicast]\nany=highest_first\n", &config);
    check(adapts(&config) && lists(&config) == 0xff, "cube: %s", "codes");
}

/* Every setting that changes what a site does changes the hash; nothing else does. */
static void test_hash(void)
{
    static const char *const others[] = {
        GRID "word_width=32\n",
        GRID "[routing]\nunicast=adaptive\n",
        GRID "[routing]\nunicast=list\n[unicast]\nnorth_east=east\nnorth_west=west\nsouth_east=east\nsouth_west=west\n",
        GRID "[buffers]\nnet_input=4\n",
        GRID "[thresholds]\ndivert=4\nabort=32\n",
        GRID "[thresholds]\nabort=64\n",
        GRID "[thresholds]\nrelief=128\n",
        GRID "[thresholds]\nretry_limit=9\n",
        GRID "[service]\nreliable=no\n",
    };
    struct mesh_config plain, other;
    accepted(GRID, &plain);
    accepted("; note\n[site]\ncpu=vexriscv\n[mesh]\r\n  size = 4x4\n\n# note\ntopology : grid ; remark\n", &other);
    check(plain.hash == other.hash, "hash: %s", "comments and order change it");
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        accepted(others[i], &other);
        check(plain.hash != other.hash, "%s: %s", others[i], "the same hash");
    }
}

/* Several routes to a target do not keep the order. */
static void test_capabilities(void)
{
    enum { ORDER = PR_NI_CAPABILITIES_KEEPS_ORDER, COPIES = PR_NI_CAPABILITIES_MULTICAST };
    static const char *const copying[] = {"tree", "flush", "interrupt"};
    struct mesh_config config;
    char text[200];
    accepted("[mesh]\nfabric = wormlan\ntopology = torus\nsize = 4x4\n", &config);
    check((mesh_capabilities(&config) & (ORDER | COPIES)) == ORDER, "packets of one route keep their order");
    for (unsigned k = 0; k < 3; k++) {
        snprintf(text, sizeof text,
                 "[mesh]\nfabric = wormlan\ntopology = torus\nsize = 4x4\n[wormlan]\nmulticast = %s\n", copying[k]);
        accepted(text, &config);
        check((mesh_capabilities(&config) & (ORDER | COPIES)) == COPIES, "with multicasts in switches they do not: %s",
              copying[k]);
    }
}

static void test_service(void)
{
    struct mesh_config raw, chosen;
    accepted(GRID, &chosen);
    mesh_set_reliable(&chosen, false);
    check(!chosen.reliable && chosen.receive_patience == 0, "raw service: %s", "patience");
    accepted(GRID "[service]\nreliable=no\n", &raw);
    check(raw.hash == chosen.hash && raw.receive_patience == 0, "raw service in the file: %s", "hash or patience");
    mesh_set_reliable(&raw, true);
    check(raw.reliable && raw.receive_patience == 4096 && raw.hash != chosen.hash, "reliable after all: %s",
          "hash or patience");
    accepted(GRID "[thresholds]\npatience=65535\n", &chosen);
    raw = chosen;
    mesh_set_reliable(&raw, true);
    check(raw.receive_patience == 65535 && raw.hash == chosen.hash, "reliable as it was: %s", "patience or hash");
}

/* Distances by breadth-first search over mesh_neighbour. */
static void search(const struct mesh_config *config, int from, int *hops)
{
    int queue[1024], head = 0, tail = 0;
    for (int i = 0; i < config->sites; i++)
        hops[i] = -1;
    hops[from] = 0;
    queue[tail++] = from;
    while (head < tail) {
        int site = queue[head++];
        for (int link = 0; link < config->links; link++) {
            int next = mesh_far_end(config, site, link).site;
            if (next >= 0 && hops[next] < 0) {
                hops[next] = hops[site] + 1;
                queue[tail++] = next;
            }
        }
    }
}

static void test_topology(const char *text)
{
    struct mesh_config config;
    char error[256] = "";
    int hops[1024], longest = 0;
    check(parse(text, &config, error, sizeof error) == 0, "%s: %s", text, error);
    for (int site = 0; site < config.sites; site++) {
        check(mesh_site(&config, mesh_address(&config, site)) == site, "%s: %s", text, "address and back");
        for (int link = 0; link < config.links; link++) {
            struct pr_far_end next = mesh_far_end(&config, site, link);
            struct pr_far_end back = mesh_far_end(&config, next.site, (int)next.link);
            check(next.site < 0 || (back.site == site && (int)back.link == link), "%s: %s", text, "a link and back");
        }
        search(&config, site, hops);
        for (int to = 0; to < config.sites; to++) {
            check(hops[to] == mesh_hops(&config, site, to), "%s: %s", text, "hops");
            longest = hops[to] > longest ? hops[to] : longest;
        }
    }
    check(longest == mesh_diameter(&config), "%s: %s", text, "diameter");
    check(mesh_site(&config, config.topology == PR_TOPOLOGY_HYPERCUBE ? config.sites : config.size_x) == -1, "%s: %s",
          text, "no such address");
    check(mesh_far_end(&config, config.sites, 0).site == -1 && mesh_far_end(&config, 0, config.links).site == -1,
          "%s: %s", text, "no such site or link");
}

/* Where a site is, by arithmetic of its own. */
static uint32_t place(const struct pr_shape *geometry, unsigned site)
{
    unsigned width = geometry->word_width == 32 ? 12 : 7;
    bool cube = geometry->topology == PR_TOPOLOGY_HYPERCUBE;
    return cube ? site : (site / geometry->size_x) << width | site % geometry->size_x;
}

/* The neighbour behind a link, by the same arithmetic: -1, or its address. */
static long beyond(const struct pr_shape *geometry, unsigned site, unsigned link)
{
    long x = site % geometry->size_x, y = site / geometry->size_x, width = geometry->word_width == 32 ? 12 : 7;
    long columns = geometry->size_x, rows = geometry->size_y;
    if (geometry->topology == PR_TOPOLOGY_HYPERCUBE)
        return site & 1u << link ? site - (1 << link) : site + (1 << link);
    x += (link == 0) - (link == 1);
    y += (link == 2) - (link == 3);
    bool inside = x >= 0 && x < columns && y >= 0 && y < rows, ring = link < 2 ? columns > 1 : rows > 1;
    if (!inside && (geometry->topology == PR_TOPOLOGY_GRID || !ring))
        return -1;
    return (y + rows) % rows << width | (x + columns) % columns;
}

/* Addresses and links of one geometry, site by site. */
static void test_geometry(const struct pr_shape *geometry)
{
    struct pr_site_addresses addresses = pr_shape_addresses(geometry);
    unsigned sites = pr_shape_sites(geometry), links = pr_shape_links(geometry), found = 0;
    char name[80];
    snprintf(name, sizeof name, "topology %u, %ux%u, %u-bit words", (unsigned)geometry->topology,
             (unsigned)geometry->size_x, (unsigned)geometry->size_y, (unsigned)geometry->word_width);
    check(pr_shape_valid(geometry), "%s: %s", name, "valid");
    for (unsigned site = 0; site < sites; site++) {
        uint32_t address = pr_shape_address(geometry, site);
        check(address == place(geometry, site), "%s: %s", name, "address");
        check(pr_shape_site(geometry, address) == site, "%s: %s", name, "address and back");
        for (unsigned link = 0; link < links; link++) {
            struct pr_far_end far = pr_shape_far_end(geometry, NULL, site, link), back = {-1, 0};
            int next = far.site;
            if (next >= 0)
                back = pr_shape_far_end(geometry, NULL, (unsigned)next, far.link);
            check(next < 0 ? beyond(geometry, site, link) == -1
                           : place(geometry, (unsigned)next) == (uint32_t)beyond(geometry, site, link),
                  "%s: %s", name, "neighbour");
            check(next < (int)sites, "%s: %s", name, "neighbour is a site");
            check(next < 0 || (back.site == (int)site && back.link == link), "%s: %s", name, "a link and back");
        }
        check(pr_shape_far_end(geometry, NULL, site, links).site == -1, "%s: %s", name, "no such link");
    }
    for (uint32_t address = 0; address <= 0x3fff; address++)
        found += pr_site_addresses_have(&addresses, address);
    if (geometry->word_width == 16)
        check(found == sites, "%s: %s", name, "as many addresses as sites");
}

/* All topologies and sizes up to 8x8 and 6 dimensions, and what no mesh has. */
static void test_geometries(void)
{
    struct pr_shape geometry = {0};
    for (geometry.word_width = 16; geometry.word_width <= 32; geometry.word_width += 16) {
        for (geometry.topology = PR_TOPOLOGY_GRID; geometry.topology <= PR_TOPOLOGY_TORUS; geometry.topology++)
            for (geometry.size_x = 1; geometry.size_x <= 8; geometry.size_x++)
                for (geometry.size_y = 1; geometry.size_y <= 8; geometry.size_y++)
                    test_geometry(&geometry);
        geometry.size_y = 1;
        for (geometry.size_x = 1; geometry.size_x <= 6; geometry.size_x++)
            test_geometry(&geometry);
    }
    static const struct pr_shape none[] = {
        {.topology = PR_TOPOLOGIES, .size_x = 4, .size_y = 4, .word_width = 16},
        {.topology = PR_TOPOLOGY_GRAPH, .size_x = PR_GRAPH_SITES_MAX + 1, .size_y = 4, .word_width = 32},
        {.topology = PR_TOPOLOGY_GRAPH, .size_x = 4, .size_y = PR_GRAPH_LINKS_MAX + 1, .word_width = 16},
        {.topology = PR_TOPOLOGY_GRID, .size_x = 0, .size_y = 4, .word_width = 16},
        {.topology = PR_TOPOLOGY_GRID, .size_x = 4, .size_y = 0, .word_width = 16},
        {.topology = PR_TOPOLOGY_GRID, .size_x = 129, .size_y = 1, .word_width = 16},
        {.topology = PR_TOPOLOGY_TORUS, .size_x = 1, .size_y = 4097, .word_width = 32},
        {.topology = PR_TOPOLOGY_HYPERCUBE, .size_x = 15, .size_y = 1, .word_width = 16},
        {.topology = PR_TOPOLOGY_HYPERCUBE, .size_x = 4, .size_y = 2, .word_width = 16},
        {.topology = PR_TOPOLOGY_GRID, .size_x = 4, .size_y = 4, .word_width = 24},
    };
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        check(!pr_shape_valid(&none[i]), "%u sites in a row: %s", (unsigned)none[i].size_x, "valid");
}

int main(void)
{
    test_refused();
    test_defaults();
    test_thresholds();
    test_lists();
    test_hash();
    test_service();
    test_capabilities();
    test_geometries();
    test_topology(GRID);
    test_topology(CUBE);
    test_topology("[mesh]\ntopology=grid\nsize=1x1\n");
    test_topology("[mesh]\ntopology=grid\nsize=7x3\nword_width=32\n");
    test_topology("[mesh]\ntopology=torus\nsize=4x4\n");
    test_topology("[mesh]\ntopology=torus\nsize=5x2\n");
    test_topology("[mesh]\ntopology=torus\nsize=1x3\n");
    test_topology("[mesh]\ntopology=hypercube\ndimensions=1\n");
    return verdict("mesh_config");
}
