/* See sim_checkpoint.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE /* PATH_MAX */
#include "postroad/sim_checkpoint.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/report.h"
#include "cli/signals.h"
#include "libpostroad/own_file.h"
#include "postroad/checkpoint_part.h"
#include "ranks/process_transport.h"
#include "ranks/ranks.h"
#include "support/output_file.h"
#include "support/run_memory.h"

enum { ERROR_SIZE = 512, NAME_SIZE = 64 };

/* What a rank wants of the next pause; the strongest wish counts for all. */
enum wish { WISH_NOTHING, WISH_CHECKPOINT, WISH_END };

struct manifest {
    uint64_t clock;
    unsigned ranks;
    uint64_t sum; /* of the checksums of all parts */
};

static const char form[] = "postroad checkpoint 1\nclock = %" SCNu64 "\nranks = %u\nsum = %" SCNu64 "\n";

static const char *folder_path;
static int folder = -1; /* O_PATH */
static struct sim_checkpoint_period period;
static uint64_t last_clock; /* of the last pause */
static double last_time;    /* of the last checkpoint, or of the start */
static bool failed;
static volatile sig_atomic_t signalled, advised;
static char advice[PATH_MAX + 128];

/* True if all ranks are good. Else all get the error of the first one that is not. */
static bool all_good(bool good, char *error, size_t error_size)
{
    return ranks_first_text(good ? UINT64_MAX : 0, error, error_size) == UINT64_MAX;
}

static enum wish agree(enum wish own)
{
    return (enum wish)(WISH_END - ranks_least(WISH_END - own));
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* The name of a file, and its path for errors. */
static const char *part_name(uint64_t clock, unsigned rank, char name[NAME_SIZE])
{
    snprintf(name, NAME_SIZE, "part-%" PRIu64 "-%u", clock, rank);
    return name;
}

static const char *in_folder(const char *path, const char *name, char out[PATH_MAX])
{
    snprintf(out, PATH_MAX, "%s/%s", path, name);
    return out;
}

static int open_folder(const char *path, char *error, size_t error_size)
{
    int opened = pr_own_directory_open(AT_FDCWD, path, path, error, error_size);
    if (opened < 0 && !*error)
        snprintf(error, error_size, "%s: no such folder, expected one with a checkpoint", path);
    return opened;
}

/* False with the reason in `error`, which is "" if there is none. */
static bool read_manifest(int at, const char *path, struct manifest *manifest, char *error, size_t error_size)
{
    char name[PATH_MAX];
    int descriptor = pr_own_file_open(at, "manifest", in_folder(path, "manifest", name), O_RDONLY, error, error_size);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "r");
    if (!file)
        return false;
    bool good = fscanf(file, form, &manifest->clock, &manifest->ranks, &manifest->sum) == 3;
    if (!good)
        snprintf(error, error_size, "%s: damaged, expected clock, ranks and sum of a checkpoint", name);
    fclose(file);
    return good;
}

static int make_folder(const char *path, bool restored, char *error, size_t error_size)
{
    struct manifest manifest;
    if (mkdir(path, 0700) != 0 && errno != EEXIST) {
        snprintf(error, error_size, "%s: %s", path, strerror(errno));
        return -1;
    }
    int made = open_folder(path, error, error_size);
    if (made < 0 || restored || (!read_manifest(made, path, &manifest, error, error_size) && !*error))
        return made;
    if (!*error)
        snprintf(error, error_size, "%s has a checkpoint, expected a new folder, or --resume %s", path, path);
    close(made);
    return -1;
}

/* `processes` as --ranks has them: without mpirun. */
static void write_advice(const char *path, unsigned processes)
{
    char launch[32] = "", ranks[32] = "";
    if (processes > 1)
        snprintf(ranks, sizeof ranks, " --ranks %u", processes);
    else if (ranks_count() > 1)
        snprintf(launch, sizeof launch, "mpirun -n %u ", ranks_count());
    snprintf(advice, sizeof advice,
             "postroad sim: the run goes on from its last checkpoint with: %spostroad sim --resume %s%s\n", launch,
             path, ranks);
}

/* There is a checkpoint from which the run can go on. */
static void have_checkpoint(void)
{
    advised = 1;
    process_transport_last_words(advice);
}

int sim_checkpoint_begin(const char *path, const char *restored, const struct sim_checkpoint_period *when,
                         unsigned processes, char *error, size_t error_size)
{
    bool fixed = restored || run_memory_fix(0), same = restored && strcmp(restored, path) == 0;
    if (!fixed)
        snprintf(error, error_size, "--checkpoint: addresses from %#" PRIx64 " on: %s", RUN_MEMORY_BASE,
                 strerror(errno));
    else
        folder = make_folder(path, same, error, error_size);
    folder_path = path;
    period = *when;
    last_time = now();
    write_advice(path, processes);
    if (same && ranks_own() == 0)
        have_checkpoint();
    return all_good(folder >= 0, error, error_size) ? 0 : -1;
}

