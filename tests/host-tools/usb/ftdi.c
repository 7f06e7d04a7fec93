/* FTDI's USB chips: see usb.h. Interface A alone; the console's interface is a tty.
 *
 * Sources: FTDI AN_108 "Command Processor for MPSSE and MCU Host Bus Emulation Modes", AN_232R-01 "Bit Bang Modes",
 * data sheets FT2232H and FT231X; requests as in libftdi's header.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "usb.h"

#include <errno.h>
#include <string.h>

#include "bitstream/line.h"

enum request {
    RESET = 0x00,
    MODEM_CONTROL,
    FLOW_CONTROL,
    BAUD_RATE,
    LINE_SETTINGS,
    MODEM_STATUS,
    SET_LATENCY = 0x09,
    GET_LATENCY = 0x0a,
    BIT_MODE = 0x0b,
    READ_PINS = 0x0c,
    READ_EEPROM = 0x90
};
enum { RESET_PURGE_TO_HOST = 1, RESET_PURGE_FROM_HOST = 2 };
enum mode { SERIAL = 0, BIT_BANG = 1, MPSSE = 2, SYNCHRONOUS_BIT_BANG = 4 };
enum { STATUS_BYTES = 2, HIGH_SPEED_PACKET = 512, FULL_SPEED_PACKET = 64, TO_HOST = 1 << 17, COMMAND_MAX = 1 << 16 };

/* MPSSE: bits of a command that shifts, and other commands. */
enum { SHIFT_BITS = 0x02, SHIFT_LSB = 0x08, SHIFT_WRITE = 0x10, SHIFT_READ = 0x20, SHIFT_TMS = 0x40, NO_SHIFT = 0x80 };
enum { SET_LOW = 0x80, GET_LOW, SET_HIGH, GET_HIGH, LOOPBACK_ON, LOOPBACK_OFF, DIVISOR, SEND_NOW };
enum {
    NO_DIVIDE_BY_5 = 0x8a,
    DIVIDE_BY_5,
    THREE_PHASE_ON,
    THREE_PHASE_OFF,
    CLOCK_BITS,
    CLOCK_BYTES,
    ADAPTIVE_OFF = 0x97
};
enum { BAD_COMMAND = 0xfa };
enum { PIN_CLOCK = 0x01, PIN_OUT = 0x02, PIN_IN = 0x04 };

static struct chip {
    const struct pins *pins;
    enum mode mode;
    uint8_t latency, levels;
    uint8_t to_host[TO_HOST];
    unsigned first, count;
    uint8_t command[COMMAND_MAX + 4]; /* that has begun, and its data */
    unsigned length;
} chip;

static void say(uint8_t byte)
{
    if (chip.count < TO_HOST)
        chip.to_host[(chip.first + chip.count++) % TO_HOST] = byte;
}

static void set_pins(uint8_t levels)
{
    chip.levels = levels;
    chip.pins->set(levels);
}

/* ---- MPSSE ---- */

/* A clock of mode 0: data out before the rising edge, at which data in is taken. */
static bool clock_bit(bool out)
{
    set_pins((uint8_t)((chip.levels & ~(PIN_CLOCK | PIN_OUT)) | (out ? PIN_OUT : 0)));
    bool in = chip.pins->get() & PIN_IN;
    set_pins(chip.levels | PIN_CLOCK);
    set_pins(chip.levels & (uint8_t)~PIN_CLOCK);
    return in;
}

static void shift(uint8_t command, uint8_t out, unsigned bits)
{
    unsigned in = 0;
    for (unsigned k = 0; k < bits; k++) {
        unsigned at = command & SHIFT_LSB ? k : 7 - k;
        bool bit = clock_bit(command & SHIFT_WRITE && out >> at & 1);
        in = command & SHIFT_LSB ? in >> 1 | (bit ? 0x80 : 0) : in << 1 | bit;
    }
    if (command & SHIFT_READ)
        say((uint8_t)in);
}

/* The bytes of a command, as far as those that are here tell. */
static unsigned bytes_of(const uint8_t *command, unsigned here)
{
    uint8_t code = command[0];
    bool shifts = !(code & NO_SHIFT);
    if (shifts && code & SHIFT_BITS)
        return code & SHIFT_WRITE ? 3 : 2;
    if (shifts)
        return 3 + (code & SHIFT_WRITE && here >= 3 ? (unsigned)(command[1] | command[2] << 8) + 1 : 0);
    if (code == SET_LOW || code == SET_HIGH || code == DIVISOR || code == CLOCK_BYTES)
        return 3;
    return code == CLOCK_BITS ? 2 : 1;
}

static void clock_only(unsigned bits)
{
    for (unsigned k = 0; k < bits; k++)
        clock_bit(false);
}

static void obey_shift(const uint8_t *command)
{
    if (command[0] & SHIFT_BITS) {
        shift(command[0], command[2], (command[1] & 7) + 1u);
        return;
    }
    unsigned count = (unsigned)(command[1] | command[2] << 8) + 1;
    for (unsigned k = 0; k < count; k++)
        shift(command[0], command[0] & SHIFT_WRITE ? command[3 + k] : 0, 8);
}

