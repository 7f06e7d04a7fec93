/* See spi_flash.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "bitstream/spi_flash.h"

#include <string.h>

#include "bitstream/line.h"

enum { READ = 0x03, FAST_READ = 0x0b, STATUS = 0x05, IDENTITY = 0x9f, POWER_DOWN = 0xb9, WAKE = 0xab };
enum { WRITE_ENABLE = 0x06, PROGRAM = 0x02, STATUS_BUSY = 1, STATUS_WRITE_ENABLED = 2 };
enum { COMMAND_BITS = 8, ADDRESS_END = 32, FAST_READ_END = 40, ERASED = 0xff };

static const uint8_t identity[] = {0xef, 0x40, 0x18}; /* Winbond W25Q128 */

void spi_flash_power_on(struct spi_flash *flash)
{
    flash->down = true;
    flash->awake = 0;
    flash->select_n = true;
    flash->clock = false;
    flash->data_out = true;
    flash->write_enabled = false;
    flash->ready = 0;
}

static bool is_read(const struct spi_flash *flash)
{
    return flash->command == READ || flash->command == FAST_READ;
}

static uint8_t byte_at(const struct spi_flash *flash, uint32_t address)
{
    return address < flash->size ? flash->bytes[address] : ERASED;
}

/* The byte that leaves behind `bits` bits of the command, if one begins there. */
static unsigned byte_out(struct spi_flash *flash, uint64_t time)
{
    unsigned index = (flash->bits - COMMAND_BITS) / 8;
    unsigned start = flash->command == FAST_READ ? FAST_READ_END : ADDRESS_END;
    if (flash->command == STATUS)
        return (time < flash->ready ? STATUS_BUSY : 0) | (flash->write_enabled ? STATUS_WRITE_ENABLED : 0);
    if (time < flash->ready)
        return ERASED;
    if (flash->command == IDENTITY)
        return identity[index % sizeof identity];
    if (is_read(flash) && flash->bits >= start)
        return byte_at(flash, (flash->address + (flash->bits - start) / 8) & 0xffffff);
    return ERASED;
}

static void rising(struct spi_flash *flash, bool data_in)
{
    flash->in = flash->in << 1 | data_in;
    flash->bits++;
    if (flash->bits == COMMAND_BITS) {
        flash->command = (uint8_t)flash->in;
        memset(flash->page, ERASED, sizeof flash->page);
    }
    if (flash->bits == ADDRESS_END)
        flash->address = flash->in & 0xffffff;
    if (flash->command == PROGRAM && flash->bits > ADDRESS_END && flash->bits % 8 == 0)
        flash->page[(flash->address + flash->bits / 8 - ADDRESS_END / 8 - 1) % SPI_FLASH_PAGE] = (uint8_t)flash->in;
}

static void falling(struct spi_flash *flash, uint64_t time)
{
    if (flash->bits < COMMAND_BITS)
        return;
    if (flash->bits % 8 == 0)
        flash->out = byte_out(flash, time);
    flash->data_out = flash->out >> 7 & 1;
    flash->out <<= 1;
}

/* Behind its contents the flash cannot be programmed. */
static void program(struct spi_flash *flash, uint64_t time)
{
    static const uint64_t program_time = 700 * (uint64_t)FS_MICROSECOND;
    uint32_t page = flash->address / SPI_FLASH_PAGE * SPI_FLASH_PAGE;
    flash->write_enabled = false;
    if (flash->write_protected)
        return;
    for (uint32_t k = 0; k < SPI_FLASH_PAGE && page + k < flash->size; k++)
        flash->bytes[page + k] &= flash->page[k];
    flash->ready = time + program_time;
}

/* What a command does takes effect when it ends, at the end of a byte. */
static void end_command(struct spi_flash *flash, uint64_t time)
{
    static const uint64_t wake_time = 3 * (uint64_t)FS_MICROSECOND;
    if (!flash->down && time >= flash->ready && flash->bits == COMMAND_BITS && flash->command == WRITE_ENABLE)
        flash->write_enabled = true;
    if (!flash->down && time >= flash->ready && flash->bits > ADDRESS_END && flash->bits % 8 == 0 &&
        flash->command == PROGRAM && flash->write_enabled)
        program(flash, time);
    if (flash->bits >= COMMAND_BITS && flash->command == WAKE && flash->down) {
        flash->down = false;
        flash->awake = time + wake_time;
    }
    if (flash->bits == COMMAND_BITS && flash->command == POWER_DOWN && time >= flash->ready)
        flash->down = true;
    flash->data_out = true;
}

void spi_flash_pins(struct spi_flash *flash, uint64_t time, bool select_n, bool clock, bool data_in)
{
    if (!flash->bytes)
        return;
    if (select_n && !flash->select_n)
        end_command(flash, time);
    if (!select_n && flash->select_n)
        flash->bits = flash->command = 0;
    flash->select_n = select_n;
    if (!select_n && clock != flash->clock) {
        bool asleep = time < flash->awake || (flash->down && flash->bits >= COMMAND_BITS);
        if (clock)
            rising(flash, data_in);
        else if (!asleep)
            falling(flash, time);
    }
    if (time < flash->awake)
        flash->command = 0;
    flash->clock = clock;
}
