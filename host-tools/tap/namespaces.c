/* See namespaces.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "tap/namespaces.h"

#include "libpostroad/own_file.h"
#include "support/or_abort.h"
#include "tap/interface.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NAMES     "/run/netns" /* of iproute2 */
#define RECORDS   "/run/postroad-tap"
#define LOCK_FILE ".lock" /* not the name of a namespace */
#define OWN       "/proc/self/ns/net"

enum { PATH_SIZE = 160, RECORD_SIZE = 700, LOCK_TRIES = 500, LOCK_WAIT_NS = 20000000 };

bool tap_name_is_good(const char *name)
{
    if (!isalnum((unsigned char)*name) || strlen(name) >= TAP_NAME_SIZE)
        return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && !strchr("-_.", *name))
            return false;
    return true;
}

/* Root without all rights, as in a container, is told what is missing. */
static bool because(char error[TAP_ERROR_SIZE], const char *what)
{
    bool rights = errno == EPERM || errno == EACCES;
    snprintf(error, TAP_ERROR_SIZE, "%s: %s%s", what, strerror(errno),
             rights ? ", expected root with the capabilities CAP_SYS_ADMIN and CAP_NET_ADMIN" : "");
    return false;
}

static void path_of(const char *name, char out[PATH_SIZE])
{
    snprintf(out, PATH_SIZE, NAMES "/%s", name);
}

/* Opens a directory in /run that belongs to root alone, and makes it if need be. */
static int open_directory(const char *path, mode_t mode, char error[TAP_ERROR_SIZE])
{
    if (mkdir(path, mode) != 0 && errno != EEXIST) {
        because(error, path);
        return -1;
    }
    int directory = pr_own_directory_open(AT_FDCWD, path, path, error, TAP_ERROR_SIZE);
    if (directory < 0 && !*error)
        because(error, path);
    return directory;
}

/* Waits for other processes that make or take away namespaces; each does so for a moment. */
static bool take_lock(struct tap_namespaces *namespaces, char error[TAP_ERROR_SIZE])
{
    const struct timespec pause = {0, LOCK_WAIT_NS};
    namespaces->lock = pr_own_file_open(namespaces->records, LOCK_FILE, RECORDS "/" LOCK_FILE, O_RDWR | O_CREAT, error,
                                        TAP_ERROR_SIZE);
    if (namespaces->lock < 0)
        return false;
    for (int tries = 0; tries < LOCK_TRIES; tries++) {
        if (flock(namespaces->lock, LOCK_EX | LOCK_NB) == 0)
            return true;
        nanosleep(&pause, NULL);
    }
    close(namespaces->lock);
    namespaces->lock = -1;
    snprintf(error, TAP_ERROR_SIZE, "%s: another process has held the lock for ten seconds", RECORDS "/" LOCK_FILE);
    return false;
}

static void drop_lock(struct tap_namespaces *namespaces)
{
    if (namespaces->lock >= 0)
        close(namespaces->lock);
    namespaces->lock = -1;
}

/* Takes a name away if it is this namespace: it may be another one's meanwhile. */
static void remove_name(const char *name, ino_t inode)
{
    char path[PATH_SIZE];
    struct stat status;
    path_of(name, path);
    if (lstat(path, &status) != 0 || status.st_ino != inode || umount2(path, MNT_DETACH | UMOUNT_NOFOLLOW) != 0)
        return;
    unlink(path);
}

/* What a record says: the site, the namespace, the mesh's run directory. Only root can have written it. */
struct record {
    unsigned site;
    unsigned long long inode;
    char mesh[RECORD_SIZE];
};

static bool read_record(int file, struct record *record)
{
    char text[RECORD_SIZE];
    ssize_t length = pread(file, text, sizeof text - 1, 0);
    int used = 0;
    if (length <= 0)
        return false;
    text[length] = 0;
    if (sscanf(text, "%u %llu %n", &record->site, &record->inode, &used) != 2)
        return false;
    snprintf(record->mesh, sizeof record->mesh, "%s", text + used);
    record->mesh[strcspn(record->mesh, "\n")] = 0;
    return true;
}

