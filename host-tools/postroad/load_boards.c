/* See load_boards.h.
 *
 * If the gateway is not to be loaded itself, its firmware loads the others. If it is, its boot program does, by its
 * serial line, and takes the same records. A boot program that is too old for that, or a gateway whose firmware does
 * not answer, is loaded by its serial line alone, and its new firmware loads the others.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "postroad/load_boards.h"

#include "board/firmware_limits.h"
#include "cli/report.h"
#include "daemon/daemon_requests.h"
#include "libpostroad/run_directory.h"
#include "loader/load_exchange.h"
#include "loader/load_gateway.h"
#include "loader/load_relay.h"
#include "loader/load_serial.h"
#include "loader/mesh_loader.h"
#include "postroad/held_boards.h"
#include "support/or_abort.h"

#include <cjson/cJSON.h>
#include <limits.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SITE_TEXT = 12,
    ERROR_SIZE = PATH_MAX + 256,
    FIRST_TRY = 128, /* part of the time-out that the first question takes; each next one takes twice as long */
    RAM_BYTES_MAX = 65536,
    SITES_MAX = PR_CONSOLE_SITES_MAX
};

/* Locked boards check the signature: a VexRiscv for seconds, a SERV for minutes (hw/soc/boot.md). */
static const double check_time = 1200, check_pause = 2; /* seconds */

static const double probe_part = 1.0 / 10; /* of the time-out: for the answer of a gateway that may have crashed */

struct load {
    struct options options; /* with the gateway's site as `from` */
    char from[SITE_TEXT];
    struct firmware_image image;
    const char *path, *directory; /* of the image; the run directory */
    double timeout, began;
    struct pr_site_identity identity; /* of the gateway, once it has been asked */
    const struct gateway *found;      /* of the mesh */
    struct load_target *targets;
    bool *tried; /* targets */
    size_t count;
    unsigned long words, sent, repeats; /* sums */
};

/* Opens a way to targets whose answers are awaited, asks them once more, and closes it. */
typedef int ask_again(struct load *load, void *gateway, struct load_target *targets, size_t count);

static bool is_target(const struct load *load, unsigned site)
{
    for (size_t i = 0; i < load->count; i++)
        if (load->targets[i].site == site)
            return true;
    return false;
}

static void set_gateway(struct load *load, unsigned site)
{
    snprintf(load->from, sizeof load->from, "%u", site);
    load->options.from = load->from;
}

/* The gateway, if the user has named none: a site with a console that is not loaded, or the first with a console. */
static void choose_gateway(struct load *load, unsigned sites)
{
    unsigned site = 0;
    while (site < sites && (is_target(load, site) || !pr_run_directory_has_console(load->directory, site)))
        site++;
    set_gateway(load, site < sites ? site : pr_run_directory_first_console(load->directory));
}

/* The image must suit the mesh, of which the gateway's identity tells all that counts. */
static int check_image(const struct load *load, const struct gateway *gateway)
{
    struct mesh_config mesh = gateway->mesh;
    char error[ERROR_SIZE];
    mesh.max_packet = gateway->identity.max_packet;
    mesh.ram_bytes = gateway->identity.ram_bytes;
    mesh.reliable = gateway->identity.reliable != 0;
    if (firmware_limits_check(&load->image, load->path, &mesh, error, sizeof error) == 0)
        return EXIT_OK;
    return report_failure(EXIT_USAGE, "load", "%s", error);
}

/* The firmware of a site answers at its own console, or over the mesh where it has none. A site that starts loses the
 * first questions: the first tries are short. */
static bool answers(const struct load *load, unsigned site, double timeout)
{
    struct gateway gateway = *load->found;
    struct pr_frame request, answer;
    bool answered = false;
    bool own = pr_run_directory_has_console(load->directory, site);
    unsigned at = own ? site : pr_run_directory_first_console(load->directory);
    gateway.options = &load->options;
    if (gateway_connect(&gateway, (int)at, &gateway.client) != EXIT_OK)
        return false;
    for (double patience = timeout / FIRST_TRY; patience < timeout && !answered; patience *= 2) {
        if (own)
            pr_message_identify(&request, PR_CONSOLE_THIS_SITE);
        else
            pr_message_ping(&request, site, 0);
        if (pr_client_ask(gateway.client, &request, patience, &answer, &answered) != PR_CLIENT_OK)
            break;
        answered = answered && pr_message_status(&answer) == PR_CONSOLE_OK;
    }
    gateway_close(&gateway);
    return answered;
}

