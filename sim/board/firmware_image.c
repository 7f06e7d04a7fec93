/* See firmware_image.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "board/firmware_image.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "protocol.h"
#include "support/input_file.h"
#include "support/or_abort.h"

enum { FILE_MAX = 16 << 20 }; /* with debug information */

/* Flags of <elf.h> for RISC-V: compressed instructions, and arguments in floating-point registers. */
enum { FLAGS_REFUSED = EF_RISCV_RVC | EF_RISCV_FLOAT_ABI };

struct reading {
    struct firmware_image *image;
    const char *path;
    uint32_t ram_bytes;
    char *error;
    size_t error_size;
};

static bool refuse(const struct reading *reading, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool refuse(const struct reading *reading, const char *format, ...)
{
    va_list arguments;
    size_t used = (size_t)snprintf(reading->error, reading->error_size, "%s: ", reading->path);
    va_start(arguments, format);
    if (used < reading->error_size)
        vsnprintf(reading->error + used, reading->error_size - used, format, arguments);
    va_end(arguments);
    return false;
}

static bool read_open_file(const struct reading *reading, int file)
{
    struct firmware_image *image = reading->image;
    struct stat status;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))
        return refuse(reading, "not a file, expected a firmware image (ELF)");
    if (status.st_size > FILE_MAX)
        return refuse(reading, "%lld bytes, expected at most %d", (long long)status.st_size, FILE_MAX);
    image->elf = or_abort(malloc((size_t)status.st_size + 1));
    image->words = or_abort(calloc(1, reading->ram_bytes));
    ssize_t count = read(file, image->elf, (size_t)status.st_size);
    image->elf_length = count > 0 ? (size_t)count : 0;
    return count == status.st_size || refuse(reading, "cannot be read");
}

static bool read_file(const struct reading *reading)
{
    int file = input_file_descriptor(reading->path);
    if (file < 0)
        return refuse(reading, "%s, expected a firmware image (ELF)", strerror(errno));
    bool good = read_open_file(reading, file);
    close(file);
    return good;
}

static bool check_header(const struct reading *reading, Elf32_Ehdr *header)
{
    const struct firmware_image *image = reading->image;
    if (image->elf_length < sizeof *header || memcmp(image->elf, ELFMAG, SELFMAG) != 0)
        return refuse(reading, "not an ELF file, expected a firmware image");
    memcpy(header, image->elf, sizeof *header);
    if (header->e_ident[EI_CLASS] != ELFCLASS32 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
        header->e_machine != EM_RISCV)
        return refuse(reading, "an ELF file for another machine, expected one for RV32I");
    if (header->e_type != ET_EXEC)
        return refuse(reading, "not linked to run by itself, expected an executable");
    if (header->e_flags & FLAGS_REFUSED)
        return refuse(reading, "built for more than the cores have (ELF flags 0x%x), expected -march=rv32i -mabi=ilp32",
                      (unsigned)header->e_flags);
    if (header->e_entry != PR_RAM_BASE)
        return refuse(reading, "starts at 0x%x, expected 0x%x, where the cores start", (unsigned)header->e_entry,
                      (unsigned)PR_RAM_BASE);
    return true;
}

/* True if these bytes at this address lie in RAM. */
static bool in_ram(const struct reading *reading, uint32_t address, uint32_t bytes)
{
    uint64_t end = (uint64_t)address + bytes;
    return address >= PR_RAM_BASE && end <= (uint64_t)PR_RAM_BASE + reading->ram_bytes;
}

