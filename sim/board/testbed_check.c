/* A testbed against its mesh, the types of its boards, and itself.
 *
 * The connectors of a board of two by two sites, by the number of the link (boards/README.md):
 *
 *              north 2      north2 6
 *                 |            |
 *     west2 5 - site 2 ----- site 3 - east2 4
 *                 |            |
 *      west 1 - site 0 ----- site 1 - east 0
 *                 |            |
 *              south 3      south2 7
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "board/testbed_private.h"

#include "board/board_type.h"
#include "support/install_paths.h"
#include "support/or_abort.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIRECTIONS = 4, SMALL_TEXT = 96, ERROR_SIZE = 1024 };

/* Which of a board's sites has the connector. */
static const unsigned connector_site[3][TESTBED_LINKS] = {[1] = {0, 0, 0, 0}, [2] = {1, 0, 2, 0, 3, 2, 3, 1}};

static unsigned connectors(const struct testbed_board *board)
{
    return board->side * DIRECTIONS;
}

static unsigned site_of(const struct testbed_board *board, unsigned connector)
{
    return board->sites[connector_site[board->side][connector]];
}

/* ---- files and types ---- */

static void check_mesh(struct testbed_reader *reader)
{
    struct testbed *testbed = reader->testbed;
    char error[ERROR_SIZE];
    if (!reader->mesh_line)
        return;
    testbed->has_mesh = true;
    if (mesh_config_load(reader->mesh_path, &testbed->mesh, error, sizeof error) != 0)
        testbed_fail(reader, reader->mesh_line, "mesh: %s", error);
    else if (!testbed->mesh.board_links || testbed->mesh.links != DIRECTIONS)
        testbed_fail(reader, reader->mesh_line, "mesh = %s: expected a mesh of boards: [links] board = yes, 4 links",
                     reader->mesh_path);
}

static void set_defaults(struct testbed_reader *reader, struct testbed_board *board, const struct board_conf *conf)
{
    const struct testbed *testbed = reader->testbed;
    const char *slash = strrchr(reader->mesh_path, '/'), *name = slash ? slash + 1 : reader->mesh_path;
    char built[PATH_MAX];
    board->side = conf->side;
    board->link_hz = conf->clock_hz * conf->link_ratio;
    board->link_ratio = conf->link_ratio;
    board->eager_links = conf->eager_links;
    if (testbed->has_mesh && testbed->mesh.board_links == MESH_LINKS_EAGER && !board->eager_links)
        testbed_fail(reader, board->line, "[board %s]: %s has no eager links, expected board = yes in [links] of %s",
                     board->name, board->type, testbed->mesh.path);
    if (board->clock_hz == 0)
        board->clock_hz = conf->clock_hz;
    if (board->baud == 0)
        board->baud = conf->baud;
    if (*board->bitstream)
        return;
    bool good = testbed->has_mesh && install_paths_built(built, sizeof built) == 0 &&
                snprintf(board->bitstream, sizeof board->bitstream, "%s/bitstream/%s/%.*s/top.%s", built, board->type,
                         (int)strcspn(name, "."), name, board_type_packed(conf)) < TESTBED_PATH;
    if (!good)
        testbed_fail(reader, board->line, "[board %s]: no bitstream, expected the key bitstream, or mesh in [testbed]",
                     board->name);
}

/* The verifier of a locked board has its place (hw/soc/boot.md). Without a boot ROM a board is not locked. */
static void check_key(struct testbed_reader *reader, const struct testbed_board *board, const struct board_conf *conf)
{
    if (*reader->testbed->key && strcmp(conf->boot, "flash") == 0 && conf->ram_bytes < BOARD_LOCKED_RAM)
        testbed_fail(reader, board->line,
                     "[board %s]: key is given, and a site of type %s has %u bytes of RAM, expected %d or more: the "
                     "verifier of locked boards ends there",
                     board->name, board->type, conf->ram_bytes, BOARD_LOCKED_RAM);
}

/* Clocks for the largest image from the flash (hw/soc/boot.md), or until a core says that it has started. */
static double boot_ms(const struct board_conf *conf)
{
    double clocks = strcmp(conf->boot, "flash") != 0 ? 240e3 : strcmp(conf->cpu, "serv") == 0 ? 10.2e6 : 2.4e6;
    return clocks / conf->clock_hz * 1e3;
}

