/* See board_image.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "testbed/board_image.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/signals.h"
#include "loader/boot_image.h"
#include "loader/lock_image.h"
#include "support/input_file.h"
#include "support/install_paths.h"
#include "support/or_abort.h"
#include "testbed/golden_slot.h"
#include "testbed/tool_output.h"

enum { FILE_MAX = 8 * FLASH_LABEL_AT, PATH_ROOM = PATH_MAX + 64, NAME_ROOM = 256, TOOL_TEXT = 600 };

struct maker {
    struct board_image *image;
    const struct testbed *testbed;
    const struct testbed_board *board;
    const struct board_conf *conf;
    char *error;
    size_t error_size;
};

static struct board_region *add_region(struct maker *maker, uint32_t offset, uint8_t *bytes, size_t size)
{
    struct board_region *region = &maker->image->regions[maker->image->count++];
    *region = (struct board_region){.offset = offset, .bytes = bytes, .size = size};
    crypto_hash_sha256(region->hash, bytes, size);
    return region;
}

static int fail(struct maker *maker, const char *path, const char *reason)
{
    snprintf(maker->error, maker->error_size, "%s: %s", path, reason);
    return -1;
}

/* The goal of make that builds the file, where it is missing. */
static void add_goal(struct maker *maker, const char *goal)
{
    size_t used = strlen(maker->error);
    bool bitstream = strcmp(goal, "bitstream") == 0;
    snprintf(maker->error + used, maker->error_size - used, "; `make %s BOARD=%s%s%s` builds it", goal,
             maker->board->type, bitstream ? " MESH=" : "", bitstream ? maker->testbed->mesh.path : "");
}

/* The whole file; NULL with a reason. */
static uint8_t *read_file(struct maker *maker, const char *path, const char *goal, size_t *size)
{
    FILE *file = input_file_open(path);
    uint8_t *bytes = or_abort(malloc(FILE_MAX));
    *size = file ? fread(bytes, 1, FILE_MAX, file) : 0;
    if (!file || ferror(file) || *size == 0) {
        bool missing = !file && errno == ENOENT && strstr(path, "/bitstream/");
        fail(maker, path, file && !ferror(file) ? "empty, expected a bitstream" : strerror(errno));
        if (missing)
            add_goal(maker, goal);
        free(bytes);
        bytes = NULL;
    }
    if (file)
        fclose(file);
    return bytes;
}

static bool has_suffix(const char *path, const char *suffix)
{
    size_t length = strlen(path), end = strlen(suffix);
    return length > end && strcmp(path + length - end, suffix) == 0;
}

/* Gowin's .fs: lines of bits as text, and comments behind //. In place; the flash has the first bit of eight as the
 * high bit of a byte. False: something else is in the file. */
static bool pack_bit_text(uint8_t *bytes, size_t *size)
{
    size_t out = 0, bits = 0;
    unsigned byte = 0;
    for (size_t at = 0; at < *size; at++) {
        if (bytes[at] == '/')
            while (at < *size && bytes[at] != '\n')
                at++;
        else if (bytes[at] == '0' || bytes[at] == '1') {
            byte = byte << 1 | (bytes[at] & 1u);
            if (++bits % 8 == 0)
                bytes[out++] = (uint8_t)byte;
        } else if (!isspace(bytes[at]))
            return false;
    }
    *size = out;
    return out > 0 && bits % 8 == 0;
}

/* Behind a golden image. */
static int move_to_slot(struct maker *maker, struct board_region *bitstream, const char *path)
{
    if (bitstream->size > GOLDEN_SLOT_ROOM)
        return fail(maker, path, "too long for the slot behind a golden image");
    bitstream->offset = PR_GOLDEN_SLOT;
    golden_slot_seal(bitstream->bytes, bitstream->size);
    bitstream->size = PR_GOLDEN_SLOT_BYTES;
    crypto_hash_sha256(bitstream->hash, bitstream->bytes, bitstream->size);
    return 0;
}

static int add_golden(struct maker *maker)
{
    const char *golden = maker->board->golden;
    size_t size;
    uint8_t *bytes = read_file(maker, golden, "golden", &size);
    if (!bytes)
        return -1;
    struct board_region *region = add_region(maker, 0, bytes, size);
    snprintf(region->name, sizeof region->name, "golden image");
    region->stays = true;
    if (!golden_image_is_known(bytes, size) || size > PR_GOLDEN_SLOT)
        return fail(maker, golden, "expected a golden image, of `make golden`");
    if (strncmp(maker->conf->family, "ice40", 5) != 0)
        return fail(maker, golden, "it is for boards with an iCE40");
    return 0;
}

