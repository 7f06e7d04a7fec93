/* See sim_workers.h.
 *
 *   this process     sim_workers_result(0)  sim_workers_result(1) ...
 *                        ^ progress, result      ^
 *                        | pipe                  | pipe: read all the time, kept until it is asked for
 *   worker           experiment_run(run 0)   experiment_run(run 1)  ...
 *
 * What a worker writes: records of progress, each behind RECORD_PROGRESS, then RECORD_RESULT and the result.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "postroad/sim_workers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "experiment/result_stream.h"
#include "postroad/sim_folder.h"
#include "support/or_abort.h"

enum { RECORD_PROGRESS = 'p', RECORD_RESULT = 'r', EVENT_SIZE = 64, CHUNK = 65536, LOOK_MS = 500 };

struct progress_record {
    struct experiment_progress progress; /* its event points nowhere: */
    bool has_event;
    char event[EVENT_SIZE];
};

struct worker {
    pid_t process; /* 0: not started, or waited for */
    int pipe;      /* -1: closed */
    int error;     /* errno of a start that failed, 0 */
    int status;    /* of its end */
    char *bytes;   /* that have been read */
    size_t length, used;
};

struct sim_workers {
    const struct sim_run *runs;
    int count, jobs, next; /* the next run to begin */
    bool every_progress;
    struct pollfd *polls;
    struct worker workers[]; /* by run */
};

struct reporter {
    FILE *file;
    bool every_progress;
};

static void send_progress(void *context, const struct experiment_progress *now)
{
    const struct reporter *reporter = context;
    struct progress_record record = {.progress = *now, .has_event = now->event != NULL};
    if (!now->event && !reporter->every_progress)
        return;
    if (now->event)
        snprintf(record.event, sizeof record.event, "%s", now->event);
    record.progress.event = NULL;
    putc(RECORD_PROGRESS, reporter->file);
    fwrite(&record, sizeof record, 1, reporter->file);
    fflush(reporter->file);
}

static size_t all_links(const struct mesh_config *mesh)
{
    return (size_t)mesh->sites * (size_t)mesh->links;
}

/* In the worker. */
static void work(const struct sim_workers *workers, int number, int out)
{
    const struct sim_run *run = &workers->runs[number];
    struct reporter reporter = {fdopen(out, "w"), workers->every_progress};
    struct experiment_result result;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (!reporter.file)
        _exit(EXIT_FAILURE);
    sim_point_make(run, send_progress, &reporter, &result);
    putc(RECORD_RESULT, reporter.file);
    bool good = result_stream_write(reporter.file, &result, all_links(&run->of->mesh)) == 0;
    _exit(fclose(reporter.file) == 0 && good ? EXIT_SUCCESS : EXIT_FAILURE);
}

static void begin(struct sim_workers *workers, int number)
{
    struct worker *worker = &workers->workers[number];
    int ends[2];
    fflush(NULL); /* or it would be written twice */
    if (pipe2(ends, O_CLOEXEC) != 0) {
        worker->error = errno;
        return;
    }
    pid_t process = fork();
    if (process == 0) {
        close(ends[0]);
        work(workers, number, ends[1]);
    }
    close(ends[1]);
    if (process < 0) {
        worker->error = errno;
        close(ends[0]);
        return;
    }
    worker->process = process;
    worker->pipe = ends[0];
}

static void finish(struct worker *worker)
{
    close(worker->pipe);
    worker->pipe = -1;
    while (waitpid(worker->process, &worker->status, 0) < 0 && errno == EINTR)
        continue;
    worker->process = 0;
}

/* Reads what a worker has written, which may be its end. */
static void read_some(struct worker *worker)
{
    worker->bytes = or_abort(realloc(worker->bytes, worker->length + CHUNK));
    ssize_t length = read(worker->pipe, worker->bytes + worker->length, CHUNK);
    if (length > 0)
        worker->length += (size_t)length;
    else if (length == 0 || errno != EINTR)
        finish(worker);
}

static bool interrupted(const struct sim_workers *workers)
{
    const volatile sig_atomic_t *stop = workers->runs[0].of->options.experiment.stop;
    return stop && *stop;
}

static void end_before(struct sim_workers *workers, int to)
{
    for (int i = 0; i < to && i < workers->next; i++)
        if (workers->workers[i].process)
            kill(workers->workers[i].process, SIGTERM);
}

