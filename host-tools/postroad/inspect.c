/* postroad inspect: what a flash image, a bitstream, a boot image or the flash of boards holds.
 *
 * SPDX-License-Identifier: ISC
 */
#define _POSIX_C_SOURCE 200809L /* sigset_t */
#include "cli/report.h"
#include "cli/signals.h"
#include "postroad/verbs.h"
#include "support/input_file.h"
#include "support/or_abort.h"
#include "testbed/flash_content.h"
#include "testbed/flash_folder.h"
#include "testbed/flash_plan.h"

#include <cjson/cJSON.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 64 << 20, ERROR_SIZE = 1024 };

struct inspect_options {
    struct options common;
    const char *only;
};

static void print_label(const struct flash_content *content)
{
    const struct flash_label *label = &content->label;
    char hex[FLASH_HEX];
    printf("label: %s, site %u", label->type, (unsigned)label->site);
    if (label->sites > 1)
        printf(" and %u more", (unsigned)label->sites - 1);
    printf(", mesh 0x%08x\n", (unsigned)label->mesh_hash);
    printf("  firmware  build %s, %u bytes of images\n", flash_label_hex(label->build_id, FLASH_BUILD_ID, hex),
           (unsigned)label->image_bytes);
    printf("  bitstream %u bytes, sha256 %s%s\n", (unsigned)label->bitstream_bytes,
           flash_label_hex(label->bitstream_hash, FLASH_HASH, hex), content->label_fits ? "" : ": not what is there");
}

/* A golden image alone, in a file, has none. */
static bool has_slot(const struct flash_content *content)
{
    return content->golden && content->bytes > PR_GOLDEN_SLOT;
}

static void print_text(const struct flash_content *content)
{
    char hex[FLASH_HEX];
    printf("%zu bytes, sha256 %s\n", content->bytes, flash_label_hex(content->hash, FLASH_HASH, hex));
    if (*content->fpga)
        printf("bitstream: %s; firmware in its RAM is not read\n", content->fpga);
    if (has_slot(content))
        printf("golden image; the bitstream in its slot %s\n",
               content->slot_good ? "is good" : "is missing or damaged");
    if (content->has_label)
        print_label(content);
    if (content->lock.good)
        printf("locked: key %s, versions from %u on\n",
               flash_label_hex(content->lock.key, sizeof content->lock.key, hex), (unsigned)content->lock.oldest);
    else if (content->lock.locked)
        printf("locked: the verifier is damaged\n");
    for (unsigned k = 0; k < content->site_count; k++) {
        const struct flash_site *site = &content->sites[k];
        printf("image at 0x%x: site %u, epoch %u, ", (unsigned)site->offset, site->site, (unsigned)site->epoch);
        if (site->good)
            printf("firmware of %u bytes, build %s\n", 4 * site->words,
                   flash_label_hex(site->build_id, FLASH_BUILD_ID, hex));
        else
            printf("firmware is damaged\n");
    }
}

static cJSON *add_label(cJSON *object, const struct flash_label *from)
{
    char hex[FLASH_HEX];
    cJSON *label = cJSON_AddObjectToObject(object, "label");
    cJSON_AddStringToObject(label, "type", from->type);
    cJSON_AddNumberToObject(label, "site", from->site);
    cJSON_AddNumberToObject(label, "sites", from->sites);
    cJSON_AddNumberToObject(label, "mesh_hash", from->mesh_hash);
    cJSON_AddStringToObject(label, "build_id", flash_label_hex(from->build_id, FLASH_BUILD_ID, hex));
    cJSON_AddStringToObject(label, "bitstream_sha256", flash_label_hex(from->bitstream_hash, FLASH_HASH, hex));
    return label;
}

