/* The disciplines that are built into a program: one row each, generated from discipline.ini in the discipline's
 * folder.
 *
 * A program gets the rows of the folders that DISCIPLINES named when the program was built (build/disciplines.c). No
 * other file outside a discipline's folder names the discipline.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_MESH_DISCIPLINE_H
#define POSTROAD_MESH_DISCIPLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mesh/mesh_key.h"

struct mesh_parser; /* mesh/mesh_parser.h */

struct discipline_counter {
    const char *name; /* as in registers.ini, or what the discipline calls it; NULL behind the last */
    unsigned index;   /* PR_COUNTER_* */
};

/* Bits of a vector of 32: of the parameter OWN of site_fabric, or of the strap `own`. width 0: none. */
struct own_field {
    uint8_t low, width;
};

/* A key that no other discipline has. */
struct own_key {
    struct mesh_key key;
    struct own_field strap, build; /* where the hardware has it */
    const uint8_t *codes;          /* what the hardware has for each of `names`; NULL: the place there */
    uint32_t changes;              /* bits of NI_CAPABILITIES that the value `yes` adds, or takes away */
    bool clocked;                  /* with another value than the preset its sites count clocks */
    size_t sets;                   /* offset of a field in struct mesh_config that is this value too; 0: none */
};

/* A key with one of some values is refused where another key has one of some values. */
struct own_refusal {
    unsigned key; /* in `own` */
    const char *const *values;
    const char *other_section, *other_name;
    const char *const *other_values;
    const char *expected;
};

/* Where a reader is in what a link of lines shows; zero at first. */
struct line_reader {
    uint8_t state;
    uint32_t left, infos; /* words of a packet to come, and how many of them are target_info */
};

/* What no row can say, in discipline.c beside the row. Each function may be NULL. */
struct discipline_code {
    /* Reports what is wrong with several keys, and sets keys that follow from others. */
    void (*check)(struct mesh_parser *parser);
    /* Where sites count clocks: a site that rests is after so many as before. NULL: such sites never rest. */
    unsigned (*rest_clocks)(const struct mesh_config *mesh);
    /* The word of a packet, with its tag as on a link of words, that a link of lines shows in a clock of the mesh; 0:
     * none. A packet that goes in pieces is read until the end of the first. NULL: lines that cannot be read. */
    uint64_t (*read_line)(const struct mesh_config *mesh, unsigned site, unsigned link, uint64_t clock, uint64_t shown,
                          struct line_reader *reader);
    /* Source-routed, and it copies packets: may unicasts leave the tree of the multicasts? NULL: no. */
    bool (*frees_unicasts)(const struct mesh_config *mesh);
    /* Do its multicasts begin at the root of that tree? NULL: at the lowest site that has all targets below it. */
    bool (*starts_at_root)(const struct mesh_config *mesh);
    /* Clocks from network_interface to network_interface of the first word of a packet to one site that is alone in the
     * mesh, over so many links of a chip in dimension order; 0: unicasts may go another way here. NULL: not known. */
    unsigned (*idle_clocks)(const struct mesh_config *mesh, unsigned hops, unsigned turns);
    /* The strap that differs between sites. */
    uint32_t (*site_strap)(const struct mesh_config *mesh, unsigned site);
};

struct discipline {
    const char *name;          /* `fabric` in a .mesh file, name of the folder, part of a parameter set's name */
    const char *title;         /* where it was published */
    uint32_t number;           /* ID_DISCIPLINE in the node ID block */
    uint32_t topologies;       /* a bit for each PR_TOPOLOGY_* that it runs on */
    bool lines;                /* its links carry lines, not words */
    uint32_t link_tag_bits;    /* bits of a link beside those of a word */
    uint32_t link_bits;        /* lines: bits of a link, if they are not a word and its tag bits */
    uint32_t torus_link_bits;  /* the same on a torus; 0: a torus has no such links */
    uint32_t byte_clocks;      /* of 8 bits on such a link; 0: a word takes one clock */
    bool clocked;              /* its sites count clocks */
    uint32_t capabilities;     /* bits of NI_CAPABILITIES: what firmware may ask of it in every mesh */
    const char *const *keys;   /* SECTION.KEY of those rows of mesh_keys.c that it shares; NULL behind the last */
    const struct own_key *own; /* keys that no other discipline has */
    unsigned own_count;
    const struct own_refusal *refusals;
    unsigned refusal_count;
    struct own_field site_strap;               /* of the strap `own`, what differs between sites */
    const struct discipline_code *code;        /* NULL: its row says all */
    const struct discipline_counter *counters; /* of the events that tell how a run went */
};

extern const struct discipline disciplines[];
extern const unsigned discipline_count;

/* The discipline of a .mesh file that names none: number 0. */
const struct discipline *discipline_default(void);

/* NULL if no row has this name, or this number. */
const struct discipline *discipline_find(const char *name);
const struct discipline *discipline_numbered(uint32_t number);

/* All names, "or" before the last. */
void discipline_names(char *out, size_t size);

/* Clocks that a word takes on a link. */
unsigned discipline_word_clocks(const struct discipline *discipline, unsigned word_width);

/* NULL if it has no key of its own of this name. */
const struct own_key *discipline_own_key(const struct discipline *discipline, const char *section, const char *key);

/* Has it the key, be it its own or shared? */
bool discipline_has_key(const struct discipline *discipline, const char *section, const char *key);

#endif
