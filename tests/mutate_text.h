/* Random edits of good files, for the fuzzers of parsers.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_MUTATE_TEXT_H
#define POSTROAD_TESTS_MUTATE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* One edit of `length` bytes of text, for which there are `room`: overwrites a byte, deletes or doubles a stretch, or
 * copies a piece of another one of `count` files over it. An edit that does not fit is left out. Returns the length.
 */
size_t mutate_text(uint64_t *state, const char *const *files, unsigned count, char *text, size_t length, size_t room);

#endif
