/* A file that appears whole or not at all, see output_file.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _POSIX_C_SOURCE 200809L /* fileno, fsync */

#include "support/output_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SUFFIX = 32 };

int output_file_open(struct output_file *output, const char *path, char *error, size_t error_size)
{
    struct stat status;
    bool direct = stat(path, &status) == 0 && !S_ISREG(status.st_mode);
    *output = (struct output_file){.path = path};
    if (!direct) {
        size_t size = strlen(path) + SUFFIX;
        output->temporary = malloc(size);
        if (output->temporary)
            snprintf(output->temporary, size, "%s.%ld.new", path, (long)getpid());
    }
    if (direct || output->temporary)
        output->file = fopen(direct ? path : output->temporary, "w");
    if (output->file)
        return 0;
    snprintf(error, error_size, "%s: %s", path, strerror(errno));
    free(output->temporary);
    output->temporary = NULL;
    return -1;
}

void output_file_abandon(struct output_file *output)
{
    if (output->file)
        fclose(output->file);
    if (output->temporary)
        unlink(output->temporary);
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
    if (good) {
        free(output->temporary);
        output->temporary = NULL;
    }
    output_file_abandon(output);
    return good ? 0 : -1;
}
