/* postroad list: the meshes of this user, up or not.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "cli/about.h"
#include "cli/report.h"
#include "cli/table.h"
#include "daemon/daemon_requests.h"
#include "postroad/verbs.h"

#include "libpostroad/run_directory.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAMES_MAX = 256, ERROR_SIZE = 1024, TIME_SIZE = 32 };

struct entry {
    char directory[PR_RUN_DIRECTORY_SIZE];
    enum pr_run_state state;
    pid_t pid;
    struct about about;
    long troubles; /* sites in trouble; negative: not known */
};

static const double answer_time = 3; /* seconds: a daemon answers at once, unless it is stopped */

static const struct table_column columns[] = {
    {"name", 0, false, true},  {"state", 0, false, true}, {"sites", 1, false, false}, {"in trouble", 0, true, false},
    {"nodes", 2, false, true}, {"pid", 4, true, false},   {"since", 3, true, true},   {"mesh", 5, true, true},
};

enum { LIST_NAME, LIST_STATE, LIST_SITES, LIST_TROUBLES, LIST_NODES, LIST_PID, LIST_SINCE, LIST_MESH };

/* Sites whose firmware has crashed, ended or hangs, or whose console is lost. */
static long count_troubles(const struct entry *entry)
{
    char said[DAEMON_REQUESTS_MESSAGE_MAX];
    long count;
    if (entry->state != PR_RUN_ALIVE || !entry->about.ready ||
        daemon_requests_ask(entry->directory, "troubles", answer_time, said, sizeof said) != EXIT_OK ||
        !options_number(said, 0, entry->about.sites, &count))
        return -1;
    return count;
}

/* False: the mesh has ended meanwhile, or does not belong to this user alone, which is reported. */
static bool look_at(const char *name, struct entry *out)
{
    char error[ERROR_SIZE];
    if (!pr_run_directory_path(name, out->directory, sizeof out->directory))
        return false;
    out->state = pr_run_directory_state(out->directory, &out->pid, error, sizeof error);
    if (out->state == PR_RUN_REFUSED)
        report_error("list", "%s: %s", name, error);
    if (out->state != PR_RUN_ALIVE && out->state != PR_RUN_STALE)
        return false;
    about_read(out->directory, &out->about);
    out->troubles = count_troubles(out);
    return true;
}

static const char *state_of(const struct entry *entry)
{
    return entry->state == PR_RUN_STALE ? "died" : entry->about.ready ? "up" : "starting";
}

static void time_text(const struct entry *entry, const char *format, char *out)
{
    struct tm local;
    *out = 0;
    if (entry->about.since && localtime_r(&entry->about.since, &local))
        strftime(out, TIME_SIZE, format, &local);
}

static void add_row(struct table *table, const char *name, const struct entry *entry)
{
    const char *slash = strrchr(entry->about.mesh, '/');
    char since[TIME_SIZE];
    time_text(entry, "%Y-%m-%d %H:%M", since);
    table_row(table, entry->state == PR_RUN_STALE                 ? STYLE_BAD
                     : entry->about.ready && entry->troubles <= 0 ? STYLE_PLAIN
                                                                  : STYLE_DOUBTFUL);
    table_cell(table, LIST_NAME, "%s", name);
    table_cell(table, LIST_STATE, "%s", state_of(entry));
    if (entry->about.sites)
        table_cell(table, LIST_SITES, "%d", entry->about.sites);
    if (entry->troubles >= 0)
        table_cell(table, LIST_TROUBLES, "%ld", entry->troubles);
    table_cell(table, LIST_NODES, "%s", entry->about.nodes);
    if (entry->pid)
        table_cell(table, LIST_PID, "%d", (int)entry->pid);
    table_cell(table, LIST_SINCE, "%s", since);
    table_cell(table, LIST_MESH, "%s", slash ? slash + 1 : entry->about.mesh);
}

static void add_object(cJSON *list, const char *name, const struct entry *entry)
{
    cJSON *one = cJSON_CreateObject();
    char since[TIME_SIZE];
    time_text(entry, "%Y-%m-%dT%H:%M:%S%z", since);
    cJSON_AddStringToObject(one, "name", name);
    cJSON_AddStringToObject(one, "state", state_of(entry));
    cJSON_AddStringToObject(one, "directory", entry->directory);
    if (entry->pid)
        cJSON_AddNumberToObject(one, "pid", entry->pid);
    if (entry->about.sites) {
        cJSON_AddNumberToObject(one, "sites", entry->about.sites);
        cJSON_AddStringToObject(one, "nodes", entry->about.nodes);
        cJSON_AddStringToObject(one, "mesh", entry->about.mesh);
        cJSON_AddStringToObject(one, "since", since);
    }
    if (entry->troubles >= 0)
        cJSON_AddNumberToObject(one, "sites_in_trouble", (double)entry->troubles);
    cJSON_AddItemToArray(list, one);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void print(const struct options *options, struct table *table, cJSON *object)
{
    if (object)
        report_print(object, false);
    else if (table->row_count)
        table_print(table, stdout, table->row_count, terminal_width(STDOUT_FILENO));
    else
        report_note(options, "no mesh is up");
}

static int run(const struct options *options)
{
    static char names[NAMES_MAX][PR_RUN_NAME_SIZE];
    static struct entry entry; /* large */
    char error[ERROR_SIZE];
    struct table table;
    cJSON *object = options->json ? report_object("list") : NULL;
    cJSON *list = object ? cJSON_AddArrayToObject(object, "meshes") : NULL;
    int count = pr_run_directory_list(names, NAMES_MAX, false, error, sizeof error);
    if (count < 0) {
        cJSON_Delete(object);
        return report_failure(EXIT_USAGE, "list", "%s", error);
    }
    qsort(names, (size_t)count, sizeof *names, compare_names);
    table_begin(&table, columns, sizeof columns / sizeof *columns);
    for (int i = 0; i < count; i++)
        if (look_at(names[i], &entry)) {
            add_row(&table, names[i], &entry);
            if (list)
                add_object(list, names[i], &entry);
        }
    print(options, &table, object);
    table_end(&table);
    return EXIT_OK;
}

static const char manual[] =
    "Shows the meshes of this user: name, state, sites, how many of them are in trouble, what runs their firmware, process, "
    "start time, and .mesh file. A site is in trouble if its firmware has crashed, ended or hangs, or if its console is "
    "lost; RUNDIR/log has the reason. The state is `starting`, `up`, or `died` if the daemon was killed. The exit status is "
    "0 if there are no meshes, too.";

static const struct json_key keys[] = {
    {"meshes[].name", "text", "name of the mesh"},
    {"meshes[].state", "text", "`starting`, `up` or `died`"},
    {"meshes[].directory", "text", "the run directory"},
    {"meshes[].pid", "process", "the daemon, if known"},
    {"meshes[].sites", "sites", "number of sites, if known"},
    {"meshes[].sites_in_trouble", "sites", "that have crashed, ended, hang, or have lost their console, if known"},
    {"meshes[].nodes", "text", "what runs the firmware, if known"},
    {"meshes[].mesh", "text", "path of the .mesh file, if known"},
    {"meshes[].since", "time (ISO 8601)", "when the mesh was started, if known"},
    {NULL, NULL, NULL},
};

const struct verb verb_list = {
    .name = "list",
    .operands = "",
    .summary = "The meshes that are up, or have died.",
    .manual = manual,
    .common = COMMON_JSON | COMMON_QUIET,
    .keys = keys,
    .size = sizeof(struct options),
    .run = run,
};
