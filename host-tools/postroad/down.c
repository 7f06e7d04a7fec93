/* postroad down: ends the daemon of a simulated mesh, and clears away what a killed one left. */
#define _GNU_SOURCE
#include "report.h"
#include "verbs.h"

#include "library/client.h"
#include "library/run_directory.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NAMES_MAX = 256 };

static const double default_timeout = 10, kill_timeout = 5; /* seconds */

static bool wait_until_gone(const char *path, double timeout)
{
    const struct timespec pause = {0, 10000000};
    double deadline = client_now() + timeout;
    pid_t pid;
    while (run_directory_state(path, &pid) == RUN_ALIVE) {
        if (client_now() > deadline)
            return false;
        nanosleep(&pause, NULL);
    }
    return true;
}

/* The lock is held, so the number in the file is the daemon's. */
static int stop(const struct options *options, const char *name, const char *path, pid_t pid)
{
    double timeout = options->timeout < 0 ? default_timeout : options->timeout;
    if (pid <= 1 || kill(pid, SIGTERM) != 0) {
        report_error("down", "%s: cannot end process %d: %s", name, (int)pid, strerror(errno));
        return EXIT_TRANSPORT;
    }
    if (wait_until_gone(path, timeout))
        return EXIT_OK;
    report_note(options, "%s: process %d does not end, killing it", name, (int)pid);
    kill(pid, SIGKILL);
    return wait_until_gone(path, kill_timeout) ? EXIT_OK : EXIT_TIMEOUT;
}

static int stop_one(const struct options *options, const char *name)
{
    char path[RUN_DIRECTORY_SIZE];
    pid_t pid;
    if (!run_directory_path(name, path, sizeof path)) {
        report_error("down", "%s: not a name of a mesh", name);
        return EXIT_USAGE;
    }
    enum run_state state = run_directory_state(path, &pid);
    if (state == RUN_ABSENT) {
        report_error("down", "no mesh '%s' is up", name);
        return EXIT_USAGE;
    }
    if (state == RUN_STALE)
        report_note(options, "%s: its daemon, process %d, had died; cleared away", name, (int)pid);
    int status = state == RUN_ALIVE ? stop(options, name, path, pid) : EXIT_OK;
    if (status == EXIT_OK)
        run_directory_remove(path);
    if (status == EXIT_OK && options->verbose)
        report_note(options, "%s is down", name);
    return status;
}

static int stop_list(const struct options *options, char names[][RUN_NAME_SIZE], size_t count)
{
    int status = EXIT_OK;
    for (size_t i = 0; i < count; i++) {
        int one = stop_one(options, names[i]);
        status = one == EXIT_OK ? status : one;
    }
    return status;
}

static const char *chosen_name(const struct options *options)
{
    const char *name = options->operand_count ? options->operands[0] : options->name;
    if (!name)
        name = options->gateway;
    if (!name)
        name = getenv("POSTROAD_GATEWAY");
    return name && strncmp(name, "sim:", 4) == 0 ? name + 4 : name;
}

static int stop_chosen(const struct options *options, char names[][RUN_NAME_SIZE], size_t count)
{
    const char *name = chosen_name(options);
    if (name && *name)
        return stop_one(options, name);
    if (count == 1)
        return stop_one(options, names[0]);
    if (count)
        report_error("down", "which mesh? %zu are up: give a NAME, or --all", count);
    else
        report_error("down", "no mesh is up");
    return EXIT_USAGE;
}

int verb_down(const struct options *options)
{
    static char names[NAMES_MAX][RUN_NAME_SIZE];
    size_t count = run_directory_list(names, NAMES_MAX, false);
    int status = options->all ? stop_list(options, names, count) : stop_chosen(options, names, count);
    if (options->json) {
        cJSON *object = report_object("down");
        cJSON_AddBoolToObject(object, "ok", status == EXIT_OK);
        report_print(object, false);
    }
    return status;
}
