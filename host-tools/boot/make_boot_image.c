/* make_boot_image: firmware and site record of one site, as a board takes them.
 *
 *   flash    the file to write at the flash's address PR_LOAD_FLASH
 *   serial   the frames of the serial line. The boot program answers each one with a line; send the next one behind it
 *   ram      a readmemh file for the RAM of a bitstream (icebram, ecpbram), for boards without a boot ROM
 *
 * SPDX-License-Identifier: ISC
 */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot/load_records.h"
#include "cli/output_file.h"
#include "model/firmware_image.h"
#include "model/firmware_limits.h"
#include "model/mesh.h"
#include "model/mesh_straps.h"

enum { EXIT_USAGE = 1, EXIT_TRANSPORT = 2, REASON_SIZE = 1000 };

static const char usage[] =
    "usage: make_boot_image flash|serial|ram FIRMWARE.elf FILE.mesh SITE [--epoch N] -o OUT\n"
    "  writes firmware and site record of one site as a board takes them\n"
    "  flash     the file to write to the flash at 0x300000\n"
    "  serial    frames for the serial line; each one waits for the answer to the one before\n"
    "  ram       a readmemh file for the RAM of a bitstream, for a board without a boot ROM\n"
    "  --epoch   of a site that comes back without its memory: more than it had (default 0, 65535 at most)\n"
    "exit status: 0 ok, 1 usage, .mesh file or firmware, 2 a file cannot be written\n";

struct image {
    struct firmware_image firmware;
    uint32_t site[PR_SITE_RECORD_WORDS];
};

static void put(FILE *out, const struct load_record *record, size_t (*bytes_of)(const struct load_record *, uint8_t *))
{
    uint8_t bytes[LOAD_RECORD_WIRE];
    fwrite(bytes, 1, bytes_of(record, bytes), out);
}

static void put_records(const struct image *image, FILE *out, size_t (*bytes_of)(const struct load_record *, uint8_t *))
{
    const struct firmware_image *firmware = &image->firmware;
    struct load_record record;
    load_record_site(&record, image->site);
    put(out, &record, bytes_of);
    for (unsigned at = 0; at < firmware->count; at += PR_LOAD_DATA_MAX) {
        unsigned left = firmware->count - at;
        load_record_data(&record, PR_RAM_BASE + 4 * at, firmware->words + at,
                         left < PR_LOAD_DATA_MAX ? left : PR_LOAD_DATA_MAX);
        put(out, &record, bytes_of);
    }
    load_record_go(&record, PR_RAM_BASE, firmware->words, firmware->count);
    put(out, &record, bytes_of);
}

static int write_flash(const struct image *image, FILE *out, char *error, size_t error_size)
{
    (void)error, (void)error_size;
    put_records(image, out, load_record_bytes);
    return 0;
}

static int write_serial(const struct image *image, FILE *out, char *error, size_t error_size)
{
    (void)error, (void)error_size;
    put_records(image, out, load_record_wire);
    return 0;
}

/* Words that are an empty site record (struct pr_image_record). */
static bool is_place(const uint32_t *words)
{
    bool empty = words[0] == PR_SITE_RECORD_PLACE;
    for (unsigned k = 1; k <= PR_SITE_RECORD_WORDS; k++)
        empty &= words[k] == 0;
    return empty;
}

static int write_ram(const struct image *image, FILE *out, char *error, size_t error_size)
{
    uint32_t *words = image->firmware.words;
    unsigned places = 0;
    for (unsigned k = 0; k + PR_SITE_RECORD_WORDS < image->firmware.count; k++)
        if (is_place(words + k)) {
            words[k] = PR_SITE_RECORD_MAGIC;
            memcpy(words + k + 1, image->site, sizeof image->site);
            places++;
        }
    for (unsigned k = 0; k < image->firmware.count; k++)
        fprintf(out, "%08x\n", (unsigned)words[k]);
    if (places == 1)
        return 0;
    snprintf(error, error_size,
             "%u places for a site record in the firmware, expected 1 (pr_site_record of platform.c)", places);
    return -1;
}

