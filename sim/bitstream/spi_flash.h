/* A serial flash as it stands beside an FPGA: a memory that is read over four pins, SPI mode 0.
 *
 * Commands: 0x03 read, 0x0b fast read, 0x05 status, 0x9f identity, 0xb9 power-down, 0xab out of it, 0x06 write enable,
 * 0x02 page program. Others are ignored. A write enable must end behind its byte, a program at the end of one.
 * Programming clears bits, within a page of 256 bytes; for 0.7 ms only the status is heard. If the supply fails
 * meanwhile, it is done all the same. The contents outlive the supply of a board, and end with the simulation: no file
 * is written.
 *
 * An iCE40 leaves its flash in power-down after the configuration: so it begins here, and only 0xab is heard until
 * three microseconds after it.
 *
 * Source: Winbond W25Q128JV data sheet, revision F, "Instruction Set Table 1", "Page Program (02h)", tRES1, tPP.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BITSTREAM_SPI_FLASH_H
#define POSTROAD_BITSTREAM_SPI_FLASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SPI_FLASH_PAGE = 256 };

struct spi_flash {
    uint8_t *bytes; /* NULL: there is no flash; the rest of its space reads as 0xff */
    size_t size;
    bool down;
    uint64_t awake; /* when it hears commands again */
    bool select_n, clock;
    unsigned bits, in, out;
    uint8_t command;
    uint32_t address;
    bool write_enabled, write_protected;
    uint8_t page[SPI_FLASH_PAGE]; /* of 0x02: what is to be programmed */
    uint64_t ready;               /* when that is done */
    bool data_out;                /* its output pin */
};

/* After a configuration of the FPGA. */
void spi_flash_power_on(struct spi_flash *flash);

/* The pins change to these levels at `time` (femtoseconds); data_out follows. */
void spi_flash_pins(struct spi_flash *flash, uint64_t time, bool select_n, bool clock, bool data_in);

#endif