static bool write_record(int file, const struct record *record)
{
    char text[2 * RECORD_SIZE];
    int length = snprintf(text, sizeof text, "%u %llu %s\n", record->site, record->inode, record->mesh);
    return ftruncate(file, 0) == 0 && pwrite(file, text, (size_t)length, 0) == length;
}

/* Is a live process's record one of this site of this mesh? */
typedef bool visit_record(void *context, const char *name, const struct record *record, bool alive);

/* Visits all records until one visit gives false; returns that. */
static bool visit_records(const struct tap_namespaces *namespaces, visit_record *visit, void *context)
{
    char error[TAP_ERROR_SIZE];
    bool on = true;
    DIR *directory = opendir(RECORDS);
    for (struct dirent *entry; on && directory && (entry = readdir(directory));) {
        struct record record = {0};
        if (!tap_name_is_good(entry->d_name))
            continue;
        int file = pr_own_file_open(namespaces->records, entry->d_name, entry->d_name, O_RDWR, error, sizeof error);
        if (file < 0)
            continue;
        bool alive = flock(file, LOCK_EX | LOCK_NB) != 0;
        read_record(file, &record);
        on = visit(context, entry->d_name, &record, alive);
        close(file);
    }
    if (directory)
        closedir(directory);
    return on;
}

static bool sweep(void *context, const char *name, const struct record *record, bool alive)
{
    const struct tap_namespaces *namespaces = context;
    if (alive)
        return true;
    remove_name(name, (ino_t)record->inode);
    unlinkat(namespaces->records, name, 0);
    return true;
}

struct search {
    unsigned site;
    const char *mesh;
    char name[TAP_NAME_SIZE]; /* found */
};

static bool is_other(void *context, const char *name, const struct record *record, bool alive)
{
    struct search *search = context;
    if (!alive || record->site != search->site || strcmp(record->mesh, search->mesh) != 0)
        return true;
    snprintf(search->name, sizeof search->name, "%s", name);
    return false;
}

/* As `ip netns` makes it: a mount point whose mounts all mount namespaces share, so that a name that is taken away is
 * gone everywhere. */
static bool share_names(char error[TAP_ERROR_SIZE])
{
    int directory = open_directory(NAMES, 0755, error);
    if (directory < 0)
        return false;
    close(directory);
    if (mount("", NAMES, "none", MS_SHARED | MS_REC, NULL) == 0)
        return true;
    if (errno == EINVAL && mount(NAMES, NAMES, "none", MS_BIND | MS_REC, NULL) == 0 &&
        mount("", NAMES, "none", MS_SHARED | MS_REC, NULL) == 0)
        return true;
    return because(error, NAMES);
}

bool tap_namespaces_begin(struct tap_namespaces *namespaces, size_t most, char error[TAP_ERROR_SIZE])
{
    *namespaces = (struct tap_namespaces){.home = -1, .records = -1, .lock = -1};
    if (geteuid() != 0) {
        snprintf(error, TAP_ERROR_SIZE,
                 "network namespaces and TAP devices need root, and a mesh that root has started");
        return false;
    }
    namespaces->all = or_abort(calloc(most, sizeof *namespaces->all));
    namespaces->home = open(OWN, O_RDONLY | O_CLOEXEC);
    if (namespaces->home < 0)
        because(error, OWN);
    else if (share_names(error))
        namespaces->records = open_directory(RECORDS, 0700, error);
    if (namespaces->records >= 0 && take_lock(namespaces, error)) {
        visit_records(namespaces, sweep, namespaces);
        return true;
    }
    tap_namespaces_end(namespaces);
    return false;
}

