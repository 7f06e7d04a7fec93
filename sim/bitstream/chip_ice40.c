/* Bitstreams of iCE40 boards, for chip_object: IceStorm unpacks them.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "bitstream/chip_family.h"

#include "bitstream/ice40_asc.h"
#include "bitstream/ice40_chipdb.h"
#include "bitstream/ice40_netlist.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void *read_bits(const struct chip_files *files)
{
    char unpacked[CHIP_PATH], log[CHIP_PATH];
    if (chip_ends_with(files->file, ".asc"))
        return ice40_asc_read(files->file, files->error, files->error_size);
    snprintf(unpacked, sizeof unpacked, "%s/unpacked-%d.asc", files->folder, (int)getpid());
    snprintf(log, sizeof log, "%s/unpacked-%d.log", files->folder, (int)getpid());
    char program[] = "iceunpack", *arguments[] = {program, strdupa(files->file), unpacked, NULL};
    struct ice40_asc *asc = NULL;
    if (chip_run(log, arguments))
        asc = ice40_asc_read(unpacked, files->error, files->error_size);
    else
        snprintf(files->error, files->error_size,
                 "%s: iceunpack cannot read it, expected a packed iCE40 bitstream and Debian's package fpga-icestorm",
                 files->file);
    unlink(unpacked);
    unlink(log);
    return asc;
}

static void free_bits(void *bits)
{
    ice40_asc_free(bits);
}

static uint64_t logic(const void *bits, uint64_t hash)
{
    const struct ice40_asc *asc = bits;
    for (int x = 0; x < ICE40_SIDE; x++)
        for (int y = 0; y < ICE40_SIDE; y++)
            hash = chip_hash(hash, asc->tiles[x][y].bits, sizeof asc->tiles[x][y].bits);
    return chip_hash(hash, asc->extra_bits, sizeof asc->extra_bits);
}

static struct netlist *make_netlist(void *bits, const struct chip_files *files)
{
    char path[CHIP_PATH];
    const struct ice40_asc *asc = bits;
    snprintf(path, sizeof path, "/usr/share/fpga-icestorm/chipdb/chipdb-%s.txt", asc->device);
    struct ice40_chipdb *chipdb = ice40_chipdb_read(path, files->package, asc, files->error, files->error_size);
    if (!chipdb)
        return NULL;
    struct netlist *netlist = ice40_netlist(asc, chipdb, files->pins, files->error, files->error_size);
    ice40_chipdb_free(chipdb);
    return netlist;
}

static void rams(const void *bits, struct chip_rams *list)
{
    const struct ice40_asc *asc = bits;
    for (int x = 0; x < ICE40_SIDE; x++)
        for (int y = 0; y < ICE40_SIDE; y++)
            if (asc->tiles[x][y].words)
                chip_rams_add(list, ice40_ram_number(x, y), asc->tiles[x][y].words, ICE40_RAM_WORDS);
}

const struct chip_family chip_ice40 = {
    .name = "ice40-",
    .pins = "pins.pcf",
    .read = read_bits,
    .free = free_bits,
    .logic = logic,
    .netlist = make_netlist,
    .rams = rams,
};
