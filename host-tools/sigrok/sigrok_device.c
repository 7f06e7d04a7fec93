/* See sigrok_device.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "sigrok/sigrok_device.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/capture_read.h"

enum { PATIENCE = 60 /* seconds: firmware may have to be loaded into an analyser */ };

/* Behind the text that the line begins with, NULL: it does not. */
static const char *behind(const char *line, const char *beginning)
{
    size_t length = strlen(beginning);
    return strncmp(line, beginning, length) == 0 ? line + length : NULL;
}

/* Is a line "DRIVER[:conn=...] - NAME with N channels: A B C" of this driver? */
static bool take_device(struct sigrok_device *device, const char *line)
{
    size_t driver = strcspn(device->driver, ":");
    const char *name = strstr(line, " - "), *with = name ? strstr(name, " with ") : NULL;
    const char *channels = with ? strstr(with, ": ") : NULL;
    if (!channels || strncmp(line, device->driver, driver) != 0 || (line[driver] != ':' && line[driver] != ' '))
        return false;
    snprintf(device->name, sizeof device->name, "%.*s", (int)(with - name - 3), name + 3);
    snprintf(device->channels, sizeof device->channels, "%s ", channels + 1);
    return true;
}

/* "      24 MHz" or "      24 MHz (current)". */
static bool take_rate(struct sigrok_device *device, const char *line)
{
    const char *rate = behind(line, "      ");
    if (!device->listing || !rate || device->rate_count == SIGROK_RATES)
        return false;
    return capture_parse_rate(rate, strcspn(rate, "("), &device->rates[device->rate_count]) && ++device->rate_count;
}

/* "(1 Hz - 1 GHz in steps of 1 Hz)". */
static bool take_steps(struct sigrok_device *device, const char *text)
{
    const char *high = strstr(text, " - "), *step = strstr(text, " in steps of ");
    return high && step && capture_parse_rate(text + 1, (size_t)(high - text - 1), &device->lowest) &&
           capture_parse_rate(high + 3, (size_t)(step - high - 3), &device->highest) &&
           capture_parse_rate(step + 13, strcspn(step + 13, ")"), &device->step);
}

static void take_triggers(struct sigrok_device *device, const char *text)
{
    size_t count = 0;
    for (; *text && count + 1 < sizeof device->triggers; text++)
        if (isalnum((unsigned char)*text))
            device->triggers[count++] = *text;
    device->triggers[count] = 0;
}

static void take_problem(struct sigrok_device *device, const char *line)
{
    const char *logged = behind(line, "sr: ");
    if (device->logged || (!logged && (*line == ' ' || strchr(line, ':'))))
        return;
    device->logged = logged != NULL;
    snprintf(device->problem, sizeof device->problem, "%s", logged ? logged : line);
}

void sigrok_device_line(struct sigrok_device *device, const char *line)
{
    const char *text;
    if (take_rate(device, line))
        return;
    device->listing = false;
    if (take_device(device, line))
        return;
    if ((text = behind(line, "    samplerate "))) {
        device->listing = *text == '-';
        take_steps(device, text);
    } else if ((text = behind(line, "    Maximum number of samples: ")))
        device->samples_max = strtoull(text, NULL, 10);
    else if ((text = behind(line, "    Supported triggers: ")))
        take_triggers(device, text);
    else
        take_problem(device, line);
}

static void take_line(void *context, const char *line)
{
    sigrok_device_line(context, line);
}

enum exit_code sigrok_device_find(struct sigrok_device *device, char *reason)
{
    struct sigrok_run run = {.argv = {(char *)sigrok_program, "--driver", device->driver, "--show"},
                             .limit = PATIENCE,
                             .line = take_line,
                             .context = device};
    enum exit_code code = sigrok_run(&run, reason);
    if (code == EXIT_INTERRUPTED || code == EXIT_TIMEOUT || *device->name)
        return code;
    if (*device->problem)
        snprintf(reason, SIGROK_REASON, "driver %.100s: %.500s", device->driver, device->problem);
    else if (!code)
        snprintf(reason, SIGROK_REASON, "driver %.100s: no device found", device->driver);
    return EXIT_TRANSPORT;
}

bool sigrok_device_samples_at(const struct sigrok_device *device, uint64_t rate)
{
    bool found = !device->rate_count && !device->highest;
    for (unsigned k = 0; k < device->rate_count; k++)
        found = found || device->rates[k] == (double)rate;
    if (device->highest)
        found = (double)rate >= device->lowest && (double)rate <= device->highest &&
                (device->step <= 0 || fmod((double)rate - device->lowest, device->step) == 0);
    return found;
}

bool sigrok_device_has_channel(const struct sigrok_device *device, const char *name)
{
    char word[SIGROK_TEXT];
    snprintf(word, sizeof word, " %s ", name);
    return strstr(device->channels, word) != NULL;
}