/* Waits for the verdicts of locked boards: the image runs, or the boot program gives the reason why not. */
static int await_verdicts(struct load *load, ask_again *ask, void *gateway, struct load_target *targets, size_t count)
{
    double end = pr_client_now() + check_time;
    size_t checking = 1;
    int status = EXIT_OK;
    for (bool told = false; checking > 0 && status == EXIT_OK && pr_client_now() < end; told = true) {
        checking = 0;
        for (size_t i = 0; i < count; i++) {
            bool checks = !targets[i].lost && targets[i].answer == PR_LOAD_CHECKING;
            if (checks && told && answers(load, targets[i].site, check_pause / 2))
                targets[i].answer = PR_LOAD_DONE;
            checking += checks && targets[i].answer == PR_LOAD_CHECKING;
        }
        if (checking > 0 && !told)
            report_note(&load->options, "locked boards check the signature, for seconds or minutes: %zu", checking);
        if (checking > 0)
            status = ask(load, gateway, targets, count);
    }
    return status;
}

/* Loads the targets of a way that is open. */
static int load_by(struct load *load, struct load_way *way)
{
    unsigned long words = 0;
    int status = mesh_load(way, &load->options, &load->image, &words);
    load->words += words;
    load->sent += way->sent;
    load->repeats += way->repeats;
    return status;
}

static int open_gateway(struct load_exchange *exchange, struct load_gateway *carrier, struct gateway *gateway,
                        struct load_target *targets, size_t count, double timeout)
{
    int status = load_gateway_open(carrier, gateway, count, timeout);
    load_exchange_open(exchange, &carrier->carrier, targets, count, timeout, randombytes_random());
    return status;
}

static int ask_over_mesh(struct load *load, void *gateway, struct load_target *targets, size_t count)
{
    struct load_exchange exchange;
    struct load_gateway carrier;
    int status = open_gateway(&exchange, &carrier, gateway, targets, count, check_pause);
    return status == EXIT_OK ? mesh_load_ask_again(&exchange.way, &load->image) : status;
}

static int load_over_mesh(struct load *load, struct gateway *gateway, struct load_target *targets, size_t count)
{
    struct load_exchange exchange;
    struct load_gateway carrier;
    int status = open_gateway(&exchange, &carrier, gateway, targets, count, load->timeout);
    if (status == EXIT_OK)
        status = load_by(load, &exchange.way);
    return status == EXIT_OK ? await_verdicts(load, ask_over_mesh, gateway, targets, count) : status;
}

/* Loads the targets that have not been tried through the gateway, which is none of them. */
static int load_through(struct load *load, struct gateway *gateway)
{
    struct load_target *targets = or_abort(calloc(load->count + 1, sizeof *targets));
    size_t count = 0;
    for (size_t i = 0; i < load->count; i++)
        if (!load->tried[i])
            targets[count++] = load->targets[i];
    int status = count > 0 ? load_over_mesh(load, gateway, targets, count) : EXIT_OK;
    for (size_t i = 0, k = 0; i < load->count; i++)
        if (k < count && load->targets[i].site == targets[k].site) {
            load->targets[i] = targets[k++];
            load->tried[i] = true;
        }
    free(targets);
    return status;
}

/* The serial line of the target's board, which the daemon has. */
static int borrow(const struct load *load, const struct load_target *target, struct daemon_requests_line *line)
{
    char said[DAEMON_REQUESTS_MESSAGE_MAX];
    int status = daemon_requests_borrow(load->directory, target->site, load->path, load->timeout, line, said,
                                        sizeof said);
    if (status != EXIT_OK && status != EXIT_INTERRUPTED)
        report_errors("load", said);
    return status;
}

static struct load_port port_of(const struct daemon_requests_line *line, unsigned site, double timeout)
{
    return (struct load_port){.descriptor = line->descriptor, .site = site, .timeout = timeout};
}

/* Asks the targets through the boot program of `own`; it asks none while that checks its image, too. */
static int ask_by_boot_program(struct load *load, const struct load_target *own, struct load_target *targets,
                               size_t count)
{
    struct daemon_requests_line borrowed;
    struct load_exchange exchange;
    struct load_relay relay;
    bool relays;
    int status = borrow(load, own, &borrowed);
    if (status != EXIT_OK)
        return status;
    struct load_port port = port_of(&borrowed, own->site, check_pause);
    status = load_relay_open(&relay, &port, &load->identity, count, &relays);
    if (status == EXIT_OK && relays) {
        load_exchange_open(&exchange, &relay.carrier, targets, count, check_pause, randombytes_random());
        status = mesh_load_ask_again(&exchange.way, &load->image);
    }
    daemon_requests_return(&borrowed);
    return status;
}

