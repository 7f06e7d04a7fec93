/* See capture_options.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "analyser/capture_options.h"

#include "analyser/virtual_analyser.h"
#include "board/testbed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_ppm(const char *value, struct capture_options *out)
{
    static const double most = 1e5;
    char *end;
    out->ppm = strtod(value, &end);
    return end != value && !*end && fabs(out->ppm) <= most;
}

/* Seconds with the unit p (picoseconds) or n. */
static bool read_jitter(const char *value, struct capture_options *out)
{
    enum { PER_NANOSECOND = 1000 };
    char *end;
    double number = strtod(value, &end);
    bool nano = strcmp(end, "n") == 0;
    out->jitter_ps = nano ? number * PER_NANOSECOND : number;
    return end != value && (nano || strcmp(end, "p") == 0) && out->jitter_ps >= 0 &&
           out->jitter_ps <= ANALYSER_JITTER_PS;
}

static bool read_rate(const char *value, struct capture_options *out)
{
    return testbed_rate(value, &out->rate_hz);
}

static bool read_sites(const char *value, struct capture_options *out)
{
    return *value && snprintf(out->sites, sizeof out->sites, "%s", value) < (int)sizeof out->sites;
}

static const struct {
    const char *name, *expected;
    bool (*read)(const char *value, struct capture_options *out);
} settings[] = {
    {"rate", "samples per second, 1 to 100g, as 24m", read_rate},
    {"ppm", "a number from -100000 to 100000", read_ppm},
    {"jitter", "0p to 1000n: a standard deviation, p picoseconds, n nanoseconds", read_jitter},
    {"sites", "sites of a mesh, as 0-3+8", read_sites},
};

static int take_setting(char *word, struct capture_options *out, char *error, size_t error_size)
{
    char *value = strchr(word, '=');
    if (value)
        *value++ = 0;
    for (size_t i = 0; value && i < sizeof settings / sizeof *settings; i++)
        if (strcmp(word, settings[i].name) == 0) {
            if (settings[i].read(value, out))
                return 0;
            snprintf(error, error_size, "%s=%s: expected %s", word, value, settings[i].expected);
            return -1;
        }
    snprintf(error, error_size, "'%s': expected %s", word, CAPTURE_OPTIONS_FORM);
    return -1;
}

int capture_options_parse(const char *text, enum capture_of of, struct capture_options *out, char *error,
                          size_t error_size)
{
    char copy[CAPTURE_PATH + CAPTURE_SITES], *rest;
    *out = (struct capture_options){.rate_hz = 0};
    size_t length = strcspn(text, ",");
    if (!length || length >= sizeof out->path || strlen(text) >= sizeof copy) {
        snprintf(error, error_size, "'%.40s': expected %s", text, CAPTURE_OPTIONS_FORM);
        return -1;
    }
    memcpy(out->path, text, length);
    if (!analyser_has_format(out->path)) {
        snprintf(error, error_size, "%s: expected a file with the ending .sr or .vcd", out->path);
        return -1;
    }
    strcpy(copy, text + length);
    for (char *word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
        if (take_setting(word, out, error, error_size) != 0)
            return -1;
    if (*out->sites && of != CAPTURE_OF_MESH) {
        snprintf(error, error_size, "sites=%s: expected a simulated mesh; channels of boards are those of the testbed",
                 out->sites);
        return -1;
    }
    return 0;
}
