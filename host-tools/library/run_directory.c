/* Run directories of simulated meshes: names, locks, and what a dead daemon leaves behind. */
#define _GNU_SOURCE
#include "library/run_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { DYING_TRIES = 200 }; /* 10 ms each */

enum { BACKLOG = 8 };

static bool fits(int printed, size_t size)
{
    return printed > 0 && (size_t)printed < size;
}

bool run_directory_base(char *out, size_t size)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    if (!runtime || *runtime != '/')
        runtime = "/tmp";
    return fits(snprintf(out, size, "%s/postroad-%u", runtime, (unsigned)getuid()), size);
}

bool run_directory_path(const char *name, char *out, size_t size)
{
    char base[RUN_DIRECTORY_SIZE];
    if (strchr(name, '/'))
        return fits(snprintf(out, size, "%s", name), size);
    if (!*name || *name == '.' || strlen(name) >= RUN_NAME_SIZE || !run_directory_base(base, sizeof base))
        return false;
    return fits(snprintf(out, size, "%s/%s", base, name), size);
}

static int open_in(const char *path, const char *file, int flags)
{
    char full[RUN_DIRECTORY_SIZE + 16];
    if (!fits(snprintf(full, sizeof full, "%s/%s", path, file), sizeof full))
        return -1;
    return open(full, flags | O_CLOEXEC, 0600);
}

static pid_t read_pid(int file)
{
    char text[32] = "";
    if (pread(file, text, sizeof text - 1, 0) <= 0)
        return 0;
    return (pid_t)strtol(text, NULL, 10);
}

/* A process that is still to be waited for by its parent has ended too. */
static bool has_ended(pid_t pid)
{
    struct pollfd end = {.fd = pidfd_open(pid, 0), .events = POLLIN};
    bool ended = end.fd < 0 ? errno == ESRCH : poll(&end, 1, 0) > 0;
    if (end.fd >= 0)
        close(end.fd);
    return ended;
}

/* Takes the lock. Where the daemon has died, its guests, who hold it too, die a moment later: that is waited for. */
static bool take_lock(int file)
{
    const struct timespec pause = {0, 10000000};
    for (int tries = 0; flock(file, LOCK_EX | LOCK_NB) != 0; tries++) {
        pid_t holder = read_pid(file);
        if (tries == DYING_TRIES || holder <= 0 || !has_ended(holder))
            return false;
        nanosleep(&pause, NULL);
    }
    return true;
}

enum run_state run_directory_state(const char *path, pid_t *pid)
{
    enum run_state state = RUN_STALE;
    int file = open_in(path, "pid", O_RDWR);
    *pid = 0;
    if (file < 0)
        return RUN_ABSENT;
    if (!take_lock(file))
        state = RUN_ALIVE;
    *pid = read_pid(file);
    close(file);
    return state;
}

