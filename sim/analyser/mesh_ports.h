/* Which ports of a simulated mesh a capture has: those that have a neighbour there, of all sites or of some; or a few.
 *
 * Of a mesh whose sites are joined by wires each port has two channels, strobes as probe pins of boards show them
 * (hw/soc/strobe_probe.v): SITE.PORT.head changes its level when the first word of a packet has left the site through
 * the port, SITE.PORT.terminator when its last one has. Of a mesh of board links it has one, SITE.PORT: the line. Where
 * links have no words, it has one for each wire that the site drives there: SITE.PORT.data0 and on, one for each plane
 * that leaves by the port, and SITE.PORT.busy0 and on (hw/postman/postman_planes.v); or SITE.PORT.word0 and on, one for
 * each bit of a word, and SITE.PORT.tag0 and on (hw/csr/csr_node.v).
 *
 * The name of a port is that of its link without a space: 3.east.head, 3.dimension0.head.
 *
 * With a testbed they are the lines that its section [analyser] names, under the names of their channels, or else all
 * lines of its cables, BOARD.CONNECTOR. Simulated sites have no probe pins: channels at these are left out.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_ANALYSER_MESH_PORTS_H
#define POSTROAD_ANALYSER_MESH_PORTS_H

#include "analyser/capture_options.h"
#include "analyser/virtual_analyser.h"
#include "board/testbed.h"
#include "mesh/mesh.h"

enum mesh_port_kind { MESH_PORT_STROBES, MESH_PORT_LINE, MESH_PORT_WIRES };

enum mesh_port_strobe { MESH_PORT_HEAD, MESH_PORT_TERMINATOR, MESH_PORT_STROBE_COUNT };

enum { MESH_PORT_NAME = 2 * TESTBED_NAME };

struct mesh_port {
    unsigned site, link, neighbour, facing; /* `facing`: the link of the neighbour that leads back */
    char name[MESH_PORT_NAME];
};

struct mesh_ports {
    struct capture_options options;
    enum mesh_port_kind kind;
    unsigned channels_each; /* channel c of port p is number p * each + c */
    unsigned
        word_wires; /* wires that are bits of a word; the others are tag bits. 0: half of them are data, half busy */
    unsigned count;
    struct mesh_port list[ANALYSER_CHANNELS];
};

/* `text` as in capture_options.h; testbed: whose boards the sites are, or NULL. 0, or -1 with a reason: the text is
 * wrong, there is no port, or there are more than ANALYSER_CHANNELS. */
int mesh_ports_choose(const struct mesh_config *mesh, const struct testbed *testbed, const char *text,
                      struct mesh_ports *out, char *error, size_t error_size);

/* Writes the name of a channel. */
void mesh_ports_name(const struct mesh_ports *ports, unsigned channel, char *out, size_t size);

#endif
