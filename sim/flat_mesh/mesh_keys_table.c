/* See mesh_keys_table.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "flat_mesh/mesh_keys_table.h"

#include "mesh/discipline.h"
#include "mesh/mesh_keys.h"

#include <string.h>

static const char heading[] =
    "<!-- Written by `make mesh-keys` from the rows of sim/mesh/mesh_keys.c: edit those. -->\n\n"
    "# Keys of a .mesh file\n\n"
    "A key without a default must be given where it applies. The column *fabric* names the disciplines that have the key;\n"
    "each lists its keys in its `discipline.ini`. [README.md](README.md#the-mesh-file) describes the file, and\n"
    "[hw/cutthrough/rules.md](../hw/cutthrough/rules.md) the rules that are named here.\n\n"
    "| section | key | value | default | fabric | what it is |\n"
    "|---|---|---|---|---|---|\n";

static const char graph[] =
    "\n## Cables and switches of a graph\n\n"
    "With `[mesh] topology = graph` the file lists the cables. Both ends of a cable are sites with a port each, counted from\n"
    "0. A cable may have a delay, the clocks that a word takes on it; without one it is 1. All sites have to be joined.\n\n"
    "| section | key | value | what it is |\n"
    "|---|---|---|---|\n"
    "| `cables` | `SITE.PORT` | `SITE.PORT` or `SITE.PORT DELAY` | a cable; delays go up to %d clocks. Which end comes first "
    "makes no difference |\n"
    "| `sites` | `switch` | sites, as `6-9` or `0,6-9` | switches: they have a fabric and no operator, nobody answers for them, "
    "and no traffic is for them |\n";

static const char lists_heading[] =
    "\n## Preference lists\n\n"
    "With `[routing] unicast = list` unicasts take the outputs that the section `unicast` lists.\n\n"
    "| section | key | value | what it is |\n"
    "|---|---|---|---|\n";

/* The disciplines that have a key. */
static void write_fabrics(FILE *out, const struct mesh_key *key)
{
    const char *between = "";
    if (!key->of_discipline)
        fputs("all", out);
    for (unsigned i = 0; key->of_discipline && i < discipline_count; i++)
        if (discipline_has_key(&disciplines[i], key->section, key->name)) {
            fprintf(out, "%s%s", between, disciplines[i].name);
            between = ", ";
        }
}

static void write_default(FILE *out, const struct mesh_key *key)
{
    const char *preset = key->kind == KEY_IS_DISCIPLINE ? discipline_default()->name : key->preset;
    if (preset)
        fprintf(out, "`%s`", preset);
    else
        fputs("none", out);
}

static void write_key(FILE *out, const struct mesh_key *key)
{
    char expected[200];
    mesh_key_expected(key, "`", expected, sizeof expected);
    fprintf(out, "| `%s` | `%s` | %s | ", key->section, key->name, expected);
    write_default(out, key);
    fputs(" | ", out);
    write_fabrics(out, key);
    fprintf(out, " | %s |\n", key->meaning);
}

/* `from`, ..., the name before `to`. */
static void write_names(FILE *out, const char *const *names, int from, int to)
{
    for (int i = from; i < to && names[i]; i++)
        fprintf(out, "%s`%s`", i == from ? "" : ", ", names[i]);
}

static void write_list_row(FILE *out, int from, int to, const char *value, const char *meaning)
{
    fprintf(out, "| `%s` | ", mesh_list_section);
    write_names(out, mesh_list_directions, from, to);
    fprintf(out, " | %s", value);
    if (to == LIST_DIRECTIONS)
        write_names(out, mesh_cube_orders, 0, LIST_DIRECTIONS);
    fprintf(out, " | %s |\n", meaning);
}

void mesh_keys_table_write(FILE *out)
{
    enum { QUADRANTS = 4, AXES = 8 };
    fputs(heading, out);
    for (int i = 0; i < KEY_COUNT; i++)
        write_key(out, &mesh_keys[i]);
    fprintf(out, graph, MESH_DELAY_MAX);
    fputs(lists_heading, out);
    write_list_row(out, 0, QUADRANTS, "one or two ports, the preferred first: `north east`",
                   "grid and torus: all four must be given. One port: that dimension first, strictly. Ports that lead "
                   "elsewhere, or over the edge, are refused");
    write_list_row(out, QUADRANTS, AXES, "one port", "grid and torus: where only one dimension is left; may be given");
    write_list_row(out, AXES, LIST_DIRECTIONS, "",
                   "hypercube: which differing dimension is taken; with `_first` any other may be taken too");
}
