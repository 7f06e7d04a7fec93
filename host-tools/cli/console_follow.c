/* See console_follow.h. A line is log text or raw text of a site, or a report of the daemon about it.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "cli/console_follow.h"

#include "cli/console_text.h"
#include "cli/gateway.h"
#include "cli/report.h"
#include "cli/site_set.h"
#include "support/or_abort.h"
#include "support/output_file.h"

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

struct follower {
    struct following *following;
    unsigned site;
    FILE *log; /* NULL: none */
};

struct following {
    const struct options *options;
    const struct follow_options *what;
    regex_t filter;
    struct site_set set;
    struct pr_client **clients; /* of each site in the set */
    struct follower *sites;
    size_t connected;
};

bool console_follow_wanted(const struct options *options, const struct follow_options *follow)
{
    const char *sites = options->operand_count ? options->operands[0] : "";
    return follow->filter || follow->log || strcmp(sites, "all") == 0 || strpbrk(sites, ",-");
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

static void show_json(const struct follower *follower, const char *stamp, const char *line)
{
    cJSON *object = report_object("console");
    cJSON_AddNumberToObject(object, "site", follower->site);
    cJSON_AddStringToObject(object, "time", stamp);
    cJSON_AddStringToObject(object, "text", line);
    report_print(object, true);
}

/* The log files get every line; the filter applies to the screen only. */
static void show(void *context, const char *line)
{
    const struct follower *follower = context;
    const struct options *options = follower->following->options;
    char stamp[STAMP_SIZE];
    make_stamp(stamp);
    if (follower->log && (fprintf(follower->log, "%s %s\n", stamp, line) < 0 || fflush(follower->log) != 0))
        report_error("console", "the log of site %u: %s", follower->site, strerror(errno));
    if (follower->following->what->filter && regexec(&follower->following->filter, line, 0, NULL, 0) != 0)
        return;
    if (options->json) {
        show_json(follower, stamp, line);
        return;
    }
    printf("%s site %u: %s\n", stamp + strlen("YYYY-MM-DDT"), follower->site, line);
    fflush(stdout);
}

static void show_text(void *context, const struct pr_frame *frame)
{
    console_text_frame(frame, show, context);
}

static bool compile_filter(struct following *following)
{
    const char *filter = following->what->filter;
    char reason[128];
    int failed = regcomp(&following->filter, filter ? filter : "", REG_EXTENDED | REG_NOSUB);
    if (!failed)
        return true;
    regerror(failed, &following->filter, reason, sizeof reason);
    report_error("console", "--filter %s: %s", filter, reason);
    return false;
}

static bool open_log(struct follower *follower)
{
    const char *directory = follower->following->what->log;
    char path[PATH_SIZE];
    if (!directory)
        return true;
    snprintf(path, sizeof path, "%s/site-%u.log", directory, follower->site);
    if (mkdir(directory, 0777) == 0 || errno == EEXIST)
        follower->log = output_file_log(path, false);
    if (!follower->log)
        report_error("console", "--log %s: %s: %s", directory, path, strerror(errno));
    return follower->log;
}

/* Chooses the sites. Of a mesh that is up, any sites can be chosen, in trouble or not; otherwise only the site at the
 * end of the line. */
static int choose_sites(struct gateway *gateway, struct following *following)
{
    int status = gateway_find_up(gateway, following->options);
    if (status == EXIT_OK)
        status = gateway_reach(gateway);
    return status == EXIT_OK ? gateway_choose_up(gateway, &following->set) : status;
}

static int connect_sites(struct gateway *gateway, struct following *following)
{
    following->clients = or_abort(calloc(following->set.count, sizeof(struct pr_client *)));
    following->sites = or_abort(calloc(following->set.count, sizeof *following->sites));
    while (following->connected < following->set.count) {
        size_t i = following->connected;
        following->sites[i] = (struct follower){.following = following, .site = following->set.sites[i]};
        int status = gateway_connect(gateway, following->set.sites[i], &following->clients[i]);
        if (status != EXIT_OK)
            return status;
        following->connected++;
        pr_client_on_event(following->clients[i], show_text, &following->sites[i]);
        if (!open_log(&following->sites[i]))
            return EXIT_USAGE;
    }
    return EXIT_OK;
}

static int follow_until_end(struct gateway *gateway, struct following *following)
{
    double timeout = following->options->timeout, deadline = timeout < 0 ? INFINITY : pr_client_now() + timeout;
    report_note(following->options, "%zu site%s at %s", following->connected, following->connected == 1 ? "" : "s",
                gateway->text);
    for (;;) {
        double left = deadline - pr_client_now();
        if (left <= 0)
            return EXIT_OK;
        int status = pr_client_poll(following->clients, following->connected, isinf(left) ? -1 : left);
        if (status != PR_CLIENT_OK)
            return gateway_failed(gateway, status);
    }
}

int console_follow(const struct options *options, const struct follow_options *follow)
{
    struct gateway gateway;
    struct following following = {.options = options, .what = follow};
    if (!compile_filter(&following))
        return EXIT_USAGE;
    int status = choose_sites(&gateway, &following);
    if (status == EXIT_OK)
        status = connect_sites(&gateway, &following);
    if (status == EXIT_OK)
        status = follow_until_end(&gateway, &following);
    for (size_t i = 0; i < following.connected; i++) {
        pr_client_destroy(following.clients[i]);
        if (following.sites[i].log)
            fclose(following.sites[i].log);
    }
    free(following.clients);
    free(following.sites);
    site_set_free(&following.set);
    regfree(&following.filter);
    return status;
}
