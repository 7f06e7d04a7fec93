/* An FPGA behind a JTAG chain, as an XVC server shows it.
 *
 *   XVC 1.0 (xvc_server.c)   TMS, TDI and TDO over TCP
 *   the port (jtag_tap.c)    the state machine of IEEE 1149.1, with an instruction register of eight bits
 *   the chip (ecp5.c)        the configuration logic of an ECP5, and the serial flash beside it: identity, status
 * register, configuration by LSC_BITSTREAM_BURST, start from the flash by LSC_REFRESH, the way to the flash by
 * LSC_PROG_SPI. Of a bitstream it looks at the preamble, at VERIFY_ID and for ISC_PROGRAM_DONE; the FPGA does not run.
 *
 * Sources: Xilinx XAPP1251 and github.com/Xilinx/XilinxVirtualCable; Lattice TN1260 "ECP5 and ECP5-5G sysCONFIG Usage
 * Guide", tables of commands and of the status register; prjtrellis, docs on the bitstream; what openFPGALoader
 * (src/lattice.cpp) expects.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_HOST_TOOLS_IMITATE_JTAG_H
#define POSTROAD_TESTS_HOST_TOOLS_IMITATE_JTAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bitstream/spi_flash.h"

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

/* Power is switched on: it starts from its flash. */
void ecp5_start(struct ecp5 *ecp5);

/* What the states of the port make it do. */
void ecp5_reset(struct ecp5 *ecp5);                         /* Test-Logic-Reset */
void ecp5_instruct(struct ecp5 *ecp5, uint8_t instruction); /* Update-IR */
void ecp5_capture(struct ecp5 *ecp5);                       /* Capture-DR */
bool ecp5_shift(struct ecp5 *ecp5, bool tdi);               /* a clock in Shift-DR; returns TDO as it was before */
void ecp5_leave(struct ecp5 *ecp5);                         /* Shift-DR is left */
void ecp5_update(struct ecp5 *ecp5);                        /* Update-DR */

enum jtag_state {
    TEST_LOGIC_RESET,
    RUN_TEST_IDLE,
    SELECT_DR,
    CAPTURE_DR,
    SHIFT_DR,
    EXIT1_DR,
    PAUSE_DR,
    EXIT2_DR,
    UPDATE_DR,
    SELECT_IR,
    CAPTURE_IR,
    SHIFT_IR,
    EXIT1_IR,
    PAUSE_IR,
    EXIT2_IR,
    UPDATE_IR
};

struct jtag_tap {
    struct ecp5 *chip;
    enum jtag_state state;
    uint8_t instruction; /* as it is shifted in */
};

/* A clock of TCK. Returns TDO as the probe sees it at the rising edge. */
bool jtag_tap_clock(struct jtag_tap *tap, bool tms, bool tdi);

/* Serves one client until it closes, or until it has sent `most` shifts (0: any number). Returns how many there were.
 *
 *   getinfo:                              answer: xvcServer_v1.0:ROOM and a newline; ROOM: bytes of TMS and TDI
 * together settck: PERIOD                        answer: the same; nanoseconds, 32 bits shift: COUNT, bytes of TMS, of
 * TDI    answer: bytes of TDO; COUNT: bits, 32 bits
 *
 * Numbers have their low byte first, and so have bits. */
unsigned xvc_serve(int client, struct jtag_tap *tap, unsigned most);

#endif