static int ask_by_firmware(struct load *load, const struct load_target *own, struct load_target *targets, size_t count)
{
    struct gateway gateway;
    set_gateway(load, own->site);
    int status = gateway_open(&gateway, &load->options);
    if (status == EXIT_OK)
        status = ask_over_mesh(load, &gateway, targets, count);
    gateway_close(&gateway);
    return status;
}

/* Whoever runs at the site of the line: its boot program, or the image, if its verdict was good. */
static int ask_by_line(struct load *load, void *own, struct load_target *targets, size_t count)
{
    const struct load_target *target = own;
    return (target->answer == PR_LOAD_DONE ? ask_by_firmware : ask_by_boot_program)(load, own, targets, count);
}

/* Loads the targets by the line of `own`, which is one of them. If its boot program does not relay records, it alone is
 * loaded, and the others have not been tried. */
static int load_by_port(struct load *load, struct load_port *port, struct load_target *own, struct load_target *targets,
                        size_t count)
{
    struct load_serial serial = {.port = port,
                                 .identity = &load->identity,
                                 .options = &load->options,
                                 .image = &load->image,
                                 .seed = randombytes_random()};
    int status = load_serial(&serial, own, targets, count);
    load->tried[own - load->targets] = true;
    for (size_t i = 0; i < count; i++)
        load->tried[&targets[i] - load->targets] |= serial.relays;
    load->words += serial.words;
    load->sent += serial.sent;
    load->repeats += serial.repeats;
    return status;
}

static int load_by_line(struct load *load, struct load_target *own, struct load_target *targets, size_t count)
{
    struct daemon_requests_line borrowed;
    int status = borrow(load, own, &borrowed);
    if (status != EXIT_OK)
        return status;
    struct load_port port = port_of(&borrowed, own->site, load->timeout);
    status = load_by_port(load, &port, own, targets, count);
    daemon_requests_return(&borrowed);
    return status == EXIT_OK ? await_verdicts(load, ask_by_line, own, targets, count) : status;
}

static struct load_target *find_target(const struct load *load, unsigned site)
{
    for (size_t i = 0; i < load->count; i++)
        if (load->targets[i].site == site && !load->tried[i])
            return &load->targets[i];
    return NULL;
}

/* Loads the targets that have not been tried; the gateway's own site, if it is one of them, by its line. */
static int pass(struct load *load)
{
    struct gateway gateway;
    struct load_target *own = NULL;
    int status = gateway_open(&gateway, &load->options);
    if (status == EXIT_OK)
        status = check_image(load, &gateway);
    if (status == EXIT_OK) {
        load->identity = gateway.identity;
        own = find_target(load, gateway.identity.site);
        if (!own)
            status = load_through(load, &gateway);
    }
    gateway_close(&gateway);
    return status == EXIT_OK && own ? load_by_line(load, own, load->targets, load->count) : status;
}

/* The first site with a console but for this one; `sites`: there is none. */
static unsigned other_console(const struct load *load, unsigned self, unsigned sites)
{
    unsigned site = 0;
    while (site < sites && (site == self || !pr_run_directory_has_console(load->directory, site)))
        site++;
    return site;
}

/* The place of the first target that has not been tried; `count`: all have been. */
static size_t next_target(const struct load *load)
{
    size_t i = 0;
    while (i < load->count && load->tried[i])
        i++;
    return i;
}

/* The target whose site is the only one with a console, if no firmware answers there; `count`: there is none. */
static size_t find_silent_gateway(const struct load *load, unsigned sites)
{
    size_t i = 0;
    while (i < load->count && !(pr_run_directory_has_console(load->directory, load->targets[i].site) &&
                                other_console(load, load->targets[i].site, sites) == sites))
        i++;
    return i < load->count && answers(load, load->targets[i].site, load->timeout * probe_part) ? load->count : i;
}

static const char *trouble_of(const struct load *load, size_t target)
{
    const struct load_target *one = &load->targets[target];
    if (!load->tried[target])
        return "it is loaded through a site that does not run";
    if (one->lost && !one->told)
        return "it does not answer: a board without a boot ROM, without supply, or behind a cable that is down";
    if (!one->lost && one->answer != PR_LOAD_DONE)
        return mesh_load_answer_text(one->answer);
    return answers(load, one->site, load->timeout) ? NULL : "it was told to start the image, which does not answer";
}

