/* What the roles of an imitated board share: lines to it, and the folder in which its faults and its flash are.
 *
 * A board's folder has these files, of which each role says which it uses:
 *   flash    what the flash holds, each bit inverted, so that an erased one is a file with holes; missing: erased
 *   fault, console, ...   words, read again whenever they matter, that say what is wrong; missing: nothing
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_HOST_TOOLS_IMITATE_IMITATE_H
#define POSTROAD_TESTS_HOST_TOOLS_IMITATE_IMITATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bitstream/spi_flash.h"

enum { PATH_SIZE = 1024, WORD_SIZE = 64, FAULT_WORDS = 3 };

/* A role is a program: its arguments follow its name. Its source says at the top what they are. */
typedef int role(int argc, char **argv);
role node_role, boards_role, consoles_role, jtag_role, programmer_role, analyser_role;

/* Ends the program: with errno's text, or with a usage. */
_Noreturn void fail(const char *what);
_Noreturn void usage(const char *text);

/* All of it, or as much as the other end takes. */
void give(int line, const void *bytes, size_t count);

/* A socket that listens at a path, or on 127.0.0.1 at a port that the kernel chooses. */
int listen_unix(const char *path);
int listen_tcp(unsigned *port);

/* The master of a pty without an echo from the start: a node would take it for requests. `slave` gets the other end, so
 * that the master never reads that nobody is there; NULL: it is closed. */
int open_pty(int flags, int *slave);
/* Makes a symbolic link to its other end, in place of one that is there. */
void link_pty(int master, const char *path);

/* The name of a file of a folder, until the next call. */
const char *path_in(const char *folder, const char *name);

/* The words at the beginning of a file; those that are missing are empty. */
struct words {
    char word[FAULT_WORDS][WORD_SIZE];
};
struct words read_words(const char *folder, const char *name);
bool is_word(const struct words *words, unsigned index, const char *text);

/* Opens a file of a folder with a mode of fopen(). Ends the program where that fails. */
FILE *open_file(const char *folder, const char *name, const char *mode);

/* Opens the flash of a board, to read and write. */
int open_flash(const char *folder);
void invert(uint8_t *bytes, size_t count);
/* All of it, as it is in the flash: what the file does not hold is erased. */
void load_flash(const char *folder, uint8_t *bytes, size_t size);
void store_flash(const char *folder, uint8_t *bytes, size_t size);

/* Gives a flash the fault of its board, if it is one of these:
 *   weak ADDRESS      a bit of this byte cannot be programmed
 *   worn ADDRESS      the sector with this address is not erased
 *   protect STATUS    its status protects blocks, and stays so
 *   flash_busy        it stays busy after the first program or erase
 *   flash_mute        it does not answer
 *   flash_small SIZE  it has this size, a power of two, and ignores the higher bits of addresses */
void break_flash(const struct words *fault, struct spi_flash *flash, struct spi_flash_faults *faults);

#endif
