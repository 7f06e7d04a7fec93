/* postroad boards: what is plugged in, and which board of a testbed each device is.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "cli/report.h"
#include "cli/table.h"
#include "postroad/held_boards.h"
#include "postroad/verbs.h"
#include "support/or_abort.h"
#include "testbed/board_confs.h"
#include "testbed/board_match.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ERROR_SIZE = 2048, TYPES_SIZE = 256 };

static const struct table_column columns[] = {
    {"path", 0, false, true}, {"usb", 1, false, true},  {"serial", 0, false, true}, {"product", 4, false, true},
    {"ttys", 2, false, true}, {"board", 1, true, true}, {"type", 1, false, true},   {"access", 3, true, true},
};

enum { BOARDS_PATH, BOARDS_USB, BOARDS_SERIAL, BOARDS_PRODUCT, BOARDS_TTYS, BOARDS_BOARD, BOARDS_TYPE, BOARDS_ACCESS };

struct look {
    struct usb_list list;
    struct board_confs confs;
    struct testbed testbed; /* board_count 0: none was given */
    struct board_match *matches;
};

static const char *board_of(const struct look *look, const struct usb_device *device)
{
    for (unsigned i = 0; i < look->testbed.board_count; i++)
        if (look->matches[i].verdict == MATCH_FOUND && look->matches[i].device == device)
            return look->testbed.boards[i].name;
    return "";
}

static void list_ttys(const struct usb_device *device, char *out, size_t size)
{
    *out = 0;
    for (int i = 0; i < USB_INTERFACES; i++)
        if (*device->tty[i]) {
            size_t used = strlen(out);
            const char *slash = strrchr(device->tty[i], '/');
            snprintf(out + used, size - used, "%s%s", used ? " " : "", slash ? slash + 1 : device->tty[i]);
        }
}

/* The types that fit, or as many as a cell has room for. */
static void list_types(const struct look *look, const struct usb_device *device, char out[TABLE_CELL])
{
    char types[TYPES_SIZE];
    unsigned count = board_confs_fitting(&look->confs, device, types, sizeof types);
    if (strlen(types) < TABLE_CELL)
        strcpy(out, types);
    else
        snprintf(out, TABLE_CELL, "%.*s or %u more", (int)strcspn(types, ",") % (TABLE_CELL - 16), types, count - 1);
}

static void add_row(struct table *table, const struct look *look, const struct usb_device *device)
{
    static const char *const words[] = {[USB_MAY_USE] = "", [USB_DENIED] = "denied", [USB_NO_FILE] = "no file"};
    char ttys[TABLE_CELL], types[TABLE_CELL];
    list_ttys(device, ttys, sizeof ttys);
    list_types(look, device, types);
    table_row(table, device->access == USB_MAY_USE ? STYLE_PLAIN : STYLE_BAD);
    table_cell(table, BOARDS_PATH, "%s", device->path);
    table_cell(table, BOARDS_USB, "%04x:%04x", device->vendor, device->product);
    table_cell(table, BOARDS_SERIAL, "%s", *device->serial ? device->serial : "-");
    table_cell(table, BOARDS_PRODUCT, "%s", *device->product_name ? device->product_name : "-");
    table_cell(table, BOARDS_TTYS, "%s", *ttys ? ttys : "-");
    table_cell(table, BOARDS_BOARD, "%s", board_of(look, device));
    table_cell(table, BOARDS_TYPE, "%s", types);
    table_cell(table, BOARDS_ACCESS, "%s", words[device->access]);
}

static void add_types(cJSON *object, const struct look *look, const struct usb_device *device)
{
    cJSON *types = cJSON_AddArrayToObject(object, "types");
    for (unsigned i = 0; i < look->confs.count; i++)
        if (board_match_fits(device, &look->confs.confs[i]))
            cJSON_AddItemToArray(types, cJSON_CreateString(look->confs.names[i]));
}

static void add_interfaces(cJSON *object, const struct usb_device *device)
{
    cJSON *list = cJSON_AddArrayToObject(object, "interfaces");
    for (int i = 0; i < USB_INTERFACES; i++)
        if (*device->tty[i] || *device->driver[i]) {
            cJSON *one = cJSON_CreateObject();
            cJSON_AddNumberToObject(one, "number", i);
            cJSON_AddStringToObject(one, "tty", device->tty[i]);
            cJSON_AddStringToObject(one, "driver", device->driver[i]);
            cJSON_AddItemToArray(list, one);
        }
}

