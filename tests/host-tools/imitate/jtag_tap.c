/* See jtag.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "jtag.h"

/* What an instruction register holds after Capture-IR: the standard wants 01 in its low bits. */
enum { CAPTURED_INSTRUCTION = 0x01 };

/* Where TMS leads, low and high, from each state in their order. */
static const enum jtag_state next_states[2][16] = {
    {RUN_TEST_IDLE, RUN_TEST_IDLE, CAPTURE_DR, SHIFT_DR, SHIFT_DR, PAUSE_DR, PAUSE_DR, SHIFT_DR, RUN_TEST_IDLE,
     CAPTURE_IR, SHIFT_IR, SHIFT_IR, PAUSE_IR, PAUSE_IR, SHIFT_IR, RUN_TEST_IDLE},
    {TEST_LOGIC_RESET, SELECT_DR, SELECT_IR, EXIT1_DR, EXIT1_DR, UPDATE_DR, EXIT2_DR, UPDATE_DR, SELECT_DR,
     TEST_LOGIC_RESET, EXIT1_IR, EXIT1_IR, UPDATE_IR, EXIT2_IR, UPDATE_IR, SELECT_DR}};

static bool shift_instruction(struct jtag_tap *tap, bool tdi)
{
    bool tdo = tap->instruction & 1;
    tap->instruction = (uint8_t)(tap->instruction >> 1 | (tdi ? 0x80 : 0));
    return tdo;
}

static void enter(struct jtag_tap *tap, enum jtag_state before)
{
    if (before == SHIFT_DR && tap->state != SHIFT_DR)
        ecp5_leave(tap->chip);
    if (tap->state == TEST_LOGIC_RESET && before != TEST_LOGIC_RESET)
        ecp5_reset(tap->chip);
    else if (tap->state == CAPTURE_IR)
        tap->instruction = CAPTURED_INSTRUCTION;
    else if (tap->state == UPDATE_IR)
        ecp5_instruct(tap->chip, tap->instruction);
    else if (tap->state == CAPTURE_DR)
        ecp5_capture(tap->chip);
    else if (tap->state == UPDATE_DR)
        ecp5_update(tap->chip);
}

bool jtag_tap_clock(struct jtag_tap *tap, bool tms, bool tdi)
{
    enum jtag_state before = tap->state;
    bool tdo = true; /* pulled up where the chip does not drive it */
    if (before == SHIFT_IR)
        tdo = shift_instruction(tap, tdi);
    else if (before == SHIFT_DR)
        tdo = ecp5_shift(tap->chip, tdi);
    tap->state = next_states[tms][before];
    enter(tap, before);
    return tdo;
}
