/* See board_lock.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "testbed/board_lock.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "libpostroad/file_holder.h"

enum { LINE_SIZE = 256, LOOKS = 4, LOOK_PAUSE_MS = 15 };

static int open_node(const char *node)
{
    return open(node, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
}

/* The node may have been made anew, with the same name, since it was opened. */
static bool is_of_node(int lock, const char *node)
{
    struct stat held, there;
    return lock >= 0 && fstat(lock, &held) == 0 && stat(node, &there) == 0 && held.st_dev == there.st_dev &&
           held.st_ino == there.st_ino;
}

bool board_lock_take(int *lock, const char *node)
{
    if (is_of_node(*lock, node))
        return true;
    int descriptor = open_node(node);
    if (descriptor < 0)
        return false;
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        close(descriptor);
        return false;
    }
    if (*lock >= 0)
        close(*lock);
    *lock = descriptor;
    return true;
}

/* The process that took the lock, from /proc/locks, which shows those of all users: one line for each lock, as
 * "1: FLOCK  ADVISORY  WRITE 24045 fe:00:9978297 0 EOF". 0: it is not seen from here. */
static int locking_process(const struct stat *node)
{
    FILE *locks = fopen("/proc/locks", "re");
    char line[LINE_SIZE];
    int found = 0, process;
    unsigned major, minor;
    unsigned long inode;
    while (locks && !found && fgets(line, sizeof line, locks))
        if (sscanf(line, "%*u: FLOCK %*s %*s %d %x:%x:%lu", &process, &major, &minor, &inode) == 4 && process > 0 &&
            major == major(node->st_dev) && minor == minor(node->st_dev) && inode == node->st_ino)
            found = process;
    if (locks)
        fclose(locks);
    return found;
}

/* Where the process that took it has ended, its programmer has the node open. */
static void name_holder(const char *node, char holder[PR_PROCESS_NAME])
{
    struct stat status;
    bool there = stat(node, &status) == 0;
    int process = there ? locking_process(&status) : 0;
    if (!pr_process_name(process, holder) && !pr_process_name(pr_file_holder(node), holder))
        snprintf(holder, PR_PROCESS_NAME, "a process that is not seen from here");
}

bool board_lock_is_held(const char *node, char holder[PR_PROCESS_NAME])
{
    const struct timespec pause = {0, LOOK_PAUSE_MS * 1000000L};
    int descriptor = open_node(node);
    bool held = descriptor >= 0;
    /* Others who look have it for a moment, too. */
    for (int k = 0; k < LOOKS && held; k++) {
        if (k)
            nanosleep(&pause, NULL);
        held = flock(descriptor, LOCK_EX | LOCK_NB) != 0;
    }
    if (descriptor >= 0)
        close(descriptor);
    if (held)
        name_holder(node, holder);
    return held;
}
