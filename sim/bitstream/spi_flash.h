/* A serial flash as it stands beside an FPGA: a memory that is read over four pins, SPI mode 0.
 *
 * Commands: 0x03 read, 0x0b fast read, 0x05 status, 0x9f identity, 0xb9 power-down, 0xab out of it. Others are ignored.
 * An iCE40 leaves its flash in power-down after the configuration: so it begins here, and only 0xab is heard until
 * three microseconds after it.
 *
 * Source: Winbond W25Q128JV data sheet, revision F, "Instruction Set Table 1", tRES1.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BITSTREAM_SPI_FLASH_H
#define POSTROAD_BITSTREAM_SPI_FLASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spi_flash {
    uint8_t *bytes; /* NULL: there is no flash; the rest of its space reads as 0xff */
    size_t size;
    bool down;
    uint64_t awake; /* when it hears commands again */
    bool select_n, clock;
    unsigned bits, in, out;
    uint8_t command;
    uint32_t address;
    bool data_out; /* its output pin */
};

/* After a configuration of the FPGA. */
void spi_flash_power_on(struct spi_flash *flash);

/* The pins change to these levels at `time` (femtoseconds); data_out follows. */
void spi_flash_pins(struct spi_flash *flash, uint64_t time, bool select_n, bool clock, bool data_in);

#endif
