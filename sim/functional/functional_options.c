/* See functional_options.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "functional/functional_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES_MOST = 1000000 };

static bool read_places(const char *value, unsigned *places)
{
    char *end;
    unsigned long number = strtoul(value, &end, 10);
    bool good = *value >= '1' && *value <= '9' && !*end && number <= PLACES_MOST;
    *places = good ? (unsigned)number : PLACES_UNBOUNDED;
    return good || strcmp(value, "unbounded") == 0;
}

/* One of two words. */
static bool read_choice(const char *value, const char *off, const char *on, bool *out)
{
    *out = strcmp(value, on) == 0;
    return *out || strcmp(value, off) == 0;
}

static bool read_passes(const char *value, struct functional_options *options)
{
    options->splits_if_free = strcmp(value, "busy") == 0;
    options->passes = strcmp(value, "yes") == 0;
    return options->splits_if_free || options->passes || strcmp(value, "no") == 0;
}

static bool read_setting(struct functional_options *options, const char *key, const char *value)
{
    if (strcmp(key, "buffers") == 0)
        return read_places(value, &options->places);
    if (strcmp(key, "time_out") == 0)
        return read_choice(value, "threshold", "transit", &options->transit_time_out);
    if (strcmp(key, "outputs") == 0)
        return read_choice(value, "listed", "all", &options->any_output);
    if (strcmp(key, "m10") == 0)
        return read_passes(value, options);
    return strcmp(key, "m11") == 0 && read_choice(value, "no", "yes", &options->defers);
}

bool functional_options_parse(struct functional_options *options, const char *text, char *error, size_t error_size)
{
    char setting[64];
    *options = (struct functional_options){.passes = true, .defers = true};
    while (text && *text) {
        size_t length = strcspn(text, ",");
        snprintf(setting, sizeof setting, "%.*s", (int)length, text);
        char *value = strchr(setting, '=');
        if (value)
            *value++ = 0;
        if (!value || length >= sizeof setting || !read_setting(options, setting, value)) {
            snprintf(error, error_size,
                     "--model %.*s: expected buffers=NUMBER, buffers=unbounded, time_out=threshold, time_out=transit, "
                     "outputs=listed, outputs=all, m10=no, m10=busy or m11=no",
                     (int)length, text);
            return false;
        }
        text += length + (text[length] == ',');
    }
    return true;
}

bool functional_options_are_of_router(const struct functional_options *options)
{
    return options->transit_time_out || options->any_output || !options->passes || !options->defers;
}
