/* Run directories of meshes that are up: names, locks, and the files that a dead daemon leaves behind.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "libpostroad/run_directory.h"

#include "libpostroad/own_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { DYING_TRIES = 200, TAKE_TRIES = 100 }; /* the former 10 ms each */

enum { BACKLOG = 8, REASON_SIZE = 64 };

static bool fits(int printed, size_t size)
{
    return printed > 0 && (size_t)printed < size;
}

bool pr_run_directory_base(char *out, size_t size)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    if (!runtime || *runtime != '/')
        runtime = "/tmp";
    return fits(snprintf(out, size, "%s/postroad-%u", runtime, (unsigned)geteuid()), size);
}

bool pr_run_directory_path(const char *name, char *out, size_t size)
{
    char base[PR_RUN_DIRECTORY_SIZE], real[PATH_MAX];
    if (strchr(name, '/'))
        return fits(snprintf(out, size, "%s", realpath(name, real) ? real : name), size);
    if (!*name || *name == '.' || strlen(name) >= PR_RUN_NAME_SIZE || !pr_run_directory_base(base, sizeof base))
        return false;
    return fits(snprintf(out, size, "%s/%s", base, name), size);
}

/* A run directory that is this user's. */
struct place {
    int directory, file; /* the pid file; -1: there is none */
};

static void close_place(const struct place *place)
{
    if (place->file >= 0)
        close(place->file);
    if (place->directory >= 0)
        close(place->directory);
}

/* Splits PATH, which is BASE/NAME. False with the reason in error: it is not. */
static bool split(const char *path, char *base, const char **name, char *error, size_t error_size)
{
    char own[PR_RUN_NAME_SIZE];
    *error = 0;
    snprintf(own, sizeof own, "/postroad-%u", (unsigned)geteuid());
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    if (length > strlen(own) && strncmp(slash - strlen(own), own, strlen(own)) == 0 && slash[1]) {
        snprintf(base, PR_RUN_DIRECTORY_SIZE, "%.*s", (int)length, path);
        *name = slash + 1;
        return true;
    }
    snprintf(error, error_size, "%s is no run directory, expected ...%s/NAME", path, own);
    return false;
}

static int open_directory(const char *path, char *error, size_t error_size)
{
    char base[PR_RUN_DIRECTORY_SIZE];
    const char *name;
    if (!split(path, base, &name, error, error_size))
        return -1;
    int parent = pr_own_directory_open(AT_FDCWD, base, base, error, error_size);
    if (parent < 0)
        return -1;
    int directory = pr_own_directory_open(parent, name, path, error, error_size);
    close(parent);
    return directory;
}

/* Opens the directory and its pid file. False with the reason in error, which is "" if one of them does not exist. */
static bool open_place(const char *path, int flags, struct place *place, char *error, size_t error_size)
{
    char name[PR_RUN_DIRECTORY_SIZE + 16];
    *place = (struct place){open_directory(path, error, error_size), -1};
    if (place->directory < 0)
        return false;
    snprintf(name, sizeof name, "%s/pid", path);
    place->file = pr_own_file_open(place->directory, "pid", name, O_RDWR | flags, error, error_size);
    if (place->file >= 0)
        return true;
    close_place(place);
    return false;
}

static pid_t read_pid(int file)
{
    char text[32] = "";
    if (pread(file, text, sizeof text - 1, 0) <= 0)
        return 0;
    return (pid_t)strtol(text, NULL, 10);
}

/* The process that holds the second lock. 0: there is none, or it is in another pid namespace. */
static pid_t holder(int file)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK && lock.l_pid > 0 ? lock.l_pid : 0;
}

/* Takes the first lock. If another process holds it while the second lock is free, the first becomes free in a moment.
 * Its holders are then the guests of a dead daemon, which end too, or a process that reads the state. */
static bool take_lock(int file, int kind)
{
    const struct timespec pause = {0, 10000000};
    for (int tries = 0; flock(file, kind | LOCK_NB) != 0; tries++) {
        if (tries == DYING_TRIES || holder(file))
            return false;
        nanosleep(&pause, NULL);
    }
    return true;
}

enum pr_run_state pr_run_directory_state(const char *path, pid_t *pid, char *error, size_t error_size)
{
    struct place place;
    *pid = 0;
    if (!open_place(path, 0, &place, error, error_size))
        return *error ? PR_RUN_REFUSED : PR_RUN_ABSENT;
    enum pr_run_state state = take_lock(place.file, LOCK_SH) ? PR_RUN_STALE : PR_RUN_ALIVE;
    *pid = state == PR_RUN_STALE ? read_pid(place.file) : holder(place.file);
    close_place(&place);
    return state;
}

