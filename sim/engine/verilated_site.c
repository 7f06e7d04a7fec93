/* Finds, builds and loads the verilated site for a mesh's parameters.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE

#include "engine/verilated_site.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mesh/mesh_own.h"
#include "support/install_paths.h"

enum { FIRST_FORECAST = 15 /* seconds */ };

void verilated_site_set(char *out, const struct mesh_config *mesh, bool whole_site, enum site_extra extra)
{
    static const char *const links[] = {
        [MESH_LINKS_ON_CHIP] = "", [MESH_LINKS_SHARED] = "-boardlinks", [MESH_LINKS_EAGER] = "-eagerlinks"};
    static const char *const endings[] = {[SITE_PLAIN] = "", [SITE_WAVES] = "-waves", [SITE_OBSERVED] = "-observed"};
    char core[32] = "", own[24] = "";
    if (whole_site)
        snprintf(core, sizeof core, "-%u-%s", mesh->ram_bytes, mesh->cpu);
    if (mesh_own_build(mesh) != mesh_own_build_preset(mesh->discipline))
        snprintf(own, sizeof own, "-own%u", (unsigned)mesh_own_build(mesh));
    snprintf(out, VERILATED_SITE_SET, "%s-%s-%d-%d-%u-%u%s%s%s%s%s%s%s%s", whole_site ? "site" : "fabric", mesh->fabric,
             mesh->word_width, mesh->links, mesh->downstream_depth, mesh->upstream_depth, core,
             mesh_is_hypercube(mesh) ? "-hypercube" : "", mesh_has_torus_lines(mesh) ? "-torus" : "", own,
             whole_site && mesh->rest_clocks != 1 ? "-clocked" : "", mesh->sites_a_clock > 1 ? "-through" : "",
             links[mesh->board_links], endings[extra]);
}

static void (*on_note)(const void *context, const char *text);
static const void *note_context;

void verilated_site_on_note(void (*function)(const void *context, const char *text), const void *context)
{
    on_note = function;
    note_context = context;
}

static void tell(const char *text)
{
    if (on_note)
        on_note(note_context, text);
}

/* Runs make in the child, its output in `log`; just_ask: whether there is anything to do. */
static void run_make(const char *top, const char *goal, const char *log, bool just_ask)
{
    int output = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666), null = open("/dev/null", O_RDONLY);
    if (output < 0 || null < 0 || dup2(null, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0)
        _exit(126);
    /* Started from a make of ours, the child must not look for that one's job server. */
    unsetenv("MAKEFLAGS");
    unsetenv("MFLAGS");
    unsetenv("MAKELEVEL");
    close_range(STDERR_FILENO + 1, ~0u, CLOSE_RANGE_CLOEXEC); /* nor keep what holds a lock */
    execlp("make", "make", "--no-print-directory", "-C", top, goal, just_ask ? "-q" : (char *)NULL, (char *)NULL);
    _exit(127);
}