static void print_json(const struct flash_content *content)
{
    char hex[FLASH_HEX];
    cJSON *object = report_object("inspect");
    cJSON_AddNumberToObject(object, "size_bytes", (double)content->bytes);
    cJSON_AddStringToObject(object, "sha256", flash_label_hex(content->hash, FLASH_HASH, hex));
    cJSON_AddStringToObject(object, "fpga", content->fpga);
    if (has_slot(content))
        cJSON_AddBoolToObject(cJSON_AddObjectToObject(object, "golden"), "slot_good", content->slot_good);
    else
        cJSON_AddNullToObject(object, "golden");
    if (content->has_label)
        cJSON_AddBoolToObject(add_label(object, &content->label), "fits", content->label_fits);
    else
        cJSON_AddNullToObject(object, "label");
    if (content->lock.good) {
        cJSON *lock = cJSON_AddObjectToObject(object, "lock");
        cJSON_AddStringToObject(lock, "key", flash_label_hex(content->lock.key, sizeof content->lock.key, hex));
        cJSON_AddNumberToObject(lock, "oldest", content->lock.oldest);
    } else
        cJSON_AddNullToObject(object, "lock");
    cJSON *images = cJSON_AddArrayToObject(object, "images");
    for (unsigned k = 0; k < content->site_count; k++) {
        const struct flash_site *site = &content->sites[k];
        cJSON *image = cJSON_CreateObject();
        cJSON_AddNumberToObject(image, "offset_bytes", site->offset);
        cJSON_AddNumberToObject(image, "site", site->site);
        cJSON_AddNumberToObject(image, "epoch", site->epoch);
        cJSON_AddBoolToObject(image, "good", site->good);
        cJSON_AddNumberToObject(image, "firmware_bytes", 4.0 * site->words);
        cJSON_AddStringToObject(image, "build_id",
                                site->good ? flash_label_hex(site->build_id, FLASH_BUILD_ID, hex) : "");
        cJSON_AddItemToArray(images, image);
    }
    report_print(object, false);
}

static int verdict(const struct flash_content *content, const char *path)
{
    bool good = (!content->has_label || content->label_fits) && content->lock.good == content->lock.locked;
    good &= content->slot_good || !has_slot(content);
    for (unsigned k = 0; k < content->site_count; k++)
        good &= content->sites[k].good;
    if (!flash_content_is_known(content))
        report_error("inspect", "%s: nothing in it is known, expected a flash image, a bitstream or a boot image",
                     path);
    else if (!good)
        report_error("inspect", "%s: a part of it is damaged", path);
    return flash_content_is_known(content) && good ? EXIT_OK : EXIT_MISMATCH;
}

/* --- The boards of a testbed. --- */

static void ignore_event(void *context, const struct flash_event *event)
{
    (void)context, (void)event;
}

static void print_board(const struct flash_board *board, const struct flash_result *result)
{
    const struct flash_label *label = &result->label;
    char hex[FLASH_HEX];
    if (result->code)
        printf("%s: %s\n", board->name, result->reason);
    else if (!result->has_label)
        printf("%s: no label: never written by postroad flash, or half-written\n", board->name);
    else
        printf("%s: %s, site %u, mesh 0x%08x, build %s, bitstream %.16s\n", board->name, label->type,
               (unsigned)label->site, (unsigned)label->mesh_hash, flash_label_hex(label->build_id, FLASH_BUILD_ID, hex),
               flash_label_hex(label->bitstream_hash, FLASH_HASH, (char[FLASH_HEX]){0}));
}

static void print_boards_json(const struct flash_plan *plan, const struct flash_result *results)
{
    cJSON *object = report_object("inspect"), *list = cJSON_AddArrayToObject(object, "boards");
    for (unsigned k = 0; k < plan->count; k++) {
        cJSON *one = cJSON_CreateObject();
        cJSON_AddStringToObject(one, "name", plan->boards[k].name);
        cJSON_AddNumberToObject(one, "code", results[k].code);
        cJSON_AddStringToObject(one, "reason", results[k].reason);
        if (results[k].has_label)
            add_label(one, &results[k].label);
        else
            cJSON_AddNullToObject(one, "label");
        cJSON_AddItemToArray(list, one);
    }
    report_print(object, false);
}

static int look_at_boards(const struct options *options, const struct flash_plan *plan, const char *folder)
{
    struct flash_result *results = or_abort(calloc(plan->count, sizeof *results));
    struct flash_options look = {.jobs = 8,
                                 .per_hub = 4,
                                 .keep_going = true,
                                 .look = true,
                                 .patience = 60,
                                 .folder = folder,
                                 .event = ignore_event};
    int code = flash_run(plan->boards, plan->count, &look, results);
    if (options->json)
        print_boards_json(plan, results);
    for (unsigned k = 0; k < plan->count && !options->json; k++)
        print_board(&plan->boards[k], &results[k]);
    free(results);
    return code;
}

