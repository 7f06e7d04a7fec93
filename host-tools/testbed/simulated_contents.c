/* See simulated_contents.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "testbed/simulated_contents.h"

#include "board/testbed.h"
#include "support/or_abort.h"
#include "support/output_file.h"
#include "testbed/board_confs.h"
#include "testbed/board_image.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ERASED = 0xff, PATH_ROOM = PATH_MAX + 64 };

static int write_flash(const struct board_image *image, const char *path, char *error, size_t error_size)
{
    struct output_file output;
    uint32_t end = 0;
    if (output_file_open(&output, path, error, error_size) != 0)
        return -1;
    for (unsigned i = 0; i < image->count; i++) {
        const struct board_region *region = &image->regions[i];
        if (region->offset + region->size > end)
            end = region->offset + (uint32_t)region->size;
    }
    uint8_t *bytes = or_abort(malloc(end));
    memset(bytes, ERASED, end);
    for (unsigned i = 0; i < image->count; i++)
        memcpy(bytes + image->regions[i].offset, image->regions[i].bytes, image->regions[i].size);
    fwrite(bytes, 1, end, output.file);
    free(bytes);
    return output_file_close(&output, error, error_size);
}

static int write_board(const struct testbed *testbed, const struct testbed_board *board, const struct board_conf *conf,
                       const char *directory, char *error, size_t error_size)
{
    struct board_image image;
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/flash-%s", directory, board->name);
    int result = board_image_make(&image, testbed, board, conf, error, error_size);
    if (result == 0)
        result = write_flash(&image, path, error, error_size);
    board_image_free(&image);
    return result;
}

static int write_boards(const struct testbed *testbed, const char *directory, char *error, size_t error_size)
{
    struct board_confs confs;
    if (board_confs_load(&confs, error, error_size) != 0)
        return -1;
    struct board_conf *of = board_confs_of(&confs, testbed);
    int result = 0;
    for (unsigned i = 0; i < testbed->board_count && result == 0; i++)
        if (!*testbed->boards[i].flash && strcmp(of[i].boot, "flash") == 0)
            result = write_board(testbed, &testbed->boards[i], &of[i], directory, error, error_size);
    free(of);
    return result;
}

int simulated_contents_write(const char *path, const char *directory, char *error, size_t error_size)
{
    struct testbed testbed;
    if (testbed_load(path, &testbed, error, error_size) != 0)
        return -1;
    int result = testbed.has_mesh ? write_boards(&testbed, directory, error, error_size) : 0;
    testbed_free(&testbed);
    return result;
}
