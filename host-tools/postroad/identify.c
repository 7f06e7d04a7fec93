/* postroad identify: makes a board of a testbed blink.
 *
 * No board has an LED that firmware can set: the LEDs show links, traffic and whether firmware runs, which costs no
 * cells more. So the board's node pings its neighbours in beats, twice a second, and its traffic shows:
 *
 *   beat of 250 ms    pings to one neighbour, in turn with the others
 *   pause of 250 ms   nothing
 *
 * The board itself blinks in each beat, each of its neighbours only in its own.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "cli/gateway.h"
#include "cli/report.h"
#include "postroad/verbs.h"
#include "testbed/console_ttys.h"

#include <cjson/cJSON.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ERROR_SIZE = 2048, BEAT_MS = 250, NEIGHBOURS = 4, TEXT_SIZE = TESTBED_PATH };

static const double ping_patience = 1; /* seconds */

struct identify_options {
    struct options common;
    double seconds;
};

struct blinker {
    struct gateway gateway;
    unsigned neighbours[NEIGHBOURS], count;
    unsigned pings, answers, beats;
};

/* The console of the board, tty:PATH@BAUD, or as the file gives it. */
static int find_console(const struct testbed *testbed, unsigned number, char text[TEXT_SIZE])
{
    const struct testbed_board *board = &testbed->boards[number];
    struct console_ttys ttys;
    char error[ERROR_SIZE];
    const char *tty = NULL;
    snprintf(text, TEXT_SIZE, "%s", board->console);
    if (*board->console)
        return EXIT_OK;
    if (console_ttys_open(&ttys, testbed, error, sizeof error) == 0)
        tty = console_ttys_find(&ttys, number, error, sizeof error);
    if (tty)
        snprintf(text, TEXT_SIZE, "tty:%s@%d", tty, (int)board->baud);
    else
        report_error("identify", "board %s: %s%s", board->name, error,
                     *board->host ? "; expected --gateway up:NAME of its mesh, which is up" : "");
    console_ttys_close(&ttys);
    return tty ? EXIT_OK : EXIT_TRANSPORT;
}

static void find_neighbours(struct blinker *blinker, const struct testbed *testbed, unsigned site)
{
    for (int link = 0; link < testbed->mesh.links; link++) {
        int neighbour = mesh_far_end(&testbed->mesh, (int)site, link).site;
        if (neighbour >= 0)
            blinker->neighbours[blinker->count++] = (unsigned)neighbour;
    }
}

/* Is the node the one that the file has at this board? */
static int check_identity(const struct blinker *blinker, const struct testbed *testbed, unsigned number)
{
    const struct pr_site_identity *identity = &blinker->gateway.identity;
    unsigned site = testbed->boards[number].sites[0];
    if (identity->site == site && identity->mesh_hash == testbed->mesh.hash)
        return EXIT_OK;
    return report_failure(EXIT_MISMATCH, "identify",
                          "board %s answers as site %u of %s mesh, expected site %u: flash it again",
                          testbed->boards[number].name, identity->site,
                          identity->mesh_hash == testbed->mesh.hash ? "this" : "another", site);
}

/* Waits, or ends at a signal. */
static int pause_for(double seconds)
{
    struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    sigset_t none;
    sigemptyset(&none);
    return ppoll(NULL, 0, &time, &none) < 0 ? EXIT_INTERRUPTED : EXIT_OK;
}

/* Pings one neighbour until the beat ends. One that does not answer is asked once a beat. */
static int beat(struct blinker *blinker)
{
    double end = pr_client_now() + BEAT_MS * 1e-3;
    bool answered = true;
    while (answered && pr_client_now() < end) {
        struct pr_frame request, answer;
        pr_message_ping(&request, blinker->neighbours[blinker->beats % blinker->count], 0);
        int status = pr_client_ask(blinker->gateway.client, &request, ping_patience, &answer, &answered);
        if (status != PR_CLIENT_OK)
            return gateway_failed(&blinker->gateway, status);
        blinker->pings++;
        blinker->answers += answered && pr_message_status(&answer) == PR_CONSOLE_OK;
    }
    blinker->beats++;
    return EXIT_OK;
}

static int blink(struct blinker *blinker, double seconds)
{
    double end = pr_client_now() + seconds;
    int status = EXIT_OK;
    while (status == EXIT_OK && pr_client_now() < end) {
        status = beat(blinker);
        if (status == EXIT_OK)
            status = pause_for(BEAT_MS * 1e-3);
    }
    if (status != EXIT_OK || blinker->answers)
        return status;
    return report_failure(EXIT_PARTIAL, "identify",
                          "no neighbour answers: no LED can blink; look at the cables of this board");
}

