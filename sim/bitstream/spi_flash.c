/* See spi_flash.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "bitstream/spi_flash.h"

#include <string.h>

#include "bitstream/line.h"

enum { READ = 0x03, FAST_READ = 0x0b, STATUS = 0x05, IDENTITY = 0x9f, POWER_DOWN = 0xb9, WAKE = 0xab };
enum { WRITE_ENABLE = 0x06, WRITE_DISABLE = 0x04, PROGRAM = 0x02, WRITE_STATUS = 0x01 };
enum { ERASE_SECTOR = 0x20, ERASE_32K = 0x52, ERASE_64K = 0xd8, ERASE_CHIP = 0xc7 };
enum { STATUS_BUSY = 1, STATUS_WRITE_ENABLED = 2, STATUS_BLOCKS_SHIFT = 2, STATUS_BLOCKS = 7, STATUS_BOTTOM = 0x20 };
enum { COMMAND_BITS = 8, ADDRESS_END = 32, FAST_READ_END = 40, STATUS_END = 16, ERASED = 0xff };
enum { SECTOR = 4096, CHIP = 1 << 24 };

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
    if (flash->faults && flash->faults->mute)
        return ERASED;
    if (flash->command == STATUS)
        return (time < flash->ready ? STATUS_BUSY : 0) | (flash->write_enabled ? STATUS_WRITE_ENABLED : 0) |
               flash->protection;
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
        flash->address = flash->in & (flash->faults && flash->faults->wraps ? flash->faults->wraps - 1 : 0xffffff);
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

/* Half of the flash or less, by a power of two, from its top or its bottom; or all of it. */
static bool is_protected(const struct spi_flash *flash, uint32_t address, uint32_t length)
{
    unsigned blocks = flash->protection >> STATUS_BLOCKS_SHIFT & STATUS_BLOCKS;
    uint32_t size = CHIP >> (STATUS_BLOCKS - blocks);
    if (blocks == 0 || blocks == STATUS_BLOCKS)
        return blocks != 0;
    return flash->protection & STATUS_BOTTOM ? address < size : address + length > CHIP - size;
}

static void be_busy(struct spi_flash *flash, uint64_t time, unsigned microseconds)
{
    bool for_ever = flash->faults && flash->faults->busy;
    flash->ready = for_ever ? UINT64_MAX : time + microseconds * (uint64_t)FS_MICROSECOND;
}

/* Behind its contents the flash cannot be programmed. */
static void program(struct spi_flash *flash, uint64_t time)
{
    uint32_t page = flash->address / SPI_FLASH_PAGE * SPI_FLASH_PAGE;
    if (is_protected(flash, page, SPI_FLASH_PAGE))
        return;
    for (uint32_t k = 0; k < SPI_FLASH_PAGE && page + k < flash->size; k++) {
        bool weak = flash->faults && flash->faults->weak && flash->faults->weak_byte == page + k;
        flash->bytes[page + k] &= flash->page[k] | (weak ? 1 : 0);
    }
    be_busy(flash, time, 700);
}

static void erase(struct spi_flash *flash, uint64_t time, uint32_t size, unsigned milliseconds)
{
    uint32_t start = flash->command == ERASE_CHIP ? 0 : flash->address / size * size;
    if (is_protected(flash, start, size))
        return;
    for (uint32_t at = start; at < start + size && at < flash->size; at += SECTOR) {
        bool worn = flash->faults && flash->faults->worn && flash->faults->worn_sector / SECTOR == at / SECTOR;
        size_t rest = flash->size - at;
        if (!worn)
            memset(flash->bytes + at, ERASED, rest < SECTOR ? rest : SECTOR);
    }
    be_busy(flash, time, 1000 * milliseconds);
}

/* What needs a write enable, which is used up. */
static void change(struct spi_flash *flash, uint64_t time)
{
    static const unsigned sector_ms = 45, block_32k_ms = 120, block_64k_ms = 150, chip_ms = 40000, status_ms = 10;
    bool whole = flash->bits % 8 == 0, addressed = flash->bits == ADDRESS_END;
    uint8_t command = flash->command;
    flash->write_enabled = false;
    if (command == PROGRAM && whole && flash->bits > ADDRESS_END)
        program(flash, time);
    else if (command == ERASE_SECTOR && addressed)
        erase(flash, time, SECTOR, sector_ms);
    else if (command == ERASE_32K && addressed)
        erase(flash, time, 0x8000, block_32k_ms);
    else if (command == ERASE_64K && addressed)
        erase(flash, time, 0x10000, block_64k_ms);
    else if (command == ERASE_CHIP && flash->bits == COMMAND_BITS)
        erase(flash, time, CHIP, chip_ms);
    else if (command == WRITE_STATUS && flash->bits == STATUS_END) {
        flash->protection = flash->in & SPI_FLASH_PROTECTION;
        be_busy(flash, time, 1000 * status_ms);
    } else
        flash->write_enabled = true;
}

/* What a command does takes effect when it ends, at the end of a byte. */
static void end_command(struct spi_flash *flash, uint64_t time)
{
    static const uint64_t wake_time = 3 * (uint64_t)FS_MICROSECOND;
    bool hears = !flash->down && time >= flash->ready, short_one = flash->bits == COMMAND_BITS;
    if (hears && short_one && (flash->command == WRITE_ENABLE || flash->command == WRITE_DISABLE))
        flash->write_enabled = flash->command == WRITE_ENABLE;
    else if (hears && flash->write_enabled)
        change(flash, time);
    if (flash->bits >= COMMAND_BITS && flash->command == WAKE && flash->down) {
        flash->down = false;
        flash->awake = time + wake_time;
    }
    if (short_one && flash->command == POWER_DOWN && time >= flash->ready)
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
