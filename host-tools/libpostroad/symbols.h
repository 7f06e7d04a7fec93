/* The place of an address in a firmware image: addr2line of the RISC-V toolchain finds it in the ELF file.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LIBPOSTROAD_SYMBOLS_H
#define POSTROAD_LIBPOSTROAD_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

/* Writes "FUNCTION (FILE:LINE)", or the part of it that addr2line finds, or the reason why it finds nothing. Takes some
 * tens of milliseconds. */
void pr_symbols_find(const char *elf, uint32_t address, char *out, size_t size);

#endif
