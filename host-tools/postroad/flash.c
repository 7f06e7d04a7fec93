/* postroad flash: writes the boards of a testbed, and sees that each one is right.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "cli/report.h"
#include "cli/signals.h"
#include "postroad/flash_report.h"
#include "postroad/verbs.h"
#include "support/or_abort.h"
#include "testbed/flash_folder.h"
#include "testbed/flash_plan.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ERROR_SIZE = 1024, NO_DEVICE = 999 };

struct flash_verb_options {
    struct options common;
    bool dry_run, force, verify, keep_going;
    const char *only, *log;
    long retries, jobs, per_hub;
    double hello;
};

static void print_plan_line(void *context, const char *text)
{
    printf("%s: %s\n", (const char *)context, text);
}

/* Of a board that is not plugged in, or not to be seen, a device that no bus has. */
static void name_missing_devices(struct flash_plan *plan)
{
    for (unsigned k = 0; k < plan->count; k++)
        if (!plan->boards[k].device.bus)
            plan->boards[k].device.bus = plan->boards[k].device.device = NO_DEVICE;
}

static int print_plan(struct flash_plan *plan)
{
    char error[ERROR_SIZE];
    name_missing_devices(plan);
    for (unsigned k = 0; k < plan->count; k++)
        if (plan->images[k].count &&
            !flash_plan(&plan->boards[k], "FOLDER", print_plan_line, (void *)plan->boards[k].name, error, sizeof error))
            return report_failure(EXIT_TRANSPORT, "flash", "%s: %s", plan->boards[k].name, error);
    return EXIT_OK;
}

/* A key locks what a boot ROM starts. Firmware that is in the bitstream is changed by whoever writes the flash. */
static void note_unlocked(const struct options *options, const struct flash_plan *plan)
{
    for (unsigned k = 0; k < plan->count && *plan->testbed.key; k++)
        if (strcmp(plan->boards[k].conf->boot, "flash") != 0)
            report_note(options, "%s has no boot ROM: the testbed's key does not lock it", plan->boards[k].name);
}

static int run_plan(const struct flash_verb_options *options, const struct flash_plan *plan, const char *folder)
{
    struct flash_report report;
    struct flash_result *results = or_abort(calloc(plan->count, sizeof *results));
    struct flash_options run = {
        .jobs = (unsigned)options->jobs,
        .per_hub = (unsigned)options->per_hub,
        .retries = (unsigned)options->retries,
        .force = options->force,
        .verify = options->verify,
        .keep_going = options->keep_going,
        .patience = options->common.timeout,
        .hello_time = options->hello,
        .log = options->log,
        .folder = folder,
        .event = flash_report_event,
        .context = &report,
    };
    flash_report_begin(&report, &options->common, plan->boards, results, plan->count);
    enum exit_code code = flash_run(plan->boards, plan->count, &run, results);
    flash_report_end(&report, code);
    free(results);
    return code;
}

static int run_in_folder(const struct flash_verb_options *options, const struct flash_plan *plan)
{
    char folder[FLASH_FOLDER_PATH];
    char error[ERROR_SIZE];
    signals_end_waits();
    if (!flash_folder_make(folder, error, sizeof error))
        return report_failure(EXIT_TRANSPORT, "flash", "%s", error);
    int code = run_plan(options, plan, folder);
    flash_folder_remove(folder);
    return code;
}

static int run(const struct options *common)
{
    const struct flash_verb_options *options = (const void *)common;
    struct flash_plan *plan = or_abort(malloc(sizeof *plan));
    int code;
    if (sodium_init() < 0)
        abort();
    if (!flash_plan_make(plan, common->operands[0], options->only, FLASH_TO_WRITE)) {
        if (options->dry_run)
            print_plan(plan);
        report_errors("flash", plan->problems);
        report_error("flash", "nothing was touched");
        code = plan->code;
    } else {
        note_unlocked(common, plan);
        code = options->dry_run ? print_plan(plan) : run_in_folder(options, plan);
    }
    flash_plan_free(plan);
    free(plan);
    return code;
}

