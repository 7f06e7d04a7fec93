/* See mesh_keys_table.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "flat_mesh/mesh_keys_table.h"

#include "mesh/discipline.h"
#include "mesh/mesh_keys.h"

#include <string.h>

static const char heading[] =
    "<!-- Written by `make doc` from the rows of sim/mesh/mesh_keys.c and of the disciplines: edit those. -->\n\n"
    "# Keys of a .mesh file\n\n"
    "A key without a default must be given where it applies. The column *fabric* names the disciplines that have the key; what\n"
    "one of them has alone follows below. [sim/README.md](../sim/README.md#the-mesh-file) describes the file, and\n"
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

static const char own_heading[] = "\n## Keys of fabric %s alone\n\n"
                                  "| section | key | value | default | what it is |\n"
                                  "|---|---|---|---|---|\n";

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
    if (!key->own) {
        fputs(" | ", out);
        write_fabrics(out, key);
    }
    fprintf(out, " | %s |\n", key->meaning);
}

static void write_own(FILE *out, const struct discipline *discipline)
{
    if (discipline->own_count)
        fprintf(out, own_heading, discipline->name);
    for (unsigned i = 0; i < discipline->own_count; i++)
        write_key(out, &discipline->own[i].key);
}

void mesh_keys_table_write(FILE *out)
{
    fputs(heading, out);
    for (int i = 0; i < KEY_COUNT; i++)
        write_key(out, &mesh_keys[i]);
    fprintf(out, graph, MESH_DELAY_MAX);
    for (unsigned i = 0; i < discipline_count; i++)
        write_own(out, &disciplines[i]);
}
