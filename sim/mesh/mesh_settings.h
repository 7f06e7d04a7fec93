/* Settings that stand in the place of those of a .mesh file: SECTION.KEY=VALUE, or SECTION.KEY= for the default of the
 * key.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_MESH_MESH_SETTINGS_H
#define POSTROAD_MESH_MESH_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

struct mesh_settings {
    size_t count;
    const char *const *items;
};

/* The text of a file with the settings: its own lines of these keys become comments, so that lines keep their numbers,
 * and the settings follow, MESH_SETTINGS_LINES each. The caller frees it. NULL, with the reason in `error`: one of them
 * is no SECTION.KEY=VALUE. */
enum { MESH_SETTINGS_LINES = 2 };
char *mesh_settings_apply(const char *text, const struct mesh_settings *settings, char *error, size_t error_size);

/* Has the text a line of this key? */
bool mesh_settings_has(const char *text, const char *section, const char *key);

#endif
