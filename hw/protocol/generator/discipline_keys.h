/*
 * The keys of .mesh files that one discipline has: sections [key SECTION.NAME] and [strap NAME] of its discipline.ini.
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_HW_PROTOCOL_GENERATOR_DISCIPLINE_KEYS_H
#define POSTROAD_HW_PROTOCOL_GENERATOR_DISCIPLINE_KEYS_H

#include <stdbool.h>
#include <stdio.h>

#include "generator/protocol_model.h"

enum { OWN_KEYS = 24, OWN_REFUSALS = 16, OWN_TEXT = 800 };

/* Where the hardware has a key: a field of the parameter OWN or of the strap `own`. width 0: nowhere. */
struct own_field {
    unsigned low, width;
};

struct own_row_key {
    char section[NAME_SIZE], name[NAME_SIZE];
    char kind[NAME_SIZE], values[TEXT_SIZE], codes[NAME_SIZE], unit[NAME_SIZE], preset[NAME_SIZE], sets[NAME_SIZE];
    char text[OWN_TEXT];
    uint32_t least, most;
    struct own_field strap, build;
    bool clocked;
    char changes[NAME_SIZE]; /* capabilities that its value `yes` adds, or takes from those of the row; empty: none */
    uint32_t changes_bits;   /* of NI_CAPABILITIES: the caller's */
};

/* `key` with one of `values` and the other key with one of `other_values` are refused. */
struct own_row_refusal {
    size_t key;
    char values[TEXT_SIZE], other_section[NAME_SIZE], other_name[NAME_SIZE], other_values[TEXT_SIZE],
        expected[TEXT_SIZE];
};

struct own_rows {
    struct own_row_key keys[OWN_KEYS];
    size_t key_count;
    struct own_row_refusal refusals[OWN_REFUSALS];
    size_t refusal_count;
    char site_strap_name[NAME_SIZE]; /* a strap of the discipline that differs between sites; empty: none */
    struct own_field site_strap;
};

/* One line of a section [key ...] or [strap ...]; false: not understood. */
bool own_rows_line(struct own_rows *rows, const char *section, const char *key, const char *value);

/* Gives every key its bits, and checks what a key lacks. NULL, or what is wrong, with the name of the key in `name`. */
const char *own_rows_finish(struct own_rows *rows, const char **name);

/* The parameter OWN of a mesh that sets `settings`, each SECTION.NAME=VALUE, or own=OWN, and no other key. False: no
 * such key of the hardware's build, or no such value; `bad` is then the setting. */
bool own_rows_build(const struct own_rows *rows, size_t count, char **settings, uint32_t *own, const char **bad);

/* The capabilities that the keys add, or take away, with this OWN. */
uint32_t own_rows_changed(const struct own_rows *rows, uint32_t own);

/* What struct discipline has of the keys, as a C initializer of NAME's tables before it and of members. */
void own_rows_emit_tables(const struct own_rows *rows, const char *name, FILE *out);
void own_rows_emit_members(const struct own_rows *rows, const char *name, FILE *out);

/* The fields as Verilog macros: NAME.vh beside discipline.ini. */
void own_rows_emit_verilog(const struct own_rows *rows, const char *name, FILE *out);

#endif
