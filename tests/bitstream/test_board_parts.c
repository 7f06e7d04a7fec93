/* What lies around a simulated chip: serial console, flash, and cables with their faults.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include <string.h>

#include "bitstream/cable.h"
#include "bitstream/serial_port.h"
#include "bitstream/spi_flash.h"
#include "check.h"

static const uint64_t bit = FS_MICROSECOND;

/* What one port sends another one hears, 1 % faster or slower; 3 % off it fails. */
static unsigned bytes_heard(double rate)
{
    struct serial_port sender, receiver;
    uint64_t now = 0;
    uint8_t got[256];
    unsigned good = 0;
    serial_port_init(&sender, 1e6);
    serial_port_init(&receiver, 1e6 * rate);
    for (unsigned byte = 0; byte < 256; byte++) {
        CHECK(serial_port_send(&sender, now, (uint8_t)byte));
        while (sender.to_board.count) {
            now = line_next(&sender.to_board);
            serial_port_hear(&receiver, now, line_read(&sender.to_board, now));
        }
    }
    serial_port_look(&receiver, now + 20 * bit);
    size_t count = byte_ring_read(&receiver.received, got, sizeof got);
    for (size_t i = 0; i < count; i++)
        good += got[i] == i;
    return good;
}

static void console(void)
{
    check(bytes_heard(1) == 256, "same rate: %u bytes", bytes_heard(1));
    check(bytes_heard(1.02) == 256, "2 %% faster: %u bytes", bytes_heard(1.02));
    check(bytes_heard(0.98) == 256, "2 %% slower: %u bytes", bytes_heard(0.98));
    check(bytes_heard(1.1) < 200, "10 %% faster: %u bytes", bytes_heard(1.1));
}

/* Sends bytes to the flash, and returns the last one that it sends. */
static unsigned transfer(struct spi_flash *flash, uint64_t *now, const uint8_t *bytes, size_t count)
{
    unsigned out = 0;
    spi_flash_pins(flash, *now += bit, false, false, true);
    for (size_t i = 0; i < count; i++)
        for (int k = 7; k >= 0; k--) {
            spi_flash_pins(flash, *now += bit / 10, false, false, bytes[i] >> k & 1);
            out = out << 1 | flash->data_out;
            spi_flash_pins(flash, *now += bit / 10, false, true, bytes[i] >> k & 1);
        }
    spi_flash_pins(flash, *now += bit / 10, false, false, true);
    spi_flash_pins(flash, *now += bit / 10, true, false, true);
    return out & 0xff;
}

/* The byte at 255, and that at 0, where a page begins again. */
static void flash_programs(struct spi_flash *flash, uint64_t *now)
{
    static const uint64_t program_time = 700 * bit;
    static const uint8_t program[] = {0x02, 0, 0, 255, 0xf0, 0x55}, at_255[] = {0x03, 0, 0, 255, 0};
    uint8_t before = flash->bytes[255];
    flash->bytes[0] = 0xff;
    transfer(flash, now, program, sizeof program);
    check(transfer(flash, now, (uint8_t[]){0x05, 0}, 2) == 0, "it programs without a write enable");
    transfer(flash, now, (uint8_t[]){0x06, 0}, 2);
    check(transfer(flash, now, (uint8_t[]){0x05, 0}, 2) == 0, "a write enable of two bytes is none");
    transfer(flash, now, (uint8_t[]){0x06}, 1);
    check(transfer(flash, now, (uint8_t[]){0x05, 0}, 2) == 2, "write enabled");
    transfer(flash, now, program, sizeof program);
    check(transfer(flash, now, (uint8_t[]){0x05, 0}, 2) == 1, "busy, and no longer write enabled");
    check(transfer(flash, now, at_255, sizeof at_255) == 0xff, "it is read while it is busy");
    *now += program_time;
    check(transfer(flash, now, (uint8_t[]){0x05, 0}, 2) == 0, "ready");
    check(transfer(flash, now, at_255, sizeof at_255) == (before & 0xf0), "bits are cleared, none is set");
    check(flash->bytes[0] == 0x55 && flash->bytes[256] == (uint8_t)(256 * 7), "the page begins again");
    flash->protection = SPI_FLASH_PROTECT_ALL;
    transfer(flash, now, (uint8_t[]){0x06}, 1);
    transfer(flash, now, (uint8_t[]){0x02, 0, 0, 255, 0}, 5);
    check(flash->bytes[255] == (before & 0xf0), "it is write-protected");
    flash->protection = 0;
}

/* A command behind a write enable; it is over when this returns. */
static void change_flash(struct spi_flash *flash, uint64_t *now, const uint8_t *command, size_t count)
{
    transfer(flash, now, (uint8_t[]){0x06}, 1);
    transfer(flash, now, command, count);
    *now += 1000000 * bit;
}

static const uint8_t erase_sector[] = {0x20, 0, 0x1a, 0xbc}, erase_block[] = {0xd8, 1, 2, 3};