/* In a new network namespace: the device, and the name. */
static bool furnish(struct tap_namespaces *namespaces, struct tap_namespace *one, struct record *record,
                    char error[TAP_ERROR_SIZE])
{
    char path[PATH_SIZE];
    struct stat status;
    const char *what = OWN;
    path_of(one->name, path);
    if (stat(OWN, &status) != 0)
        return because(error, what);
    one->inode = status.st_ino;
    one->tap = tap_interface_create(TAP_INTERFACE, record->site, &what);
    if (one->tap < 0)
        return because(error, what);
    one->record = pr_own_file_open(namespaces->records, one->name, one->name, O_RDWR | O_CREAT, error, TAP_ERROR_SIZE);
    if (one->record < 0)
        return false;
    record->inode = one->inode;
    if (flock(one->record, LOCK_EX | LOCK_NB) != 0 || !write_record(one->record, record))
        return because(error, RECORDS);
    int file = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0);
    if (file < 0)
        return because(error, path);
    close(file);
    if (mount(OWN, path, "none", MS_BIND, NULL) == 0)
        return true;
    because(error, path);
    unlink(path);
    return false;
}

static void remove_one(struct tap_namespaces *namespaces, const struct tap_namespace *one)
{
    if (one->tap >= 0)
        close(one->tap);
    if (one->record < 0)
        return;
    remove_name(one->name, one->inode);
    unlinkat(namespaces->records, one->name, 0);
    close(one->record);
}

/* False: there is something of this name, or the site has a tap. */
static bool is_free(struct tap_namespaces *namespaces, const char *name, const struct record *record,
                    char error[TAP_ERROR_SIZE])
{
    char path[PATH_SIZE];
    struct stat status;
    struct search search = {.site = record->site, .mesh = record->mesh};
    path_of(name, path);
    if (lstat(path, &status) == 0)
        snprintf(error, TAP_ERROR_SIZE,
                 "there is a namespace %s: expected another --namespace, or `ip netns delete %s` if nobody needs it",
                 name, name);
    else if (!visit_records(namespaces, is_other, &search))
        snprintf(error, TAP_ERROR_SIZE, "site %u has a tap, whose namespace is %s", record->site, search.name);
    else
        return true;
    return false;
}

bool tap_namespaces_add(struct tap_namespaces *namespaces, const char *name, unsigned site, const char *mesh,
                        char error[TAP_ERROR_SIZE])
{
    struct tap_namespace *one = &namespaces->all[namespaces->count];
    struct record record = {.site = site};
    *one = (struct tap_namespace){.tap = -1, .record = -1};
    snprintf(one->name, sizeof one->name, "%s", name);
    snprintf(record.mesh, sizeof record.mesh, "%s", mesh);
    if (!is_free(namespaces, name, &record, error))
        return false;
    if (unshare(CLONE_NEWNET) != 0)
        return because(error, "a network namespace");
    bool good = furnish(namespaces, one, &record, error);
    if (setns(namespaces->home, CLONE_NEWNET) != 0)
        abort(); /* whatever this process does next would be done in the wrong network */
    if (good)
        namespaces->count++;
    else
        remove_one(namespaces, one);
    return good;
}

void tap_namespaces_ready(struct tap_namespaces *namespaces)
{
    drop_lock(namespaces);
}

/* Without the lock, which another process may not give back, the names still go: they are this process's. */
void tap_namespaces_end(struct tap_namespaces *namespaces)
{
    char error[TAP_ERROR_SIZE];
    if (namespaces->count && namespaces->lock < 0)
        take_lock(namespaces, error);
    for (size_t i = 0; i < namespaces->count; i++)
        remove_one(namespaces, &namespaces->all[i]);
    drop_lock(namespaces);
    if (namespaces->records >= 0)
        close(namespaces->records);
    if (namespaces->home >= 0)
        close(namespaces->home);
    free(namespaces->all);
    namespaces->all = NULL;
    namespaces->count = 0;
}