static void add_device(cJSON *list, const struct look *look, const struct usb_device *device)
{
    cJSON *one = cJSON_CreateObject();
    char ids[16];
    snprintf(ids, sizeof ids, "%04x:%04x", device->vendor, device->product);
    cJSON_AddStringToObject(one, "path", device->path);
    cJSON_AddStringToObject(one, "hub", device->hub);
    cJSON_AddStringToObject(one, "usb", ids);
    cJSON_AddNumberToObject(one, "bus", device->bus);
    cJSON_AddNumberToObject(one, "device", device->device);
    cJSON_AddStringToObject(one, "serial", device->serial);
    cJSON_AddStringToObject(one, "product", device->product_name);
    cJSON_AddStringToObject(one, "node", device->node);
    cJSON_AddBoolToObject(one, "accessible", device->access == USB_MAY_USE);
    cJSON_AddBoolToObject(one, "no_file", device->access == USB_NO_FILE);
    cJSON_AddStringToObject(one, "holder", device->holder);
    cJSON_AddBoolToObject(one, "serial_unique",
                          *device->serial && usb_list_with_serial(&look->list, device->serial) == 1);
    add_interfaces(one, device);
    add_types(one, look, device);
    if (look->testbed.board_count)
        cJSON_AddStringToObject(one, "board", board_of(look, device));
    cJSON_AddItemToArray(list, one);
}

static void add_verdicts(cJSON *object, const struct look *look)
{
    cJSON *list = cJSON_AddArrayToObject(object, "boards");
    for (unsigned i = 0; i < look->testbed.board_count; i++) {
        const struct board_match *match = &look->matches[i];
        cJSON *one = cJSON_CreateObject();
        cJSON_AddStringToObject(one, "name", look->testbed.boards[i].name);
        cJSON_AddStringToObject(one, "type", look->testbed.boards[i].type);
        cJSON_AddStringToObject(one, "verdict", match_verdict_name(match->verdict));
        cJSON_AddStringToObject(one, "path", match->device ? match->device->path : "");
        cJSON_AddStringToObject(one, "reason", match->reason);
        cJSON_AddItemToArray(list, one);
    }
}

/* Only devices that may be a board; returns how many. */
static size_t print_devices(const struct options *options, const struct look *look, bool all_found)
{
    struct table table;
    char types[TYPES_SIZE];
    cJSON *object = options->json ? report_object("boards") : NULL;
    cJSON *devices = object ? cJSON_AddArrayToObject(object, "devices") : NULL;
    table_begin(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < look->list.count; i++)
        if (board_confs_fitting(&look->confs, &look->list.devices[i], types, sizeof types)) {
            add_row(&table, look, &look->list.devices[i]);
            if (devices)
                add_device(devices, look, &look->list.devices[i]);
        }
    size_t count = table.row_count;
    if (object && look->testbed.board_count) {
        add_verdicts(object, look);
        cJSON_AddBoolToObject(object, "ok", all_found);
    }
    if (object)
        report_print(object, false);
    else if (count)
        table_print(&table, stdout, count, terminal_width(STDOUT_FILENO));
    table_end(&table);
    return count;
}

/* One line for each board that is not found, and for each device that no board is. */
static void print_troubles(const struct options *options, const struct look *look)
{
    char types[TYPES_SIZE];
    const struct testbed *testbed = &look->testbed;
    held_boards_note(options, &look->list);
    for (unsigned i = 0; i < testbed->board_count; i++)
        if (look->matches[i].verdict == MATCH_ELSEWHERE)
            report_note(options, "board %s: %s", testbed->boards[i].name, look->matches[i].reason);
        else if (look->matches[i].verdict != MATCH_FOUND)
            report_error("boards", "board %s: %s: %s", testbed->boards[i].name,
                         match_verdict_name(look->matches[i].verdict), look->matches[i].reason);
    for (size_t i = 0; testbed->board_count && i < look->list.count; i++) {
        const struct usb_device *device = &look->list.devices[i];
        if (board_match_is_extra(device, look->matches, testbed->board_count) &&
            board_confs_fitting(&look->confs, device, types, sizeof types))
            report_note(options, "extra: the device at port %s (%s) is no board of %s", device->path, types,
                        testbed->path);
    }
}

