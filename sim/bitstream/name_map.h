/* Names as numbers, and a map from 64-bit keys to numbers.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BITSTREAM_NAME_MAP_H
#define POSTROAD_BITSTREAM_NAME_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NO_ENTRY = UINT32_MAX };

struct key_map {
    uint64_t *keys; /* key + 1; 0: free */
    uint32_t *values;
    size_t room, count;
};

/* The place of the value of this key, which is added with the value NO_ENTRY if it is new. Good until the next call. */
uint32_t *key_map_place(struct key_map *map, uint64_t key);

/* NO_ENTRY: the key is not there. */
uint32_t key_map_get(const struct key_map *map, uint64_t key);
void key_map_free(struct key_map *map);

struct name_map {
    char **names;
    uint32_t *slots;
    uint32_t count, room;
};

/* The number of a name, which is added if it is new. */
uint32_t name_number(struct name_map *map, const char *name);

/* NO_ENTRY: the name is not there. */
uint32_t name_find(const struct name_map *map, const char *name);
void name_map_free(struct name_map *map);

/* Room for one more entry in a list whose room doubles whenever its count reaches a power of two: the entry, all
 * zeroes. */
void *list_add(void *list, uint32_t *count, size_t size);

#endif