static int add_bitstream(struct maker *maker, const char *path)
{
    size_t size;
    uint8_t *bytes = read_file(maker, path, "bitstream", &size);
    if (!bytes)
        return -1;
    struct board_region *region = add_region(maker, 0, bytes, size);
    snprintf(region->name, sizeof region->name, "bitstream");
    if (has_suffix(path, ".fs")) {
        if (!pack_bit_text(bytes, &region->size))
            return fail(maker, path, "expected lines of bits, whole bytes of them");
        crypto_hash_sha256(region->hash, bytes, region->size);
    }
    if (region->size > PR_LOAD_LOCK)
        return fail(maker, path, "too long, expected a bitstream that ends below the lock at 0x2d0000");
    maker->image->label.bitstream_bytes = (uint32_t)region->size;
    memcpy(maker->image->label.bitstream_hash, region->hash, FLASH_HASH);
    return *maker->board->golden ? move_to_slot(maker, region, path) : 0;
}

/* boards/with_firmware finds the RAM in a bitstream by this file, which `make bitstream` leaves beside it. */
static bool takes_firmware(const struct maker *maker)
{
    char path[PATH_ROOM];
    const char *bitstream = maker->board->bitstream, *slash = strrchr(bitstream, '/');
    snprintf(path, sizeof path, "%.*simage.hex", slash ? (int)(slash + 1 - bitstream) : 0, bitstream);
    return strcmp(maker->conf->boot, "image") == 0 && access(path, R_OK) == 0;
}

/* The name of the folder that a file is in. */
static void folder_name(const char *path, char out[NAME_ROOM])
{
    const char *end = strrchr(path, '/'), *start = end;
    while (start && start > path && start[-1] != '/')
        start--;
    snprintf(out, NAME_ROOM, "%.*s", end ? (int)(end - start) : 0, start ? start : "");
}

/* Runs boards/with_firmware; what it prints is the reason if it fails. */
static int run_with_firmware(struct maker *maker, const char *top, char *hex, char *out)
{
    char program[PATH_ROOM], name[NAME_ROOM], text[TOOL_TEXT];
    char *argv[] = {program, (char *)maker->board->type, name, hex, out, NULL};
    folder_name(maker->board->bitstream, name);
    snprintf(program, sizeof program, "%s/boards/with_firmware", top);
    int status = tool_output(argv, true, INFINITY, text, sizeof text);
    return status == 0 ? 0 : fail(maker, program, status < 0 ? strerror(errno) : text);
}

static int write_hex(struct maker *maker, struct boot_image *boot, const char *path)
{
    FILE *file = fopen(path, "we");
    if (!file)
        return fail(maker, path, strerror(errno));
    int result = boot_image_write_ram(boot, file, maker->error, maker->error_size);
    bool written = !ferror(file);
    written = fclose(file) == 0 && written;
    return result || written ? result : fail(maker, path, strerror(errno));
}

/* The bitstream as built, with the firmware and the number of the site in its RAM: seconds, no place and route. */
static int add_bitstream_with_firmware(struct maker *maker, struct boot_image *boot)
{
    static const char *const files[] = {"firmware.hex", "top.bin", "top.bin.asc", "top.bin.config"};
    char top[PATH_MAX], folder[PATH_MAX], hex[PATH_ROOM], out[PATH_ROOM];
    const char *temporary = getenv("TMPDIR");
    if (install_paths_top(top, sizeof top) != 0)
        return fail(maker, maker->board->bitstream,
                    "firmware is put into it in the project's tree only, and there is none");
    snprintf(folder, sizeof folder, "%s/postroad-image.XXXXXX", temporary && *temporary ? temporary : "/tmp");
    sigset_t before;
    signals_hold(&before); /* the folder would stay */
    if (!mkdtemp(folder)) {
        signals_release(&before);
        return fail(maker, folder, strerror(errno));
    }
    snprintf(hex, sizeof hex, "%s/%s", folder, files[0]);
    snprintf(out, sizeof out, "%s/%s", folder, files[1]);
    int result = write_hex(maker, boot, hex);
    if (result == 0)
        result = run_with_firmware(maker, top, hex, out);
    if (result == 0)
        result = add_bitstream(maker, out);
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        snprintf(hex, sizeof hex, "%s/%s", folder, files[k]);
        unlink(hex);
    }
    rmdir(folder);
    signals_release(&before);
    return result;
}