static const struct format {
    const char *name;
    int (*write)(const struct image *image, FILE *out, char *error, size_t error_size);
} formats[] = {{"flash", write_flash}, {"serial", write_serial}, {"ram", write_ram}};

static int fail(int status, const char *reason)
{
    fprintf(stderr, "make_boot_image: %s\n", reason);
    return status;
}

static int usage_error(const char *reason, const char *argument)
{
    fprintf(stderr, "make_boot_image: %s: '%s'\n%s", reason, argument, usage);
    return EXIT_USAGE;
}

static bool read_number(const char *text, unsigned long most, unsigned long *out)
{
    char *end;
    errno = 0;
    *out = strtoul(text, &end, 10);
    return errno == 0 && *end == 0 && end != text && *text != '-' && *out <= most;
}

/* Firmware and site record. What is loaded must not reach the end of RAM, where the boot program works. */
static int read_image(struct image *image, char **argv, const char *epoch_text, char *error)
{
    struct mesh_config mesh;
    uint32_t straps[PR_STRAP_WORDS];
    unsigned long site, epoch = 0;
    if (mesh_config_load(argv[1], &mesh, error, REASON_SIZE))
        return fail(EXIT_USAGE, error);
    if (!read_number(argv[2], (unsigned long)mesh.sites - 1, &site))
        return usage_error("expected a site of the mesh", argv[2]);
    if (epoch_text && !read_number(epoch_text, UINT16_MAX, &epoch))
        return usage_error("expected an epoch", epoch_text);
    if (firmware_image_read(&image->firmware, argv[0], mesh.ram_bytes - PR_LOAD_RESERVED, error, REASON_SIZE) ||
        firmware_limits_check(&image->firmware, argv[0], &mesh, error, REASON_SIZE))
        return fail(EXIT_USAGE, error);
    mesh_straps(&mesh, (unsigned)site, (uint32_t)epoch, straps);
#define STRAP_site_number(low, width)     image->site[PR_SITE_RECORD_SITE] |= mesh_strap(straps, low, width);
#define STRAP_links_connected(low, width) image->site[PR_SITE_RECORD_SITE] |= mesh_strap(straps, low, width) << 16;
#define STRAP_site_address(low, width)    image->site[PR_SITE_RECORD_ADDRESS] = mesh_strap(straps, low, width);
#define STRAP_epoch(low, width)           image->site[PR_SITE_RECORD_EPOCH] = mesh_strap(straps, low, width);
#define STRAP(name, low, width)           STRAP_##name(low, width)
    PR_STRAP_SITE_LIST(STRAP)
    return 0;
}

static int write_image(const struct image *image, const struct format *format, const char *path, char *error)
{
    struct output_file output;
    if (output_file_open(&output, path, error, REASON_SIZE))
        return fail(EXIT_TRANSPORT, error);
    if (format->write(image, output.file, error, REASON_SIZE)) {
        output_file_abandon(&output);
        return fail(EXIT_USAGE, error);
    }
    return output_file_close(&output, error, REASON_SIZE) ? fail(EXIT_TRANSPORT, error) : 0;
}

int main(int argc, char **argv)
{
    const struct format *format = NULL;
    struct image image = {0};
    char error[REASON_SIZE];
    if (argc == 2 && !strcmp(argv[1], "--help"))
        return fputs(usage, stdout) < 0 ? EXIT_TRANSPORT : 0;
    bool has_epoch = argc == 9 && strcmp(argv[5], "--epoch") == 0;
    if ((argc != 7 && !has_epoch) || strcmp(argv[argc - 2], "-o"))
        return usage_error("expected five arguments", argc > 1 ? argv[argc - 1] : "");
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
        if (!strcmp(argv[1], formats[k].name))
            format = &formats[k];
    if (!format)
        return usage_error("expected flash, serial or ram", argv[1]);
    int status = read_image(&image, argv + 2, has_epoch ? argv[6] : NULL, error);
    if (status == 0)
        status = write_image(&image, format, argv[argc - 1], error);
    firmware_image_free(&image.firmware);
    return status;
}
