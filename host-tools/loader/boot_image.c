/* See boot_image.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "loader/boot_image.h"

#include <stdbool.h>
#include <string.h>

#include "board/firmware_limits.h"
#include "loader/load_records.h"
#include "mesh/mesh_straps.h"

static void put_records(const struct boot_image *image, FILE *out, load_record_form *form)
{
    struct load_record record;
    load_record_site(&record, image->site);
    load_record_write(out, &record, form);
    load_records_write(out, PR_RAM_BASE, image->firmware.words, image->firmware.count, form);
}

int boot_image_write_flash(struct boot_image *image, FILE *out, char *error, size_t error_size)
{
    (void)error, (void)error_size;
    put_records(image, out, load_record_bytes);
    return 0;
}

int boot_image_write_serial(struct boot_image *image, FILE *out, char *error, size_t error_size)
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

int boot_image_write_ram(struct boot_image *image, FILE *out, char *error, size_t error_size)
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

int boot_image_make(struct boot_image *image, const char *firmware, const struct mesh_config *mesh, uint32_t reserved,
                    unsigned site, uint32_t epoch, char *error, size_t error_size)
{
    uint32_t straps[PR_STRAP_WORDS];
    *image = (struct boot_image){0};
    if (firmware_image_read(&image->firmware, firmware, mesh->ram_bytes - reserved, error, error_size) ||
        firmware_limits_check(&image->firmware, firmware, mesh, error, error_size))
        return -1;
    mesh_straps(mesh, site, epoch, straps);
#define STRAP_site_number(low, width)     image->site[PR_SITE_RECORD_SITE] |= mesh_strap(straps, low, width);
#define STRAP_links_connected(low, width) image->site[PR_SITE_RECORD_SITE] |= mesh_strap(straps, low, width) << 16;
#define STRAP_site_address(low, width)    image->site[PR_SITE_RECORD_ADDRESS] = mesh_strap(straps, low, width);
#define STRAP_epoch(low, width)           image->site[PR_SITE_RECORD_EPOCH] = mesh_strap(straps, low, width);
#define STRAP(name, low, width)           STRAP_##name(low, width)
    PR_STRAP_SITE_LIST(STRAP)
    return 0;
}

void boot_image_free(struct boot_image *image)
{
    firmware_image_free(&image->firmware);
}
