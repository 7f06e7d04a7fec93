/* See flash_plan.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "testbed/flash_plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/or_abort.h"
#include "testbed/board_match.h"
#include "testbed/board_names.h"
#include "testbed/console_ttys.h"
#include "testbed/programmer_list.h"
#include "testbed/tool_output.h"
#include "testbed/usb_scan_host.h"

enum { ERROR_SIZE = 2048, DAPLINK = 0x0d28 /* vendor */ };

static void problem(struct flash_plan *plan, enum exit_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void problem(struct flash_plan *plan, enum exit_code code, const char *format, ...)
{
    size_t used = strlen(plan->problems);
    va_list arguments;
    va_start(arguments, format);
    if (used + 2 < sizeof plan->problems) {
        if (used)
            plan->problems[used++] = '\n';
        vsnprintf(plan->problems + used, sizeof plan->problems - used, format, arguments);
    }
    va_end(arguments);
    if (plan->code != EXIT_USAGE)
        plan->code = code;
}

/* --- Which boards are meant. --- */

static void check_names(struct flash_plan *plan, const char *only)
{
    char name[TESTBED_NAME];
    for (const char *at = only; board_names_unknown(&at, &plan->testbed, name);)
        problem(plan, EXIT_USAGE, "--only %s: the testbed has no board of this name", name);
}

/* --- The devices of each host. --- */

/* openFPGALoader takes any DAPLink if there are several. */
static void check_daplinks(struct flash_plan *plan, const char *name, const struct board_conf *conf,
                           const struct usb_list *list)
{
    unsigned count = 0;
    for (size_t k = 0; k < list->count; k++)
        count += list->devices[k].vendor == DAPLINK;
    if (conf->usb_vendor == DAPLINK && count > 1)
        problem(plan, EXIT_TRANSPORT, "%s: %u DAPLinks are plugged in, and openFPGALoader cannot choose among them",
                name, count);
}

static struct flash_board *planned(struct flash_plan *plan, const char *name)
{
    for (unsigned k = 0; k < plan->count; k++)
        if (strcmp(plan->boards[k].name, name) == 0)
            return &plan->boards[k];
    return NULL;
}

static void check_file(struct flash_plan *plan, const struct flash_board *board, const char *file,
                       enum usb_access access)
{
    if (access == USB_DENIED)
        problem(plan, EXIT_TRANSPORT, "%s: no permission to use %s (postroad doctor)", board->name, file);
    else if (access == USB_NO_FILE)
        problem(plan, EXIT_TRANSPORT, "%s: %s: %s (postroad doctor)", board->name, file, usb_access_trouble(access));
}

/* Of a device at another host the list says what this user is there. */
static void check_files(struct flash_plan *plan, const struct flash_board *board)
{
    const char *tty = usb_device_console(&board->device, board->conf->console_interface);
    check_file(plan, board, board->device.node, board->device.access);
    if (tty && !*board->host)
        check_file(plan, board, tty, usb_access_to(tty));
}

static void match_host(struct flash_plan *plan, const char *host)
{
    const struct testbed *testbed = &plan->testbed;
    struct usb_list list;
    char error[ERROR_SIZE];
    bool found = usb_scan_host(host, &list, error, sizeof error) == 0;
    struct board_match *matches = or_abort(calloc(testbed->board_count, sizeof *matches));
    if (!found)
        problem(plan, EXIT_TRANSPORT, "%s", error);
    else
        board_match(testbed, plan->board_confs, host, &list, matches);
    for (unsigned k = 0; k < testbed->board_count && found; k++) {
        struct flash_board *board = planned(plan, testbed->boards[k].name);
        if (!board || *board->probe || strcmp(testbed->boards[k].host, host) != 0)
            continue;
        check_daplinks(plan, board->name, board->conf, &list);
        if (matches[k].verdict == MATCH_FOUND) {
            board->device = *matches[k].device;
            check_files(plan, board);
        } else
            problem(plan, EXIT_TRANSPORT, "%s: %s: %s", board->name, match_verdict_name(matches[k].verdict),
                    matches[k].reason);
    }
    free(matches);
    if (found)
        usb_list_free(&list);
}

/* --- The JTAG servers of boards that are not on USB. --- */

static void find_probe(struct flash_plan *plan, struct flash_board *board, const struct testbed_board *of)
{
    char error[ERROR_SIZE];
    if (!xvc_probe_find(board->probe, &board->xvc, error, sizeof error))
        problem(plan, EXIT_TRANSPORT, "%s: %s", board->name, error);
    if (console_endpoint(of, &board->console, error, sizeof error) != 0)
        problem(plan, EXIT_USAGE, "%s: %s", board->name, error);
}

static void find_probes(struct flash_plan *plan)
{
    for (unsigned k = 0; k < plan->count; k++) {
        struct flash_board *board = &plan->boards[k];
        if (*board->probe)
            find_probe(plan, board, &plan->testbed.boards[testbed_board(&plan->testbed, board->name)]);
    }
}

/* --- Their programmers. --- */

/* Here only: a programmer at another host says itself what it does not know. */
static void check_programmer(struct flash_plan *plan, const struct flash_board *board, struct programmer_list *list)
{
    const char *program = board->conf->programmer;
    if (!tool_exists(program)) {
        problem(plan, EXIT_TRANSPORT, "%s: %s is not installed", board->name, program);
        return;
    }
    if (*board->probe && strcmp(program, programmer_openfpgaloader.name) != 0)
        problem(plan, EXIT_USAGE, "%s: probe = %s: %s reaches boards on USB only", board->name, board->probe, program);
    switch (programmer_knows_board(list, board->conf)) {
    case PROGRAMMER_KNOWS:
        break;
    case PROGRAMMER_KNOWS_NOT:
        problem(plan, EXIT_TRANSPORT, "%s: this version of %s does not have '%s', a newer one is needed", board->name,
                program, board->conf->programmer_options);
        break;
    case PROGRAMMER_GIVES_NO_LIST:
        problem(plan, EXIT_TRANSPORT, "%s: `%s --list-boards` %s", board->name, program, list->reason);
        break;
    }
}

static void check_programmers(struct flash_plan *plan)
{
    struct programmer_list list = {.asked = false};
    for (unsigned k = 0; k < plan->count; k++)
        if (!*plan->boards[k].host)
            check_programmer(plan, &plan->boards[k], &list);
    programmer_list_free(&list);
}

/* --- What they are to hold. --- */

static void make_images(struct flash_plan *plan)
{
    char error[ERROR_SIZE];
    for (unsigned k = 0; k < plan->count; k++) {
        const struct testbed_board *board = &plan->testbed.boards[testbed_board(&plan->testbed, plan->boards[k].name)];
        if (board_image_make(&plan->images[k], &plan->testbed, board, plan->boards[k].conf, error, sizeof error) != 0)
            problem(plan, EXIT_USAGE, "%s: %s", board->name, error);
    }
}

static void choose(struct flash_plan *plan, const char *only)
{
    const struct testbed *testbed = &plan->testbed;
    plan->boards = or_abort(calloc(testbed->board_count, sizeof *plan->boards));
    plan->images = or_abort(calloc(testbed->board_count, sizeof *plan->images));
    for (unsigned k = 0; k < testbed->board_count; k++)
        if (board_names_have(only, testbed->boards[k].name)) {
            plan->boards[plan->count] = (struct flash_board){.name = testbed->boards[k].name,
                                                             .host = testbed->boards[k].host,
                                                             .conf = &plan->board_confs[k],
                                                             .image = &plan->images[plan->count],
                                                             .probe = testbed->boards[k].probe,
                                                             .baud = (int)testbed->boards[k].baud};
            plan->count++;
        }
}

bool flash_plan_make(struct flash_plan *plan, const char *path, const char *only, enum flash_purpose purpose)
{
    char error[ERROR_SIZE];
    *plan = (struct flash_plan){.code = EXIT_OK};
    if (testbed_load(path, &plan->testbed, error, sizeof error) != 0 ||
        board_confs_load(&plan->confs, error, sizeof error) != 0) {
        problem(plan, EXIT_USAGE, "%s", error);
        return false;
    }
    if (!plan->testbed.has_mesh)
        problem(plan, EXIT_USAGE, "%s: expected mesh = FILE.mesh in [testbed]: without it no board has a site", path);
    if (only)
        check_names(plan, only);
    plan->board_confs = board_confs_of(&plan->confs, &plan->testbed);
    choose(plan, only);
    if (!plan->testbed.has_mesh)
        return false;
    for (unsigned k = 0; k < plan->testbed.board_count; k++)
        if (board_match_begins_host(&plan->testbed, k))
            match_host(plan, plan->testbed.boards[k].host);
    find_probes(plan);
    check_programmers(plan);
    for (unsigned k = 0; k < plan->count && purpose == FLASH_TO_LOOK; k++)
        board_image_make_label(&plan->images[k]);
    if (purpose == FLASH_TO_WRITE)
        make_images(plan);
    return !*plan->problems;
}

void flash_plan_free(struct flash_plan *plan)
{
    for (unsigned k = 0; k < plan->count; k++)
        board_image_free(&plan->images[k]);
    free(plan->boards);
    free(plan->images);
    free(plan->board_confs);
    testbed_free(&plan->testbed);
}
