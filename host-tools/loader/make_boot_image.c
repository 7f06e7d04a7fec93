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

#include "loader/boot_image.h"
#include "mesh/mesh.h"
#include "support/output_file.h"

enum { EXIT_USAGE = 1, EXIT_TRANSPORT = 2, REASON_SIZE = 1000 };

static const char usage[] =
    "usage: make_boot_image flash|serial|ram FIRMWARE.elf FILE.mesh SITE [--epoch N] -o OUT\n"
    "  writes firmware and site record of one site as a board takes them\n"
    "  flash     the file to write to the flash at 0x300000\n"
    "  serial    frames for the serial line; each one waits for the answer to the one before\n"
    "  ram       a readmemh file for the RAM of a bitstream, for a board without a boot ROM\n"
    "  --epoch   of a site that comes back without its memory: more than it had (default 0, 65535 at most)\n"
    "exit status: 0 ok, 1 usage, .mesh file or firmware, 2 a file cannot be written\n";

static const struct format {
    const char *name;
    uint32_t reserved; /* bytes at the end of RAM, for the boot program */
    int (*write)(struct boot_image *image, FILE *out, char *error, size_t error_size);
} formats[] = {{"flash", PR_LOAD_RESERVED, boot_image_write_flash},
               {"serial", PR_LOAD_RESERVED, boot_image_write_serial},
               {"ram", 0, boot_image_write_ram}};

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

static int read_image(struct boot_image *image, char **argv, uint32_t reserved, const char *epoch_text, char *error)
{
    struct mesh_config mesh;
    unsigned long site, epoch = 0;
    if (mesh_config_load(argv[1], &mesh, error, REASON_SIZE))
        return fail(EXIT_USAGE, error);
    if (!read_number(argv[2], (unsigned long)mesh.sites - 1, &site))
        return usage_error("expected a site of the mesh", argv[2]);
    if (epoch_text && !read_number(epoch_text, UINT16_MAX, &epoch))
        return usage_error("expected an epoch", epoch_text);
    if (boot_image_make(image, argv[0], &mesh, reserved, (unsigned)site, (uint32_t)epoch, error, REASON_SIZE))
        return fail(EXIT_USAGE, error);
    return 0;
}

static int write_image(struct boot_image *image, const struct format *format, const char *path, char *error)
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
    struct boot_image image = {0};
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
    int status = read_image(&image, argv + 2, format->reserved, has_epoch ? argv[6] : NULL, error);
    if (status == 0)
        status = write_image(&image, format, argv[argc - 1], error);
    boot_image_free(&image);
    return status;
}
