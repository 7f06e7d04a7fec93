/* See lock_image.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "loader/lock_image.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "board/board_conf.h"
#include "loader/image_signature.h"
#include "loader/load_records.h"
#include "support/install_paths.h"

enum { UNLOCKED_BYTES = 256, VERIFIER_WORDS_MAX = (BOARD_LOCKED_RAM - PR_LOAD_RESERVED - PR_LOAD_VERIFIER) / 4 };

/* Words of the verifier, 0 with a reason. */
static unsigned read_verifier(uint32_t words[VERIFIER_WORDS_MAX], char *error, size_t error_size)
{
    char path[PATH_MAX];
    if (install_paths_image(NULL, "firmware/verifier.bin", "verifier", path, sizeof path, error, error_size) != 0)
        return 0;
    FILE *file = fopen(path, "re");
    unsigned count = file ? (unsigned)fread(words, 4, VERIFIER_WORDS_MAX, file) : 0;
    if (count < PR_LOCK_WORDS)
        snprintf(error, error_size, "%s: %s, expected the verifier of locked boards", path,
                 file ? "too short" : strerror(errno));
    if (file)
        fclose(file);
    return count < PR_LOCK_WORDS ? 0 : count;
}

int lock_image_write(FILE *out, const char *key, uint32_t oldest, char *error, size_t error_size)
{
    uint32_t words[VERIFIER_WORDS_MAX];
    uint8_t public_key[SIGNATURE_KEY_BYTES], mark[4];
    if (!*key) {
        for (unsigned k = 0; k < UNLOCKED_BYTES; k++)
            putc(0xff, out);
        return 0;
    }
    unsigned count = read_verifier(words, error, error_size);
    if (count == 0 || signature_public_key(key, public_key, error, error_size) != 0)
        return -1;
    memcpy(words + PR_LOCK_KEY, public_key, sizeof public_key);
    words[PR_LOCK_OLDEST] = oldest;
    load_word_bytes(PR_LOAD_LOCKED, mark);
    fwrite(mark, sizeof mark, 1, out);
    load_records_write(out, PR_RAM_BASE + PR_LOAD_VERIFIER, words, count, load_record_bytes);
    return 0;
}