static void check_types(struct testbed_reader *reader)
{
    struct testbed *testbed = reader->testbed;
    bool given = testbed->boot_ms > 0;
    for (unsigned i = 0; i < testbed->board_count; i++) {
        struct testbed_board *board = &testbed->boards[i];
        struct board_conf conf;
        char error[ERROR_SIZE];
        if (!*board->type)
            testbed_fail(reader, board->line, "[board %s]: no type, expected type = a folder of boards/", board->name);
        else if (board_type_load(board->type, &conf, error, sizeof error) != 0)
            testbed_fail(reader, board->line, "[board %s]: type: %s", board->name, error);
        else {
            set_defaults(reader, board, &conf);
            check_key(reader, board, &conf);
        }
        if (reader->failed)
            return;
        if (!given)
            testbed->boot_ms = fmax(testbed->boot_ms, boot_ms(&conf));
    }
}

static void set_firmware(struct testbed_reader *reader)
{
    static const char node[] = "/firmware/node.elf";
    struct testbed *testbed = reader->testbed;
    if (!*testbed->firmware && install_paths_built(testbed->firmware, sizeof testbed->firmware - sizeof node) == 0)
        strcat(testbed->firmware, node);
}

/* ---- sites ---- */

/* Gives a board its sites, its first one being `first`. False: the mesh has not all of them. */
static bool place(struct testbed_board *board, const struct mesh_config *mesh, int first)
{
    int x = first % mesh->size_x, y = first / mesh->size_x, side = (int)board->side;
    if (first >= mesh->sites || (side == 2 && (x % 2 || y % 2 || x + 1 >= mesh->size_x || y + 1 >= mesh->size_y)))
        return false;
    board->site_count = board->side * board->side;
    for (int k = 0; k < side * side; k++)
        board->sites[k] = (unsigned)(first + k % side + k / side * mesh->size_x);
    return true;
}

/* Enters a board as the owner of its sites. Returns the board that has one of them already, -1: none. */
static int take_sites(const struct testbed_board *board, int number, int *owners)
{
    for (unsigned k = 0; k < board->site_count; k++)
        if (owners[board->sites[k]] >= 0)
            return owners[board->sites[k]];
    for (unsigned k = 0; k < board->site_count; k++)
        owners[board->sites[k]] = number;
    return -1;
}

static void take_named_sites(struct testbed_reader *reader, int *owners)
{
    struct testbed *testbed = reader->testbed;
    for (unsigned i = 0; i < testbed->board_count; i++) {
        struct testbed_board *board = &testbed->boards[i];
        if (board->first_site < 0)
            continue;
        if (!place(board, &testbed->mesh, board->first_site)) {
            testbed_fail(reader, board->site_line, "site = %d: expected a site below %d%s", board->first_site,
                         testbed->mesh.sites,
                         board->side == 2 ? ", with even coordinates, of four within the grid" : "");
            return;
        }
        int other = take_sites(board, (int)i, owners);
        if (other >= 0)
            testbed_fail(reader, board->site_line,
                         "site = %d: board %s has a site of this board too, expected each site once", board->first_site,
                         testbed->boards[other].name);
    }
}

/* Boards without a site get the lowest ones that are left, in the order of the file. */
static void take_other_sites(struct testbed_reader *reader, int *owners)
{
    struct testbed *testbed = reader->testbed;
    for (unsigned i = 0; i < testbed->board_count && !reader->failed; i++) {
        struct testbed_board *board = &testbed->boards[i];
        int site = 0;
        if (board->first_site >= 0)
            continue;
        while (site < testbed->mesh.sites &&
               (!place(board, &testbed->mesh, site) || take_sites(board, (int)i, owners) >= 0))
            site++;
        if (site == testbed->mesh.sites)
            testbed_fail(reader, board->line, "[board %s]: no site is left for it, expected boards for %d sites",
                         board->name, testbed->mesh.sites);
    }
}

static void check_no_gap(struct testbed_reader *reader, const int *owners)
{
    char missing[SMALL_TEXT] = "";
    for (int site = 0; site < reader->testbed->mesh.sites && strlen(missing) < sizeof missing - 12; site++)
        if (owners[site] < 0) {
            size_t used = strlen(missing);
            snprintf(missing + used, sizeof missing - used, "%s%d", used ? ", " : "", site);
        }
    if (*missing)
        testbed_fail(reader, reader->mesh_line, "no board for site %s, expected a board for each of the %d sites",
                     missing, reader->testbed->mesh.sites);
}

