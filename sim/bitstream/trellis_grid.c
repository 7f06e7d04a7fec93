/* See trellis_grid.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "bitstream/trellis_grid.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "bitstream/text_file.h"
#include "bitstream/trellis.h"
#include "support/or_abort.h"

/* A file of this device as JSON; the caller deletes it. */
static cJSON *read_json(const struct trellis *trellis, const char *name, struct failure *failure)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/ECP5/%s/%s", trellis->folder, trellis->device, name);
    struct text_file file;
    cJSON *json = NULL;
    if (text_file_read(&file, path, failure)) {
        json = cJSON_Parse(file.text);
        if (!json)
            fail(failure, "%s: not JSON", path);
    }
    text_file_free(&file);
    return json;
}

/* A number of an object, -1 if it has none of this name. */
static int number(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsNumber(item) ? item->valueint : -1;
}

static bool take_tile(struct trellis *trellis, const char *name)
{
    const char *type = strchr(name, ':');
    for (const char *at = strchr(name, 'R'); type && at && at < type; at = strchr(at + 1, 'R')) {
        int x, y, used = 0;
        if (!isdigit((unsigned char)at[1]) || sscanf(at, "R%3dC%3d%n", &y, &x, &used) != 2 || at + used != type)
            continue;
        if (x >= TRELLIS_SIDE || y >= TRELLIS_SIDE)
            return false;
        trellis->columns = x >= trellis->columns ? x + 1 : trellis->columns;
        trellis->rows = y >= trellis->rows ? y + 1 : trellis->rows;
        for (int i = 0; i < TRELLIS_TILES_AT; i++)
            if (!trellis->tiles[x][y][i]) {
                trellis->tiles[x][y][i] = name_number(&trellis->types, type + 1) + 1;
                return true;
            }
    }
    return false;
}

bool trellis_read_grid(struct trellis *trellis, struct failure *failure)
{
    trellis->tiles = or_abort(calloc(TRELLIS_SIDE, sizeof *trellis->tiles));
    cJSON *grid = read_json(trellis, "tilegrid.json", failure);
    const cJSON *tile;
    cJSON_ArrayForEach(tile, grid) if (!take_tile(trellis, tile->string))
        fail(failure, "tilegrid.json of %s: %.40s, expected NAME_R<row>C<column>:TYPE", trellis->device, tile->string);
    cJSON_Delete(grid);
    return !failure->failed;
}

static void take_clocks(struct trellis *trellis, const cJSON *json)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(json, "taps"))
    {
        struct trellis_tap *tap = list_add(&trellis->taps, &trellis->tap_count, sizeof *tap);
        *tap = (struct trellis_tap){atoi(item->string + 1), number(item, "lx0"), number(item, "lx1"),
                                    number(item, "rx0"), number(item, "rx1")};
    }
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(json, "spines"))
    {
        struct trellis_spine *spine = list_add(&trellis->spines, &trellis->spine_count, sizeof *spine);
        snprintf(spine->quadrant, sizeof spine->quadrant, "%s", item->string);
        spine->tap = strlen(item->string) > 2 ? atoi(item->string + 2) : -1;
        spine->x = number(item, "x");
        spine->y = number(item, "y");
    }
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(json, "quadrants"))
    {
        struct trellis_quadrant *quadrant = list_add(&trellis->quadrants, &trellis->quadrant_count, sizeof *quadrant);
        snprintf(quadrant->name, sizeof quadrant->name, "%s", item->string);
        quadrant->x0 = number(item, "x0");
        quadrant->y0 = number(item, "y0");
        quadrant->x1 = number(item, "x1");
        quadrant->y1 = number(item, "y1");
    }
}

bool trellis_read_clocks(struct trellis *trellis, struct failure *failure)
{
    cJSON *json = read_json(trellis, "globals.json", failure);
    take_clocks(trellis, json);
    cJSON_Delete(json);
    if (!failure->failed && (!trellis->tap_count || !trellis->spine_count || !trellis->quadrant_count))
        fail(failure, "globals.json of %s: expected taps, spines and quadrants", trellis->device);
    return !failure->failed;
}

static const cJSON *find_package(const cJSON *json, const char *package)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(
                                 json, "packages")) if (strcasecmp(item->string, package) == 0) return item;
    return NULL;
}

bool trellis_read_pads(struct trellis *trellis, const char *package, struct failure *failure)
{
    cJSON *json = read_json(trellis, "iodb.json", failure);
    const cJSON *found = find_package(json, package), *item;
    if (!failure->failed && !found)
        fail(failure, "%s has no package %.20s", trellis->device, package);
    cJSON_ArrayForEach(item, found)
    {
        const char *letter = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "pio"));
        struct trellis_pad *pad = list_add(&trellis->pads, &trellis->pad_count, sizeof *pad);
        snprintf(pad->pin, sizeof pad->pin, "%s", item->string);
        pad->x = number(item, "col");
        pad->y = number(item, "row");
        pad->letter = letter ? *letter : 0;
        if (pad->x < 0 || pad->y < 0 || !pad->letter)
            fail(failure, "iodb.json of %s: pin %s, expected col, row and pio", trellis->device, pad->pin);
    }
    cJSON_Delete(json);
    return !failure->failed;
}
