/* postroad sign: signs a firmware image for locked boards.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "cli/report.h"
#include "loader/image_signature.h"
#include "postroad/verbs.h"

#include <cjson/cJSON.h>
#include <limits.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>

enum { ERROR_SIZE = PATH_MAX + 256, RAM_BYTES = 65536 };

struct sign_options {
    struct options common;
    const char *key;
    long number;
};

static void print(const struct sign_options *options, const char *path)
{
    if (options->common.json) {
        cJSON *object = report_object("sign");
        cJSON_AddStringToObject(object, "signature", path);
        cJSON_AddNumberToObject(object, "number", (double)options->number);
        report_print(object, false);
    } else if (!options->common.quiet)
        printf("signed: %s, version %ld\n", path, options->number);
}

static int sign(const struct sign_options *options, const struct firmware_image *image,
                const uint8_t seed[SIGNATURE_KEY_BYTES])
{
    const char *name = options->common.operands[0];
    struct image_signature signature;
    char path[PATH_MAX], error[ERROR_SIZE];
    if (snprintf(path, sizeof path, "%s.sig", name) >= (int)sizeof path)
        return report_failure(EXIT_USAGE, "sign", "%s: a name that is too long", name);
    image_sign(&signature, image, (uint32_t)options->number, seed);
    if (image_signature_write(&signature, path, error, sizeof error) != 0)
        return report_failure(EXIT_TRANSPORT, "sign", "%s", error);
    print(options, path);
    return EXIT_OK;
}

static int run(const struct options *common)
{
    const struct sign_options *options = (const void *)common;
    struct firmware_image image = {0};
    uint8_t seed[SIGNATURE_KEY_BYTES];
    char error[ERROR_SIZE];
    int status = EXIT_USAGE;
    if (sodium_init() < 0)
        abort();
    if (!options->key || options->number < 0)
        report_error("sign", "expected --key FILE and --number N");
    else if (firmware_image_read(&image, common->operands[0], RAM_BYTES, error, sizeof error) != 0 ||
             signature_private_key(options->key, seed, error, sizeof error) != 0)
        report_error("sign", "%s", error);
    else if (4 * image.count > SIGNATURE_IMAGE_BYTES_MAX)
        report_error("sign", "%s: %u bytes in RAM, expected at most %d: behind them is the verifier",
                     common->operands[0], 4 * image.count, SIGNATURE_IMAGE_BYTES_MAX);
    else
        status = sign(options, &image, seed);
    sodium_memzero(seed, sizeof seed);
    firmware_image_free(&image);
    return status;
}

static const struct option_row rows[] = {
    {.name = "key",
     .kind = OPTION_TEXT,
     .argument = "FILE",
     OPTION_FIELD(struct sign_options, key),
     .expected = "a file",
     .file = FILE_READ,
     .words = "@file",
     .help = "the private key",
     .manual = "The private key: a file in PEM, Ed25519, without a password, which no other user can read."},
    {.name = "number",
     .kind = OPTION_NUMBER,
     .argument = "N",
     OPTION_FIELD(struct sign_options, number),
     .minimum = 0,
     .maximum = UINT32_MAX,
     .help = "version of the image",
     .manual = "The version of the image. A locked board accepts versions from its earliest one on (key `oldest` of "
               "the testbed file)."},
    {.name = NULL},
};

static const struct sign_options defaults = {.number = -1};

static const char manual[] =
    "Signs the firmware in <IMAGE>, an ELF file, with a private key, and writes the signature to IMAGE.sig. `postroad "
    "load` takes it from there. Boards of a testbed whose file has the public key start nothing else from the mesh or "
    "the serial line.\n"
    "`openssl genpkey -algorithm ed25519 -out bench.key` makes a private key, `openssl pkey -in bench.key -pubout -out "
    "bench.pub` writes its public half. What RAM holds is signed, not the symbols: an image that is built again from "
    "the same source needs a new signature only if its code differs.";

static const struct json_key keys[] = {
    {"signature", "text", "file with the signature"},
    {"number", "number", "version of the image"},
    {NULL, NULL, NULL},
};

const struct verb verb_sign = {
    .name = "sign",
    .operands = "IMAGE",
    .summary = "Signs a firmware image for locked boards.",
    .manual = manual,
    .operands_min = 1,
    .operands_max = 1,
    .operand_words = {"@image"},
    .common = COMMON_JSON | COMMON_QUIET,
    .rows = rows,
    .keys = keys,
    .size = sizeof(struct sign_options),
    .defaults = &defaults,
    .run = run,
};
