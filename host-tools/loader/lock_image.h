/* The lock in a board's flash (hw/soc/boot.md): what is written at PR_LOAD_LOCK.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LOADER_LOCK_IMAGE_H
#define POSTROAD_LOADER_LOCK_IMAGE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The mark of a locked board, and the verifier with the public key of the file `key` and the earliest version that it
 * accepts. With an empty name: erased bytes, the board is not locked. 0, or -1 with a reason. Failures of the stream
 * are the caller's to find. */
int lock_image_write(FILE *out, const char *key, uint32_t oldest, char *error, size_t error_size);

#endif
