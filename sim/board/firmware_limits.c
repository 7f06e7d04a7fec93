/* See firmware_limits.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "board/firmware_limits.h"

#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "mesh/mesh_routes.h"

/* `length` bytes of the file, or NULL if the file is too short. */
static const void *part(const struct firmware_image *image, size_t at, size_t length)
{
    return at <= image->elf_length && length <= image->elf_length - at ? image->elf + at : NULL;
}

static bool read_section(const struct firmware_image *image, const Elf32_Ehdr *header, unsigned number, Elf32_Shdr *out)
{
    size_t at = header->e_shoff + (size_t)number * sizeof *out;
    const void *bytes = number < header->e_shnum && header->e_shentsize == sizeof *out ? part(image, at, sizeof *out)
                                                                                       : NULL;
    if (bytes)
        memcpy(out, bytes, sizeof *out);
    return bytes != NULL;
}

static bool is_named(const struct firmware_image *image, const Elf32_Shdr *names, const Elf32_Sym *symbol,
                     const char *name)
{
    size_t length = strlen(name) + 1;
    const char *text = symbol->st_name < names->sh_size
                           ? part(image, (size_t)names->sh_offset + symbol->st_name, length)
                           : NULL;
    return text && memcmp(text, name, length) == 0;
}

static bool find_in(const struct firmware_image *image, const Elf32_Shdr *table, const Elf32_Shdr *names,
                    const char *name, uint32_t *value)
{
    for (size_t i = 0; i < table->sh_size / sizeof(Elf32_Sym); i++) {
        Elf32_Sym symbol;
        const void *bytes = part(image, table->sh_offset + i * sizeof symbol, sizeof symbol);
        if (!bytes)
            return false;
        memcpy(&symbol, bytes, sizeof symbol);
        if (symbol.st_shndx == SHN_ABS && is_named(image, names, &symbol, name)) {
            *value = symbol.st_value;
            return true;
        }
    }
    return false;
}

/* The value of an absolute symbol. False: the image does not have it. */
static bool limit(const struct firmware_image *image, const char *name, uint32_t *value)
{
    bool found = false;
    Elf32_Ehdr header;
    Elf32_Shdr table, names;
    memcpy(&header, image->elf, sizeof header); /* firmware_image_read has looked at it */
    for (unsigned i = 0; !found && read_section(image, &header, i, &table); i++)
        found = table.sh_type == SHT_SYMTAB && read_section(image, &header, table.sh_link, &names) &&
                find_in(image, &table, &names, name, value);
    return found;
}

static int refuse(const char *path, uint32_t room, const char *what, unsigned has, const char *variable, char *error,
                  size_t error_size)
{
    snprintf(error, error_size,
             "%s: the image is built for %u %s, the mesh has %u: use --nodes native, or build it with %s=%u", path,
             (unsigned)room, what, has, variable, has);
    return -1;
}

int firmware_limits_check(const struct firmware_image *image, const char *path, const struct mesh_config *mesh,
                          char *error, size_t error_size)
{
    const unsigned sites = (unsigned)mesh->sites;
    const unsigned packet_words = mesh->max_packet + (mesh_has_routes(mesh) ? PR_ROUTE_PORTS_MAX : 0);
    uint32_t room;
    if (mesh->reliable && limit(image, "pr_image_sites_max", &room) && sites > room)
        return refuse(path, room, "sites", sites, "SITES_MAX", error, error_size);
    if (limit(image, "pr_image_packet_words", &room) && packet_words > room)
        return refuse(path, room, "words a packet", packet_words, "PACKET_WORDS", error, error_size);
    if (mesh_has_routes(mesh) && limit(image, "pr_image_sites_max", &room) && !limit(image, "pr_image_routes", &room)) {
        snprintf(error, error_size,
                 "%s: the image has no routes, which fabric %s expects of operators: use --nodes native", path,
                 mesh->fabric);
        return -1;
    }
    if (limit(image, "pr_image_ram_bytes", &room) && mesh->ram_bytes < room)
        return refuse(path, room, "bytes of RAM", mesh->ram_bytes, "RAM_BYTES", error, error_size);
    return 0;
}

bool firmware_relays(const struct firmware_image *image)
{
    uint32_t relays;
    return limit(image, "pr_image_relays", &relays);
}
