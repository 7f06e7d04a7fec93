/* See chip_object.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "bitstream/chip_object.h"

#include "bitstream/chip_family.h"
#include "bitstream/netlist.h"
#include "bitstream/slices.h"
#include "bitstream/slices_write.h"
#include "support/install_paths.h"

#include <dlfcn.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct chip_family *const families[] = {&chip_ice40, &chip_ecp5};

/* Of board.conf. */
struct board_kind {
    char family[CHIP_PACKAGE], package[CHIP_PACKAGE];
};

static int take_kind(void *context, const char *section, const char *name, const char *value)
{
    struct board_kind *kind = context;
    if (strcmp(section, "board") == 0 && strcmp(name, "family") == 0)
        snprintf(kind->family, sizeof kind->family, "%s", value);
    if (strcmp(section, "board") == 0 && strcmp(name, "package") == 0)
        snprintf(kind->package, sizeof kind->package, "%s", value);
    return 1;
}

/* The family and package of a board's FPGA. NULL with a reason. */
static const struct chip_family *find_family(const char *top, const char *board, struct board_kind *kind, char *error,
                                             size_t error_size)
{
    char path[CHIP_PATH];
    *kind = (struct board_kind){.family = ""};
    snprintf(path, sizeof path, "%s/boards/%s/board.conf", top, board);
    if (ini_parse(path, take_kind, kind) != 0)
        snprintf(error, error_size, "%s: expected the settings of a board", path);
    else
        snprintf(error, error_size, "%s: family %s: expected ice40- or ecp5-, of which bitstreams have a model", path,
                 kind->family);
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (strncmp(kind->family, families[i]->name, strlen(families[i]->name)) == 0)
            return families[i];
    return NULL;
}

/* The C text of the bitstream, which the caller frees. */
static char *make_text(const struct chip_family *family, void *bits, const struct chip_files *files, size_t *size)
{
    char *text = NULL;
    struct netlist *netlist = family->netlist(bits, files);
    if (!netlist)
        return NULL;
    FILE *out = open_memstream(&text, size);
    int status = out ? slices_write(out, netlist, files->error, files->error_size) : -1;
    if (!out || fclose(out) != 0 || status != 0) {
        free(text);
        text = NULL;
    }
    netlist_free(netlist);
    return text;
}

static bool write_file(const char *path, const char *text, size_t size)
{
    FILE *out = fopen(path, "we");
    bool good = out && fwrite(text, 1, size, out) == size;
    return out && fclose(out) == 0 && good;
}

/* An object is good as long as neither this program, which writes the text, nor the board's list of pins is newer. */
static bool is_good(const char *object, const char *pins)
{
    struct stat made, other;
    if (stat(object, &made) != 0)
        return false;
    const char *const newer[] = {"/proc/self/exe", pins};
    for (size_t i = 0; i < sizeof newer / sizeof *newer; i++)
        if (stat(newer[i], &other) == 0 && other.st_mtime > made.st_mtime)
            return false;
    return true;
}

/* Writes the text to a file and compiles it. The object is renamed into place, so that runs at the same time do not
 * disturb each other. */
static int compile(const struct chip_files *files, const char *object, const char *text, size_t size)
{
    char source[CHIP_PATH], made[CHIP_PATH], log[CHIP_PATH], include[CHIP_PATH];
    snprintf(source, sizeof source, "%s-%d.c", object, (int)getpid());
    snprintf(made, sizeof made, "%s-%d.new", object, (int)getpid());
    snprintf(log, sizeof log, "%s.log", object);
    snprintf(include, sizeof include, "-I%s/sim", files->top);
    /* -O1: with -O2 it takes twice as long to compile and is slower. */
    char *arguments[] = {strdupa("gcc"), strdupa("-O1"), strdupa("-w"), strdupa("-fPIC"), strdupa("-shared"),
                         include,        strdupa("-o"),  made,          source,           NULL};
    bool good = write_file(source, text, size) && chip_run(log, arguments) && rename(made, object) == 0;
    unlink(source);
    if (!good)
        snprintf(files->error, files->error_size, "%s cannot be made, see %s", object, log);
    return good ? 0 : -1;
}

static int bring_up_to_date(const struct chip_family *family, void *bits, const struct chip_files *files,
                            const char *object)
{
    size_t size;
    if (is_good(object, files->pins))
        return 0;
    char *text = make_text(family, bits, files, &size);
    int status = text ? compile(files, object, text, size) : -1;
    free(text);
    return status;
}

static int load_object(const char *path, struct chip_object *out, char *error, size_t error_size)
{
    out->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    out->class = out->handle ? dlsym(out->handle, "slices_class") : NULL;
    if (out->class && out->class->version == SLICES_VERSION)
        return 0;
    snprintf(error, error_size, "%s: not an object of this program: remove it", path);
    if (out->handle)
        dlclose(out->handle);
    return -1;
}

static int load(const struct chip_family *family, const char *board, const struct chip_files *files,
                struct chip_object *out)
{
    char object[CHIP_PATH];
    void *bits = family->read(files);
    if (!bits)
        return -1;
    uint64_t hash = family->logic(bits, chip_hash_text(0xcbf29ce484222325u, board));
    snprintf(object, sizeof object, "%s/%016llx.so", files->folder, (unsigned long long)hash);
    int status = bring_up_to_date(family, bits, files, object);
    if (status == 0)
        status = load_object(object, out, files->error, files->error_size);
    if (status == 0)
        family->rams(bits, &out->rams);
    family->free(bits);
    return status;
}

int chip_object_load(const char *bitstream, const char *board, struct chip_object *out, char *error, size_t error_size)
{
    char top[PATH_MAX], file[CHIP_PATH], pins[CHIP_PATH], folder[PATH_MAX + 32];
    static const char *const parts[] = {"build", "build/sim", "build/sim/bitstream"};
    struct board_kind kind;
    *out = (struct chip_object){.handle = NULL};
    if (install_paths_top(top, sizeof top) != 0) {
        snprintf(error, error_size, "%s", install_paths_no_top);
        return -1;
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        snprintf(folder, sizeof folder, "%s/%s", top, parts[i]);
        mkdir(folder, 0777);
    }
    const struct chip_family *family = find_family(top, board, &kind, error, error_size);
    if (!family)
        return -1;
    snprintf(file, sizeof file, *bitstream == '/' ? "%.0s%s" : "%s/%s", top, bitstream);
    snprintf(pins, sizeof pins, "%s/boards/%s/%s", top, board, family->pins);
    const struct chip_files files = {top, folder, file, pins, kind.package, error, error_size};
    return load(family, board, &files, out);
}

void chip_object_free(struct chip_object *object)
{
    for (uint32_t i = 0; i < object->rams.count; i++)
        free(object->rams.list[i].words);
    free(object->rams.list);
    dlclose(object->handle);
}
