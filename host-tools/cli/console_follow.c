/* See watch.h. A line is what a site says, log text and raw text alike, and what the daemon says of it.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "cli/console_follow.h"

#include "cli/gateway.h"
#include "cli/report.h"
#include "cli/site_set.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { PATH_SIZE = 4096, STAMP_SIZE = 40 };

struct watched {
    struct watching *watching;
    unsigned site;
    FILE *log; /* NULL: none */
};

struct watching {
    const struct options *options;
    regex_t filter;
    struct site_set set;
    struct pr_client **clients; /* of each site in the set */
    struct watched *sites;
    size_t connected;
};

bool watch_wanted(const struct options *options)
{
    const char *sites = options->operand_count ? options->operands[0] : "";
    return options->filter || options->log || strcmp(sites, "all") == 0 || strpbrk(sites, ",-");
}

static void make_stamp(char out[STAMP_SIZE])
{
    struct timespec now;
    struct tm local;
    clock_gettime(CLOCK_REALTIME, &now);
    localtime_r(&now.tv_sec, &local);
    size_t used = strftime(out, STAMP_SIZE, "%Y-%m-%dT%H:%M:%S", &local);
    snprintf(out + used, STAMP_SIZE - used, ".%03ld", now.tv_nsec / 1000000);
}

static void show_json(const struct watched *watched, const char *stamp, const char *line)
{
    cJSON *object = report_object("console");
    cJSON_AddNumberToObject(object, "site", watched->site);
    cJSON_AddStringToObject(object, "time", stamp);
    cJSON_AddStringToObject(object, "text", line);
    report_print(object, true);
}

/* Log files have everything; the filter is for who looks on. */
static void show(const struct watched *watched, const char *line)
{
    const struct options *options = watched->watching->options;
    char stamp[STAMP_SIZE];
    make_stamp(stamp);
    if (watched->log && (fprintf(watched->log, "%s %s\n", stamp, line) < 0 || fflush(watched->log) != 0))
        report_error("console", "the log of site %u: %s", watched->site, strerror(errno));
    if (options->filter && regexec(&watched->watching->filter, line, 0, NULL, 0) != 0)
        return;
    if (options->json) {
        show_json(watched, stamp, line);
        return;
    }
    printf("%s site %u: %s\n", stamp + strlen("YYYY-MM-DDT"), watched->site, line);
    fflush(stdout);
}

static void take_event(void *context, const struct pr_frame *frame)
{
    char copy[PR_FRAMES_PAYLOAD_MAX + 1], *rest = copy, *line;
    size_t length;
    const char *text = pr_message_text(frame, &length);
    if (!text)
        return;
    snprintf(copy, sizeof copy, "%.*s", (int)length, text);
    while ((line = strsep(&rest, "\r\n")))
        if (*line)
            show(context, line);
}

static bool compile_filter(struct watching *watching)
{
    const char *filter = watching->options->filter;
    char reason[128];
    int failed = regcomp(&watching->filter, filter ? filter : "", REG_EXTENDED | REG_NOSUB);
    if (!failed)
        return true;
    regerror(failed, &watching->filter, reason, sizeof reason);
    report_error("console", "--filter %s: %s", filter, reason);
    return false;
}

static bool open_log(struct watched *watched)
{
    const char *directory = watched->watching->options->log;
    char path[PATH_SIZE];
    if (!directory)
        return true;
    snprintf(path, sizeof path, "%s/site-%u.log", directory, watched->site);
    if (mkdir(directory, 0777) == 0 || errno == EEXIST)
        watched->log = fopen(path, "ae");
    if (!watched->log)
        report_error("console", "--log %s: %s: %s", directory, path, strerror(errno));
    return watched->log;
}

/* Which sites: of a simulated mesh any, and it does not matter whether they are well; else the one at the line's end.
 */
static int choose_sites(struct gateway *gateway, struct watching *watching)
{
    const struct options *options = watching->options;
    const char *text = options->operand_count ? options->operands[0] : "all";
    unsigned sites;
    int status = gateway_find_simulated(gateway, options);
    if (status != EXIT_OK)
        return status;
    status = gateway_count_sites(gateway, &sites);
    if (status != EXIT_OK)
        return status;
    return site_set_parse("console", "SITES", text, sites, &watching->set) ? EXIT_OK : EXIT_USAGE;
}

static int connect_sites(struct gateway *gateway, struct watching *watching)
{
    watching->clients = calloc(watching->set.count, sizeof(struct pr_client *));
    watching->sites = calloc(watching->set.count, sizeof *watching->sites);
    if (!watching->clients || !watching->sites)
        abort();
    while (watching->connected < watching->set.count) {
        size_t i = watching->connected;
        watching->sites[i] = (struct watched){.watching = watching, .site = watching->set.sites[i]};
        int status = gateway_connect(gateway, watching->set.sites[i], &watching->clients[i]);
        if (status != EXIT_OK)
            return status;
        watching->connected++;
        pr_client_on_event(watching->clients[i], take_event, &watching->sites[i]);
        if (!open_log(&watching->sites[i]))
            return EXIT_USAGE;
    }
    return EXIT_OK;
}

static int follow(struct gateway *gateway, struct watching *watching)
{
    double timeout = watching->options->timeout, deadline = timeout < 0 ? INFINITY : pr_client_now() + timeout;
    report_note(watching->options, "%zu site%s at %s", watching->connected, watching->connected == 1 ? "" : "s",
                gateway->text);
    for (;;) {
        double left = deadline - pr_client_now();
        if (left <= 0)
            return EXIT_OK;
        int status = pr_client_poll(watching->clients, watching->connected, isinf(left) ? -1 : left);
        if (status != PR_CLIENT_OK)
            return gateway_failed(gateway, status);
    }
}

int watch(const struct options *options)
{
    struct gateway gateway;
    struct watching watching = {.options = options};
    if (!compile_filter(&watching))
        return EXIT_USAGE;
    int status = choose_sites(&gateway, &watching);
    if (status == EXIT_OK)
        status = connect_sites(&gateway, &watching);
    if (status == EXIT_OK)
        status = follow(&gateway, &watching);
    for (size_t i = 0; i < watching.connected; i++) {
        pr_client_destroy(watching.clients[i]);
        if (watching.sites[i].log)
            fclose(watching.sites[i].log);
    }
    free(watching.clients);
    free(watching.sites);
    site_set_free(&watching.set);
    regfree(&watching.filter);
    return status;
}