static int run_testbed(const struct inspect_options *options)
{
    struct flash_plan *plan = or_abort(malloc(sizeof *plan));
    char error[ERROR_SIZE], folder[FLASH_FOLDER_PATH];
    int code;
    if (!flash_plan_make(plan, options->common.operands[0], options->only, FLASH_TO_LOOK)) {
        report_errors("inspect", plan->problems);
        code = plan->code;
    } else {
        signals_end_waits();
        if (!flash_folder_make(folder, error, sizeof error)) {
            report_error("inspect", "%s", error);
            code = EXIT_TRANSPORT;
        } else {
            code = look_at_boards(&options->common, plan, folder);
            flash_folder_remove(folder);
        }
    }
    flash_plan_free(plan);
    free(plan);
    return code;
}

static bool is_testbed(const char *path)
{
    size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".ini") == 0;
}

static int run(const struct options *options)
{
    struct flash_content content;
    char reason[INPUT_FILE_REASON];
    size_t length;
    if (sodium_init() < 0)
        abort();
    if (is_testbed(options->operands[0]))
        return run_testbed((const struct inspect_options *)options);
    if (((const struct inspect_options *)options)->only)
        return report_failure(EXIT_USAGE, "inspect", "--only: %s is no testbed file (.ini)", options->operands[0]);
    uint8_t *bytes = input_file_read(options->operands[0], FILE_MAX, &length, reason);
    if (!bytes)
        return report_failure(EXIT_USAGE, "inspect", "%s: %s, expected a file", options->operands[0], reason);
    flash_content_read(&content, bytes, length);
    free(bytes);
    if (options->json)
        print_json(&content);
    else
        print_text(&content);
    return verdict(&content, options->operands[0]);
}

static const struct option_row rows[] = {
    {.name = "only",
     .kind = OPTION_TEXT,
     .argument = "NAMES",
     OPTION_FIELD(struct inspect_options, only),
     .expected = "names of boards with commas between them",
     .help = "of a testbed these boards, with commas between them"},
    {.name = NULL},
};

static const char manual[] =
    "Names what a file holds: the content of a board's flash, a bitstream, or an image for the flash. The label and the "
    "images of sites are checked. Of a testbed file, whose name ends with .ini, the labels of the boards are read; this "
    "restarts their FPGAs and changes nothing. The exit status is 3 if a part is damaged, or if nothing in the file is "
    "known. The firmware in the RAM of a bitstream is not read.";

static const struct json_key keys[] = {
    {"size_bytes", "bytes", "of the file"},
    {"sha256", "text", "of the file"},
    {"fpga", "text", "whose bitstream is at its start; empty: there is none"},
    {"golden.slot_good", "true or false",
     "the golden image would start the bitstream; golden is null if there is none"},
    {"label.type", "text", "type of the board; label is null if there is none"},
    {"label.site", "site", "first site of the board"},
    {"label.sites", "sites", "sites of the board"},
    {"label.mesh_hash", "number", "hash of the .mesh"},
    {"label.build_id", "text", "of the firmware, hexadecimal"},
    {"label.bitstream_sha256", "text", "of the bitstream"},
    {"label.fits", "true or false", "the bitstream in the file has this hash"},
    {"lock.key", "text",
     "public key of a locked board, hexadecimal; lock is null if it is not locked, or the lock is damaged"},
    {"lock.oldest", "number", "earliest version of an image that it accepts"},
    {"images[].offset_bytes", "bytes", "where the image begins"},
    {"images[].site", "site", "whose it is"},
    {"images[].epoch", "number", "in its site record"},
    {"images[].good", "true or false", "all records are there, and the firmware has its CRC"},
    {"images[].firmware_bytes", "bytes", "of the firmware in RAM"},
    {"images[].build_id", "text", "of the firmware, hexadecimal"},
    {"boards[].name", "text", "of a testbed: name of the board; its label is in `label`, as above"},
    {"boards[].code", "number", "exit code of the board"},
    {"boards[].reason", "text", "of a failure"},
    {NULL, NULL, NULL},
};

const struct verb verb_inspect = {
    .name = "inspect",
    .operands = "FILE",
    .summary = "Names what a file or the flash of boards holds.",
    .manual = manual,
    .operands_min = 1,
    .operands_max = 1,
    .operand_words = {"@file"},
    .common = COMMON_JSON,
    .rows = rows,
    .keys = keys,
    .size = sizeof(struct inspect_options),
    .run = run,
};
