/* postroad load: restarts sites with another firmware image. Boards: load_boards.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "cli/about.h"
#include "cli/gateway.h"
#include "cli/report.h"
#include "cli/site_set.h"
#include "daemon/daemon_requests.h"
#include "postroad/load_boards.h"
#include "postroad/verbs.h"

#include "libpostroad/run_directory.h"
#include "support/or_abort.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STARTING_TIME 30 /* seconds: 16 QEMUs may start */

static int print(const struct options *options, const struct site_set *set, const char *path, int code)
{
    char text[DAEMON_REQUESTS_MESSAGE_MAX / 2];
    if (options->json) {
        cJSON *object = report_object("load");
        cJSON_AddBoolToObject(object, "ok", code == EXIT_OK);
        cJSON_AddStringToObject(object, "image", path);
        cJSON *sites = cJSON_AddArrayToObject(object, "sites");
        for (size_t i = 0; i < set->count; i++)
            cJSON_AddItemToArray(sites, cJSON_CreateNumber(set->sites[i]));
        report_print(object, false);
    } else if (code == EXIT_OK && !options->quiet) {
        site_set_text(set, text, sizeof text);
        printf("loaded: site%s %s\n", set->count == 1 ? "" : "s", text);
    }
    return code;
}

static int load(const struct options *options, const char *directory, const struct site_set *set, const char *path)
{
    char list[DAEMON_REQUESTS_MESSAGE_MAX / 2], request[DAEMON_REQUESTS_MESSAGE_MAX], said[DAEMON_REQUESTS_MESSAGE_MAX];
    double timeout = options->timeout < 0 ? STARTING_TIME : options->timeout;
    site_set_text(set, list, sizeof list);
    snprintf(request, sizeof request, "load\n%s\n%s", list, path);
    int code = daemon_requests_ask(directory, request, timeout, said, sizeof said);
    if (code != EXIT_OK && code != EXIT_INTERRUPTED)
        report_errors("load", said);
    return print(options, set, path, code);
}

/* Restarts sites with the images that they have: those with the same image together. */
static int reload(const struct options *options, const char *directory, struct site_set *set)
{
    char path[PATH_MAX], other[PATH_MAX];
    int status = EXIT_OK;
    while (set->count && status == EXIT_OK) {
        struct site_set same = {.sites = or_abort(calloc(set->count, sizeof *same.sites))};
        size_t left = 0;
        pr_run_directory_image(directory, set->sites[0], path, sizeof path);
        for (size_t i = 0; i < set->count; i++) {
            pr_run_directory_image(directory, set->sites[i], other, sizeof other);
            if (strcmp(path, other) == 0)
                same.sites[same.count++] = set->sites[i];
            else
                set->sites[left++] = set->sites[i];
        }
        set->count = left;
        status = load(options, directory, &same, path);
        site_set_free(&same);
    }
    return status;
}

/* The run directory of the mesh that the user means. */
static int find_mesh(const struct options *options, struct gateway *gateway)
{
    char error[PATH_MAX];
    pid_t pid;
    int status = gateway_find_up(gateway, options);
    if (status != EXIT_OK)
        return status;
    enum pr_run_state state = pr_run_directory_state(gateway->endpoint.path, &pid, error, sizeof error);
    if (state == PR_RUN_ALIVE)
        return EXIT_OK;
    return report_failure(EXIT_TRANSPORT, "load", "%s%s%s", gateway->text, state == PR_RUN_REFUSED ? ": " : "",
                          state == PR_RUN_REFUSED ? error : " is not up");
}

static int load_mesh_of_boards(const struct options *options, const struct gateway *gateway, const struct site_set *set,
                               const char *path, const struct about *about)
{
    struct load_lock lock;
    if (load_lock_read(&lock, about->key, about->oldest))
        return load_boards(options, gateway, set, path, &lock);
    return report_failure(EXIT_TRANSPORT, "load", "%s/about: key %s, expected a public key", gateway->endpoint.path,
                          about->key);
}

