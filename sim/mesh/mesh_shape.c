/* The shape of a mesh, from its keys.
 *
 * SPDX-License-Identifier: ISC
 */
#include "mesh/mesh_shape.h"

#include "mesh/mesh_cables.h"

/* Does the size suit the word width? An address must fit a word (up to 14 dimensions fit any). */
static void check_size(struct mesh_parser *parser)
{
    struct mesh_config *config = parser->config;
    int side = 1 << mesh_coordinate_width(config);
    int line = mesh_parse_blame(parser, KEY_SIZE, KEY_WORD_WIDTH, KEY_WORD_WIDTH);
    if (parser->key_lines[KEY_SIZE] && (config->size_x > side || config->size_y > side))
        mesh_parse_fail(parser, line, "size %dx%d, expected at most %dx%d with %d-bit words", config->size_x,
                        config->size_y, side, side, config->word_width);
}

/* The keys of a topology's shape: as many as must be given. */
struct shape_keys {
    enum mesh_key_index keys[2];
    int count;
};

static const struct shape_keys shapes[PR_TOPOLOGIES] = {
    [PR_TOPOLOGY_GRID] = {{KEY_SIZE}, 1},
    [PR_TOPOLOGY_TORUS] = {{KEY_SIZE}, 1},
    [PR_TOPOLOGY_HYPERCUBE] = {{KEY_DIMENSIONS}, 1},
    [PR_TOPOLOGY_GRAPH] = {{KEY_SITES, KEY_LINKS}, 2},
};

static bool has_key(const struct shape_keys *shape, enum mesh_key_index key)
{
    return key == shape->keys[0] || (shape->count == 2 && key == shape->keys[1]);
}

/* A key that another topology has is refused, and one that this has must be given. */
static void check_key(struct mesh_parser *parser, const struct shape_keys *shape, enum mesh_key_index key)
{
    const int *lines = parser->key_lines;
    const char *name = mesh_keys[key].name;
    char expected[MESH_EXPECTED_TEXT];
    mesh_key_expected(&mesh_keys[key], "", expected, sizeof expected);
    if (lines[key] && !has_key(shape, key))
        mesh_parse_fail(parser, lines[key], "%s of a %s, expected %s", name,
                        mesh_topology_name(parser->config->topology), mesh_keys[shape->keys[0]].name);
    else if (!lines[key] && has_key(shape, key))
        mesh_parse_fail(parser, lines[KEY_TOPOLOGY], "no %s, expected %s in [mesh]: %s", name, name, expected);
}

static void check_shape_keys(struct mesh_parser *parser)
{
    const struct shape_keys *shape = &shapes[parser->config->topology];
    for (int topology = 0; topology < PR_TOPOLOGIES; topology++)
        for (int i = 0; i < shapes[topology].count; i++)
            if (!has_key(shape, shapes[topology].keys[i]))
                check_key(parser, shape, shapes[topology].keys[i]);
    for (int i = 0; i < shape->count; i++)
        check_key(parser, shape, shape->keys[i]);
}

void mesh_check_shape(struct mesh_parser *parser)
{
    struct mesh_config *config = parser->config;
    char expected[MESH_EXPECTED_TEXT];
    mesh_key_expected(&mesh_keys[KEY_TOPOLOGY], "", expected, sizeof expected);
    if (!parser->key_lines[KEY_TOPOLOGY])
        mesh_parse_fail(parser, parser->line, "no topology, expected topology in [mesh]: %s", expected);
    else
        check_shape_keys(parser);
    if (parser->failed)
        return;
    if (mesh_is_hypercube(config)) {
        config->size_x = config->dimensions;
        config->size_y = 1;
    }
    struct pr_shape shape = mesh_shape(config);
    mesh_set_shape(config, &shape);
    check_size(parser);
    if (!parser->failed)
        mesh_check_cables(parser);
}
