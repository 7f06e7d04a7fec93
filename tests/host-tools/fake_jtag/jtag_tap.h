/* The JTAG port of a chip: the state machine of IEEE 1149.1, with an instruction register of eight bits. What registers
 * there are, and what instructions do, is the chip's business.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_HOST_TOOLS_FAKE_JTAG_JTAG_TAP_H
#define POSTROAD_TESTS_HOST_TOOLS_FAKE_JTAG_JTAG_TAP_H

#include <stdbool.h>
#include <stdint.h>

enum jtag_state {
    TEST_LOGIC_RESET,
    RUN_TEST_IDLE,
    SELECT_DR_SCAN,
    CAPTURE_DR,
    SHIFT_DR,
    EXIT1_DR,
    PAUSE_DR,
    EXIT2_DR,
    UPDATE_DR,
    SELECT_IR_SCAN,
    CAPTURE_IR,
    SHIFT_IR,
    EXIT1_IR,
    PAUSE_IR,
    EXIT2_IR,
    UPDATE_IR,
};

struct jtag_chip {
    void (*instruct)(void *context, uint8_t instruction); /* Update-IR */
    void (*reset)(void *context);                         /* Test-Logic-Reset */
    void (*capture)(void *context);                       /* Capture-DR */
    bool (*shift)(void *context, bool tdi);               /* a clock in Shift-DR; returns TDO as it was before */
    void (*leave)(void *context);                         /* Shift-DR is left */
    void (*update)(void *context);                        /* Update-DR */
};

struct jtag_tap {
    const struct jtag_chip *chip;
    void *context; /* the chip */
    enum jtag_state state;
    uint8_t instruction; /* as it is shifted in */
};

/* A clock of TCK. Returns TDO as the probe sees it at the rising edge. */
bool jtag_tap_clock(struct jtag_tap *tap, bool tms, bool tdi);

#endif