static bool restore_rank(int at, const char *path, const struct manifest *manifest, struct checkpoint_part *part,
                         char *error, size_t error_size)
{
    char name[NAME_SIZE], file[PATH_MAX];
    *part = (struct checkpoint_part){.clock = manifest->clock, .rank = ranks_own(), .ranks = manifest->ranks};
    if (manifest->ranks != ranks_count()) {
        snprintf(error, error_size, "%s: a checkpoint of %u ranks, expected as many here: --ranks %u or mpirun", path,
                 manifest->ranks, manifest->ranks);
        return false;
    }
    in_folder(path, part_name(manifest->clock, ranks_own(), name), file);
    return checkpoint_part_read(at, name, file, part, error, error_size);
}

int sim_checkpoint_restore(const char *path, double *seconds_spent, char *error, size_t error_size)
{
    struct manifest manifest;
    struct checkpoint_part part = {.clock = 0};
    int at = open_folder(path, error, error_size);
    bool good = at >= 0 && read_manifest(at, path, &manifest, error, error_size);
    if (at >= 0 && !good && !*error)
        snprintf(error, error_size, "%s: no manifest, expected a folder with a checkpoint", path);
    good = all_good(good && restore_rank(at, path, &manifest, &part, error, error_size), error, error_size);
    ranks_sum(&part.checksum, 1);
    if (at >= 0)
        close(at);
    if (good && part.checksum != manifest.sum) {
        snprintf(error, error_size, "%s: parts of different runs, expected those that its manifest names", path);
        good = false;
    }
    last_clock = part.clock;
    *seconds_spent = part.seconds_spent;
    return good ? 0 : -1;
}

static bool put_manifest(const struct manifest *manifest, char *error, size_t error_size)
{
    static char path[PATH_MAX]; /* output_file keeps it */
    struct output_file output;
    if (output_file_open(&output, in_folder(folder_path, "manifest", path), error, error_size) != 0)
        return false;
    fchmod(fileno(output.file), 0600); /* whatever the umask lets others write */
    fprintf(output.file, form, manifest->clock, manifest->ranks, manifest->sum);
    fprintf(output.file, "%s", advice);
    return output_file_close(&output, error, error_size) == 0;
}

/* True if a rank of a run has written this file: `kept` is the clock whose parts stay. Others' files stay, too. */
static bool is_old_part(const char *name, const uint64_t *kept)
{
    char canonical[NAME_SIZE];
    uint64_t clock;
    unsigned rank;
    return sscanf(name, "part-%" SCNu64 "-%u", &clock, &rank) == 2 &&
           strcmp(part_name(clock, rank, canonical), name) == 0 && !(kept && clock == *kept);
}

/* Removes all parts but those of the checkpoint, and manifests that processes which were killed have begun. */
static void sweep(void)
{
    char error[ERROR_SIZE];
    struct manifest manifest = {.clock = 0};
    bool any = read_manifest(folder, folder_path, &manifest, error, sizeof error);
    DIR *files = opendir(folder_path);
    for (const struct dirent *file; files && (file = readdir(files));)
        if (output_file_is_temporary(file->d_name, "manifest") ||
            is_old_part(file->d_name, any ? &manifest.clock : NULL))
            unlinkat(folder, file->d_name, 0);
    if (files) {
        fsync(dirfd(files));
        closedir(files);
    }
}

static void advise(void)
{
    if (write(STDERR_FILENO, advice, strlen(advice)) < 0)
        advised = 0;
}

/* Rank 0, once the parts of all ranks are on the disk, or some are not. */
static bool conclude(bool good, const struct manifest *manifest, char *error, size_t error_size)
{
    if (ranks_own() != 0)
        return good;
    good = good && put_manifest(manifest, error, error_size);
    sweep();
    if (good && signalled && !advised)
        advise();
    if (good)
        have_checkpoint();
    if (!good && !failed)
        report_error("sim", "%s (the run goes on; an earlier checkpoint stays)", error);
    return good;
}

static void write_checkpoint(const struct experiment *experiment)
{
    char error[ERROR_SIZE] = "", name[NAME_SIZE], file[PATH_MAX];
    struct checkpoint_part part = {.clock = experiment_clock(experiment),
                                   .rank = ranks_own(),
                                   .ranks = ranks_count(),
                                   .seconds_spent = experiment_seconds_spent(experiment)};
    in_folder(folder_path, part_name(part.clock, part.rank, name), file);
    bool good = checkpoint_part_write(folder, name, file, &part, error, sizeof error);
    good = all_good(good, error, sizeof error);
    struct manifest manifest = {part.clock, part.ranks, part.checksum};
    ranks_sum(&manifest.sum, 1);
    failed |= !conclude(good, &manifest, error, sizeof error);
    last_time = now();
}

bool sim_checkpoint_between(const struct experiment *experiment)
{
    uint64_t clock = experiment_clock(experiment);
    bool late = period.seconds > 0 && now() - last_time >= period.seconds;
    enum wish wish = agree(signalled ? WISH_END : late ? WISH_CHECKPOINT : WISH_NOTHING);
    if (wish != WISH_NOTHING || (period.clocks && clock / period.clocks > last_clock / period.clocks))
        write_checkpoint(experiment);
    last_clock = clock;
    return wish == WISH_END;
}

/* With several ranks the signal is often mpirun's, because a rank has died: the others will not come to a pause. */
static void on_signal(int number)
{
    (void)number;
    signalled = 1;
    if (advised)
        advise();
}

const volatile sig_atomic_t *sim_checkpoint_signals(void)
{
    signals_handle(on_signal);
    return &signalled;
}

bool sim_checkpoint_failed(void)
{
    return failed;
}