static void print_result(const struct identify_options *options, const struct blinker *blinker, const char *name)
{
    if (!options->common.json) {
        printf("%s: %u beats, %u of %u pings answered\n", name, blinker->beats, blinker->answers, blinker->pings);
        return;
    }
    cJSON *object = report_object("identify");
    cJSON_AddStringToObject(object, "board", name);
    cJSON_AddStringToObject(object, "gateway", blinker->gateway.text);
    cJSON_AddNumberToObject(object, "site", blinker->gateway.identity.site);
    cJSON_AddNumberToObject(object, "beats", blinker->beats);
    cJSON_AddNumberToObject(object, "pings", blinker->pings);
    cJSON_AddNumberToObject(object, "answers", blinker->answers);
    report_print(object, false);
}

/* With its node's console found. */
static int identify(const struct identify_options *options, const struct options *console,
                    const struct testbed *testbed, unsigned number)
{
    struct blinker blinker = {.count = 0};
    const char *name = testbed->boards[number].name;
    find_neighbours(&blinker, testbed, testbed->boards[number].sites[0]);
    if (!blinker.count)
        return report_failure(EXIT_USAGE, "identify",
                              "board %s has no neighbour in this mesh, so that no LED can blink", name);
    int status = gateway_open(&blinker.gateway, console);
    if (status == EXIT_OK)
        status = check_identity(&blinker, testbed, number);
    if (status == EXIT_OK) {
        report_note(&options->common, "%s blinks twice a second for %g s; each neighbour %s", name, options->seconds,
                    blinker.count == 1 ? "blinks too, as it is the only one" : "blinks more seldom");
        status = blink(&blinker, options->seconds);
        print_result(options, &blinker, name);
    }
    gateway_close(&blinker.gateway);
    return status;
}

static int run(const struct options *common)
{
    const struct identify_options *options = (const struct identify_options *)common;
    struct options console = *common;
    struct testbed testbed;
    char error[ERROR_SIZE], text[TEXT_SIZE] = "", site[TEXT_SIZE];
    int status = EXIT_OK;
    if (testbed_load(common->operands[0], &testbed, error, sizeof error) != 0)
        return report_failure(EXIT_USAGE, "identify", "%s", error);
    int number = testbed_board(&testbed, common->operands[1]);
    if (number < 0 || !testbed.has_mesh) {
        report_error("identify", "%s: %s, expected %s", common->operands[0],
                     number < 0 ? "no such board" : "a testbed without a mesh",
                     number < 0 ? "the name of a section [board NAME]" : "mesh in [testbed]");
        status = EXIT_USAGE;
    } else if (common->gateway) {
        snprintf(site, sizeof site, "%u", testbed.boards[number].sites[0]);
        console.from = site;
    } else {
        status = find_console(&testbed, (unsigned)number, text);
        console.gateway = text;
    }
    if (status == EXIT_OK)
        status = identify(options, &console, &testbed, (unsigned)number);
    testbed_free(&testbed);
    return status;
}

static const struct option_row rows[] = {
    {.name = "seconds",
     .letter = 's',
     .kind = OPTION_SECONDS,
     .argument = "SECONDS",
     OPTION_FIELD(struct identify_options, seconds),
     .minimum = 1,
     .initial = "10",
     .help = "blink for so long"},
    {.name = NULL},
};

static const char notes[] = "The LEDs show links and traffic. So the board pings its neighbours, one in each\n"
                            "beat, twice a second: its traffic LED blinks, that of a neighbour more seldom.\n"
                            "That LED is: iCEBreaker green, HX8K D5, ULX3S 4, Tang Nano 20K 4, Colorlight i5\n"
                            "its only one. The board needs firmware that runs, and a cable.\n";

static const char manual[] =
    "Makes a board of a testbed blink, to find it on the desk: its LED for traffic, while it pings its neighbours. A "
    "board with one neighbour cannot be told from it.\n"
    "The console of the board is found on USB. While the mesh is up, `--gateway up:`<NAME> uses its console.";

static const struct json_key keys[] = {
    {"board", "text", "the board"},
    {"gateway", "text", "the endpoint of its console"},
    {"site", "site", "its site"},
    {"beats", "beats", "how often it has blinked"},
    {"pings", "pings", "sent to neighbours"},
    {"answers", "pings", "that neighbours have answered"},
    {NULL, NULL, NULL},
};

const struct verb verb_identify = {
    .name = "identify",
    .operands = "TESTBED BOARD",
    .summary = "Makes a board blink.",
    .manual = manual,
    .notes = notes,
    .operands_min = 2,
    .operands_max = 2,
    .operand_words = {"@file"},
    .common = COMMON_TALK,
    .rows = rows,
    .keys = keys,
    .size = sizeof(struct identify_options),
    .run = run,
};
