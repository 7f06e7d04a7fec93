/* See board_type.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "board/board_type.h"

#include "support/install_paths.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { PATH_ROOM = PATH_MAX + 64 };

static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";

unsigned board_type_names(char names[BOARD_TYPES_MAX][BOARD_TYPE_NAME])
{
    char boards[PATH_MAX], pattern[PATH_ROOM];
    glob_t found;
    unsigned count = 0;
    if (install_paths_boards(boards, sizeof boards) != 0)
        return 0;
    snprintf(pattern, sizeof pattern, "%s/*/board.conf", boards);
    if (glob(pattern, 0, NULL, &found) != 0)
        return 0;
    for (size_t i = 0; i < found.gl_pathc && count < BOARD_TYPES_MAX; i++) {
        const char *name = found.gl_pathv[i] + strlen(boards) + 1;
        size_t length = strcspn(name, "/");
        if (length < BOARD_TYPE_NAME && strspn(name, letters) == length)
            snprintf(names[count++], BOARD_TYPE_NAME, "%.*s", (int)length, name);
    }
    globfree(&found);
    return count;
}

static int unknown_type(const char *type, char *error, size_t error_size)
{
    char names[BOARD_TYPES_MAX][BOARD_TYPE_NAME];
    unsigned count = board_type_names(names);
    size_t used = (size_t)snprintf(error, error_size, "'%s' is no type of board, expected", type);
    for (unsigned i = 0; i < count && used < error_size; i++)
        used += (size_t)snprintf(error + used, error_size - used, "%s %s", i ? "," : "", names[i]);
    if (!count && used < error_size)
        snprintf(error + used, error_size - used, " a folder of boards/ in the kit's tree");
    return -1;
}

int board_type_load(const char *type, struct board_conf *out, char *error, size_t error_size)
{
    char names[BOARD_TYPES_MAX][BOARD_TYPE_NAME], boards[PATH_MAX], path[PATH_ROOM];
    unsigned count = board_type_names(names);
    for (unsigned i = 0; i < count; i++)
        if (strcmp(names[i], type) == 0 && install_paths_boards(boards, sizeof boards) == 0) {
            snprintf(path, sizeof path, "%s/%.*s/board.conf", boards, BOARD_TYPE_NAME, names[i]);
            return board_conf_load(path, out, error, error_size);
        }
    return unknown_type(type, error, error_size);
}

const char *board_type_packed(const struct board_conf *conf)
{
    return strncmp(conf->family, "ice40", 5) == 0 ? "bin" : strncmp(conf->family, "ecp5", 4) == 0 ? "bit" : "fs";
}
