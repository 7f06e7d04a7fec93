/* See chip_family.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "bitstream/chip_family.h"

#include "bitstream/chip_object.h"
#include "bitstream/name_map.h"
#include "support/or_abort.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool chip_run(const char *log, char *const *arguments)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        int file = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (file < 0 || dup2(file, STDOUT_FILENO) < 0 || dup2(file, STDERR_FILENO) < 0)
            _exit(126);
        execvp(arguments[0], arguments);
        _exit(127);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

uint64_t chip_hash(uint64_t hash, const void *bytes, size_t count)
{
    for (const uint8_t *at = bytes, *end = at + count; at < end; at++)
        hash = (hash ^ *at) * 0x100000001b3u;
    return hash;
}

/* With the zero behind it, so that two texts are not the same as one. */
uint64_t chip_hash_text(uint64_t hash, const char *text)
{
    return chip_hash(hash, text, strlen(text) + 1);
}

bool chip_ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), end = strlen(ending);
    return length >= end && strcmp(text + length - end, ending) == 0;
}

void chip_rams_add(struct chip_rams *rams, unsigned number, const uint16_t *words, size_t count)
{
    struct chip_ram *ram = list_add(&rams->list, &rams->count, sizeof *ram);
    ram->number = number;
    ram->words = or_abort(malloc(count * sizeof *words));
    memcpy(ram->words, words, count * sizeof *words);
}