static int run(const struct options *options)
{
    struct gateway gateway;
    struct site_set set;
    struct about about;
    char path[PATH_MAX];
    int status = find_mesh(options, &gateway);
    if (status != EXIT_OK)
        return status;
    const char *image = options->operand_count > 1 ? options->operands[1] : NULL;
    if (image && !realpath(image, path))
        return report_failure(EXIT_USAGE, "load", "%s: %s, expected a firmware image (ELF)", image, strerror(errno));
    status = gateway_choose_up(&gateway, &set);
    if (status != EXIT_OK)
        return status;
    about_read(gateway.endpoint.path, &about);
    if (about_has_boards(&about) && !image) {
        report_error("load", "expected SITES IMAGE: what boards run is not known here");
        status = EXIT_USAGE;
    } else if (!image)
        status = reload(options, gateway.endpoint.path, &set);
    else if (about_has_boards(&about))
        status = load_mesh_of_boards(options, &gateway, &set, path, &about);
    else
        status = load(options, gateway.endpoint.path, &set, path);
    site_set_free(&set);
    return status;
}

static const struct option_row rows[] = {
    {OPTION_TIMEOUT, .otherwise = OPTION_CONSTANT(STARTING_TIME) "; boards: " OPTION_CONSTANT(OPTION_ANSWER_TIME),
     .help = "for the sites to start; boards: a site may be silent for so long"},
    {.name = NULL},
};

static const char manual[] =
    "Restarts <SITES> of a simulated mesh with the firmware in <IMAGE>, an ELF file, or without <IMAGE> with the one that they "
    "have, after a crash for example. It waits until the firmware has started. It has started when it becomes idle for the "
    "first time, or when it has run for 100000 clocks (SERV: a million) without ending or hanging. The other sites go on.\n"
    "Sites run the image on their cores or under QEMU; a native site has no image. A loaded site counts as "
    "reset: its epoch is one more, packets under way to it are reported as failed or sent again, and programs "
    "that listen to it go on listening. The image must be for RV32I, start at the beginning of RAM, and fit into "
    "it (64 KB). Mistakes in a request are reported before anything is changed. The daemon keeps a copy of the "
    "image, with which a site starts if it is reset later.\n"
    "Boards with a boot ROM are loaded over the mesh, through the console of one site: `--from`, or the first that is not "
    "loaded itself. The firmware of that site goes on running. If all sites with consoles are loaded, the boot program of "
    "one of them takes the records by its serial line and sends them on: each word goes over one line, once. Other programs "
    "cannot reach its console meanwhile. The boot programs take over, even where firmware has crashed: the watchdog sees "
    "to it. Parts of the image that a site has in its RAM already are not sent, the others once for all sites, and each "
    "site checks the whole image before it starts it. A load that was interrupted leaves its sites in their boot "
    "programs; another load goes on from there. The image is in RAM: after a loss of the supply a board starts what its flash "
    "has.\n"
    "The signature of the image, IMAGE.sig (`postroad sign`), goes with it. Boards that are locked start no other image; "
    "each one checks it with its own core, about 10 seconds with a VexRiscv and four minutes with a SERV. One that refuses "
    "it is named with the reason, and waits for another load. Of a testbed whose file has a key, `load` makes these checks "
    "before it sends anything.";

static const struct json_key keys[] = {
    {"ok", "true or false", "every site runs the image"},
    {"image", "text", "path of the image"},
    {"sites[]", "site", "the sites that were named"},
    {"failed[]", "site", "boards: those that do not run the image"},
    {"words", "words", "boards: words of 32 bits that were sent, each counted once"},
    {"packets", "number", "boards: load records that were sent, as packets or by a serial line"},
    {"repeats", "number", "boards: how many of these were sent again"},
    {"seconds", "seconds", "boards: duration"},
    {NULL, NULL, NULL},
};

const struct verb verb_load = {
    .name = "load",
    .operands = "SITES [IMAGE]",
    .summary = "Restarts sites, with another firmware image (ELF) or the one that they have.",
    .manual = manual,
    .operands_min = 1,
    .operands_max = 2,
    .operand_words = {"all", "@image"},
    .common = COMMON_ASK & ~COMMON_TIMEOUT,
    .rows = rows,
    .keys = keys,
    .size = sizeof(struct options),
    .run = run,
};
