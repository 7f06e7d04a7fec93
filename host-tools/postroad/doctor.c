/* postroad doctor: what may keep boards from being flashed, and how to mend it.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "cli/report.h"
#include "postroad/verbs.h"
#include "testbed/doctor_checks.h"
#include "testbed/udev_rules.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>

enum { ERROR_SIZE = 2048 };

struct doctor_options {
    struct options common;
    const char *root;
    bool fix;
};

static void print_findings(const struct doctor_options *options, const struct findings *findings, bool good)
{
    cJSON *object = options->common.json ? report_object("doctor") : NULL;
    cJSON *list = object ? cJSON_AddArrayToObject(object, "findings") : NULL;
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->list[i];
        if (!list) {
            printf("%s: %s: %s\n    to mend it, %s\n", finding->stops ? "stops" : "warning", finding->check,
                   finding->what, finding->mend);
            continue;
        }
        cJSON *one = cJSON_CreateObject();
        cJSON_AddStringToObject(one, "check", finding->check);
        cJSON_AddBoolToObject(one, "stops", finding->stops);
        cJSON_AddStringToObject(one, "what", finding->what);
        cJSON_AddStringToObject(one, "mend", finding->mend);
        cJSON_AddItemToArray(list, one);
    }
    if (object) {
        cJSON_AddBoolToObject(object, "ok", good);
        report_print(object, false);
    } else if (!findings->count)
        printf("nothing to mend\n");
}

/* EXIT_OK, or the exit code behind a message. */
static int begin(const struct doctor_options *options, struct board_confs *confs, struct testbed *testbed,
                 struct usb_list *list)
{
    char error[ERROR_SIZE];
    const char *file = options->common.operand_count ? options->common.operands[0] : NULL;
    if (board_confs_load(confs, error, sizeof error) != 0 ||
        (file && testbed_load(file, testbed, error, sizeof error) != 0))
        return report_failure(EXIT_USAGE, "doctor", "%s", error);
    if (usb_scan(list, error, sizeof error) != 0 ||
        (options->fix && udev_rules_install(confs, options->root, error, sizeof error) != 0))
        return report_failure(EXIT_TRANSPORT, "doctor", "%s", error);
    if (options->fix)
        report_note(&options->common, "%s%s is written; run `udevadm control --reload` and `udevadm trigger` as root",
                    options->root, udev_rules_path);
    return EXIT_OK;
}

static int run(const struct options *common)
{
    const struct doctor_options *options = (const struct doctor_options *)common;
    static struct board_confs confs; /* large */
    struct testbed testbed = {.board_count = 0};
    struct usb_list list = {0};
    struct findings findings = {0};
    int status = begin(options, &confs, &testbed, &list);
    if (status == EXIT_OK) {
        struct doctor doctor = {.confs = &confs, .testbed = &testbed, .list = &list, .root = options->root};
        doctor_check(&doctor, &findings);
        for (size_t i = 0; i < findings.count; i++)
            status = findings.list[i].stops ? EXIT_TRANSPORT : status;
        print_findings(options, &findings, status == EXIT_OK);
    }
    free(findings.list);
    usb_list_free(&list);
    testbed_free(&testbed);
    return status;
}

static const struct option_row rows[] = {
    {.name = "fix",
     .kind = OPTION_FLAG,
     OPTION_FIELD(struct doctor_options, fix),
     .help = "write the udev rules, and change nothing else"},
    {.name = "root",
     .kind = OPTION_TEXT,
     .argument = "DIR",
     OPTION_FIELD(struct doctor_options, root),
     .words = "@file",
     .otherwise = "/",
     .help = "the folder that has etc and var"},
    {.name = NULL},
};

static const char manual[] =
    "Looks for what may keep boards from being flashed, and names how each thing is mended: udev rules and "
    "devices that this user may not write to; the groups plugdev and dialout; serial lines that other programs "
    "have open; hubs without a power supply; programs that are missing, or too old for a board; stale locks of "
    "serial lines and of meshes; consoles that answer at another rate than the testbed file says. With a testbed "
    "file it looks at the boards of the file, those at other hosts through ssh, else at what is plugged in.\n"
    "With `--fix` it writes `/etc/udev/rules.d/70-postroad.rules`, whole or not at all, and changes nothing else."
    " The exit status is 2 if something stops a board from being flashed, and 0 if there are warnings only.";

static const struct json_key keys[] = {
    {"findings[].check", "text",
     "`udev`, `groups`, `ftdi_sio`, `hubs`, `programs`, `locks`, `hosts`, `boards` or `consoles`"},
    {"findings[].stops", "true or false", "boards cannot be flashed; false: a warning"},
    {"findings[].what", "text", "what was found"},
    {"findings[].mend", "text", "how to mend it"},
    {"ok", "true or false", "nothing stops boards from being flashed"},
    {NULL, NULL, NULL},
};

static const struct doctor_options defaults = {.root = ""};

const struct verb verb_doctor = {
    .name = "doctor",
    .operands = "[TESTBED]",
    .summary = "What may keep boards from being flashed, and how to mend it.",
    .manual = manual,
    .operands_max = 1,
    .operand_words = {"@file"},
    .common = COMMON_JSON | COMMON_QUIET,
    .rows = rows,
    .keys = keys,
    .size = sizeof(struct doctor_options),
    .defaults = &defaults,
    .run = run,
};
