/* Mesh configuration: reads a .mesh file (INI) and answers questions about its topology.
 *
 * A .mesh file is logical: which fabric, which topology and size, word width, thresholds, buffers, and what the fabric
 * has of its own (mesh_own.h). `make doc` lists every key. Nothing here allocates; the caller owns every
 * structure.
 *
 * wire/topology.h defines the numbers of sites and links.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_MESH_MESH_H
#define POSTROAD_MESH_MESH_H

#include "protocol.h"
#include "wire/topology.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct discipline; /* mesh/discipline.h */

enum { MESH_PATH_SIZE = 1024, MESH_MAX_STRAP = 65535, MESH_OWN_KEYS = 24 };
enum { MESH_DIVERT_NEVER = 0xffff, MESH_ABORT_LEAST = 4, MESH_MAX_THRESHOLD = 32768 }; /* thresholds */

/* What joins the sites: links of a chip, or cables between board_links, the shared engine or eager links. */
enum mesh_board_links { MESH_LINKS_ON_CHIP, MESH_LINKS_SHARED, MESH_LINKS_EAGER };

/* What thresholds are multiplied by where links are board links, a power of two as they are; links of a site there. */
enum { MESH_BOARD_LINK_SCALE = 128, MESH_BOARD_LINKS_MAX = 4 };

/* Of a graph. */
enum { MESH_CABLES_MAX = 1024, MESH_DELAY_MAX = 4095 };

struct mesh_config {
    char path[MESH_PATH_SIZE];
    char fabric[16]; /* name of the discipline */
    const struct discipline *discipline;
    int topology;       /* PR_TOPOLOGY_* */
    int size_x, size_y; /* as in the node ID block: struct pr_shape */
    int dimensions;     /* hypercube: address bits; grid and torus: 2 */
    int sites;
    int links;                 /* of a site, connected or not */
    int word_width;            /* bits: 16 or 32 */
    unsigned divert_threshold; /* clocks, a power of two, 0 or MESH_DIVERT_NEVER */
    unsigned abort_threshold;  /* clocks, a power of two */
    unsigned retry_limit;      /* aborted tries before a packet's rest goes as unicasts (O6) */
    int board_links;           /* enum mesh_board_links; not 0: a wire each way a link */
    bool probe;                /* boards have pins for a logic analyser (hw/soc/strobe_probe.v) */
    unsigned link_clocks;      /* of a word on a link: 1, more on lines, PR_LINK_WORD_CLOCKS on board links */
    bool reliable;             /* delivery end to end, or the papers' raw service */
    unsigned relief_limit;     /* clocks, a power of two: how long relief holds a head back; 0: not at all */
    unsigned receive_patience; /* clocks without a receive buffer before packets are discarded; 0: for ever */
    unsigned downstream_depth, upstream_depth; /* words */
    unsigned max_packet;                       /* target words + data words */
    unsigned ram_bytes, clock_hz;
    char cpu[16];                /* "vexriscv" or "serv" */
    uint32_t own[MESH_OWN_KEYS]; /* values of the keys of the discipline, in the order of its rows */
    unsigned turn_clocks;   /* in which each part of a fabric has moved once: 1 unless a key of its own says more */
    unsigned sites_a_clock; /* that a bit crosses within a clock: 1 unless a key of its own says more */
    unsigned rest_clocks;   /* a site that rests is after so many as before; 0: its sites never rest */
    uint32_t hash;          /* FNV-1a of the settings; comments and order do not matter */

    /* Of a graph. */
    struct pr_cable cable_ends[2 * MESH_CABLES_MAX]; /* struct pr_cables */
    unsigned cable_end_count;
    uint64_t switches[PR_GRAPH_SITES_MAX / 64]; /* bit i % 64 of i / 64: site i has no operator */
};

struct mesh_settings; /* mesh_settings.h */

/* Reads the file at `path`. Returns 0, or -1 with "FILE:LINE: reason, expected ..." in `error`. */
int mesh_config_load(const char *path, struct mesh_config *out, char *error, size_t error_size);

/* The same with these settings in the place of the file's, of which `error` says "--set SECTION.KEY=VALUE: reason". In
 * *text, if it is not NULL: what was read, which the caller frees. */
int mesh_config_load_set(const char *path, const struct mesh_settings *settings, struct mesh_config *out, char **text,
                         char *error, size_t error_size);

/* The same for text in memory (not necessarily zero-terminated); `path` is only a name. */
int mesh_config_parse(const char *path, const char *text, size_t length, struct mesh_config *out, char *error,
                      size_t error_size);

/* Chooses the service after all, as --reliable does: hash and patience follow. Patience is the file's if that chose the
 * reliable service too, else the default. mesh_choose_service: 0, or -1 with a reason if the discipline refuses it with
 * another key (`refuse` in discipline.ini). */
void mesh_set_reliable(struct mesh_config *config, bool reliable);
int mesh_choose_service(struct mesh_config *config, bool reliable, char *error, size_t error_size);

const char *mesh_topology_name(int topology);

/* The shape, and what follows from it: dimensions, sites and links too. It must be valid but for too large a size. */
struct pr_shape mesh_shape(const struct mesh_config *config);
void mesh_set_shape(struct mesh_config *config, const struct pr_shape *shape);

/* Bits of one coordinate in an address: 7 with 16-bit words, 12 with 32-bit words. */
int mesh_coordinate_width(const struct mesh_config *config);

/* Address of a site (its number must exist), and the site at an address (-1 if there is none). */
int mesh_address(const struct mesh_config *config, int site);
int mesh_site(const struct mesh_config *config, int address);

/* The site at the far end of a link (-1: it leads over the edge), and the link of that site which comes back. */
struct pr_far_end mesh_far_end(const struct mesh_config *config, int site, int link);

/* The cables of a graph, and the clocks of a word from one end of a link to the other; 1 but for cables of a graph. */
struct pr_cables mesh_cables(const struct mesh_config *config);
unsigned mesh_delay(const struct mesh_config *config, int site, int link);

/* Has the site a fabric, and no operator? And the number of sites that have one. */
bool mesh_is_switch(const struct mesh_config *config, int site);
int mesh_operators(const struct mesh_config *config);

/* The links of a site that lead to a neighbour, a bit each. */
uint32_t mesh_connected_links(const struct mesh_config *config, unsigned site);

/* "chip", "shared" or "eager": what joins the sites. */
const char *mesh_links_kind(const struct mesh_config *config);

bool mesh_is_hypercube(const struct mesh_config *config);

/* Do links carry lines, as those of a torus, which are more than those of a grid? */
bool mesh_has_torus_lines(const struct mesh_config *config);

/* Bits of a link. */
unsigned mesh_link_width(const struct mesh_config *config);

/* Most clocks that a head waits before it is buffered where it is (U3); 0 if it never is. */
unsigned mesh_diversion_clocks(const struct mesh_config *config);

/* Most clocks that a packet stands because of the thresholds: in relief (R3), to its diversion or to its abort. */
unsigned mesh_longest_wait(const struct mesh_config *config);

#endif