static bool take_segment(const struct reading *reading, const Elf32_Phdr *segment)
{
    struct firmware_image *image = reading->image;
    if (segment->p_type != PT_LOAD || segment->p_memsz == 0)
        return true;
    if (segment->p_filesz > segment->p_memsz || segment->p_offset > image->elf_length ||
        segment->p_filesz > image->elf_length - segment->p_offset)
        return refuse(reading, "damaged: a segment is not within the file");
    if (!in_ram(reading, segment->p_vaddr, segment->p_memsz) || !in_ram(reading, segment->p_paddr, segment->p_filesz))
        return refuse(reading, "needs memory from 0x%x to 0x%llx, expected at most the %u bytes of RAM from 0x%x on",
                      (unsigned)segment->p_vaddr, (unsigned long long)segment->p_vaddr + segment->p_memsz,
                      (unsigned)reading->ram_bytes, (unsigned)PR_RAM_BASE);
    uint32_t at = segment->p_paddr - PR_RAM_BASE;
    memcpy((uint8_t *)image->words + at, image->elf + segment->p_offset, segment->p_filesz);
    unsigned end = (at + segment->p_filesz + 3) / 4;
    if (end > image->count)
        image->count = end;
    return true;
}

static bool take_segments(const struct reading *reading, const Elf32_Ehdr *header)
{
    const struct firmware_image *image = reading->image;
    Elf32_Phdr segment;
    for (unsigned i = 0; i < header->e_phnum; i++) {
        size_t at = header->e_phoff + i * sizeof segment;
        if (header->e_phentsize != sizeof segment || at + sizeof segment > image->elf_length)
            return refuse(reading, "damaged: its program header is not within the file");
        memcpy(&segment, image->elf + at, sizeof segment);
        if (!take_segment(reading, &segment))
            return false;
    }
    return image->count > 0 || refuse(reading, "has nothing to load, expected a firmware image");
}

int firmware_image_read(struct firmware_image *image, const char *path, uint32_t ram_bytes, char *error,
                        size_t error_size)
{
    struct reading reading = {image, path, ram_bytes, error, error_size};
    Elf32_Ehdr header;
    *image = (struct firmware_image){0};
    if (read_file(&reading) && check_header(&reading, &header) && take_segments(&reading, &header))
        return 0;
    firmware_image_free(image);
    return -1;
}

void firmware_image_free(struct firmware_image *image)
{
    free(image->elf);
    free(image->words);
    *image = (struct firmware_image){0};
}

bool firmware_build_id(const uint32_t *words, size_t count, uint8_t out[PR_BUILD_ID_BYTES])
{
    enum { NOTE = 1, DESCRIPTION = NOTE + 4 };
    static const char name[] = ELF_NOTE_GNU;
    Elf32_Nhdr note;
    if (count < DESCRIPTION + PR_BUILD_ID_WORDS)
        return false;
    memcpy(&note, words + NOTE, sizeof note);
    if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof name || note.n_descsz < PR_BUILD_ID_BYTES ||
        memcmp(words + NOTE + 3, name, sizeof name) != 0)
        return false;
    memcpy(out, words + DESCRIPTION, PR_BUILD_ID_BYTES);
    return true;
}

static void put_elf(const struct firmware_image *image, FILE *out)
{
    fwrite(image->elf, 1, image->elf_length, out);
}

static void put_hex(const struct firmware_image *image, FILE *out)
{
    for (unsigned i = 0; i < image->count; i++)
        fprintf(out, "%08x\n", (unsigned)image->words[i]);
}

static int write_file(const struct firmware_image *image, void (*put)(const struct firmware_image *, FILE *),
                      const char *path, char *error, size_t error_size)
{
    char name[PATH_MAX];
    int length = snprintf(name, sizeof name, "%s.new", path);
    FILE *out = length > 0 && length < PATH_MAX ? fopen(name, "we") : NULL;
    bool good = out != NULL;
    if (out) {
        put(image, out);
        good = !ferror(out);
        good &= fclose(out) == 0;
        good = good && rename(name, path) == 0;
    }
    if (good)
        return 0;
    snprintf(error, error_size, "%s: cannot be written: %s", path, strerror(errno));
    if (out)
        unlink(name);
    return -1;
}

int firmware_image_write_elf(const struct firmware_image *image, const char *path, char *error, size_t error_size)
{
    return write_file(image, put_elf, path, error, error_size);
}

int firmware_image_write_hex(const struct firmware_image *image, const char *path, char *error, size_t error_size)
{
    return write_file(image, put_hex, path, error, error_size);
}
