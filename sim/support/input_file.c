/* See input_file.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "support/input_file.h"

#include <fcntl.h>
#include <unistd.h>

FILE *input_file_open(const char *path)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return NULL;
    fcntl(descriptor, F_SETFL, O_RDONLY);
    FILE *file = fdopen(descriptor, "r");
    if (!file)
        close(descriptor);
    return file;
}
