/* A file that appears whole or not at all, see output_file.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _POSIX_C_SOURCE 200809L /* fileno, fsync */

#include "support/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/input_file.h"
#include "support/or_abort.h"

enum { SUFFIX = 40, TRIES = 100, BEGUN_MAX = 16, CLAIMS_MAX = 16 };

static const char ending[] = ".new", digits[] = "0123456789";

/* The temporary names of the files that are open, and the process whose they are: a child has a copy of the list. */
static const char *volatile begun[BEGUN_MAX];
static volatile pid_t beginner;

static void note_begun(const char *temporary)
{
    int free_place = 0;
    for (int i = 0; i < BEGUN_MAX && beginner != getpid(); i++)
        begun[i] = NULL; /* a parent's */
    while (free_place < BEGUN_MAX - 1 && begun[free_place])
        free_place++;
    begun[free_place] = temporary;
    beginner = getpid();
}

static void note_ended(const char *temporary)
{
    for (int i = 0; i < BEGUN_MAX; i++)
        if (begun[i] == temporary)
            begun[i] = NULL;
}

void output_file_abandon_all(void)
{
    for (int i = 0; i < BEGUN_MAX && beginner == getpid(); i++)
        if (begun[i])
            unlink(begun[i]);
}

/* PATH.PROCESS.new, or PATH.PROCESS-N.new where that name is taken. Nothing that is there is opened or followed: others
 * may write to the folder. */
static int open_temporary(const struct output_file *output, size_t size)
{
    int file = -1;
    for (int i = 0; file < 0 && (i == 0 || (i < TRIES && errno == EEXIST)); i++) {
        snprintf(output->temporary, size, i ? "%s.%ld-%d%s" : "%s.%ld%.0d%s", output->path, (long)getpid(), i, ending);
        file = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    }
    return file;
}

bool output_file_is_temporary(const char *name, const char *path)
{
    size_t length = strlen(path);
    if (strncmp(name, path, length) != 0 || name[length] != '.')
        return false;
    name += length + 1;
    size_t process = strspn(name, digits);
    name += process;
    if (process && *name == '-' && strspn(name + 1, digits))
        name += 1 + strspn(name + 1, digits);
    return process && strcmp(name, ending) == 0;
}

/* A file that need not be there: its folder and its name in it. The first claim holds. */
static bool is_claimed(dev_t device, ino_t folder, const char *name)
{
    static struct {
        dev_t device;
        ino_t folder;
        char *name;
    } claims[CLAIMS_MAX];
    static size_t count;
    for (size_t i = 0; i < count; i++)
        if (claims[i].device == device && claims[i].folder == folder && strcmp(claims[i].name, name) == 0)
            return true;
    if (count < CLAIMS_MAX) {
        claims[count].device = device;
        claims[count].folder = folder;
        claims[count++].name = strdup(name);
    }
    return false;
}

static bool check_input(const char *path, char *error, size_t error_size)
{
    if (!input_file_is_read(path))
        return true;
    snprintf(error, error_size, "%s: this file is read, expected another one to write", path);
    return false;
}

bool output_file_claim(const char *path, char *error, size_t error_size)
{
    struct stat status;
    const char *slash = strrchr(path, '/');
    char *folder = or_abort(slash ? strndup(path, (size_t)(slash + 1 - path)) : strdup("."));
    bool direct = stat(path, &status) == 0 && !S_ISREG(status.st_mode), good = check_input(path, error, error_size);
    if (good && !direct && stat(folder, &status) == 0 &&
        is_claimed(status.st_dev, status.st_ino, slash ? slash + 1 : path)) {
        snprintf(error, error_size, "%s: this file would be written twice, expected different ones", path);
        good = false;
    }
    free(folder);
    return good;
}

static FILE *open_file(struct output_file *output, bool direct)
{
    size_t size = strlen(output->path) + SUFFIX;
    if (!direct && !(output->temporary = malloc(size)))
        return NULL;
    int file = direct ? open(output->path, O_WRONLY | O_CLOEXEC) : open_temporary(output, size);
    FILE *stream = file < 0 ? NULL : fdopen(file, "w");
    if (stream && output->temporary)
        note_begun(output->temporary);
    return stream;
}

int output_file_open(struct output_file *output, const char *path, char *error, size_t error_size)
{
    struct stat status;
    bool direct = stat(path, &status) == 0 && !S_ISREG(status.st_mode);
    *output = (struct output_file){.path = path};
    if (!check_input(path, error, error_size))
        return -1;
    output->file = open_file(output, direct);
    if (output->file)
        return 0;
    snprintf(error, error_size, "%s: %s", path, strerror(errno));
    free(output->temporary);
    output->temporary = NULL;
    return -1;
}

FILE *output_file_log(const char *path, bool anew)
{
    int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | (anew ? O_TRUNC : O_APPEND);
    errno = EBUSY;
    int file = input_file_is_read(path) ? -1 : open(path, flags, 0666);
    FILE *stream = file < 0 ? NULL : fdopen(file, anew ? "w" : "a");
    if (file >= 0)
        fcntl(file, F_SETFL, anew ? 0 : O_APPEND);
    if (file >= 0 && !stream)
        close(file);
    return stream;
}

void output_file_abandon(struct output_file *output)
{
    if (output->file)
        fclose(output->file);
    if (output->temporary) {
        unlink(output->temporary);
        note_ended(output->temporary);
    }
    free(output->temporary);
    *output = (struct output_file){.path = output->path};
}

int output_file_close(struct output_file *output, char *error, size_t error_size)
{
    bool good = !ferror(output->file) && fflush(output->file) == 0 &&
                (!output->temporary || fsync(fileno(output->file)) == 0);
    int reason = errno;
    good = fclose(output->file) == 0 && good;
    output->file = NULL;
    if (good && output->temporary && rename(output->temporary, output->path) != 0) {
        reason = errno;
        good = false;
    }
    if (!good)
        snprintf(error, error_size, "%s: %s", output->path, strerror(reason));
    if (good && output->temporary) {
        note_ended(output->temporary);
        free(output->temporary);
        output->temporary = NULL;
    }
    output_file_abandon(output);
    return good ? 0 : -1;
}
