/* See board_conf.h. A table has a row for each key; every key must be given, once.
 *
 * inih passes no line number to its handler, so it is fed line by line through its stream interface.
 *
 * SPDX-License-Identifier: ISC
 */
#include "board/board_conf.h"
#include "support/file_error.h"

#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "protocol.h"

#define FIELD(name) offsetof(struct board_conf, name)

/* A key: text if `most` is 0, else a number in [least, most]. `choices`: the texts that it may have, NULL for any. */
struct board_key {
    const char *section, *name;
    size_t offset;
    unsigned least, most;
    const char *choices;
};

static const struct board_key keys[] = {
    {"board", "title", FIELD(title), 0, 0, NULL},
    {"board", "family", FIELD(family), 0, 0, "ice40-hx8k ice40-up5k ecp5-25k ecp5-85k gw2ar-18"},
    {"board", "package", FIELD(package), 0, 0, NULL},
    {"board", "pins", FIELD(pins), 0, 0, NULL},
    {"board", "mapper", FIELD(mapper), 0, 0, "default default-dff flow flow-dff flow2 flow2-dff"},
    {"board", "console", FIELD(console), 0, 0, NULL},
    {"site", "clock_hz", FIELD(clock_hz), 1000000, 200000000, NULL},
    {"site", "link_ratio", FIELD(link_ratio), 1, 4, NULL},
    {"site", "cpu", FIELD(cpu), 0, 0, "vexriscv serv"},
    {"site", "ram_bytes", FIELD(ram_bytes), 4096, 1 << 20, NULL},
    {"site", "eager_links", FIELD(eager_links), 0, 1, NULL},
    {"site", "boot", FIELD(boot), 0, 0, "flash image"},
    {"site", "side", FIELD(side), 1, 2, NULL},
    {"site", "baud", FIELD(baud), 1200, 12000000, NULL},
    {"flash", "bytes", FIELD(flash_bytes), 0, 1 << 28, NULL},
    {"program", "programmer", FIELD(programmer), 0, 0, "iceprog openFPGALoader dfu-util"},
    {"program", "usb", FIELD(usb), 0, 0, NULL},
    {"program", "options", FIELD(programmer_options), 0, 0, NULL},
    {"program", "memory", FIELD(memory), 0, 0, "flash ram"},
    {"program", "console_interface", FIELD(console_interface), 0, 7, NULL},
    {"limits", "max_packet", FIELD(max_packet), 8, 4096, NULL},
    {"limits", "sites", FIELD(max_sites), 1, 65535, NULL},
    {"limits", "word_width", FIELD(widest_word), 16, 32, NULL},
    {"limits", "net_input", FIELD(deepest_input), 1, 64, NULL},
    {"limits", "probes", FIELD(probes), 0, PR_PROBE_MOST_PINS, NULL},
    {"budget", "cells", FIELD(budget_cells), 1, 1000000, NULL},
    {"budget", "rams", FIELD(budget_rams), 1, 10000, NULL},
    {"connectors", "east", FIELD(east), 0, 0, NULL},
    {"connectors", "west", FIELD(west), 0, 0, NULL},
    {"connectors", "north", FIELD(north), 0, 0, NULL},
    {"connectors", "south", FIELD(south), 0, 0, NULL},
};
enum { KEYS = sizeof keys / sizeof *keys, LEAST_RAM_BESIDE_BOOT = 16384 };

/* What a family's tools take. */
static const struct {
    const char *family, *package, *pins;
} families[] = {{"ice40-hx8k", "ct256", "pins.pcf"},
                {"ice40-up5k", "sg48", "pins.pcf"},
                {"ecp5-25k", "CABGA381", "pins.lpf"},
                {"ecp5-85k", "CABGA381", "pins.lpf"},
                {"gw2ar-18", "QN88", "pins.cst"}};

struct reader {
    FILE *file;
    const char *path;
    struct board_conf *conf;
    char *error;
    size_t error_size;
    int line;
    int key_lines[KEYS]; /* where a key was set, 0: not */
    bool failed;
};

static void fail(struct reader *reader, const char *format, ...)
{
    if (reader->failed)
        return;
    reader->failed = true;
    va_list arguments;
    va_start(arguments, format);
    file_error(reader->error, reader->error_size, reader->path, reader->line, format, arguments);
    va_end(arguments);
}