static int exit_code(const struct load *load, size_t good)
{
    if (good == load->count)
        return EXIT_OK;
    for (size_t i = 0; i < load->count && good == 0; i++)
        if (load->tried[i] && !load->targets[i].lost)
            return EXIT_MISMATCH;
    return good > 0 ? EXIT_PARTIAL : EXIT_TIMEOUT;
}

static void print_json(const struct load *load, const bool *failed, bool ok)
{
    cJSON *object = report_object("load");
    cJSON_AddBoolToObject(object, "ok", ok);
    cJSON_AddStringToObject(object, "image", load->path);
    cJSON *sites = cJSON_AddArrayToObject(object, "sites"), *wrong = cJSON_AddArrayToObject(object, "failed");
    for (size_t i = 0; i < load->count; i++) {
        cJSON_AddItemToArray(sites, cJSON_CreateNumber(load->targets[i].site));
        if (failed[i])
            cJSON_AddItemToArray(wrong, cJSON_CreateNumber(load->targets[i].site));
    }
    cJSON_AddNumberToObject(object, "words", (double)load->words);
    cJSON_AddNumberToObject(object, "packets", (double)load->sent);
    cJSON_AddNumberToObject(object, "repeats", (double)load->repeats);
    cJSON_AddNumberToObject(object, "seconds", pr_client_now() - load->began);
    report_print(object, false);
}

static int print(const struct load *load)
{
    bool failed[SITES_MAX];
    size_t good = 0;
    for (size_t i = 0; i < load->count; i++) {
        const char *trouble = trouble_of(load, i);
        failed[i] = trouble != NULL;
        good += !trouble;
        if (trouble)
            report_error("load", "site %u: %s", load->targets[i].site, trouble);
    }
    if (load->options.json)
        print_json(load, failed, good == load->count);
    else if (!load->options.quiet)
        printf("loaded: %zu of %zu sites, %lu words, %lu packets, %lu of them repeated, %.1f s\n", good, load->count,
               load->words, load->sent, load->repeats, pr_client_now() - load->began);
    return exit_code(load, good);
}

static int run(struct load *load, unsigned sites)
{
    size_t silent = find_silent_gateway(load, sites);
    int status = EXIT_OK;
    if (silent < load->count) {
        status = load_by_line(load, &load->targets[silent], &load->targets[silent], 1);
        if (status != EXIT_OK || next_target(load) == load->count || trouble_of(load, silent))
            return status;
    }
    if (!load->options.from)
        choose_gateway(load, sites);
    status = pass(load);
    bool more = status == EXIT_OK && next_target(load) < load->count;
    return more && answers(load, load->identity.site, load->timeout) ? pass(load) : status;
}

/* The image with its signature. */
static int read_image(struct load *load, const struct load_lock *lock)
{
    char error[ERROR_SIZE];
    if (sodium_init() < 0)
        abort();
    if (firmware_image_read(&load->image, load->path, RAM_BYTES_MAX, error, sizeof error) == 0 &&
        load_signature_add(&load->image, load->path, RAM_BYTES_MAX / 4, lock, error, sizeof error) == 0)
        return EXIT_OK;
    report_error("load", "%s", error);
    firmware_image_free(&load->image);
    return EXIT_USAGE;
}

/* The RAM of boards is not known before one of them has been asked: the image is read for the largest. */
int load_boards(const struct options *options, const struct gateway *found, const struct site_set *set,
                const char *path, const struct load_lock *lock)
{
    struct load load = {.options = *options,
                        .path = path,
                        .directory = found->endpoint.path,
                        .timeout = options->timeout < 0
                                       ? OPTION_ANSWER_TIME /* a watchdog takes 2 s, a SERV 1 until its image runs */
                                       : options->timeout,
                        .began = pr_client_now(),
                        .found = found,
                        .count = set->count};
    if (read_image(&load, lock) != EXIT_OK)
        return EXIT_USAGE;
    load.targets = or_abort(calloc(load.count + 1, sizeof *load.targets));
    load.tried = or_abort(calloc(load.count + 1, sizeof *load.tried));
    for (size_t i = 0; i < load.count; i++)
        load.targets[i].site = set->sites[i];
    int status = run(&load, (unsigned)pr_run_directory_sites(found->endpoint.path));
    if (status == EXIT_OK)
        status = print(&load);
    if (status != EXIT_OK && status != EXIT_INTERRUPTED)
        held_boards_find(options);
    free(load.tried);
    free(load.targets);
    firmware_image_free(&load.image);
    return status;
}