/* True if NAME is BEFORE, then a number or "all", then one of the endings. NULL is the end of their list. */
static bool matches(const char *name, const char *before, const char *const *endings)
{
    if (strncmp(name, before, strlen(before)) != 0)
        return false;
    name += strlen(before);
    size_t length = strncmp(name, "all", 3) == 0 ? 3 : strspn(name, "0123456789");
    while (length && *endings && strcmp(name + length, *endings) != 0)
        endings++;
    return length && *endings;
}

/* True if the daemon makes files of this name in a run directory. `pid` and `control` are handled apart. */
static bool is_made_by_daemon(const char *name)
{
    static const char *const consoles[] = {"", NULL};
    static const char *const guests[] = {".port", ".serial", ".gdb", ".debugger", NULL};
    static const char *const images[] = {".elf",      ".hex",          ".elf.new",      ".hex.new", ".elf.kept",
                                         ".hex.kept", ".elf.kept.new", ".hex.kept.new", NULL};
    return matches(name, "site-", consoles) || matches(name, "qemu-", guests) || matches(name, "image-", images) ||
           strcmp(name, "mesh") == 0 || strcmp(name, "log") == 0 || strcmp(name, "about") == 0;
}

static void remove_contents(int directory)
{
    int list = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *names = list < 0 ? NULL : fdopendir(list);
    struct dirent *entry;
    unlinkat(directory, "control", 0); /* first: where it is missing, sockets of sites are too */
    while (names && (entry = readdir(names)))
        if (is_made_by_daemon(entry->d_name))
            unlinkat(directory, entry->d_name, 0);
    if (names)
        closedir(names);
}

/* True if the file that was locked is still the one in the directory: no process has removed it in between. Opens no
 * descriptor: see pr_run_directory_take. */
