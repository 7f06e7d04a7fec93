/* See chip_object.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "bitstream/chip_object.h"

#include "bitstream/ice40_asc.h"
#include "bitstream/ice40_chipdb.h"
#include "bitstream/ice40_netlist.h"
#include "bitstream/netlist.h"
#include "bitstream/slices.h"
#include "bitstream/slices_write.h"
#include "model/install_paths.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ini.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_ROOM = PATH_MAX + 256, FAMILY_SIZE = 32 };

static const char pins_format[] = "%s/boards/%s/pins.pcf";
static const char chipdb_format[] = "/usr/share/fpga-icestorm/chipdb/chipdb-%s.txt";

/* Runs a program and waits. True: it ended well. What it prints goes to `log`. */
static bool run(const char *log, char *const *arguments)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        int file = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (file < 0 || dup2(file, STDOUT_FILENO) < 0 || dup2(file, STDERR_FILENO) < 0)
            _exit(126);
        execvp(arguments[0], arguments);
        _exit(127);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), end = strlen(ending);
    return length >= end && strcmp(text + length - end, ending) == 0;
}

/* Relative paths are relative to the top of the tree. */
static void absolute(const char *top, const char *path, char out[PATH_ROOM])
{
    snprintf(out, PATH_ROOM, *path == '/' ? "%.0s%s" : "%s/%s", top, path);
}

/* Reads a .asc, or a packed file through iceunpack. */
static struct ice40_asc *read_bitstream(const char *path, const char *folder, char *error, size_t error_size)
{
    char unpacked[PATH_ROOM + 32], log[PATH_ROOM + 32];
    if (ends_with(path, ".asc"))
        return ice40_asc_read(path, error, error_size);
    snprintf(unpacked, sizeof unpacked, "%s/unpacked-%d.asc", folder, (int)getpid());
    snprintf(log, sizeof log, "%s/unpacked-%d.log", folder, (int)getpid());
    char program[] = "iceunpack", *arguments[] = {program, strdupa(path), unpacked, NULL};
    struct ice40_asc *asc = NULL;
    if (run(log, arguments))
        asc = ice40_asc_read(unpacked, error, error_size);
    else
        snprintf(error, error_size,
                 "%s: iceunpack cannot read it, expected a packed iCE40 bitstream and Debian's "
                 "package fpga-icestorm",
                 path);
    unlink(unpacked);
    unlink(log);
    return asc;
}

static int take_family(void *context, const char *section, const char *name, const char *value)
{
    if (strcmp(section, "board") == 0 && strcmp(name, "family") == 0)
        snprintf(context, FAMILY_SIZE, "%s", value);
    return 1;
}

/* The package of a board's FPGA. */
static const char *find_package(const char *top, const char *board, char *error, size_t error_size)
{
    static const char *const packages[][2] = {{"ice40-hx8k", "ct256"}, {"ice40-up5k", "sg48"}};
    char path[PATH_ROOM], family[FAMILY_SIZE] = "";
    snprintf(path, sizeof path, "%s/boards/%s/board.conf", top, board);
    if (ini_parse(path, take_family, family) != 0)
        snprintf(error, error_size, "%s: expected the settings of a board", path);
    else
        snprintf(error, error_size,
                 "%s: family %s: expected ice40-hx8k or ice40-up5k, of which bitstreams have a model", path, family);
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++)
        if (strcmp(packages[i][0], family) == 0)
            return packages[i][1];
    return NULL;
}

/* The C text of the bitstream, which the caller frees. */
static char *make_text(const char *top, const char *board, const struct ice40_asc *asc, size_t *size, char *error,
                       size_t error_size)
{
    char chip[PATH_ROOM], pins[PATH_ROOM], *text = NULL;
    const char *package = find_package(top, board, error, error_size);
    if (!package)
        return NULL;
    snprintf(chip, sizeof chip, chipdb_format, asc->device);
    snprintf(pins, sizeof pins, pins_format, top, board);
    struct ice40_chipdb *chipdb = ice40_chipdb_read(chip, package, asc, error, error_size);
    struct netlist *netlist = chipdb ? ice40_netlist(asc, chipdb, pins, error, error_size) : NULL;
    if (netlist) {
        FILE *out = open_memstream(&text, size);
        int status = out ? slices_write(out, netlist, error, error_size) : -1;
        if (!out || fclose(out) != 0 || status != 0) {
            free(text);
            text = NULL;
        }
        netlist_free(netlist);
    }
    if (chipdb)
        ice40_chipdb_free(chipdb);
    return text;
}

