/* Boards behind an FTDI chip: see usb.h. Between programs their power is off: but what runs then, runs on.
 *
 * Sources: iCEBreaker's schematic (FT2232H, port A) and iceprog; Lattice TN1248 "iCE40 Programming and Configuration",
 * for CRESET_B and CDONE; ULX3S's schematic (FT231X) for its JTAG.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "usb.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../imitate/jtag.h"
#include "bitstream/line.h"

/* Behind it an iCEBreaker has more, which nothing is written to. */
enum { FLASH_BYTES = 4 << 20, SEARCHED = 512 };

static uint8_t contents[FLASH_BYTES];
static struct spi_flash_faults flash_faults;
static bool done_low;

static void power_on(struct spi_flash *flash, const char *folder, const struct words *fault)
{
    load_flash(folder, contents, sizeof contents);
    flash->bytes = is_word(fault, 0, "no_flash") ? NULL : contents;
    flash->size = sizeof contents;
    break_flash(fault, flash, &flash_faults);
    done_low = is_word(fault, 0, "done_low");
}

/* The node behind the console runs with the FPGA. */
static void power_off(const char *folder, bool runs)
{
    store_flash(folder, contents, sizeof contents);
    if (runs) {
        unlink(path_in(folder, "console"));
        return;
    }
    FILE *file = open_file(folder, "console", "we");
    fputs("silent\n", file);
    fclose(file);
}

/* ---- iCE40 ---- */

enum {
    ICE40_CLOCK = 0x01,
    ICE40_OUT = 0x02,
    ICE40_IN = 0x04,
    ICE40_SELECT_N = 0x10,
    ICE40_DONE = 0x40,
    ICE40_RESET_N = 0x80
};

static struct ice40 {
    struct spi_flash flash;
    uint64_t time;
    uint8_t levels;
    bool done;
} ice40;

/* At the end of its reset it reads the flash; if its select is low then, it waits for a bitstream. */
static void ice40_start(bool selected)
{
    static const uint8_t preamble[] = {0x7e, 0xaa, 0x99, 0x7e};
    ice40.done = !selected && !done_low && ice40.flash.bytes && memmem(contents, SEARCHED, preamble, sizeof preamble);
    if (!selected)
        spi_flash_power_on(&ice40.flash);
}

static void ice40_set(uint8_t levels)
{
    static const uint64_t half_clock = 83 * FS_MICROSECOND / 1000; /* 6 MHz */
    if (!(levels & ICE40_RESET_N))
        ice40.done = false;
    else if (!(ice40.levels & ICE40_RESET_N))
        ice40_start(!(levels & ICE40_SELECT_N));
    ice40.levels = levels;
    spi_flash_pins(&ice40.flash, ice40.time += half_clock, levels & ICE40_SELECT_N, levels & ICE40_CLOCK,
                   levels & ICE40_OUT);
}

static uint8_t ice40_get(void)
{
    bool in = !ice40.flash.bytes || ice40.flash.data_out;
    return (uint8_t)((ice40.levels & ~(ICE40_IN | ICE40_DONE)) | (in ? ICE40_IN : 0) | (ice40.done ? ICE40_DONE : 0));
}

static void ice40_pass(uint64_t femtoseconds)
{
    ice40.time += femtoseconds;
}

static void ice40_claimed(const char *folder, const struct words *fault)
{
    ice40 = (struct ice40){.levels = 0xff};
    power_on(&ice40.flash, folder, fault);
    ice40_start(false);
}

static void ice40_released(const char *folder)
{
    power_off(folder, ice40.done);
}

const struct pins pins_ice40 = {ice40_claimed, ice40_released, ice40_set, ice40_get, ice40_pass};

/* ---- ECP5 ---- */

enum { ECP5_TDO = 0x08, ECP5_TCK = 0x20, ECP5_TMS = 0x40, ECP5_TDI = 0x80 };

static struct ecp5 ecp5;
static struct jtag_tap tap;
static uint8_t ecp5_levels;
static bool ecp5_tdo;

static void ecp5_set(uint8_t levels)
{
    if (levels & ~ecp5_levels & ECP5_TCK)
        ecp5_tdo = jtag_tap_clock(&tap, levels & ECP5_TMS, levels & ECP5_TDI);
    ecp5_levels = levels;
}

static uint8_t ecp5_get(void)
{
    return (uint8_t)((ecp5_levels & ~ECP5_TDO) | (ecp5_tdo ? ECP5_TDO : 0));
}

static void ecp5_pass(uint64_t femtoseconds)
{
    ecp5.time += femtoseconds;
}

static void ecp5_claimed(const char *folder, const struct words *fault)
{
    ecp5 = (struct ecp5){.idcode = is_word(fault, 0, "idcode") ? (uint32_t)strtoul(fault->word[1], NULL, 0)
                                                               : ECP5_LFE5U_25};
    power_on(&ecp5.flash, folder, fault);
    ecp5.done_low = done_low;
    tap = (struct jtag_tap){.chip = &ecp5};
    ecp5_levels = 0xff;
    ecp5_start(&ecp5);
    ecp5_reset(&ecp5);
}

static void ecp5_released(const char *folder)
{
    power_off(folder, ecp5.done);
}

const struct pins pins_ecp5 = {ecp5_claimed, ecp5_released, ecp5_set, ecp5_get, ecp5_pass};
