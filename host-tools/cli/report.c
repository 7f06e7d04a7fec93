/* Messages, JSON objects, progress.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "cli/report.h"

#include "cli/options.h"
#include "cli/screen.h"
#include "cli/terminal.h"
#include "libpostroad/client.h"

#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BAR_WIDTH = 30, PROGRESS_SIZE = 160 };

static const double quiet_time = 1.0, redraw_time = 0.1; /* seconds */

const char report_version_number[] = POSTROAD_VERSION;

void report_version(void)
{
    printf("postroad %s\n", report_version_number);
}

static void print_line(const char *verb, const char *format, va_list arguments)
{
    char *text, *line;
    if (vasprintf(&text, format, arguments) < 0)
        abort();
    if (asprintf(&line, "postroad %s: %s", verb, text) < 0)
        abort();
    fflush(stdout);
    terminal_print(stderr, line, CONTINUED_INDENT);
    free(line);
    free(text);
}

int report_failure(int code, const char *verb, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line(verb, format, arguments);
    va_end(arguments);
    return code;
}

void report_error(const char *verb, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line(verb, format, arguments);
    va_end(arguments);
}

void report_errors(const char *verb, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        report_error(verb, "%.*s", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

void report_note(const struct options *options, const char *format, ...)
{
    va_list arguments;
    if (options->quiet)
        return;
    va_start(arguments, format);
    print_line(options->verb, format, arguments);
    va_end(arguments);
}

struct cJSON *report_object(const char *verb)
{
    char schema[64];
    struct cJSON *object = cJSON_CreateObject();
    snprintf(schema, sizeof schema, "postroad.%s", verb);
    cJSON_AddStringToObject(object, "schema", schema);
    cJSON_AddStringToObject(object, "version", report_version_number);
    return object;
}

void report_print(struct cJSON *object, bool one_line)
{
    char *text = one_line ? cJSON_PrintUnformatted(object) : cJSON_Print(object);
    if (text)
        puts(text);
    fflush(stdout);
    cJSON_free(text);
    cJSON_Delete(object);
}

void progress_begin(struct progress *progress, const struct options *options, const char *label, size_t total)
{
    *progress = (struct progress){.label = label,
                                  .total = total,
                                  .started = pr_client_now(),
                                  .quiet = options->quiet,
                                  .terminal = isatty(STDERR_FILENO)};
}

/* Writes one row at most. A longer text is cut off, since a carriage return goes back only to the start of the present
 * row. */
static void draw(struct progress *progress, double now)
{
    char line[PROGRESS_SIZE], bar[BAR_WIDTH + 1];
    int filled = progress->total ? (int)(progress->done * BAR_WIDTH / progress->total) : 0;
    memset(bar, ' ', BAR_WIDTH);
    memset(bar, '=', (size_t)filled);
    bar[BAR_WIDTH] = 0;
    snprintf(line, sizeof line, "%s %zu/%zu %.0f s [%s]", progress->label, progress->done, progress->total,
             now - progress->started, bar);
    screen_control(stderr, "\r");
    fprintf(stderr, "%.*s", terminal_width(STDERR_FILENO) - 1, line);
    progress->shown = true;
    progress->drawn = now;
}

static void write_line(struct progress *progress, const char *event, double now)
{
    fprintf(stderr, "%s: %s (%zu/%zu)\n", progress->label, event, progress->done, progress->total);
    progress->drawn = now;
}

void progress_step(struct progress *progress, const char *event, bool notable)
{
    double now = pr_client_now();
    progress->done++;
    if (progress->quiet || now - progress->started < quiet_time)
        return;
    if (progress->terminal && now - progress->drawn >= redraw_time)
        draw(progress, now);
    else if (!progress->terminal && (notable || now - progress->drawn >= quiet_time))
        write_line(progress, event, now);
}

void progress_show(struct progress *progress, size_t done, size_t total)
{
    double now = pr_client_now();
    progress->total = total;
    progress->done = done < total ? done : total;
    if (progress->terminal && !progress->quiet && now - progress->started >= quiet_time &&
        now - progress->drawn >= redraw_time)
        draw(progress, now);
}

void progress_end(struct progress *progress)
{
    if (progress->shown)
        screen_control(stderr, "\r\033[K");
    progress->shown = false;
}
