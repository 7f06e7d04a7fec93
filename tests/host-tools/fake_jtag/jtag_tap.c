/* See jtag_tap.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "jtag_tap.h"

/* What an instruction register holds after Capture-IR: the standard wants 01 in its low bits. */
enum { CAPTURED_INSTRUCTION = 0x01 };

static const enum jtag_state next_states[][2] = {
    [TEST_LOGIC_RESET] = {RUN_TEST_IDLE, TEST_LOGIC_RESET},
    [RUN_TEST_IDLE] = {RUN_TEST_IDLE, SELECT_DR_SCAN},
    [SELECT_DR_SCAN] = {CAPTURE_DR, SELECT_IR_SCAN},
    [CAPTURE_DR] = {SHIFT_DR, EXIT1_DR},
    [SHIFT_DR] = {SHIFT_DR, EXIT1_DR},
    [EXIT1_DR] = {PAUSE_DR, UPDATE_DR},
    [PAUSE_DR] = {PAUSE_DR, EXIT2_DR},
    [EXIT2_DR] = {SHIFT_DR, UPDATE_DR},
    [UPDATE_DR] = {RUN_TEST_IDLE, SELECT_DR_SCAN},
    [SELECT_IR_SCAN] = {CAPTURE_IR, TEST_LOGIC_RESET},
    [CAPTURE_IR] = {SHIFT_IR, EXIT1_IR},
    [SHIFT_IR] = {SHIFT_IR, EXIT1_IR},
    [EXIT1_IR] = {PAUSE_IR, UPDATE_IR},
    [PAUSE_IR] = {PAUSE_IR, EXIT2_IR},
    [EXIT2_IR] = {SHIFT_IR, UPDATE_IR},
    [UPDATE_IR] = {RUN_TEST_IDLE, SELECT_DR_SCAN},
};

static bool shift_instruction(struct jtag_tap *tap, bool tdi)
{
    bool tdo = tap->instruction & 1;
    tap->instruction = (uint8_t)(tap->instruction >> 1 | (tdi ? 0x80 : 0));
    return tdo;
}

static void enter(struct jtag_tap *tap, enum jtag_state before)
{
    const struct jtag_chip *chip = tap->chip;
    if (before == SHIFT_DR && tap->state != SHIFT_DR)
        chip->leave(tap->context);
    if (tap->state == TEST_LOGIC_RESET && before != TEST_LOGIC_RESET)
        chip->reset(tap->context);
    else if (tap->state == CAPTURE_IR)
        tap->instruction = CAPTURED_INSTRUCTION;
    else if (tap->state == UPDATE_IR)
        chip->instruct(tap->context, tap->instruction);
    else if (tap->state == CAPTURE_DR)
        chip->capture(tap->context);
    else if (tap->state == UPDATE_DR)
        chip->update(tap->context);
}

bool jtag_tap_clock(struct jtag_tap *tap, bool tms, bool tdi)
{
    enum jtag_state before = tap->state;
    bool tdo = true; /* pulled up where the chip does not drive it */
    if (before == SHIFT_IR)
        tdo = shift_instruction(tap, tdi);
    else if (before == SHIFT_DR)
        tdo = tap->chip->shift(tap->context, tdi);
    tap->state = next_states[before][tms];
    enter(tap, before);
    return tdo;
}
