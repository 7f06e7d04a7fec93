/* A firmware image: an ELF file that sites can run, and the RAM that it fills.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BOARD_FIRMWARE_IMAGE_H
#define POSTROAD_BOARD_FIRMWARE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/site_identity.h"

struct firmware_image {
    uint8_t *elf; /* the file */
    size_t elf_length;
    uint32_t *words; /* RAM from its start */
    unsigned count;
};

/* Reads an ELF file. The file must be for RV32I, its entry must be the address where the cores start, and it must fit a
 * site's RAM together with its stack. 0, or -1 with "PATH: reason, expected ...". The caller frees the image. */
int firmware_image_read(struct firmware_image *image, const char *path, uint32_t ram_bytes, char *error,
                        size_t error_size);
void firmware_image_free(struct firmware_image *image);

/* The first bytes of an image's GNU build id, which the linker has placed behind the first word
 * (firmware/platform/postroad.ld). False: it has none. */
bool firmware_build_id(const uint32_t *words, size_t count, uint8_t out[PR_BUILD_ID_BYTES]);

/* Writes the image as the original ELF file, and as a readmemh file. An existing file is replaced as a whole. 0, or -1
 * with a reason. */
int firmware_image_write_elf(const struct firmware_image *image, const char *path, char *error, size_t error_size);
int firmware_image_write_hex(const struct firmware_image *image, const char *path, char *error, size_t error_size);

#endif
