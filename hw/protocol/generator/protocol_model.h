/*
 * The protocol data files in memory: constants from tags.ini, packet.ini and records.ini, blocks, registers and
 * counters from registers.ini, straps from straps.ini. hw/protocol/README.md describes the files.
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_HW_PROTOCOL_GENERATOR_PROTOCOL_MODEL_H
#define POSTROAD_HW_PROTOCOL_GENERATOR_PROTOCOL_MODEL_H

#include <stddef.h>
#include <stdint.h>

enum { NAME_SIZE = 48, TEXT_SIZE = 400, GROUP_CONSTANTS = 24, BLOCK_REGISTERS = 32, REGISTER_FIELDS = 12 };
enum { MODEL_GROUPS = 64, MODEL_BLOCKS = 12, MODEL_COUNTERS = 64, MODEL_STRAPS = 64 };
enum { HARDWARE_COUNTERS = 64 }; /* counters with an index below are the hardware's, the others the operator's */

struct constant {
    char name[NAME_SIZE]; /* as in the file, lower case */
    uint32_t value;
    char text[TEXT_SIZE];
};

struct group {
    char name[NAME_SIZE], title[TEXT_SIZE], prefix[NAME_SIZE];
    unsigned width;       /* bits in Verilog */
    unsigned radix;       /* 16: small numbers are shown in hexadecimal as well */
    char list[NAME_SIZE]; /* not empty: the group is a table too, as the macro of this name + _LIST */
    struct constant constants[GROUP_CONSTANTS];
    size_t constant_count;
};

struct field {
    unsigned low, width;
    char name[NAME_SIZE], text[TEXT_SIZE];
};

enum access { ACCESS_NONE, ACCESS_RO, ACCESS_RW, ACCESS_WO };
enum reset_kind { RESET_NUMBER, RESET_STRAP, RESET_PARAMETER, RESET_VOLATILE };

struct reg {
    char name[NAME_SIZE], text[TEXT_SIZE];
    uint32_t offset, write_mask, reset;
    enum access access;
    enum reset_kind reset_kind;
    char strap[NAME_SIZE]; /* RESET_STRAP, RESET_PARAMETER: which one of the site */
    unsigned bytes, count; /* count > 1: a row, 4 bytes apart */
    int stalls;
    struct field fields[REGISTER_FIELDS];
    size_t field_count;
};

struct block {
    char name[NAME_SIZE], title[TEXT_SIZE], text[TEXT_SIZE];
    uint32_t base, size;
    struct reg registers[BLOCK_REGISTERS];
    size_t register_count;
};

struct counter {
    char name[NAME_SIZE], owner[NAME_SIZE], text[TEXT_SIZE];
    unsigned index, count; /* count > 1: one a port */
};

enum strap_of { STRAP_NONE, STRAP_MESH, STRAP_SITE, STRAP_DISCIPLINE };

struct strap {
    char name[NAME_SIZE], text[TEXT_SIZE];
    char field[NAME_SIZE]; /* STRAP_MESH: field of struct mesh_config */
    enum strap_of of;
    unsigned width, low; /* its bits of the vector of straps */
};

struct protocol_model {
    struct group groups[MODEL_GROUPS];
    size_t group_count;
    struct block blocks[MODEL_BLOCKS];
    size_t block_count;
    struct counter counters[MODEL_COUNTERS];
    size_t counter_count;
    struct strap straps[MODEL_STRAPS];
    size_t strap_count;
};

/* Reads tags.ini, packet.ini, records.ini, registers.ini and straps.ini in `directory` into `model`, which the caller
 * owns. 0, or -1 with "FILE:LINE: reason" in error. */
int protocol_model_load(const char *directory, struct protocol_model *model, char *error, size_t error_size);

/* Reads console.ini alike: every section is a group, of which the messages are the fields of a payload. */
int protocol_model_load_console(const char *directory, struct protocol_model *model, char *error, size_t error_size);

/* The bits of a field in place. */
uint32_t protocol_field_mask(const struct field *field);

/* The strap that a register shows, NULL if it shows none. */
const struct strap *protocol_strap_of(const struct protocol_model *model, const struct reg *reg);

/* Bits of the vector of straps: a whole number of 32-bit words. */
unsigned protocol_strap_bits(const struct protocol_model *model);

#endif