static bool make_directory(const char *path, char *error, size_t error_size)
{
    struct stat status;
    if (mkdir(path, 0700) != 0 && errno != EEXIST) {
        snprintf(error, error_size, "cannot make the run directory %s: %s", path, strerror(errno));
        return false;
    }
    if (lstat(path, &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != getuid()) {
        snprintf(error, error_size, "%s is not a directory of this user", path);
        return false;
    }
    return true;
}

/* A name in a run directory that a daemon makes. */
static bool is_ours(const char *name)
{
    return strncmp(name, "site-", 5) == 0 || strncmp(name, "qemu-", 5) == 0 || strncmp(name, "image-", 6) == 0 ||
           strcmp(name, "control") == 0 || strcmp(name, "log") == 0;
}

static void remove_contents(const char *path)
{
    DIR *directory = opendir(path);
    struct dirent *entry;
    while (directory && (entry = readdir(directory)))
        if (is_ours(entry->d_name))
            unlinkat(dirfd(directory), entry->d_name, 0);
    if (directory)
        closedir(directory);
}

/* The file that was locked is still the one in the directory: nobody removed it in between. */
static bool still_there(const char *path, int file)
{
    struct stat mine, named;
    int other = open_in(path, "pid", O_RDONLY);
    bool same = other >= 0 && fstat(file, &mine) == 0 && fstat(other, &named) == 0 && mine.st_ino == named.st_ino &&
                mine.st_dev == named.st_dev;
    if (other >= 0)
        close(other);
    return same;
}

int run_directory_take(const char *path, char *error, size_t error_size)
{
    char base[RUN_DIRECTORY_SIZE];
    if (run_directory_base(base, sizeof base) && strncmp(path, base, strlen(base)) == 0 &&
        !make_directory(base, error, error_size))
        return -1;
    if (!make_directory(path, error, error_size))
        return -1;
    int file = open_in(path, "pid", O_RDWR | O_CREAT);
    if (file < 0) {
        snprintf(error, error_size, "cannot write %s/pid: %s", path, strerror(errno));
        return -1;
    }
    if (!take_lock(file) || !still_there(path, file)) {
        snprintf(error, error_size, "already up, process %d", (int)read_pid(file));
        close(file);
        return -1;
    }
    remove_contents(path);
    fcntl(file, F_SETFD, 0);
    if (run_directory_set_pid(file))
        return file;
    snprintf(error, error_size, "cannot write %s/pid: %s", path, strerror(errno));
    close(file);
    run_directory_remove(path);
    return -1;
}

bool run_directory_set_pid(int lock)
{
    char text[32];
    int length = snprintf(text, sizeof text, "%d\n", (int)getpid());
    return pwrite(lock, text, (size_t)length, 0) == length && ftruncate(lock, length) == 0;
}

void run_directory_remove(const char *path)
{
    char file[RUN_DIRECTORY_SIZE + 16];
    remove_contents(path);
    if (fits(snprintf(file, sizeof file, "%s/pid", path), sizeof file))
        unlink(file);
    rmdir(path);
}

size_t run_directory_list(char names[][RUN_NAME_SIZE], size_t room, bool live_only)
{
    char base[RUN_DIRECTORY_SIZE], path[RUN_DIRECTORY_SIZE];
    size_t count = 0;
    pid_t pid;
    struct dirent *entry;
    DIR *directory = run_directory_base(base, sizeof base) ? opendir(base) : NULL;
    while (directory && count < room && (entry = readdir(directory))) {
        if (!run_directory_path(entry->d_name, path, sizeof path))
            continue;
        enum run_state state = run_directory_state(path, &pid);
        if (state == RUN_ABSENT || (live_only && state != RUN_ALIVE))
            continue;
        strcpy(names[count++], entry->d_name); /* run_directory_path() has checked its length */
    }
    if (directory)
        closedir(directory);
    return count;
}

void run_directory_image(const char *path, unsigned site, char *out, size_t size)
{
    snprintf(out, size, "%s/image-%u.elf", path, site);
    if (access(out, R_OK) != 0)
        snprintf(out, size, "%s/image-all.elf", path);
}

bool run_directory_address(const char *path, const char *file, struct sockaddr_un *out, char *error, size_t error_size)
{
    *out = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (fits(snprintf(out->sun_path, sizeof out->sun_path, "%s/%s", path, file), sizeof out->sun_path))
        return true;
    snprintf(error, error_size, "%s: too long for a unix socket's path", path);
    return false;
}

int run_directory_listen(const char *path, const char *file, int type, char *error, size_t error_size)
{
    struct sockaddr_un address;
    if (!run_directory_address(path, file, &address, error, error_size))
        return -1;
    int listener = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener >= 0 && bind(listener, (struct sockaddr *)&address, sizeof address) == 0 && listen(listener, BACKLOG) == 0)
        return listener;
    snprintf(error, error_size, "cannot listen on %s: %s", address.sun_path, strerror(errno));
    if (listener >= 0)
        close(listener);
    return -1;
}

int run_directory_sites(const char *path)
{
    int sites = 0;
    struct dirent *entry;
    DIR *directory = opendir(path);
    while (directory && (entry = readdir(directory)))
        sites += strncmp(entry->d_name, "site-", 5) == 0;
    if (directory)
        closedir(directory);
    return sites;
}
