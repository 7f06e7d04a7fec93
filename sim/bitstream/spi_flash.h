/* A serial flash as it stands beside an FPGA: a memory that is read over four pins, SPI mode 0.
 *
 * Commands: 0x03 read, 0x0b fast read, 0x05 status, 0x9f identity, 0xb9 power-down, 0xab out of it, 0x06 write enable,
 * 0x04 write disable, 0x02 page program, 0x20 sector erase (4 KB), 0x52 and 0xd8 block erase (32 and 64 KB), 0xc7 chip
 * erase, 0x01 write status. Others are ignored. A write enable must end behind its byte, a program at the end of one,
 * an erase behind its address. Programming clears bits, within a page of 256 bytes; for 0.7 ms only the status is
 * heard, for 45 ms and more after an erase. If the supply fails meanwhile, it is done all the same. What the status
 * protects (bits BP2 to BP0 and TB) is neither programmed nor erased. The contents outlive the supply of a board, and
 * end with the simulation: no file is written.
 *
 * An iCE40 leaves its flash in power-down after the configuration: so it begins here, and only 0xab is heard until
 * three microseconds after it.
 *
 * Source: Winbond W25Q128JV data sheet, revision F, "Instruction Set Table 1", "Page Program (02h)", "Status Register
 * Memory Protection", tRES1, tPP, tSE, tBE, tCE, tW.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BITSTREAM_SPI_FLASH_H
#define POSTROAD_BITSTREAM_SPI_FLASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SPI_FLASH_PAGE = 256, SPI_FLASH_PROTECTION = 0x3c, SPI_FLASH_PROTECT_ALL = 0x1c };

struct spi_flash_faults {
    bool weak, worn;      /* whether there is such a byte, and such a sector */
    uint32_t weak_byte;   /* its lowest bit cannot be programmed */
    uint32_t worn_sector; /* the sector with this address is not erased */
    bool busy;            /* it stays so after the next program or erase */
    bool mute;            /* it never answers */
    uint32_t wraps;       /* its size, if it ignores the higher bits of an address; 0: it does not */
};

struct spi_flash {
    uint8_t *bytes; /* NULL: there is no flash; the rest of its space reads as 0xff */
    size_t size;
    bool down;
    uint64_t awake; /* when it hears commands again */
    bool select_n, clock;
    unsigned bits, in, out;
    uint8_t command;
    uint32_t address;
    bool write_enabled;
    uint8_t protection;                    /* bits of the status */
    uint8_t page[SPI_FLASH_PAGE];          /* of 0x02: what is to be programmed */
    uint64_t ready;                        /* when that is done */
    bool data_out;                         /* its output pin */
    const struct spi_flash_faults *faults; /* NULL: none */
};

/* After a configuration of the FPGA. */
void spi_flash_power_on(struct spi_flash *flash);

/* The pins change to these levels at `time` (femtoseconds); data_out follows. */
void spi_flash_pins(struct spi_flash *flash, uint64_t time, bool select_n, bool clock, bool data_in);

#endif
