/* Finds the project's files that a program needs at run time: in the source tree, or in the place of installation.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_SUPPORT_INSTALL_PATHS_H
#define POSTROAD_SUPPORT_INSTALL_PATHS_H

#include <stdbool.h>
#include <stddef.h>

/* The top folder of the project's tree: the nearest folder above this program that has sim/rules.mk. Its Makefile is
 * run and what that makes is loaded, so a tree that another user can have written is none, and neither is one that
 * happens to be around the working folder. 0, or -1 if there is none. */
int install_paths_top(char *out, size_t size);
extern const char install_paths_no_top[]; /* what to say then */

/* PREFIX/lib/postroad, if this program is PREFIX/bin/NAME and that folder is there. */
bool install_paths_installed(char *out, size_t size);

/* The folder of sim/SET/site.so and firmware/node.elf: PREFIX/lib/postroad of an installed program, else the build
 * folder of the project's tree. 0, or -1 if there is neither. */
int install_paths_built(char *out, size_t size);

/* The folder of TYPE/board.conf: PREFIX/share/postroad/boards of an installed program, else boards/ of the project's
 * tree. 0, or -1 if there is neither. */
int install_paths_boards(char *out, size_t size);

/* `asked`, or if that is NULL, the project's own image of this name, "firmware/node.elf" for example. 0, or -1 with a
 * reason if the file cannot be read; `goal` is the goal of make that builds it. */
int install_paths_image(const char *asked, const char *name, const char *goal, char *out, size_t size, char *error,
                        size_t error_size);

#endif