/* An erase takes the sector or block around its address, and nothing else. */
static void erase(void)
{
    static uint8_t bytes[3 << 16];
    static const struct spi_flash_faults worn = {.worn = true, .worn_sector = 0x11000};
    struct spi_flash flash = {.bytes = bytes, .size = sizeof bytes};
    uint64_t now = bit;
    spi_flash_power_on(&flash);
    transfer(&flash, &now, (uint8_t[]){0xab}, 1);
    now += 5 * bit;
    transfer(&flash, &now, erase_sector, sizeof erase_sector);
    check(bytes[0x1abc] == 0, "it erases without a write enable");
    transfer(&flash, &now, (uint8_t[]){0x06}, 1);
    transfer(&flash, &now, (uint8_t[]){0x04}, 1);
    transfer(&flash, &now, erase_sector, sizeof erase_sector);
    check(bytes[0x1abc] == 0, "it erases after a write disable");
    transfer(&flash, &now, (uint8_t[]){0x06}, 1);
    transfer(&flash, &now, erase_sector, sizeof erase_sector);
    check(transfer(&flash, &now, (uint8_t[]){0x05, 0}, 2) == 1, "busy");
    check(bytes[0xfff] == 0 && bytes[0x1000] == 0xff && bytes[0x1fff] == 0xff && bytes[0x2000] == 0, "4 KB");
    now += 1000000 * bit;
    flash.faults = &worn;
    change_flash(&flash, &now, erase_block, sizeof erase_block);
    check(bytes[0xffff] == 0 && bytes[0x10000] == 0xff && bytes[0x1ffff] == 0xff && bytes[0x20000] == 0, "64 KB");
    check(bytes[0x10fff] == 0xff && bytes[0x11000] == 0 && bytes[0x11fff] == 0 && bytes[0x12000] == 0xff,
          "its worn sector stays");
    change_flash(&flash, &now, (uint8_t[]){0x01, 0x24}, 2); /* the lowest 256 KB */
    check(transfer(&flash, &now, (uint8_t[]){0x05, 0}, 2) == 0x24, "the status is written");
    change_flash(&flash, &now, (uint8_t[]){0xd8, 0, 0, 0}, 4);
    check(bytes[0] == 0, "a protected block is not erased");
}

static void flash(void)
{
    uint8_t bytes[300];
    struct spi_flash flash = {.bytes = bytes, .size = sizeof bytes};
    uint64_t now = bit;
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 7);
    spi_flash_power_on(&flash);
    check(transfer(&flash, &now, (uint8_t[]){0x03, 0, 1, 0, 0}, 5) == 0xff, "in power-down it answers");
    transfer(&flash, &now, (uint8_t[]){0xab}, 1);
    check(transfer(&flash, &now, (uint8_t[]){0x03, 0, 1, 0, 0}, 5) == 0xff, "it answers a microsecond after 0xab");
    now += 5 * bit;
    check(transfer(&flash, &now, (uint8_t[]){0x03, 0, 1, 0, 0}, 5) == (uint8_t)(256 * 7), "the byte at 256");
    check(transfer(&flash, &now, (uint8_t[]){0x03, 0, 1, 0, 0, 0, 0}, 7) == (uint8_t)(258 * 7), "the byte at 258");
    check(transfer(&flash, &now, (uint8_t[]){0x0b, 0, 1, 0, 0, 0}, 6) == (uint8_t)(256 * 7), "fast read");
    check(transfer(&flash, &now, (uint8_t[]){0x03, 0x20, 0, 0, 0}, 5) == 0xff, "behind its contents");
    check(transfer(&flash, &now, (uint8_t[]){0x9f, 0}, 2) == 0xef, "identity");
    check(transfer(&flash, &now, (uint8_t[]){0x05, 0}, 2) == 0, "status");
    flash_programs(&flash, &now);
    transfer(&flash, &now, (uint8_t[]){0xb9}, 1);
    check(transfer(&flash, &now, (uint8_t[]){0x9f, 0}, 2) == 0xff, "power-down again");
}

/* The share of a wire's time in which it is inverted is that of its errors; unplugged it floats. */
static void cable(void)
{
    struct socket a, b;
    uint64_t now = 0, inverted = 0, samples = 2000000;
    socket_init(&a, true, bit, 1, 1);
    socket_init(&b, false, bit, 1, 2);
    socket_power(&a, 0, true, NULL);
    socket_power(&b, 0, true, NULL);
    socket_drive(&a, 0, true, false, NULL);
    socket_drive(&b, 0, true, false, NULL);
    socket_plug(&a, 0, &b, 10, 0.01);
    socket_plug(&b, 0, &a, 10, 0);
    for (uint64_t i = 0; i < samples; i++)
        inverted += socket_read(&a, now += bit / 2);
    check(inverted > samples / 125 && inverted < samples / 80, "%d inverted samples of %d", (int)inverted,
          (int)samples);
    socket_drive(&a, now, true, true, &b);
    check(!socket_read(&b, now + 9) && socket_read(&b, now + 10), "a change comes after the delay");
    socket_plug(&b, now += bit, NULL, 10, 0);
    check(!socket_read(&b, now + 10), "unplugged without a resistor it is 0");
    socket_plug(&a, now, NULL, 10, 0.5);
    check(socket_read(&a, now + 10) && socket_read(&a, now + 100 * bit),
          "unplugged with a resistor it is 1, without noise");
    socket_plug(&b, now += bit, &a, 10, 0);
    check(socket_read(&b, now += 10), "plugged in again it hears the other end");
    socket_drive(&a, now, false, true, &b);
    check(!socket_read(&b, now + 10) && !socket_output(&a), "an output that is switched off drives nothing");
    socket_drive(&a, now += 20, true, true, &b);
    check(socket_read(&b, now + 10) && socket_output(&a), "and drives when it is switched on");
    socket_meet(&a, &b);
    check(!socket_output(&a) && !socket_output(&b), "of two outputs that meet, 0 wins");
    socket_drive(&b, now, false, false, NULL);
    check(socket_output(&b), "an output that is switched off sees the other one");
    socket_plug(&a, now += 20, &b, 10, 0);
    check(!socket_output(&b), "plugged in the right way round, outputs do not meet");
    socket_power(&a, now, false, &b);
    check(!socket_read(&b, now + 10), "a board without power drives nothing");
}

int main(void)
{
    RUN(console);
    RUN(flash);
    RUN(erase);
    RUN(cable);
    return verdict("test_board_parts");
}