static int add_site_image(struct maker *maker, struct boot_image *boot, unsigned index)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *file = or_abort(open_memstream(&bytes, &size));
    boot_image_write_flash(boot, file, maker->error, maker->error_size);
    if (fclose(file) != 0)
        abort();
    struct board_region *region = add_region(maker, PR_LOAD_FLASH + index * BOARD_IMAGE_SITE_STRIDE, (uint8_t *)bytes,
                                             size);
    snprintf(region->name, sizeof region->name, "site %u", maker->board->sites[index]);
    maker->image->label.image_bytes += (uint32_t)size;
    return size <= BOARD_IMAGE_SITE_STRIDE ? 0
                                           : fail(maker, maker->testbed->firmware, "longer than 128 KB in the flash");
}

static int add_site(struct maker *maker, unsigned index)
{
    bool has_boot_program = strcmp(maker->conf->boot, "flash") == 0;
    struct mesh_config mesh = maker->testbed->mesh;
    struct boot_image boot;
    mesh.ram_bytes = maker->conf->ram_bytes; /* that of the file is of simulated sites */
    int result = boot_image_make(&boot, maker->testbed->firmware, &mesh, has_boot_program ? PR_LOAD_RESERVED : 0,
                                 maker->board->sites[index], 0, maker->error, maker->error_size);
    if (result == 0) {
        flash_label_build_id(boot.firmware.words, boot.firmware.count, maker->image->label.build_id);
        result = has_boot_program ? add_site_image(maker, &boot, index) : add_bitstream_with_firmware(maker, &boot);
    }
    boot_image_free(&boot);
    return result;
}

/* A board that is not locked has erased bytes there: it may have been locked before. */
static int add_lock(struct maker *maker)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    FILE *file = or_abort(open_memstream((char **)&bytes, &size));
    int result = lock_image_write(file, maker->testbed->key, maker->testbed->oldest, maker->error, maker->error_size);
    if (fclose(file) != 0)
        abort();
    struct board_region *region = add_region(maker, PR_LOAD_LOCK, bytes, size);
    snprintf(region->name, sizeof region->name, "lock");
    return result;
}

/* All but the bitstream, which is last. */
static void hash_images(struct board_image *image)
{
    crypto_hash_sha256_state state;
    crypto_hash_sha256_init(&state);
    for (unsigned k = 0; k + 1 < image->count; k++)
        crypto_hash_sha256_update(&state, image->regions[k].bytes, image->regions[k].size);
    crypto_hash_sha256_final(&state, image->label.image_hash);
}

static void add_label(struct maker *maker)
{
    struct board_image *image = maker->image;
    uint8_t *bytes = or_abort(malloc(FLASH_LABEL_BYTES));
    flash_label_encode(&image->label, bytes);
    struct board_region *region = add_region(maker, FLASH_LABEL_AT, bytes, FLASH_LABEL_BYTES);
    snprintf(region->name, sizeof region->name, "label");
    image->has_label = true;
}

static void clear(struct board_image *image, const struct board_region *region)
{
    struct board_region *cleared = &image->cleared[image->cleared_count++];
    *cleared = *region;
    cleared->bytes = NULL;
    cleared->size = FLASH_LABEL_BYTES;
}

void board_image_make_label(struct board_image *image)
{
    struct maker maker = {.image = image};
    *image = (struct board_image){.count = 0};
    add_label(&maker);
}

int board_image_make(struct board_image *image, const struct testbed *testbed, const struct testbed_board *board,
                     const struct board_conf *conf, char *error, size_t error_size)
{
    struct maker maker = {image, testbed, board, conf, error, error_size};
    bool patched = takes_firmware(&maker), own_images = strcmp(conf->boot, "flash") == 0;
    *image = (struct board_image){
        .label = {.site = board->sites[0], .sites = board->site_count, .mesh_hash = testbed->mesh.hash}};
    snprintf(image->label.type, sizeof image->label.type, "%s", board->type);
    if (*board->golden && add_golden(&maker) != 0)
        return -1;
    if (own_images && add_lock(&maker) != 0)
        return -1;
    for (unsigned k = 0; k < board->site_count && (patched || own_images); k++)
        if (add_site(&maker, k) != 0)
            return -1;
    if (!patched && add_bitstream(&maker, board->bitstream) != 0)
        return -1;
    hash_images(image);
    if (strcmp(conf->memory, "flash") != 0)
        return 0;
    const struct board_region *bitstream = &image->regions[image->count - 1];
    add_label(&maker);
    clear(image, &image->regions[image->count - 1]);
    if (own_images)
        clear(image, bitstream);
    return 0;
}

void board_image_free(struct board_image *image)
{
    for (unsigned k = 0; k < image->count; k++)
        free(image->regions[k].bytes);
    image->count = 0;
}