static void obey(const uint8_t *command)
{
    uint8_t code = command[0];
    if (!(code & NO_SHIFT))
        obey_shift(command);
    else if (code == SET_LOW)
        set_pins(command[1] | (uint8_t)~command[2]);
    else if (code == GET_LOW)
        say(chip.pins->get());
    else if (code == GET_HIGH)
        say(0xff);
    else if (code == CLOCK_BITS)
        clock_only((command[1] & 7) + 1u);
    else if (code == CLOCK_BYTES)
        clock_only(8 * ((unsigned)(command[1] | command[2] << 8) + 1));
    else if (code > ADAPTIVE_OFF) {
        say(BAD_COMMAND);
        say(code);
    }
}

static void take_command_byte(uint8_t byte)
{
    chip.command[chip.length++] = byte;
    if (chip.length < bytes_of(chip.command, chip.length))
        return;
    obey(chip.command);
    chip.length = 0;
}

/* ---- bit-bang ---- */

/* What is taken is what was there before the pins changed: TDO at the rising edge of TCK, which the ECP5 gives with
 * that edge. */
static void take_levels(uint8_t levels)
{
    set_pins(levels);
    if (chip.mode == SYNCHRONOUS_BIT_BANG)
        say(chip.pins->get());
}

/* ---- transfers ---- */

/* A microframe at least passes, and the latency timer that programs leave at a millisecond or more. */
static void pass_time(void)
{
    chip.pins->pass(1000 * (uint64_t)FS_MICROSECOND);
}

static int out(unsigned endpoint, const uint8_t *bytes, int count)
{
    (void)endpoint;
    pass_time();
    for (int k = 0; k < count; k++)
        if (chip.mode == MPSSE)
            take_command_byte(bytes[k]);
        else if (chip.mode != SERIAL)
            take_levels(bytes[k]);
    return count;
}

/* Packets with two bytes of status before their data. */
static int in_packets(uint8_t *bytes, int room, int packet)
{
    static const uint8_t status[STATUS_BYTES] = {0x32, 0x60};
    int used = 0;
    pass_time();
    do {
        if (room - used < STATUS_BYTES)
            break;
        memcpy(bytes + used, status, STATUS_BYTES);
        used += STATUS_BYTES;
        for (int k = STATUS_BYTES; k < packet && used < room && chip.count; k++) {
            bytes[used++] = chip.to_host[chip.first];
            chip.first = (chip.first + 1) % TO_HOST;
            chip.count--;
        }
    } while (chip.count && used % packet == 0);
    return used;
}

static int in_high_speed(unsigned endpoint, uint8_t *bytes, int count)
{
    (void)endpoint;
    return in_packets(bytes, count, HIGH_SPEED_PACKET);
}

static int in_full_speed(unsigned endpoint, uint8_t *bytes, int count)
{
    (void)endpoint;
    return in_packets(bytes, count, FULL_SPEED_PACKET);
}

static int answer(const struct usb_setup *setup, uint8_t *data, uint8_t first, int count)
{
    if (setup->length < count)
        return -EPIPE;
    data[0] = first;
    memset(data + 1, 0, (size_t)count - 1);
    return count;
}

static int control(const struct usb_setup *setup, uint8_t *data)
{
    switch (setup->request) {
    case RESET:
        if (setup->value != RESET_PURGE_FROM_HOST)
            chip.count = 0;
        if (setup->value != RESET_PURGE_TO_HOST)
            chip.length = 0;
        return 0;
    case MODEM_CONTROL:
    case FLOW_CONTROL:
    case BAUD_RATE:
    case LINE_SETTINGS:
        return 0;
    case SET_LATENCY:
        chip.latency = (uint8_t)setup->value;
        return 0;
    case GET_LATENCY:
        return answer(setup, data, chip.latency, 1);
    case BIT_MODE:
        chip.mode = setup->value >> 8;
        chip.length = 0;
        return 0;
    case READ_PINS:
        return answer(setup, data, chip.pins->get(), 1);
    case READ_EEPROM:
        return answer(setup, data, 0xff, 2);
    default:
        return -EPIPE;
    }
}

static void begin(const struct pins *pins, const char *folder, const struct words *fault)
{
    static const uint8_t latency_ms = 16;
    chip = (struct chip){.pins = pins, .latency = latency_ms};
    pins->claimed(folder, fault);
    set_pins(0xff); /* pulled up */
}

static void ice40_claimed(const char *folder, const struct words *fault)
{
    begin(&pins_ice40, folder, fault);
}

static void ecp5_claimed(const char *folder, const struct words *fault)
{
    begin(&pins_ecp5, folder, fault);
}

static void released(const char *folder)
{
    chip.pins->released(folder);
}

const struct usb_device usb_ft2232h = {0x0403, 0x6010, false, ice40_claimed, released, control, out, in_high_speed};
const struct usb_device usb_ft231x = {0x0403, 0x6015, true, ecp5_claimed, released, control, out, in_full_speed};