static const struct option_row rows[] = {
    {.name = "dry-run",
     .kind = OPTION_FLAG,
     OPTION_FIELD(struct flash_verb_options, dry_run),
     .help = "prints the command lines, touches nothing",
     .manual = "Prints the command lines that boards would need on which nothing is right yet, and touches nothing. "
               "FOLDER stands for the folder of the files. Of a board that is missing, bus and device are 999, and "
               "the exit status is 2."},
    {.name = "only",
     .kind = OPTION_TEXT,
     .argument = "NAMES",
     OPTION_FIELD(struct flash_verb_options, only),
     .expected = "names of boards with commas between them",
     .help = "these boards, with commas between them"},
    {.name = "force",
     .kind = OPTION_FLAG,
     OPTION_FIELD(struct flash_verb_options, force),
     .help = "writes boards that are right, too"},
    {.name = "verify",
     .kind = OPTION_FLAG,
     OPTION_FIELD(struct flash_verb_options, verify),
     .help = "reads boards that seem right, all of them",
     .manual = "Reads all of a board whose label is right, and writes it again if anything differs."},
    {.name = "retry",
     .kind = OPTION_NUMBER,
     .argument = "N",
     OPTION_FIELD(struct flash_verb_options, retries),
     .maximum = 100,
     .initial = "0",
     .help = "tries a board again so often"},
    {.name = "keep-going",
     .letter = 'k',
     .kind = OPTION_FLAG,
     OPTION_FIELD(struct flash_verb_options, keep_going),
     .help = "starts further boards after a failure",
     .manual = "Starts further boards after one has failed. Boards that are being written are always finished."},
    {.name = "jobs",
     .letter = 'J',
     .kind = OPTION_NUMBER,
     .argument = "N",
     OPTION_FIELD(struct flash_verb_options, jobs),
     .minimum = 1,
     .maximum = 256,
     .initial = "8",
     .help = "boards at a time"},
    {.name = "per-hub",
     .kind = OPTION_NUMBER,
     .argument = "N",
     OPTION_FIELD(struct flash_verb_options, per_hub),
     .minimum = 1,
     .maximum = 256,
     .initial = "4",
     .help = "boards at a time on one USB hub"},
    {.name = "hello",
     .kind = OPTION_SECONDS,
     .argument = "SECONDS",
     OPTION_FIELD(struct flash_verb_options, hello),
     .initial = "20",
     .help = "for a node to answer, once its board has been written"},
    {.name = "log",
     .kind = OPTION_TEXT,
     .argument = "FOLDER",
     OPTION_FIELD(struct flash_verb_options, log),
     .expected = "a folder",
     .words = "@file",
     .help = "writes a log a board, FOLDER/BOARD.log",
     .manual = "Writes a log of each board, FOLDER/BOARD.log: the command lines, all that the programmers print, and "
               "what followed. The folder must exist."},
    {OPTION_TIMEOUT, .initial = "60", .help = "give up on a programmer that shows no progress for so long"},
    {.name = NULL},
};

static const char manual[] =
    "Writes the boards of a testbed with bitstream, firmware and number of the site, and sees that each is right. All "
    "boards are first found on USB. A board that is missing or ambiguous, a missing bitstream and a missing programmer "
    "are reported together, and nothing is touched then.\n"
    "Each board has a label in its flash: what the flash holds. A board with the right label is skipped. Of any other "
    "board the label is cleared first, then every part is written, read back and compared, and the label comes last. "
    "At the end the node is asked for its site and its mesh on its console. Reading a label restarts the FPGA.\n"
    "With a public key in the testbed file the boards become locked: they start only signed images (`postroad sign`) from "
    "the mesh and the serial line. Flashing without the key unlocks them.\n"
    "Ctrl-C ends the programmers and names the boards that are half-written. The next run writes these again.\n"
    "Boards at another host (key `host`) are written through ssh, which must not ask for a password. That host needs "
    "the programmers and postroad.";

static const struct json_key keys[] = {
    {"event", "text", "step, progress, note, ended; summary at the end"},
    {"board", "text", "name of the board"},
    {"path", "text", "its USB port, empty if it has none"},
    {"probe", "text", "the JTAG server that leads to it, empty if it is on USB"},
    {"text", "text", "what begins, what the programmer does, or what was found"},
    {"percent", "%", "of the board's work"},
    {"result", "text", "ended: written, was right, wrong, failed, timed out, interrupted, not started"},
    {"code", "number", "ended, summary: exit code of the board, of the whole"},
    {"reason", "text", "ended: of a failure"},
    {"half_written", "true or false", "ended: the board needs another run; summary: names of such boards"},
    {"holds_all", "true or false", "ended: all that it is to hold is there, though its node may not have answered"},
    {"attempts", "number", "ended: how often it was tried"},
    {"time_s", "seconds", "ended: from its start to its end"},
    {"build_id", "text", "ended: of the firmware, hexadecimal"},
    {"bitstream_sha256", "text", "ended: of the bitstream, hexadecimal"},
    {"node.site", "site", "ended: as the node reports it; node is null if it did not answer"},
    {"node.mesh_hash", "number", "ended: hash of its .mesh"},
    {"node.links", "mask", "ended: links that are connected"},
    {"boards", "boards", "summary: number of boards"},
    {"well", "boards", "summary: number of boards that are right"},
    {NULL, NULL, NULL},
};

const struct verb verb_flash = {
    .name = "flash",
    .operands = "TESTBED",
    .summary = "Writes the boards of a testbed.",
    .manual = manual,
    .operands_min = 1,
    .operands_max = 1,
    .operand_words = {"@file"},
    .common = COMMON_JSON | COMMON_QUIET,
    .rows = rows,
    .keys = keys,
    .size = sizeof(struct flash_verb_options),
    .run = run,
};
