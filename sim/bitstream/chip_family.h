/* What chip_object needs of a family of FPGAs: how its packed bitstreams are unpacked and become a netlist.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BITSTREAM_CHIP_FAMILY_H
#define POSTROAD_BITSTREAM_CHIP_FAMILY_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CHIP_PATH = PATH_MAX + 256, CHIP_PACKAGE = 32 };

struct chip_rams;
struct netlist;

/* top: of the tree; folder: for what is made; file: the bitstream; pins: the board's list of them. */
struct chip_files {
    const char *top, *folder, *file, *pins, *package;
    char *error;
    size_t error_size;
};

struct chip_family {
    const char *name; /* board.conf's family begins with it */
    const char *pins; /* the file in the board's folder */

    /* Unpacks and reads the file. NULL with a reason. */
    void *(*read)(const struct chip_files *files);
    void (*free)(void *bits);

    /* A number that is the same for bitstreams of the same logic. */
    uint64_t (*logic)(const void *bits, uint64_t hash);

    /* The caller frees it. NULL with a reason. */
    struct netlist *(*netlist)(void *bits, const struct chip_files *files);

    /* Adds copies of what its block RAMs hold. */
    void (*rams)(const void *bits, struct chip_rams *rams);
};

extern const struct chip_family chip_ice40, chip_ecp5;

/* ---- for the families ---- */

/* Runs a program and waits. True: it ended well. What it prints goes to `log`. */
bool chip_run(const char *log, char *const *arguments);

/* FNV-1a. */
uint64_t chip_hash(uint64_t hash, const void *bytes, size_t count);
uint64_t chip_hash_text(uint64_t hash, const char *text);

bool chip_ends_with(const char *text, const char *ending);

void chip_rams_add(struct chip_rams *rams, unsigned number, const uint16_t *words, size_t count);

#endif
