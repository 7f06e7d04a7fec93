/* The configuration logic of an ECP5 as JTAG reaches it, and the serial flash beside it: identity, status register,
 * configuration by LSC_BITSTREAM_BURST, start from the flash by LSC_REFRESH, the way to the flash by LSC_PROG_SPI. Of a
 * bitstream it looks at the preamble, at VERIFY_ID and for ISC_PROGRAM_DONE; the FPGA does not run.
 *
 * Sources: Lattice TN1260 "ECP5 and ECP5-5G sysCONFIG Usage Guide", tables of commands and of the status register;
 * prjtrellis, docs on the bitstream; what openFPGALoader (src/lattice.cpp) expects.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_HOST_TOOLS_FAKE_JTAG_ECP5_H
#define POSTROAD_TESTS_HOST_TOOLS_FAKE_JTAG_ECP5_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bitstream/spi_flash.h"
#include "jtag_tap.h"

enum { ECP5_LFE5U_25 = 0x41111043, ECP5_BITSTREAM = 1 << 20 };

struct ecp5 {
    struct spi_flash flash;
    uint64_t time; /* femtoseconds */
    uint32_t idcode;
    bool done_low; /* a fault: no bitstream starts it */
    bool busy;     /* a fault: its busy flag stays set */

    bool done, enabled, failed, flash_failed;
    unsigned error; /* of the bitstream engine, as in the status register */
    uint8_t instruction;
    uint64_t data; /* register of `length` bits */
    unsigned length;
    bool flash_open; /* Shift-DR leads to the flash */
    uint8_t bitstream[ECP5_BITSTREAM];
    size_t bits; /* of it */
};

extern const struct jtag_chip ecp5_chip;

/* Power is switched on: it starts from its flash. */
void ecp5_start(struct ecp5 *ecp5);

#endif
