/* See imitate.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "imitate.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

_Noreturn void fail(const char *what)
{
    perror(what);
    exit(1);
}

_Noreturn void usage(const char *text)
{
    fprintf(stderr, "usage: %s\n", text);
    exit(1);
}

void give(int line, const void *bytes, size_t count)
{
    const uint8_t *next = bytes;
    while (count) {
        ssize_t written = write(line, next, count);
        if (written <= 0)
            return;
        next += written;
        count -= (size_t)written;
    }
}

/* ---- sockets and ptys ---- */

static int listen_at(struct sockaddr *address, socklen_t length, const char *what)
{
    int listener = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, address, length) != 0 || listen(listener, 4) != 0 ||
        getsockname(listener, address, &length) != 0)
        fail(what);
    return listener;
}

int listen_unix(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    return listen_at((struct sockaddr *)&address, sizeof address, path);
}

int listen_tcp(unsigned *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int listener = listen_at((struct sockaddr *)&address, sizeof address, "tcp");
    *port = ntohs(address.sin_port);
    return listener;
}

int open_pty(int flags, int *slave)
{
    struct termios settings;
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | flags);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
        fail("pty");
    int other = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (other < 0 || tcgetattr(other, &settings) != 0)
        fail("pty");
    cfmakeraw(&settings);
    tcsetattr(other, TCSANOW, &settings);
    if (slave)
        *slave = other;
    else
        close(other);
    return master;
}

void link_pty(int master, const char *path)
{
    unlink(path);
    if (symlink(ptsname(master), path) != 0)
        fail(path);
}

/* ---- a board's folder ---- */

const char *path_in(const char *folder, const char *name)
{
    static char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

struct words read_words(const char *folder, const char *name)
{
    struct words words = {0};
    FILE *file = fopen(path_in(folder, name), "re");
    for (unsigned k = 0; file && k < FAULT_WORDS && fscanf(file, "%63s", words.word[k]) == 1; k++)
        continue;
    if (file)
        fclose(file);
    return words;
}

bool is_word(const struct words *words, unsigned index, const char *text)
{
    return strcmp(words->word[index], text) == 0;
}

FILE *open_file(const char *folder, const char *name, const char *mode)
{
    FILE *file = fopen(path_in(folder, name), mode);
    if (!file)
        fail(path_in(folder, name));
    return file;
}

int open_flash(const char *folder)
{
    int file = open(path_in(folder, "flash"), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0)
        fail(path_in(folder, "flash"));
    return file;
}

void invert(uint8_t *bytes, size_t count)
{
    for (size_t k = 0; k < count; k++)
        bytes[k] = (uint8_t)~bytes[k];
}

void load_flash(const char *folder, uint8_t *bytes, size_t size)
{
    int file = open_flash(folder);
    memset(bytes, 0, size);
    if (pread(file, bytes, size, 0) < 0)
        fail("flash");
    close(file);
    invert(bytes, size);
}

/* The file ends with what is not erased. */
void store_flash(const char *folder, uint8_t *bytes, size_t size)
{
    int file = open_flash(folder);
    invert(bytes, size);
    while (size && bytes[size - 1] == 0)
        size--;
    if (pwrite(file, bytes, size, 0) != (ssize_t)size || ftruncate(file, (off_t)size) != 0)
        fail("flash");
    close(file);
}

void break_flash(const struct words *fault, struct spi_flash *flash, struct spi_flash_faults *faults)
{
    unsigned number = (unsigned)strtoul(fault->word[1], NULL, 0);
    *faults = (struct spi_flash_faults){
        .weak = is_word(fault, 0, "weak"),
        .worn = is_word(fault, 0, "worn"),
        .busy = is_word(fault, 0, "flash_busy"),
        .mute = is_word(fault, 0, "flash_mute"),
        .wraps = is_word(fault, 0, "flash_small") ? number : 0,
        .weak_byte = number,
        .worn_sector = number,
    };
    flash->faults = faults;
    flash->protection = is_word(fault, 0, "protect") ? (uint8_t)number : 0;
}
