/* postroad down: ends the daemon of a mesh that is up, and removes the files of a daemon that was killed.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "cli/report.h"
#include "postroad/verbs.h"

#include "libpostroad/client.h"
#include "libpostroad/clock.h"
#include "libpostroad/run_directory.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 256, ERROR_SIZE = 1024, PAUSE_MS = 10 };

struct down_options {
    struct options common;
    bool all;
};

static const char prefix[] = "up:";   /* of its endpoint */
static const double kill_timeout = 5; /* seconds */

/* Sends a signal to the daemon, and waits until no process of the mesh is left: its guests hold the lock too. The pid
 * is read again in each round, since an `up` may be about to start the daemon. */
static int end_and_wait(const char *name, const char *path, int number, double timeout)
{
    char error[ERROR_SIZE];
    double deadline = pr_client_now() + timeout;
    pid_t pid, signalled = 0;
    while (pr_run_directory_state(path, &pid, error, sizeof error) == PR_RUN_ALIVE) {
        if (pid && pid != signalled && !pr_run_directory_signal(path, pid, number) && errno != ESRCH)
            return report_failure(EXIT_TRANSPORT, "down", "%s: cannot end process %d: %s", name, (int)pid,
                                  strerror(errno));
        signalled = pid;
        if (pr_client_now() > deadline)
            return EXIT_TIMEOUT;
        pr_clock_wait(NULL, 0, PAUSE_MS);
    }
    return EXIT_OK;
}

static int stop(const struct options *options, const char *name, const char *path)
{
    double timeout = options->timeout;
    char error[ERROR_SIZE];
    pid_t pid;
    int status = end_and_wait(name, path, SIGTERM, timeout);
    if (status != EXIT_TIMEOUT || pr_run_directory_state(path, &pid, error, sizeof error) != PR_RUN_ALIVE)
        return status == EXIT_TIMEOUT ? EXIT_OK : status;
    if (!pid)
        return report_failure(EXIT_TRANSPORT, "down",
                              "%s: %s/pid is locked, but by no daemon that can be seen from here", name, path);
    report_note(options, "%s: process %d does not end, killing it", name, (int)pid);
    return end_and_wait(name, path, SIGKILL, kill_timeout);
}

/* True if the directory exists and belongs to this user. */
static int stop_directory(const struct options *options, const char *name, const char *path, enum pr_run_state state,
                          pid_t pid)
{
    if (state == PR_RUN_STALE)
        report_note(options, "%s: its daemon, process %d, had died; cleared away", name, (int)pid);
    int status = state == PR_RUN_ALIVE ? stop(options, name, path) : EXIT_OK;
    if (status == EXIT_OK)
        pr_run_directory_clear(path);
    if (status == EXIT_OK && options->verbose)
        report_note(options, "%s is down", name);
    return status;
}

static int stop_one(const struct options *options, const char *name)
{
    char path[PR_RUN_DIRECTORY_SIZE], error[ERROR_SIZE];
    pid_t pid;
    if (!pr_run_directory_path(name, path, sizeof path))
        return report_failure(EXIT_USAGE, "down", "%s: not a name of a mesh", name);
    enum pr_run_state state = pr_run_directory_state(path, &pid, error, sizeof error);
    if (state == PR_RUN_REFUSED)
        return report_failure(EXIT_USAGE, "down", "%s: %s", name, error);
    if (state != PR_RUN_ABSENT)
        return stop_directory(options, name, path, state, pid);
    pr_run_directory_clear(path);
    return report_failure(EXIT_USAGE, "down", "no mesh '%s' is up", name);
}

static int stop_list(const struct options *options, char names[][PR_RUN_NAME_SIZE], int count)
{
    int status = EXIT_OK;
    for (int i = 0; i < count; i++) {
        int one = stop_one(options, names[i]);
        status = one == EXIT_OK ? status : one;
    }
    return status;
}

/* NULL: no mesh is named. */
static const char *chosen_name(const struct down_options *chosen)
{
    const struct options *options = &chosen->common;
    if (chosen->all)
        return NULL;
    const char *name = options->operand_count ? options->operands[0] : options->name;
    if (!name)
        name = options->gateway;
    if (!name)
        name = getenv("POSTROAD_GATEWAY");
    return name && strncmp(name, prefix, strlen(prefix)) == 0 ? name + strlen(prefix) : name;
}

/* No mesh is named: ends all meshes, or the only one. */
static int stop_unnamed(const struct down_options *options)
{
    static char names[NAMES_MAX][PR_RUN_NAME_SIZE];
    char error[ERROR_SIZE];
    int count = pr_run_directory_list(names, NAMES_MAX, false, error, sizeof error);
    if (count < 0)
        report_error("down", "%s", error);
    else if (options->all || count == 1)
        return stop_list(&options->common, names, count);
    else if (count)
        report_error("down", "which mesh? %d are up: give a NAME, or --all", count);
    else
        report_error("down", "no mesh is up");
    return EXIT_USAGE;
}

static int run(const struct options *options)
{
    const struct down_options *chosen = (const void *)options;
    const char *name = chosen_name(chosen);
    int status = name && *name ? stop_one(options, name) : stop_unnamed(chosen);
    if (options->json) {
        cJSON *object = report_object("down");
        cJSON_AddBoolToObject(object, "ok", status == EXIT_OK);
        report_print(object, false);
    }
    return status;
}

static const struct option_row rows[] = {
    {.name = "all",
     .letter = 'a',
     .kind = OPTION_FLAG,
     OPTION_FIELD(struct down_options, all),
     .help = "stop every mesh of this user"},
    {OPTION_TIMEOUT, .initial = OPTION_CONSTANT(OPTION_ANSWER_TIME),
     .help = "kill a mesh that has not ended by itself for so long"},
    {.name = NULL},
};

static const char manual[] = "Stops a mesh, or clears away what is left of a mesh whose daemon was killed.";

static const struct json_key keys[] = {
    {"ok", "true or false", "the mesh is down"},
    {NULL, NULL, NULL},
};

const struct verb verb_down = {
    .name = "down",
    .operands = "[NAME]",
    .summary = "Stops a mesh that `up` started, or clears away what a killed one left.",
    .manual = manual,
    .operands_max = 1,
    .operand_words = {"@up"},
    .common = COMMON_NAME | COMMON_GATEWAY | COMMON_OUTPUT | COMMON_VERBOSE,
    .rows = rows,
    .keys = keys,
    .size = sizeof(struct down_options),
    .run = run,
};