/* Returns the board of each site, to be freed. */
static int *check_sites(struct testbed_reader *reader)
{
    int *owners = or_abort(malloc((size_t)reader->testbed->mesh.sites * sizeof *owners));
    for (int i = 0; i < reader->testbed->mesh.sites; i++)
        owners[i] = -1;
    take_named_sites(reader, owners);
    if (!reader->failed)
        take_other_sites(reader, owners);
    if (!reader->failed)
        check_no_gap(reader, owners);
    return owners;
}

/* ---- boards against each other ---- */

/* A board is found on USB, or behind a probe that has no serial line. */
static void check_way(struct testbed_reader *reader, const struct testbed_board *board)
{
    bool usb = *board->serial || *board->path || *board->host;
    if (*board->probe && usb)
        testbed_fail(reader, board->line, "[board %s]: probe leads to it, expected no serial, path or host as well",
                     board->name);
    else if (*board->probe && !*board->console)
        testbed_fail(reader, board->line, "[board %s]: no console, expected its endpoint: %s has no serial line",
                     board->name, board->probe);
    else if (*board->console && !*board->probe)
        testbed_fail(reader, board->line, "[board %s]: console without probe, expected none: it is found on USB",
                     board->name);
}

static void check_pair(struct testbed_reader *reader, const struct testbed_board *a, const struct testbed_board *b)
{
    bool paths = *a->path && *b->path;
    if (strcmp(a->host, b->host) != 0)
        return;
    if (*a->probe && strcmp(a->probe, b->probe) == 0)
        testbed_fail(reader, b->line, "[board %s]: probe %s is that of board %s too, expected one board a probe",
                     b->name, b->probe, a->name);
    else if (paths && strcmp(a->path, b->path) == 0)
        testbed_fail(reader, b->line, "[board %s]: path %s is that of board %s too, expected one board a port", b->name,
                     b->path, a->name);
    else if (*a->serial && strcmp(a->serial, b->serial) == 0 && !paths)
        testbed_fail(reader, b->line,
                     "[board %s]: serial %s is that of board %s too, expected a path at both, which tells them apart",
                     b->name, b->serial, a->name);
}

static void check_boards(struct testbed_reader *reader)
{
    const struct testbed *testbed = reader->testbed;
    for (unsigned i = 0; i < testbed->board_count; i++) {
        check_way(reader, &testbed->boards[i]);
        for (unsigned k = 0; k < i; k++)
            check_pair(reader, &testbed->boards[k], &testbed->boards[i]);
    }
}

/* ---- cables ---- */

/* The connector that a mesh joins with this one. False: it leads over the edge. */
static bool partner(const struct testbed *testbed, const int *owners, struct testbed_end end, struct testbed_end *out)
{
    int link = (int)end.link % DIRECTIONS;
    struct pr_far_end far = mesh_far_end(&testbed->mesh, (int)site_of(&testbed->boards[end.board], end.link), link);
    if (far.site < 0)
        return false;
    const struct testbed_board *board = &testbed->boards[owners[far.site]];
    for (unsigned connector = 0; connector < connectors(board); connector++)
        if (connector % DIRECTIONS == far.link && site_of(board, connector) == (unsigned)far.site) {
            *out = (struct testbed_end){(unsigned)owners[far.site], connector};
            return true;
        }
    return false;
}

static const char *end_text(const struct testbed *testbed, struct testbed_end end, char out[SMALL_TEXT])
{
    snprintf(out, SMALL_TEXT, "%s.%s", testbed->boards[end.board].name, testbed_link_name(end.link));
    return out;
}

static void check_against_mesh(struct testbed_reader *reader, const int *owners, const struct testbed_cable *cable)
{
    const struct testbed *testbed = reader->testbed;
    struct testbed_end wanted;
    char from[SMALL_TEXT], to[SMALL_TEXT], right[SMALL_TEXT];
    end_text(testbed, cable->ends[0], from);
    end_text(testbed, cable->ends[1], to);
    if (!partner(testbed, owners, cable->ends[0], &wanted))
        testbed_fail(reader, cable->line, "%s = %s: %s leads over the edge of the mesh, expected no cable", from, to,
                     from);
    else if (wanted.board != cable->ends[1].board || wanted.link != cable->ends[1].link)
        testbed_fail(reader, cable->line, "%s = %s: no link of the mesh, expected %s = %s", from, to, from,
                     end_text(testbed, wanted, right));
}

