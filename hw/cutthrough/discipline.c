/* What the rows of discipline.ini cannot say: preference lists of unicasts.
 *
 * SPDX-License-Identifier: ISC
 */
#include "mesh/mesh_own.h"
#include "mesh/mesh_parser.h"
#include "protocol.h"

enum { STRICT, ADAPTIVE, LISTED }; /* values of routing.unicast */
enum { QUADRANTS = 4, KEYS = 9 };
enum { ORDER_X_FIRST = 0x00, ORDER_Y_FIRST = 0x55 }; /* lists of one order of dimensions everywhere */

/* The quadrants first, then north and south, east and west, and that of a hypercube. */
static const char *const lists[KEYS] = {"unicast.north_east", "unicast.north_west", "unicast.south_east",
                                        "unicast.south_west", "unicast.north",      "unicast.south",
                                        "unicast.east",       "unicast.west",       "unicast.any"};
static const char section[] = "unicast.";

static const char *short_name(const char *list)
{
    return list + sizeof section - 1;
}

static void set_quadrants(struct mesh_config *config, uint32_t code)
{
    for (int i = 0; i < QUADRANTS; i++)
        mesh_own_set(config, lists[i], code);
}

static void check_unused(struct mesh_parser *parser)
{
    for (int i = 0; i < KEYS; i++)
        if (mesh_parse_line(parser, lists[i]))
            mesh_parse_fail(parser, mesh_parse_line(parser, lists[i]),
                            "%s in [unicast], a list that nothing uses, expected unicast = list in [routing]",
                            short_name(lists[i]));
}

static void check_cube(struct mesh_parser *parser)
{
    const char *any = lists[KEYS - 1];
    for (int i = 0; i < KEYS - 1; i++)
        if (mesh_parse_line(parser, lists[i]))
            mesh_parse_fail(parser, mesh_parse_line(parser, lists[i]), "%s in a hypercube, expected any",
                            short_name(lists[i]));
    if (!mesh_parse_line(parser, any))
        mesh_parse_fail(parser, mesh_parse_later(parser, "routing.unicast", any),
                        "no list for any in [unicast], expected lowest, highest, lowest_first or highest_first");
    set_quadrants(parser->config, mesh_own(parser->config, any));
}

/* Does the list of a quadrant or an axis have a port that leads over the edge, since all sites are in one row? */
static bool leads_out(const struct mesh_config *config, int list)
{
    uint32_t code = mesh_own(config, lists[list]);
    bool axis = list >= QUADRANTS, y_axis = list < QUADRANTS + 2;
    bool takes_x = axis ? !y_axis : code != PR_LIST_Y, takes_y = axis ? y_axis : code != PR_LIST_X;
    return (takes_x && config->size_x == 1) || (takes_y && config->size_y == 1);
}

static void check_quadrants(struct mesh_parser *parser)
{
    const struct mesh_config *config = parser->config;
    bool flat = config->size_x == 1 || config->size_y == 1;
    for (int i = 0; i < KEYS; i++) {
        int line = mesh_parse_line(parser, lists[i]);
        const char *name = short_name(lists[i]);
        if (!line && i < QUADRANTS && !flat)
            mesh_parse_fail(parser, mesh_parse_line(parser, "routing.unicast"),
                            "no list for %s, expected %s in [unicast]", name, name);
        else if (line && i == KEYS - 1)
            mesh_parse_fail(parser, line,
                            "any belongs to a hypercube, expected north_east, north_west, south_east, south_west");
        else if (line && leads_out(config, i))
            mesh_parse_fail(parser, line,
                            "%s lists a port that leads over the edge, expected ports that size %dx%d has", name,
                            config->size_x, config->size_y);
    }
}

/* Without diversion only one order of dimensions everywhere is free of deadlock. */
static void check_never(struct mesh_parser *parser)
{
    uint32_t order = mesh_own_straps(parser->config);
    if (parser->config->divert_threshold == MESH_DIVERT_NEVER && order != ORDER_X_FIRST && order != ORDER_Y_FIRST)
        mesh_parse_fail(parser, mesh_parse_later(parser, "thresholds.divert", "routing.unicast"),
                        "divert = never with this unicast routing, expected strict dimension order");
}

static void check(struct mesh_parser *parser)
{
    struct mesh_config *config = parser->config;
    uint32_t order = mesh_own(config, "routing.unicast");
    if (order != LISTED) {
        check_unused(parser);
        set_quadrants(config, order == STRICT ? PR_LIST_X : PR_LIST_X_THEN_Y);
    } else if (mesh_is_hypercube(config)) {
        check_cube(parser);
    } else {
        check_quadrants(parser);
    }
    check_never(parser);
}

/* Where heads go in dimension order (README.md, "Clocks"). */
static unsigned idle_clocks(const struct mesh_config *mesh, unsigned hops, unsigned turns)
{
    enum { TO_ITSELF = 5, TO_OTHERS = 7, TURN = 2 };
    if (mesh_own(mesh, "routing.unicast") != STRICT)
        return 0;
    return hops ? hops + TO_OTHERS + TURN * turns : TO_ITSELF;
}

const struct discipline_code cutthrough_code = {.check = check, .idle_clocks = idle_clocks};
