/* See jtag.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "jtag.h"

#include <string.h>

#include "bitstream/line.h"

enum instruction {
    ISC_ERASE = 0x0e,
    ISC_DISABLE = 0x26,
    LSC_PROG_SPI = 0x3a,
    LSC_READ_STATUS = 0x3c,
    LSC_REFRESH = 0x79,
    LSC_BITSTREAM_BURST = 0x7a,
    USERCODE = 0xc0,
    ISC_ENABLE = 0xc6,
    IDCODE_PUB = 0xe0,
    LSC_CHECK_BUSY = 0xf0
};

enum status {
    STATUS_JTAG = 1 << 4,
    STATUS_DONE = 1 << 8,
    STATUS_ENABLED = 1 << 9,
    STATUS_BUSY = 1 << 12,
    STATUS_FAIL = 1 << 13,
    STATUS_PREAMBLE = 1 << 21,
    STATUS_FLASH_FAIL = 1 << 22,
    STATUS_ERROR_SHIFT = 23,
    ERROR_ID = 1,
    ERROR_PREAMBLE = 4
};

/* A period of TCK: the chain is slow, so that few polls see the flash busy. */
static const uint64_t clock_time = 100 * (uint64_t)FS_MICROSECOND;

enum { FLASH_KEY = 0x68fe, HEADER_MAX = 512 };

/* ---- configuration ---- */

static void configure(struct ecp5 *ecp5, const uint8_t *bytes, size_t length)
{
    static const uint8_t preamble[] = {0xff, 0xff, 0xbd, 0xb3}, done[] = {0x5e, 0, 0, 0};
    uint32_t id = ecp5->idcode;
    const uint8_t verify[] = {0xe2, 0, 0, 0, (uint8_t)(id >> 24), (uint8_t)(id >> 16), (uint8_t)(id >> 8), (uint8_t)id};
    const uint8_t *start = memmem(bytes, length < HEADER_MAX ? length : HEADER_MAX, preamble, sizeof preamble);
    size_t rest = start ? length - (size_t)(start - bytes) : 0;
    ecp5->error = !start ? ERROR_PREAMBLE : memmem(start, rest, verify, sizeof verify) ? 0 : ERROR_ID;
    ecp5->done = !ecp5->error && !ecp5->done_low && memmem(start, rest, done, sizeof done);
    ecp5->failed = !ecp5->done;
}

void ecp5_start(struct ecp5 *ecp5)
{
    spi_flash_power_on(&ecp5->flash);
    configure(ecp5, ecp5->flash.bytes, ecp5->flash.size);
    ecp5->flash_failed = !ecp5->done;
    ecp5->enabled = false;
}

static uint32_t status_of(const struct ecp5 *ecp5)
{
    return STATUS_JTAG | (ecp5->done ? STATUS_DONE : 0) | (ecp5->enabled ? STATUS_ENABLED : 0) |
           (ecp5->busy ? STATUS_BUSY : 0) | (ecp5->failed ? STATUS_FAIL : 0) |
           (ecp5->error == ERROR_PREAMBLE ? 0 : STATUS_PREAMBLE) | (ecp5->flash_failed ? STATUS_FLASH_FAIL : 0) |
           ecp5->error << STATUS_ERROR_SHIFT;
}

/* ---- registers ---- */

/* The registers' lengths; of other instructions one bit. */
static const uint8_t lengths[256] = {
    [IDCODE_PUB] = 32, [LSC_READ_STATUS] = 32, [USERCODE] = 32,    [LSC_CHECK_BUSY] = 8,
    [ISC_ENABLE] = 8,  [ISC_ERASE] = 8,        [LSC_PROG_SPI] = 16};

void ecp5_capture(struct ecp5 *ecp5)
{
    uint8_t instruction = ecp5->instruction;
    ecp5->length = lengths[instruction] ? lengths[instruction] : 1;
    ecp5->data = instruction == IDCODE_PUB        ? ecp5->idcode
                 : instruction == LSC_READ_STATUS ? status_of(ecp5)
                 : instruction == LSC_CHECK_BUSY  ? (ecp5->busy ? 0x80 : 0)
                                                  : 0;
}

static void take_bit(struct ecp5 *ecp5, bool bit)
{
    size_t byte = ecp5->bits / 8;
    if (byte < sizeof ecp5->bitstream)
        ecp5->bitstream[byte] = (uint8_t)(ecp5->bitstream[byte] << 1 | bit);
    ecp5->bits++;
}

/* The flash's clock is TCK, its select is Shift-DR. */
static bool shift_flash(struct ecp5 *ecp5, bool tdi)
{
    spi_flash_pins(&ecp5->flash, ecp5->time, false, false, tdi);
    bool out = ecp5->flash.data_out;
    spi_flash_pins(&ecp5->flash, ecp5->time += clock_time / 2, false, true, tdi);
    spi_flash_pins(&ecp5->flash, ecp5->time += clock_time / 2, false, false, tdi);
    return out;
}

bool ecp5_shift(struct ecp5 *ecp5, bool tdi)
{
    if (ecp5->flash_open)
        return shift_flash(ecp5, tdi);
    if (ecp5->instruction == LSC_BITSTREAM_BURST) {
        take_bit(ecp5, tdi);
        return false;
    }
    bool tdo = ecp5->data & 1;
    ecp5->data = ecp5->data >> 1 | (uint64_t)tdi << (ecp5->length - 1);
    return tdo;
}

void ecp5_leave(struct ecp5 *ecp5)
{
    if (ecp5->flash_open)
        spi_flash_pins(&ecp5->flash, ecp5->time += clock_time, true, false, true);
}

void ecp5_update(struct ecp5 *ecp5)
{
    if (ecp5->instruction == ISC_ENABLE)
        ecp5->enabled = true;
    if (ecp5->instruction == ISC_ENABLE || ecp5->instruction == ISC_ERASE)
        ecp5->failed = ecp5->flash_failed = false;
    if (ecp5->instruction == ISC_ERASE && ecp5->enabled) {
        ecp5->done = false;
        ecp5->error = 0;
    }
    if (ecp5->instruction == LSC_PROG_SPI && ecp5->data == FLASH_KEY)
        ecp5->flash_open = true;
    if (ecp5->instruction == LSC_BITSTREAM_BURST && ecp5->enabled)
        configure(ecp5, ecp5->bitstream,
                  ecp5->bits / 8 < sizeof ecp5->bitstream ? ecp5->bits / 8 : sizeof ecp5->bitstream);
}

void ecp5_instruct(struct ecp5 *ecp5, uint8_t instruction)
{
    ecp5->instruction = instruction;
    ecp5->flash_open = false;
    ecp5->bits = 0;
    if (instruction == ISC_DISABLE)
        ecp5->enabled = false;
    if (instruction == LSC_REFRESH)
        ecp5_start(ecp5);
}

void ecp5_reset(struct ecp5 *ecp5)
{
    ecp5->instruction = IDCODE_PUB;
    ecp5->flash_open = false;
}