static bool still_there(int directory, int file)
{
    struct stat mine, named;
    return fstat(file, &mine) == 0 && fstatat(directory, "pid", &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           mine.st_ino == named.st_ino && mine.st_dev == named.st_dev;
}

static bool make_directories(const char *path, char *error, size_t error_size)
{
    char base[PR_RUN_DIRECTORY_SIZE];
    const char *name;
    if (!split(path, base, &name, error, error_size))
        return false;
    bool made = mkdir(base, 0700) == 0 || errno == EEXIST;
    int parent = made ? pr_own_directory_open(AT_FDCWD, base, base, error, error_size) : -1;
    if (parent >= 0)
        made = mkdirat(parent, name, 0700) == 0 || errno == EEXIST;
    if (!made)
        snprintf(error, error_size, "cannot make the run directory %s: %s", path, strerror(errno));
    if (parent >= 0)
        close(parent);
    return made && !*error;
}

static bool write_pid(int file)
{
    char text[32];
    int length = snprintf(text, sizeof text, "%d\n", (int)getpid());
    return pwrite(file, text, (size_t)length, 0) == length && ftruncate(file, length) == 0;
}

/* Opens the pid file and takes both locks. False with the reason in error, which is "" if another process has removed
 * the directory meanwhile. */
static bool try_take(const char *path, struct place *place, char *error, size_t error_size)
{
    struct flock own = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (!make_directories(path, error, error_size) || !open_place(path, O_CREAT, place, error, error_size))
        return false;
    bool locked = take_lock(place->file, LOCK_EX);
    if (!locked)
        snprintf(error, error_size, "already up, process %d", (int)holder(place->file));
    else if (still_there(place->directory, place->file) && fcntl(place->file, F_SETLK, &own) == 0)
        return true;
    close_place(place);
    return false;
}

int pr_run_directory_take(const char *path, char *error, size_t error_size)
{
    struct place place;
    bool taken = false;
    *error = 0;
    for (int tries = 0; tries < TAKE_TRIES && !taken && !*error; tries++)
        taken = try_take(path, &place, error, error_size);
    if (!taken) {
        if (!*error)
            snprintf(error, error_size, "%s/pid cannot be locked", path);
        return -1;
    }
    remove_contents(place.directory);
    close(place.directory);
    fcntl(place.file, F_SETFD, 0);
    if (write_pid(place.file))
        return place.file;
    snprintf(error, error_size, "cannot write %s/pid: %s", path, strerror(errno));
    pr_run_directory_remove(path, place.file);
    close(place.file);
    return -1;
}

static void remove_all(const char *path, int directory, int lock)
{
    if (!still_there(directory, lock))
        return;
    remove_contents(directory);
    unlinkat(directory, "pid", 0);
    rmdir(path);
}

void pr_run_directory_remove(const char *path, int lock)
{
    char error[REASON_SIZE];
    int directory = open_directory(path, error, sizeof error);
    if (directory < 0)
        return;
    remove_all(path, directory, lock);
    close(directory);
}

void pr_run_directory_clear(const char *path)
{
    char error[REASON_SIZE];
    struct place place;
    if (open_place(path, 0, &place, error, sizeof error)) {
        if (take_lock(place.file, LOCK_EX))
            remove_all(path, place.directory, place.file);
        close_place(&place);
    } else if (!*error) {
        rmdir(path); /* what was killed while it cleared may have left it empty */
    }
}

/* The process is opened by its number. If the number is the lock holder's both before and after, it has not passed to
 * another process in between. */
bool pr_run_directory_signal(const char *path, pid_t pid, int number)
{
    char error[REASON_SIZE];
    struct place place;
    if (!open_place(path, 0, &place, error, sizeof error)) {
        errno = ESRCH;
        return false;
    }
    int process = pidfd_open(pid, 0);
    bool sent = process >= 0 && holder(place.file) == pid && pidfd_send_signal(process, number, NULL, 0) == 0;
    if (process >= 0)
        close(process);
    close_place(&place);
    return sent;
}

int pr_run_directory_list(char names[][PR_RUN_NAME_SIZE], size_t room, bool live_only, char *error, size_t error_size)
{
    char base[PR_RUN_DIRECTORY_SIZE], path[PR_RUN_DIRECTORY_SIZE], reason[REASON_SIZE];
    size_t count = 0;
    pid_t pid;
    struct dirent *entry;
    *error = 0;
    int parent = pr_run_directory_base(base, sizeof base)
                     ? pr_own_directory_open(AT_FDCWD, base, base, error, error_size)
                     : -1;
    if (parent < 0)
        return *error ? -1 : 0;
    close(parent);
    DIR *directory = opendir(base);
    while (directory && count < room && (entry = readdir(directory))) {
        if (!pr_run_directory_path(entry->d_name, path, sizeof path))
            continue;
        enum pr_run_state state = pr_run_directory_state(path, &pid, reason, sizeof reason);
        if (state == PR_RUN_ALIVE || (state == PR_RUN_STALE && !live_only))
            strcpy(names[count++], entry->d_name); /* pr_run_directory_path() has checked its length */
    }
    if (directory)
        closedir(directory);
    return (int)count;
}

void pr_run_directory_image(const char *path, unsigned site, char *out, size_t size)
{
    snprintf(out, size, "%s/image-%u.elf", path, site);
    if (access(out, R_OK) != 0)
        snprintf(out, size, "%s/image-all.elf", path);
}

bool pr_run_directory_address(const char *path, const char *file, struct sockaddr_un *out, char *error,
                              size_t error_size)
{
    *out = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (fits(snprintf(out->sun_path, sizeof out->sun_path, "%s/%s", path, file), sizeof out->sun_path))
        return true;
    snprintf(error, error_size, "%s: too long for a unix socket's path", path);
    return false;
}

int pr_run_directory_listen(const char *path, const char *file, int type, char *error, size_t error_size)
{
    struct sockaddr_un address;
    if (!pr_run_directory_address(path, file, &address, error, error_size))
        return -1;
    int listener = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener >= 0 && bind(listener, (struct sockaddr *)&address, sizeof address) == 0 &&
        listen(listener, BACKLOG) == 0)
        return listener;
    snprintf(error, error_size, "cannot listen on %s: %s", address.sun_path, strerror(errno));
    if (listener >= 0)
        close(listener);
    return -1;
}

int pr_run_directory_sites(const char *path)
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

static void site_path(const char *path, unsigned site, char out[PR_RUN_DIRECTORY_SIZE + 24])
{
    snprintf(out, PR_RUN_DIRECTORY_SIZE + 24, "%s/site-%u", path, site);
}

bool pr_run_directory_close_console(const char *path, unsigned site)
{
    char name[PR_RUN_DIRECTORY_SIZE + 24];
    site_path(path, site, name);
    if (unlink(name) != 0)
        return false;
    int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    return file >= 0 && close(file) == 0;
}

bool pr_run_directory_has_console(const char *path, unsigned site)
{
    char name[PR_RUN_DIRECTORY_SIZE + 24];
    struct stat status;
    site_path(path, site, name);
    return lstat(name, &status) == 0 && S_ISSOCK(status.st_mode);
}

unsigned pr_run_directory_first_console(const char *path)
{
    unsigned sites = (unsigned)pr_run_directory_sites(path);
    for (unsigned site = 0; site < sites; site++)
        if (pr_run_directory_has_console(path, site))
            return site;
    return 0;
}