/* 0; else -1, with errno if make did not run to its end: a signal ends it. */
static int make(const char *top, const char *goal, const char *log, bool just_ask)
{
    int status = 0, reason = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        return -1;
    if (child == 0)
        run_make(top, goal, log, just_ask);
    while (waitpid(child, &status, 0) < 0)
        if ((reason = errno) == EINTR)
            kill(child, SIGTERM);
        else
            break;
    errno = reason;
    return !reason && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

static bool is_up_to_date(const char *top, const char *goal)
{
    return make(top, goal, "/dev/null", true) == 0;
}

/* What the last build on this machine took is the forecast for the next one. */
static double read_seconds(const char *path)
{
    double seconds = FIRST_FORECAST;
    FILE *file = fopen(path, "re");
    if (file && fscanf(file, "%lf", &seconds) != 1)
        seconds = FIRST_FORECAST;
    if (file)
        fclose(file);
    return seconds;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int make_and_tell(const char *top, const char *goal, const char *log)
{
    char path[PATH_MAX + 32], text[100];
    snprintf(path, sizeof path, "%s/build/sim/seconds", top);
    snprintf(text, sizeof text, "building a simulator for these parameters, once, about %.0f s", read_seconds(path));
    tell(text);
    double began = now();
    int status = make(top, goal, log, false), reason = errno;
    FILE *file = status == 0 ? fopen(path, "we") : NULL;
    if (file) {
        fprintf(file, "%.0f\n", fmax(now() - began, 1));
        fclose(file);
    }
    errno = reason;
    return status;
}

/* Waits for the lock; -1 with errno. */
static int take_lock(const char *name)
{
    int lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    bool locked = lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0;
    if (lock >= 0 && !locked && errno == EWOULDBLOCK) {
        tell("waits for another build");
        locked = flock(lock, LOCK_EX) == 0;
    }
    int reason = errno;
    if (lock >= 0 && !locked)
        close(lock);
    errno = reason;
    return locked ? lock : -1;
}

/* Brings build/sim/SET/site.so up to date. One process at a time: sets share objects. The file is renamed into place,
 * so that one that make finds up to date is whole, whatever is being built beside it. */
static int build(const char *top, const char *set, const char *folder, char *error, size_t error_size)
{
    char goal[VERILATED_SITE_SET + 32], log[PATH_MAX + VERILATED_SITE_SET + 32], lock_name[sizeof log];
    snprintf(goal, sizeof goal, "build/sim/%s/site.so", set);
    snprintf(log, sizeof log, "%s/make.log", folder);
    snprintf(lock_name, sizeof lock_name, "%s/build/sim/lock", top);
    if (is_up_to_date(top, goal))
        return 0;
    int lock = errno == EINTR ? -1 : take_lock(lock_name);
    bool locked = lock >= 0, made = locked && (is_up_to_date(top, goal) || make_and_tell(top, goal, log) == 0);
    int reason = errno;
    if (locked)
        close(lock);
    if (made)
        return 0;
    if (reason == EINTR)
        snprintf(error, error_size, "make %s: interrupted", goal);
    else if (!locked)
        snprintf(error, error_size, "%s: %s, expected a folder that can be written", lock_name, strerror(reason));
    else if (reason)
        snprintf(error, error_size, "make %s: %s", goal, strerror(reason));
    else
        snprintf(error, error_size, "make %s failed, see %s", goal, log);
    return -1;
}

static int make_folder(const char *top, const char *set, char *folder, size_t size, char *error, size_t error_size)
{
    static const char *const parts[] = {"build", "build/sim", NULL};
    for (int i = 0; parts[i]; i++) {
        snprintf(folder, size, "%s/%s", top, parts[i]);
        mkdir(folder, 0777);
    }
    snprintf(folder, size, "%s/build/sim/%s", top, set);
    if (mkdir(folder, 0777) == 0 || errno == EEXIST)
        return 0;
    snprintf(error, error_size, "%s: %s, expected a folder that can be written", folder, strerror(errno));
    return -1;
}

/* In the project's tree: makes it, or brings it up to date, unless this process has it open. */
static int bring_up_to_date(const char *set, const char *object, char *error, size_t error_size)
{
    char top[PATH_MAX], folder[PATH_MAX + VERILATED_SITE_SET + 16];
    if (install_paths_top(top, sizeof top) != 0) {
        snprintf(error, error_size, "%s", install_paths_no_top);
        return -1;
    }
    if (make_folder(top, set, folder, sizeof folder, error, error_size) != 0)
        return -1;
    void *open_already = dlopen(object, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (!open_already)
        return build(top, set, folder, error, error_size);
    dlclose(open_already);
    return 0;
}

static int find_object(const char *set, char *object, size_t size, char *error, size_t error_size)
{
    char folder[PATH_MAX];
    bool installed = install_paths_installed(folder, sizeof folder);
    if (!installed && install_paths_built(folder, sizeof folder) != 0)
        *folder = 0;
    snprintf(object, size, "%s/sim/%s/site.so", folder, set);
    if (!installed)
        return bring_up_to_date(set, object, error, error_size);
    if (access(object, R_OK) == 0)
        return 0;
    snprintf(error, error_size,
             "%s: not installed, expected a mesh of other parameters, or in the project's tree "
             "`make install SIM_DEFAULT_SETS=%s`",
             object, set);
    return -1;
}

int verilated_site_open_set(struct verilated_site *library, const char *set, char *error, size_t error_size)
{
    char object[PATH_MAX + VERILATED_SITE_SET + 32];
    *library = (struct verilated_site){0};
    if (strlen(set) >= VERILATED_SITE_SET) {
        snprintf(error, error_size, "%s: expected a shorter name of a set", set);
        return -1;
    }
    if (find_object(set, object, sizeof object, error, error_size) != 0)
        return -1;
    library->handle = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    library->table = library->handle ? dlsym(library->handle, "site_model") : NULL;
    if (library->table && strcmp(library->table->parameters, set) == 0)
        return 0;
    snprintf(error, error_size, "%s: %s", object,
             library->table ? "built for other parameters, expected those of its folder" : dlerror());
    verilated_site_close(library);
    return -1;
}

int verilated_site_open(struct verilated_site *library, const struct mesh_config *mesh, bool whole_site,
                        enum site_extra extra, char *error, size_t error_size)
{
    char set[VERILATED_SITE_SET];
    verilated_site_set(set, mesh, whole_site, extra);
    return verilated_site_open_set(library, set, error, error_size);
}

void verilated_site_close(struct verilated_site *library)
{
    if (library->handle)
        dlclose(library->handle);
    *library = (struct verilated_site){0};
}