/* EXIT_OK, or the exit code behind a message. */
static int take_look(const struct options *options, struct look *look)
{
    char error[ERROR_SIZE];
    const char *file = options->operand_count ? options->operands[0] : NULL;
    if (board_confs_load(&look->confs, error, sizeof error) != 0 ||
        (file && testbed_load(file, &look->testbed, error, sizeof error) != 0))
        return report_failure(EXIT_USAGE, "boards", "%s", error);
    if (usb_scan(&look->list, error, sizeof error) != 0)
        return report_failure(EXIT_TRANSPORT, "boards", "%s", error);
    board_confs_name_holders(&look->confs, &look->list);
    return EXIT_OK;
}

static bool match(struct look *look)
{
    if (!look->testbed.board_count)
        return true;
    struct board_conf *confs = board_confs_of(&look->confs, &look->testbed);
    look->matches = or_abort(calloc(look->testbed.board_count, sizeof *look->matches));
    bool all = board_match(&look->testbed, confs, "", &look->list, look->matches);
    free(confs);
    return all;
}

static int run(const struct options *options)
{
    static struct look look; /* large */
    int status = take_look(options, &look);
    if (status == EXIT_OK) {
        bool all_found = match(&look);
        size_t count = print_devices(options, &look, all_found);
        if (!count)
            report_note(options, "none of %zu USB devices may be a board of the kit", look.list.count);
        print_troubles(options, &look);
        status = all_found ? EXIT_OK : EXIT_TRANSPORT;
    }
    free(look.matches);
    testbed_free(&look.testbed);
    usb_list_free(&look.list);
    return status;
}

static const char manual[] =
    "Lists the USB devices that may be boards of the kit: the port, USB ids, serial number, product, serial lines, and "
    "the types of boards with these ids. Nothing is changed. `denied` marks a device that this user may not "
    "write to, `no file` one that has no file below /dev: `postroad doctor` helps. A board that is being written is "
    "named, with the process. The exit status is 0 if there are none, too.\n"
    "With a testbed file each of its boards gets a verdict, all at once: found, missing, ambiguous (several devices "
    "fit), claimed twice (two boards fit one device), wrong type (other USB ids than boards of this type), or "
    "elsewhere (at another host). The exit status is 2 if a board of this computer is not found.";

static const struct json_key keys[] = {
    {"devices[].path", "text", "the port, as in /sys/bus/usb/devices"},
    {"devices[].hub", "text", "path of the hub that it is plugged in at; `usb1`: at the computer"},
    {"devices[].usb", "text", "ids of vendor and product, `0403:6010`"},
    {"devices[].bus", "number", "USB bus"},
    {"devices[].device", "number", "number on the bus, another one whenever it is plugged in"},
    {"devices[].serial", "text", "serial number; empty: none"},
    {"devices[].serial_unique", "true or false", "no other device that is plugged in has this serial number"},
    {"devices[].product", "text", "name of the product"},
    {"devices[].node", "text", "file of the device below /dev"},
    {"devices[].accessible", "true or false", "this user may write to it"},
    {"devices[].no_file", "true or false", "that file is not there, as in a container"},
    {"devices[].holder", "text", "process that writes the board; empty: none"},
    {"devices[].interfaces[].number", "number", "interface of the device"},
    {"devices[].interfaces[].tty", "text", "its serial line; empty: none"},
    {"devices[].interfaces[].driver", "text", "driver of the kernel that holds it; empty: none"},
    {"devices[].types[]", "text", "a type of board with these ids"},
    {"devices[].board", "text", "with a testbed: the board that it is; empty: none"},
    {"boards[].name", "text", "with a testbed: a board of it"},
    {"boards[].type", "text", "its type"},
    {"boards[].verdict", "text", "`found`, `missing`, `ambiguous`, `claimed twice`, `wrong type` or `elsewhere`"},
    {"boards[].path", "text", "port of the device; empty: none"},
    {"boards[].reason", "text", "why it is not found"},
    {"ok", "true or false", "with a testbed: every board of this computer is found"},
    {NULL, NULL, NULL},
};

const struct verb verb_boards = {
    .name = "boards",
    .operands = "[TESTBED]",
    .summary = "The boards that are plugged in, and which of a testbed they are.",
    .manual = manual,
    .operands_max = 1,
    .operand_words = {"@file"},
    .common = COMMON_JSON | COMMON_QUIET,
    .keys = keys,
    .size = sizeof(struct options),
    .run = run,
};
