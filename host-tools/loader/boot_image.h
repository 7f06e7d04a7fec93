/* What a site of a board starts with: its firmware and its site record, in the forms that boards take.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LOADER_BOOT_IMAGE_H
#define POSTROAD_LOADER_BOOT_IMAGE_H

#include <stdint.h>
#include <stdio.h>

#include "board/firmware_image.h"
#include "mesh/mesh.h"
#include "protocol.h"

struct boot_image {
    struct firmware_image firmware;
    uint32_t site[PR_SITE_RECORD_WORDS];
};

/* Reads firmware from an ELF file and makes the site record of a site, which must exist. The firmware's memory must end
 * `reserved` bytes before the end of RAM: PR_LOAD_RESERVED where a boot program loads it, 0 where it is the contents of
 * RAM. 0, or -1 with a reason. The caller frees the image in either case. */
int boot_image_make(struct boot_image *image, const char *firmware, const struct mesh_config *mesh, uint32_t reserved,
                    unsigned site, uint32_t epoch, char *error, size_t error_size);
void boot_image_free(struct boot_image *image);

/* Each writes one form; 0, or -1 with a reason. Failures of the stream are the caller's to find.
 *   flash    the bytes at the flash's address PR_LOAD_FLASH
 *   serial   the frames of the serial line
 *   ram      a readmemh file with the site record in its place; the image changes */
int boot_image_write_flash(struct boot_image *image, FILE *out, char *error, size_t error_size);
int boot_image_write_serial(struct boot_image *image, FILE *out, char *error, size_t error_size);
int boot_image_write_ram(struct boot_image *image, FILE *out, char *error, size_t error_size);

#endif