static void forget_before(struct sim_workers *workers, int to)
{
    for (int i = 0; i < to && i < workers->next; i++) {
        if (workers->workers[i].process)
            finish(&workers->workers[i]);
        free(workers->workers[i].bytes);
        workers->workers[i].bytes = NULL;
    }
}

static void begin_more(struct sim_workers *workers)
{
    int running = 0;
    for (int i = 0; i < workers->next; i++)
        running += workers->workers[i].process != 0;
    while (running < workers->jobs && workers->next < workers->count && !interrupted(workers)) {
        begin(workers, workers->next++);
        running++;
    }
}

/* Waits until a worker has written something or has ended, or for a signal. */
static void wait_for_some(struct sim_workers *workers)
{
    int count = 0;
    for (int i = 0; i < workers->next; i++)
        if (workers->workers[i].process)
            workers->polls[count++] = (struct pollfd){.fd = workers->workers[i].pipe, .events = POLLIN};
    if (interrupted(workers))
        end_before(workers, workers->next);
    if (poll(workers->polls, (nfds_t)count, LOOK_MS) <= 0)
        return;
    for (int i = workers->next, at = count; i-- > 0;)
        if (workers->workers[i].process && workers->polls[--at].revents)
            read_some(&workers->workers[i]);
}

/* Passes on the progress that has come. */
static void replay(struct worker *worker, experiment_report *report, void *context)
{
    struct progress_record record;
    while (worker->length - worker->used > sizeof record && worker->bytes[worker->used] == RECORD_PROGRESS) {
        memcpy(&record, worker->bytes + worker->used + 1, sizeof record);
        worker->used += 1 + sizeof record;
        record.progress.event = record.has_event ? record.event : NULL;
        report(context, &record.progress);
    }
}

static bool read_result(const struct worker *worker, struct experiment_result *result, size_t links)
{
    size_t left = worker->length - worker->used;
    if (left < 2 || worker->bytes[worker->used] != RECORD_RESULT)
        return false;
    FILE *file = fmemopen(worker->bytes + worker->used + 1, left - 1, "r");
    bool good = file && result_stream_read(file, result, links) == 0;
    if (file)
        fclose(file);
    return good;
}

static void explain(const struct worker *worker, struct experiment_result *result)
{
    *result = (struct experiment_result){.end = END_FAILED};
    if (worker->error)
        snprintf(result->diagnosis, sizeof result->diagnosis, "no process for this run: %s", strerror(worker->error));
    else if (WIFSIGNALED(worker->status))
        snprintf(result->diagnosis, sizeof result->diagnosis, "the process of this run was ended by signal %d",
                 WTERMSIG(worker->status));
    else
        snprintf(result->diagnosis, sizeof result->diagnosis, "the process of this run ended without a result");
}

void sim_workers_result(struct sim_workers *workers, int run, experiment_report *report, void *context,
                        struct experiment_result *result)
{
    struct worker *worker = &workers->workers[run];
    begin_more(workers);
    replay(worker, report, context);
    while (worker->process) {
        wait_for_some(workers);
        begin_more(workers);
        replay(worker, report, context);
    }
    if (!read_result(worker, result, all_links(&workers->runs[run].of->mesh)))
        explain(worker, result);
    free(worker->bytes);
    worker->bytes = NULL;
}

struct sim_workers *sim_workers_start(const struct sim_run *runs, int count, int jobs, bool every_progress)
{
    struct sim_workers *workers = calloc(1, sizeof *workers + (size_t)count * sizeof *workers->workers);
    if (!workers)
        return NULL;
    workers->runs = runs;
    workers->count = count;
    workers->jobs = jobs;
    workers->every_progress = every_progress;
    workers->polls = calloc((size_t)jobs, sizeof *workers->polls);
    if (workers->polls) {
        begin_more(workers);
        return workers;
    }
    free(workers);
    return NULL;
}

void sim_workers_skip(struct sim_workers *workers, int to)
{
    if (!workers)
        return;
    end_before(workers, to);
    forget_before(workers, to);
    if (workers->next < to)
        workers->next = to;
}

void sim_workers_end(struct sim_workers *workers)
{
    if (!workers)
        return;
    end_before(workers, workers->next);
    forget_before(workers, workers->next);
    free(workers->polls);
    free(workers);
}
