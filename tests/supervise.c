/* Runs one test: within a time limit, with nothing left behind, its processor time measured.
 * usage: supervise SECONDS FILE COMMAND [ARGUMENT...]
 *
 * This process is the reaper of all that the command starts: a daemon that has left its parent becomes its child. So it
 * knows what still runs when the command has ended, kills that, and FILE gets the processor seconds of all, daemons
 * included. exit: the command's; 128 + N if signal N ended it; 124 after the time limit; 125 if a process was left
 * running; 126 if the command cannot be started; 130 if this process itself was told to end
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STATUS_LATE = 124, STATUS_LEFT, STATUS_CANNOT_START, STATUS_TOLD = 130 };

/* What a process that ends by itself may take after its parent has. */
static const struct timespec grace = {.tv_nsec = 100 * 1000 * 1000};

static pid_t start(char *command[])
{
    pid_t child = fork();
    if (child != 0)
        return child;
    const int ignored[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGCHLD}; /* by nohup, by services, by `&` in a script */
    sigset_t none;
    for (size_t k = 0; k < sizeof ignored / sizeof *ignored; k++)
        signal(ignored[k], SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0);
    execvp(command[0], command);
    fprintf(stderr, "tests/supervise: %s: %s\n", command[0], strerror(errno));
    _exit(STATUS_CANNOT_START);
}

static int status_of(int wait_status)
{
    if (WIFEXITED(wait_status))
        return WEXITSTATUS(wait_status);
    fprintf(stderr, "tests/supervise: ended by signal %d (SIG%s)\n", WTERMSIG(wait_status),
            sigabbrev_np(WTERMSIG(wait_status)));
    return 128 + WTERMSIG(wait_status);
}

/* Reaps all that have ended. True once `child` has, with its status. */
static bool reap(pid_t child, int *status)
{
    bool ended = false;
    int wait_status;
    for (pid_t pid; (pid = waitpid(-1, &wait_status, WNOHANG)) > 0;)
        if (pid == child) {
            *status = status_of(wait_status);
            ended = true;
        }
    return ended;
}

/* What seconds count for the time limit: as much less as the machine has more to do than cores, but a tenth at least.
 */
static double worth(double seconds)
{
    double load, cores = 1;
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        cores = CPU_COUNT(&set);
    if (getloadavg(&load, 1) != 1 || load <= cores)
        return seconds;
    return seconds * (load < 10 * cores ? cores / load : 0.1);
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Waits for the command to end, for a signal, or for the time limit; the signals are blocked, and taken here. */
static int await(pid_t child, const sigset_t *signals, long seconds)
{
    const struct timespec step = {.tv_nsec = 500 * 1000 * 1000};
    double used = 0, before = seconds_now(), began = before;
    int status, signal = 0;
    while (!reap(child, &status)) {
        double now = seconds_now();
        used += worth(now - before);
        before = now;
        if (signal == SIGTERM || signal == SIGINT)
            return STATUS_TOLD;
        if (used >= (double)seconds) {
            fprintf(stderr, "tests/supervise: stopped after %.0f seconds of a limit of %ld%s\n", now - began, seconds,
                    now - began > (double)seconds + 1 ? ", extended because the machine is busy" : "");
            return STATUS_LATE;
        }
        signal = sigtimedwait(signals, NULL, &step);
    }
    return status;
}

/* The command line of a process. Empty: it is about to end, and has given its memory back. */
static const char *command_line(pid_t pid)
{
    static char line[256];
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/cmdline", (int)pid);
    FILE *file = fopen(path, "r");
    size_t length = file ? fread(line, 1, sizeof line - 1, file) : 0;
    if (file)
        fclose(file);
    for (size_t k = 0; k < length; k++)
        if (line[k] == '\0')
            line[k] = ' ';
    line[length] = '\0';
    return line;
}

/* Kills this process's children, and those that they leave to it, until there is none. True if there was one. */
static bool kill_children(bool say)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    bool any = false;
    while (waitpid(-1, NULL, WNOHANG) >= 0) {
        FILE *file = fopen(path, "r");
        int pid;
        if (file && fscanf(file, "%d", &pid) == 1) {
            const char *command = command_line(pid);
            if (say && *command)
                fprintf(stderr, "tests/supervise: left running: process %d: %s\n", (int)pid, command);
            kill(pid, SIGKILL);
            waitpid(pid, NULL, 0);
            any |= *command != '\0';
        }
        if (file)
            fclose(file);
    }
    return any;
}

static bool write_seconds(const char *path)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    fprintf(file, "%.2f\n",
            (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6);
    return fclose(file) == 0;
}

int main(int count, char *arguments[])
{
    if (count < 4) {
        fprintf(stderr, "usage: supervise SECONDS FILE COMMAND [ARGUMENT...]\n");
        return STATUS_CANNOT_START;
    }
    sigset_t signals;
    signal(SIGCHLD, SIG_DFL);
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t child = start(arguments + 3);
    if (child < 0)
        return STATUS_CANNOT_START;
    int status = await(child, &signals, strtol(arguments[1], NULL, 10));
    if (status == STATUS_LATE || status == STATUS_TOLD) {
        kill(-child, SIGTERM); /* so that scripts remove what they have made elsewhere */
        nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
        kill_children(false);
    } else {
        reap(child, &status);
        nanosleep(waitpid(-1, NULL, WNOHANG) < 0 ? &(struct timespec){0} : &grace, NULL);
        if (kill_children(true) && status == 0)
            status = STATUS_LEFT;
    }
    if (!write_seconds(arguments[2]))
        perror(arguments[2]);
    return status;
}
