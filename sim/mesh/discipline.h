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

struct discipline_counter {
    const char *name; /* as in registers.ini; NULL behind the last */
    unsigned index;   /* PR_COUNTER_* */
};

struct discipline {
    const char *name;         /* `fabric` in a .mesh file, name of the folder, part of a parameter set's name */
    const char *title;        /* where it was published */
    uint32_t number;          /* ID_DISCIPLINE in the node ID block */
    uint32_t topologies;      /* a bit for each PR_TOPOLOGY_* that it runs on */
    bool lines;               /* its links carry lines, not words */
    uint32_t link_tag_bits;   /* words: bits of a link beside those of a word */
    uint32_t link_bits;       /* lines: bits of a link */
    uint32_t torus_link_bits; /* the same on a torus; 0: a torus has no such links */
    uint32_t byte_clocks;     /* of 8 bits on such a link */
    uint32_t capabilities;    /* bits of NI_CAPABILITIES: what firmware may ask of it */
    const char *const *keys;  /* SECTION.KEY of the .mesh keys that it has and others may lack; NULL behind the last */
    const struct discipline_counter *counters; /* of the events that tell how a run went */
};

extern const struct discipline disciplines[];
extern const unsigned discipline_count;

/* The discipline of a .mesh file that names none: number 0. */
const struct discipline *discipline_default(void);

/* NULL if no row has this name. */
const struct discipline *discipline_find(const char *name);

/* All names, "or" before the last. */
void discipline_names(char *out, size_t size);

/* Clocks that a word takes on a link. */
unsigned discipline_word_clocks(const struct discipline *discipline, unsigned word_width);

bool discipline_has_key(const struct discipline *discipline, const char *section, const char *key);

#endif
