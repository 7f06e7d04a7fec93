/* See comparison.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "latency/comparison.h"

#include "support/input_file.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 16 << 20 };

static const double nanosecond = 1e-9;

struct cJSON *comparison_read(const char *path, char *error, size_t error_size)
{
    char reason[INPUT_FILE_REASON];
    size_t length;
    char *text = input_file_read(path, FILE_MAX, &length, reason);
    if (!text) {
        snprintf(error, error_size, "%s: %s", path, reason);
        return NULL;
    }
    cJSON *object = cJSON_Parse(text);
    const char *schema = cJSON_GetStringValue(cJSON_GetObjectItem(object, "schema"));
    free(text);
    if (schema && strcmp(schema, "postroad.latency") == 0 && cJSON_IsArray(cJSON_GetObjectItem(object, "hops")))
        return object;
    snprintf(error, error_size, "%s: expected what `postroad latency --json` prints", path);
    cJSON_Delete(object);
    return NULL;
}

/* An end that is null is open. */
static double end_of(const cJSON *figure, const char *name, double open)
{
    const cJSON *end = cJSON_GetObjectItem(figure, name);
    return cJSON_IsNumber(end) ? end->valuedouble * nanosecond : open;
}

static struct compared compare(const struct figure *ours, const cJSON *figure)
{
    const cJSON *value = cJSON_GetObjectItem(figure, "value_ns");
    struct compared result = {.there = cJSON_IsNumber(value)};
    if (!result.there)
        return result;
    result.difference = ours->value - value->valuedouble * nanosecond;
    result.inside = ours->low <= end_of(figure, "high_ns", INFINITY) &&
                    end_of(figure, "low_ns", -INFINITY) <= ours->high;
    return result;
}

static bool is_named(const cJSON *row, const char *key, const char *name)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(row, key));
    return text && strcmp(text, name) == 0;
}

int comparison_other_links(const struct cJSON *other, const struct wires *wires)
{
    const cJSON *line;
    cJSON_ArrayForEach(line, cJSON_GetObjectItem(other, "lines"))
    {
        const char *links = cJSON_GetStringValue(cJSON_GetObjectItem(line, "links"));
        for (unsigned i = 0; links && i < wires->count; i++) {
            const struct line_decoder *decoder = wires->wires[i].line;
            const char *own = decoder ? line_links_name(line_counts_links(&decoder->counts)) : NULL;
            if (own && is_named(line, "line", wires->wires[i].name) && strcmp(own, links) != 0)
                return (int)i;
        }
    }
    return -1;
}

struct compared_row compare_row(const struct cJSON *other, const char *list, const struct wires *wires,
                                const struct latency_row *row)
{
    struct compared_row result = {{0}, {0}};
    const cJSON *candidate;
    cJSON_ArrayForEach(candidate, cJSON_GetObjectItem(other, list))
    {
        const cJSON *hops = cJSON_GetObjectItem(candidate, "hops");
        if (!is_named(candidate, "from", wires->wires[row->pair->from].name) ||
            !is_named(candidate, "to", wires->wires[row->pair->to].name) || !cJSON_IsNumber(hops) ||
            hops->valueint != (int)row->pair->hops)
            continue;
        result.median = compare(&row->figures.median, cJSON_GetObjectItem(candidate, "median"));
        result.mean = compare(&row->figures.mean, cJSON_GetObjectItem(candidate, "mean"));
    }
    return result;
}

struct compared compare_slope(const struct cJSON *other, const struct figure *slope)
{
    return compare(slope, cJSON_GetObjectItem(cJSON_GetObjectItem(other, "fit"), "per_hop"));
}
