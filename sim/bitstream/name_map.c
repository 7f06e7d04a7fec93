/* See name_map.h. Open addressing, at most half full. Memory that runs out ends the program.
 *
 * SPDX-License-Identifier: ISC
 */
#include "bitstream/name_map.h"
#include "support/or_abort.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 1024 };

static size_t hash_key(uint64_t key)
{
    key *= 0x9e3779b97f4a7c15u;
    return (size_t)(key >> 20 ^ key >> 41);
}

static size_t key_slot(const struct key_map *map, uint64_t key)
{
    size_t slot = hash_key(key) & (map->room - 1);
    while (map->keys[slot] && map->keys[slot] != key + 1)
        slot = (slot + 1) & (map->room - 1);
    return slot;
}

static void grow_keys(struct key_map *map)
{
    struct key_map larger = {.room = map->room ? 2 * map->room : FIRST_ROOM, .count = map->count};
    larger.keys = or_abort(calloc(larger.room, sizeof *larger.keys));
    larger.values = or_abort(calloc(larger.room, sizeof *larger.values));
    for (size_t i = 0; i < map->room; i++) {
        if (!map->keys[i])
            continue;
        size_t slot = key_slot(&larger, map->keys[i] - 1);
        larger.keys[slot] = map->keys[i];
        larger.values[slot] = map->values[i];
    }
    key_map_free(map);
    *map = larger;
}

uint32_t *key_map_place(struct key_map *map, uint64_t key)
{
    if (2 * map->count >= map->room)
        grow_keys(map);
    size_t slot = key_slot(map, key);
    if (!map->keys[slot]) {
        map->keys[slot] = key + 1;
        map->values[slot] = NO_ENTRY;
        map->count++;
    }
    return &map->values[slot];
}

uint32_t key_map_get(const struct key_map *map, uint64_t key)
{
    if (!map->room)
        return NO_ENTRY;
    size_t slot = key_slot(map, key);
    return map->keys[slot] ? map->values[slot] : NO_ENTRY;
}

void key_map_free(struct key_map *map)
{
    free(map->keys);
    free(map->values);
    *map = (struct key_map){0};
}

static uint32_t hash_name(const char *name)
{
    uint32_t hash = 2166136261u;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    return hash ^ hash >> 15;
}

static uint32_t name_slot(const struct name_map *map, const char *name)
{
    uint32_t slot = hash_name(name) & (map->room - 1);
    while (map->slots[slot] && strcmp(map->names[map->slots[slot] - 1], name) != 0)
        slot = (slot + 1) & (map->room - 1);
    return slot;
}

static void grow_names(struct name_map *map)
{
    map->room = map->room ? 2 * map->room : FIRST_ROOM;
    free(map->slots);
    map->slots = or_abort(calloc(map->room, sizeof *map->slots));
    map->names = or_abort(realloc(map->names, map->room * sizeof *map->names));
    for (uint32_t i = 0; i < map->count; i++)
        map->slots[name_slot(map, map->names[i])] = i + 1;
}

uint32_t name_number(struct name_map *map, const char *name)
{
    if (2 * map->count >= map->room)
        grow_names(map);
    uint32_t slot = name_slot(map, name);
    if (map->slots[slot])
        return map->slots[slot] - 1;
    map->names[map->count] = or_abort(calloc(strlen(name) + 1, 1));
    strcpy(map->names[map->count], name);
    map->slots[slot] = ++map->count;
    return map->count - 1;
}

uint32_t name_find(const struct name_map *map, const char *name)
{
    if (!map->room)
        return NO_ENTRY;
    uint32_t slot = name_slot(map, name);
    return map->slots[slot] ? map->slots[slot] - 1 : NO_ENTRY;
}

void name_map_free(struct name_map *map)
{
    for (uint32_t i = 0; i < map->count; i++)
        free(map->names[i]);
    free(map->names);
    free(map->slots);
    *map = (struct name_map){0};
}

void *list_add(void *list, uint32_t *count, size_t size)
{
    void *entries;
    memcpy(&entries, list, sizeof entries);
    if ((*count & (*count - 1)) == 0) {
        entries = or_abort(realloc(entries, (*count ? 2 * (size_t)*count : 1) * size));
        memcpy(list, &entries, sizeof entries);
    }
    return memset((char *)entries + size * (*count)++, 0, size);
}