static bool write_file(const char *path, const char *text, size_t size)
{
    FILE *out = fopen(path, "we");
    bool good = out && fwrite(text, 1, size, out) == size;
    return out && fclose(out) == 0 && good;
}

/* FNV-1a. */
static uint64_t add_bytes(uint64_t hash, const void *bytes, size_t count)
{
    for (const uint8_t *at = bytes, *end = at + count; at < end; at++)
        hash = (hash ^ *at) * 0x100000001b3u;
    return hash;
}

/* A number that is the same for bitstreams of the same logic on boards of the same kind. */
static uint64_t logic_hash(const struct ice40_asc *asc, const char *board)
{
    uint64_t hash = add_bytes(0xcbf29ce484222325u, board, strlen(board));
    for (int x = 0; x < ICE40_SIDE; x++)
        for (int y = 0; y < ICE40_SIDE; y++)
            hash = add_bytes(hash, asc->tiles[x][y].bits, sizeof asc->tiles[x][y].bits);
    return add_bytes(hash, asc->extra_bits, sizeof asc->extra_bits);
}

/* An object is good as long as neither this program, which writes the text, nor the board's list of pins is newer. */
static bool is_good(const char *object, const char *top, const char *board)
{
    char pins[PATH_ROOM];
    struct stat made, other;
    snprintf(pins, sizeof pins, pins_format, top, board);
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
static int compile(const char *top, const char *object, const char *text, size_t size, char *error, size_t error_size)
{
    char source[PATH_ROOM], made[PATH_ROOM], log[PATH_ROOM], include[PATH_ROOM];
    snprintf(source, sizeof source, "%s-%d.c", object, (int)getpid());
    snprintf(made, sizeof made, "%s-%d.new", object, (int)getpid());
    snprintf(log, sizeof log, "%s.log", object);
    snprintf(include, sizeof include, "-I%s/sim", top);
    /* -O1: with -O2 it takes twice as long to compile and is slower. */
    char *arguments[] = {strdupa("gcc"), strdupa("-O1"), strdupa("-w"), strdupa("-fPIC"), strdupa("-shared"),
                         include,        strdupa("-o"),  made,          source,           NULL};
    bool good = write_file(source, text, size) && run(log, arguments) && rename(made, object) == 0;
    unlink(source);
    if (!good)
        snprintf(error, error_size, "%s cannot be made, see %s", object, log);
    return good ? 0 : -1;
}

static int bring_up_to_date(const char *top, const char *object, const char *board, const struct ice40_asc *asc,
                            char *error, size_t error_size)
{
    size_t size;
    if (is_good(object, top, board))
        return 0;
    char *text = make_text(top, board, asc, &size, error, error_size);
    int status = text ? compile(top, object, text, size, error, error_size) : -1;
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

int chip_object_load(const char *bitstream, const char *board, struct chip_object *out, char *error, size_t error_size)
{
    char top[PATH_MAX], path[PATH_ROOM], folder[PATH_MAX + 32], object[PATH_ROOM];
    static const char *const parts[] = {"build", "build/sim", "build/sim/bitstream"};
    int status = -1;
    if (install_paths_top(top, sizeof top) != 0) {
        snprintf(error, error_size, "no sim/rules.mk above this program or the working folder, expected the project");
        return -1;
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        snprintf(folder, sizeof folder, "%s/%s", top, parts[i]);
        mkdir(folder, 0777);
    }
    absolute(top, bitstream, path);
    *out = (struct chip_object){.asc = read_bitstream(path, folder, error, error_size)};
    if (!out->asc)
        return -1;
    snprintf(object, sizeof object, "%s/%016llx.so", folder, (unsigned long long)logic_hash(out->asc, board));
    if (bring_up_to_date(top, object, board, out->asc, error, error_size) == 0)
        status = load_object(object, out, error, error_size);
    if (status != 0)
        ice40_asc_free(out->asc);
    return status;
}

void chip_object_free(struct chip_object *object)
{
    ice40_asc_free(object->asc);
    dlclose(object->handle);
}
