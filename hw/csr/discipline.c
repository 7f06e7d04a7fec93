/* What the rows of discipline.ini cannot say: of how many dimensions a node is made.
 *
 * SPDX-License-Identifier: ISC
 */
#include "mesh/discipline.h"
#include "mesh/mesh_parser.h"

/* A node has two modules at least, and the header of a segment holds two numbers of a site beside two bits. */
static void check(struct mesh_parser *parser)
{
    enum { LEAST = 2, MOST = 7 };
    const struct mesh_config *config = parser->config;
    if (config->dimensions < LEAST || config->dimensions > MOST)
        mesh_parse_fail(parser, mesh_parse_later(parser, "mesh.fabric", "mesh.dimensions"),
                        "dimensions %d with fabric %s, expected %d to %d", config->dimensions, config->fabric, LEAST,
                        MOST);
}

const struct discipline_code csr_code = {.check = check};