static char *text_field(const struct board_key *key, const struct board_conf *conf)
{
    return (char *)conf + key->offset;
}

static unsigned *number_field(const struct board_key *key, const struct board_conf *conf)
{
    return (unsigned *)((char *)conf + key->offset);
}

static bool is_choice(const char *choices, const char *value)
{
    size_t length = strlen(value);
    for (const char *at = choices; (at = strstr(at, value)) != NULL; at++)
        if (length && (at == choices || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

static void set_text(struct reader *reader, const struct board_key *key, const char *value)
{
    if (key->choices && !is_choice(key->choices, value))
        fail(reader, "%s is '%s', expected one of: %s", key->name, value, key->choices);
    else if (!*value || strlen(value) >= BOARD_TEXT_SIZE)
        fail(reader, "%s has %zu characters, expected 1 to %d", key->name, strlen(value), BOARD_TEXT_SIZE - 1);
    else
        strcpy(text_field(key, reader->conf), value);
}

/* Decimal, or hexadecimal behind 0x. */
static void set_number(struct reader *reader, const struct board_key *key, const char *value)
{
    char *end;
    unsigned long number = strtoul(value, &end, strncmp(value, "0x", 2) ? 10 : 16);
    if (strspn(value, "0123456789") == 0 || *end || number < key->least || number > key->most)
        fail(reader, "%s is '%s', expected a number from %u to %u", key->name, value, key->least, key->most);
    else
        *number_field(key, reader->conf) = (unsigned)number;
}

static int handle(void *user, const char *section, const char *name, const char *value)
{
    struct reader *reader = user;
    for (int i = 0; i < KEYS; i++) {
        const struct board_key *key = &keys[i];
        if (strcmp(key->section, section) != 0 || strcmp(key->name, name) != 0)
            continue;
        if (reader->key_lines[i])
            fail(reader, "%s is given twice, expected once: first in line %d", name, reader->key_lines[i]);
        else if (key->most)
            set_number(reader, key, value);
        else
            set_text(reader, key, value);
        reader->key_lines[i] = reader->line;
        return !reader->failed;
    }
    fail(reader, "unknown key %s in [%s], expected a key of sim/board/board_conf.h", name, section);
    return 0;
}

static char *read_line(char *out, int size, void *stream)
{
    struct reader *reader = stream;
    if (reader->failed || !fgets(out, size, reader->file))
        return NULL;
    reader->line++;
    if (!strchr(out, '\n') && !feof(reader->file))
        fail(reader, "a line of more than %d characters", size - 2);
    return reader->failed ? NULL : out;
}

/* VVVV:PPPP, hexadecimal, four digits each. */
static void read_usb(struct reader *reader)
{
    static const char digits[] = "0123456789abcdef";
    struct board_conf *conf = reader->conf;
    if (strlen(conf->usb) != 9 || strspn(conf->usb, digits) != 4 || conf->usb[4] != ':' ||
        strspn(conf->usb + 5, digits) != 4)
        fail(reader, "usb is '%s', expected vendor and product as in 0403:6010", conf->usb);
    conf->usb_vendor = (unsigned)strtoul(conf->usb, NULL, 16);
    conf->usb_product = (unsigned)strtoul(conf->usb + 5, NULL, 16);
}

/* The one memory that the programmer can write: dfu-util knows no addresses, and reads nothing back. */
static const char *written_memory(const struct board_conf *conf)
{
    return strcmp(conf->programmer, "iceprog") == 0    ? "flash"
           : strcmp(conf->programmer, "dfu-util") == 0 ? "ram"
                                                       : conf->memory;
}

static void check_family(struct reader *reader)
{
    const struct board_conf *conf = reader->conf;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        if (strcmp(families[i].family, conf->family) != 0)
            continue;
        if (strcmp(families[i].package, conf->package) != 0)
            fail(reader, "package is '%s' and family %s, expected %s", conf->package, conf->family,
                 families[i].package);
        if (strcmp(families[i].pins, conf->pins) != 0)
            fail(reader, "pins is '%s' and family %s, expected %s", conf->pins, conf->family, families[i].pins);
    }
}

static void check_clocks(struct reader *reader)
{
    const struct board_conf *conf = reader->conf;
    if (conf->link_ratio & (conf->link_ratio - 1))
        fail(reader, "link_ratio is %u, expected 1, 2 or 4", conf->link_ratio);
    unsigned divider = conf->baud ? (conf->clock_hz + conf->baud / 2) / conf->baud
                                  : 0; /* as hw/soc/serial_uart.v has it */
    if (conf->baud &&
        (divider < 4 || abs((int)(divider * conf->baud) - (int)conf->clock_hz) > (int)(conf->clock_hz / 50)))
        fail(reader, "baud is %u, expected a rate that a clock of %u Hz divided by 4 or more meets within 2 %%",
             conf->baud, conf->clock_hz);
}

/* An image takes less than twice the RAM; those of several sites are `stride` apart. */
static void check_flash(struct reader *reader)
{
    const struct board_conf *conf = reader->conf;
    const unsigned stride = PR_BOARD_STATE_INDEX & ~(PR_BOARD_STATE_INDEX << 1), sites = conf->side * conf->side;
    if (strcmp(conf->memory, "flash") != 0)
        fail(reader, "memory is '%s', expected flash: firmware of this board comes from there", conf->memory);
    if (conf->ram_bytes < LEAST_RAM_BESIDE_BOOT)
        fail(
            reader,
            "ram_bytes is %u and boot %s, expected %d or more: the boot program keeps %d of them, no operator fits the rest",
            conf->ram_bytes, conf->boot, LEAST_RAM_BESIDE_BOOT, PR_LOAD_RESERVED);
    if (sites > 1 && 2 * conf->ram_bytes > stride)
        fail(reader, "ram_bytes is %u and side %u, expected at most %u: images are %u bytes apart in the flash",
             conf->ram_bytes, conf->side, stride / 2, stride);
    if (conf->flash_bytes < PR_LOAD_FLASH + (sites - 1) * stride + 2 * conf->ram_bytes)
        fail(reader,
             "%u bytes of flash, expected room for two images of %u bytes at %#x, where the boot program reads, "
             "behind those of the other sites: side is %u",
             conf->flash_bytes, conf->ram_bytes, PR_LOAD_FLASH + (sites - 1) * stride, conf->side);
}

/* What depends on several keys. */
static void check(struct reader *reader)
{
    const struct board_conf *conf = reader->conf;
    for (int i = 0; i < KEYS; i++)
        if (!reader->key_lines[i])
            fail(reader, "no %s in [%s]", keys[i].name, keys[i].section);
    if (!reader->failed)
        read_usb(reader);
    check_family(reader);
    check_clocks(reader);
    if (conf->ram_bytes & (conf->ram_bytes - 1))
        fail(reader, "ram_bytes is %u, expected a power of two", conf->ram_bytes);
    if (strcmp(conf->boot, "flash") == 0)
        check_flash(reader);
    else if (conf->side > 1)
        fail(reader, "boot is '%s' and side %u, expected flash: a bitstream has one image for all its sites",
             conf->boot, conf->side);
    if (strcmp(conf->memory, written_memory(conf)) != 0)
        fail(reader, "memory is '%s', expected %s: %s writes no other", conf->memory, written_memory(conf),
             conf->programmer);
}

int board_conf_load(const char *path, struct board_conf *out, char *error, size_t error_size)
{
    struct reader reader = {.path = path, .conf = out, .error = error, .error_size = error_size};
    memset(out, 0, sizeof *out);
    snprintf(out->path, sizeof out->path, "%s", path);
    reader.file = fopen(path, "r");
    if (!reader.file) {
        snprintf(error, error_size, "%s: %s, expected a board.conf", path, strerror(errno));
        return -1;
    }
    int result = ini_parse_stream(read_line, &reader, handle, &reader);
    if (result)
        fail(&reader, "no key = value, expected [section], key = value or ; comment");
    if (ferror(reader.file))
        fail(&reader, "%s", strerror(errno));
    fclose(reader.file);
    check(&reader);
    return reader.failed ? -1 : 0;
}

void board_conf_list(const struct board_conf *conf, FILE *out)
{
    for (int i = 0; i < KEYS; i++) {
        const struct board_key *key = &keys[i];
        if (key->most)
            fprintf(out, "%s.%s=%u\n", key->section, key->name, *number_field(key, conf));
        else
            fprintf(out, "%s.%s=%s\n", key->section, key->name, text_field(key, conf));
    }
}