static void check_cable(struct testbed_reader *reader, const struct testbed_cable *cable)
{
    const struct testbed *testbed = reader->testbed;
    const struct testbed_board *boards[2];
    char from[SMALL_TEXT], to[SMALL_TEXT];
    for (int k = 0; k < 2; k++) {
        boards[k] = &testbed->boards[cable->ends[k].board];
        if (cable->ends[k].link >= connectors(boards[k])) {
            testbed_fail(reader, cable->line, "%s: a board of type %s has no such connector, expected east, ..., south",
                         end_text(testbed, cable->ends[k], from), boards[k]->type);
            return;
        }
    }
    /* A cable that the file does not list is blamed on the mesh. */
    if (boards[0]->link_hz != boards[1]->link_hz)
        testbed_fail(reader, cable->line ? cable->line : reader->mesh_line,
                     "%s = %s: links of %s have a clock of %u Hz, of %s %u Hz, expected the same bit rate",
                     end_text(testbed, cable->ends[0], from), end_text(testbed, cable->ends[1], to), boards[0]->type,
                     boards[0]->link_hz, boards[1]->type, boards[1]->link_hz);
}

static bool has_cable(const struct testbed *testbed, struct testbed_end end)
{
    for (unsigned i = 0; i < testbed->cable_count; i++)
        for (int k = 0; k < 2; k++)
            if (testbed->cables[i].ends[k].board == end.board && testbed->cables[i].ends[k].link == end.link)
                return true;
    return false;
}

static void add_cable(struct testbed_reader *reader, struct testbed_end from, struct testbed_end to)
{
    struct testbed *testbed = reader->testbed;
    char text[SMALL_TEXT], other[SMALL_TEXT];
    if (reader->testbed->cables_line)
        testbed_fail(reader, testbed->cables_line, "[cables]: no cable %s = %s, expected one for each link of the mesh",
                     end_text(testbed, from, text), end_text(testbed, to, other));
    else if (testbed->cable_count == TESTBED_CABLES)
        testbed_fail(reader, reader->mesh_line, "a mesh of more than %d cables, expected fewer", TESTBED_CABLES);
    else
        testbed->cables[testbed->cable_count++] = (struct testbed_cable){.ends = {from, to}, .delay_ns = 10};
}

/* Every link of the mesh that leaves a board has a cable: without a section [cables] these are made here. */
static void complete_cables(struct testbed_reader *reader, const int *owners)
{
    const struct testbed *testbed = reader->testbed;
    for (unsigned i = 0; i < testbed->board_count; i++)
        for (unsigned connector = 0; connector < connectors(&testbed->boards[i]); connector++) {
            struct testbed_end from = {i, connector}, to;
            if (!reader->failed && partner(testbed, owners, from, &to) && !has_cable(testbed, from))
                add_cable(reader, from, to);
        }
}

static void check_cables(struct testbed_reader *reader, const int *owners)
{
    const struct testbed *testbed = reader->testbed;
    for (unsigned i = 0; i < testbed->cable_count && !reader->failed; i++) {
        check_cable(reader, &testbed->cables[i]);
        if (!reader->failed && owners)
            check_against_mesh(reader, owners, &testbed->cables[i]);
    }
}

static void check_channels(struct testbed_reader *reader)
{
    const struct testbed *testbed = reader->testbed;
    for (unsigned i = 0; i < testbed->channel_count; i++) {
        const struct testbed_channel *channel = &testbed->channels[i];
        const struct testbed_board *board = &testbed->boards[channel->board];
        if (channel->link != TESTBED_LOCAL && channel->link >= connectors(board))
            testbed_fail(reader, channel->line,
                         "%s: %s.%s: a board of type %s has no such connector, expected east, west, "
                         "north or south",
                         channel->name, board->name, testbed_link_name(channel->link), board->type);
    }
}

void testbed_check(struct testbed_reader *reader)
{
    int *owners = NULL;
    if (!reader->testbed->board_count)
        testbed_fail(reader, reader->line, "no board, expected a section [board NAME]");
    if (!reader->failed)
        check_mesh(reader);
    if (!reader->failed)
        check_types(reader);
    set_firmware(reader);
    if (!reader->failed)
        check_boards(reader);
    if (!reader->failed && reader->testbed->has_mesh)
        owners = check_sites(reader);
    check_cables(reader, owners);
    if (!reader->failed && owners) {
        complete_cables(reader, owners);
        check_cables(reader, owners);
    }
    if (!reader->failed)
        check_channels(reader);
    free(owners);
}
