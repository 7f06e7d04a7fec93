/* The shape of a mesh, from its keys.
 *
 * SPDX-License-Identifier: ISC
 */
#include "mesh/mesh_shape.h"

/* Does the size suit the word width? An address must fit a word (up to 14 dimensions fit any). */
static void check_size(struct mesh_parser *parser, enum mesh_key_index given)
{
    struct mesh_config *config = parser->config;
    int side = 1 << mesh_coordinate_width(config);
    int line = mesh_parse_blame(parser, given, KEY_WORD_WIDTH, KEY_WORD_WIDTH);
    if (given == KEY_SIZE && (config->size_x > side || config->size_y > side))
        mesh_parse_fail(parser, line, "size %dx%d, expected at most %dx%d with %d-bit words", config->size_x,
                        config->size_y, side, side, config->word_width);
}

/* The keys of a shape: those that must be given, and the one that another topology has. */
static void check_shape_keys(struct mesh_parser *parser, enum mesh_key_index wanted, enum mesh_key_index other)
{
    const int *lines = parser->key_lines;
    const char *name = mesh_keys[wanted].name;
    char expected[MESH_EXPECTED_TEXT];
    mesh_key_expected(&mesh_keys[lines[KEY_TOPOLOGY] ? wanted : KEY_TOPOLOGY], "", expected, sizeof expected);
    if (!lines[KEY_TOPOLOGY])
        mesh_parse_fail(parser, parser->line, "no topology, expected topology in [mesh]: %s", expected);
    else if (lines[other])
        mesh_parse_fail(parser, lines[other], "%s of a %s, expected %s", mesh_keys[other].name,
                        mesh_topology_name(parser->config->topology), name);
    else if (!lines[wanted])
        mesh_parse_fail(parser, lines[KEY_TOPOLOGY], "no %s, expected %s in [mesh]: %s", name, name, expected);
}

void mesh_check_shape(struct mesh_parser *parser)
{
    struct mesh_config *config = parser->config;
    bool cube = config->topology == PR_TOPOLOGY_HYPERCUBE;
    enum mesh_key_index wanted = cube ? KEY_DIMENSIONS : KEY_SIZE, other = cube ? KEY_SIZE : KEY_DIMENSIONS;
    check_shape_keys(parser, wanted, other);
    if (parser->failed)
        return;
    if (cube) {
        config->size_x = config->dimensions;
        config->size_y = 1;
    }
    struct pr_shape shape = mesh_shape(config);
    mesh_set_shape(config, &shape);
    check_size(parser, wanted);
}
