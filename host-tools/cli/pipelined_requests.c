/* Many requests through one gateway.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/pipelined_requests.h"

#include "cli/report.h"
#include "support/or_abort.h"

#include <stdio.h>
#include <stdlib.h>

enum { TRIES = 2, LATE = 4, OUTSTANDING_MAX = 8, LATE_SILENCE = 4 /* of the time-out, one part in so many */ };

#define FOREVER 1e9 /* seconds */

struct item {
    struct run *run;
    size_t index;
    unsigned tries;
    unsigned long since; /* answers that had come when it was sent */
    bool waiting;        /* to be sent again */
};

struct run {
    struct gateway *gateway;
    struct pipelined_requests *requests;
    struct progress progress;
    struct item *items;
    size_t next, again;
    double heard;             /* when the last answer came, or the first request of all went out */
    double moved;             /* when the last answer came that was no refusal for want of room */
    bool silent;              /* the gateway itself does not answer any more */
    unsigned window, answers; /* requests outstanding at most, and answers since that changed */
    unsigned long all;        /* answers so far */
    const struct item *outstanding[OUTSTANDING_MAX]; /* NULL: a free place */
};

static void settle(struct item *item, size_t *counter, const char *outcome)
{
    bool good = counter == &item->run->requests->answered;
    char event[64];
    (*counter)++;
    snprintf(event, sizeof event, "request %zu %s", item->index, outcome);
    progress_step(&item->run->progress, event, !good);
}

static void again(struct item *item)
{
    item->waiting = true;
    item->run->again++;
}

/* Replaces the one entry `before` by `now`. */
static void replace(struct run *run, const struct item *before, const struct item *now)
{
    size_t place = 0;
    while (run->outstanding[place] != before)
        place++;
    run->outstanding[place] = now;
}

/* The number of outstanding requests that are not late. */
static unsigned under_way(const struct run *run)
{
    unsigned count = 0;
    for (size_t i = 0; i < OUTSTANDING_MAX; i++)
        count += run->outstanding[i] && run->all - run->outstanding[i]->since < LATE;
    return count;
}

/* The time at which all outstanding requests are late. */
static double all_late(const struct run *run)
{
    return run->requests->window > 1 ? run->heard + run->gateway->timeout / LATE_SILENCE : FOREVER;
}

static bool has_room(const struct run *run)
{
    unsigned outstanding = pr_client_outstanding(run->gateway->client);
    return outstanding == 0 ||
           (outstanding < OUTSTANDING_MAX && (under_way(run) < run->window || pr_client_now() >= all_late(run)));
}

/* A request to a full node costs the node time. So the number of outstanding requests is reduced, down to one, and
 * grows again as answers arrive. */
static void adapt(struct run *run, bool full)
{
    if (full)
        run->window -= run->window > 1;
    else if (++run->answers >= run->window && run->window < run->requests->window)
        run->window++;
    else
        return;
    run->answers = 0;
}

static unsigned tries(const struct pipelined_requests *requests)
{
    return requests->once ? 1 : TRIES;
}

static void handle_answer(void *context, const struct pr_frame *answer)
{
    struct item *item = context;
    struct pipelined_requests *requests = item->run->requests;
    int status = answer ? pr_message_status(answer) : -1;
    bool full = status == PR_CONSOLE_NO_BUFFER || status == PR_CONSOLE_WINDOW_FULL;
    replace(item->run, item, NULL);
    item->run->all += answer != NULL;
    if (answer)
        item->run->heard = pr_client_now();
    if (answer && !full)
        item->run->moved = pr_client_now();
    if (answer)
        adapt(item->run, full);
    if (!answer && item->tries < tries(requests)) {
        again(item);
    } else if (!answer) {
        settle(item, &requests->silent, "silent");
    } else if (full && pr_client_now() < item->run->moved + item->run->gateway->timeout) {
        item->tries--; /* that was no silence */
        again(item);
    } else if (status != PR_CONSOLE_OK) {
        requests->refusal = status;
        settle(item, &requests->refused, pr_message_status_text(status));
    } else if (requests->answer(requests->context, item->index, answer)) {
        settle(item, &requests->answered, "answered");
    } else {
        settle(item, &requests->silent, "answered something else");
    }
}

static struct item *next_item(struct run *run)
{
    if (run->next < run->requests->count)
        return &run->items[run->next++];
    for (size_t i = 0; run->again && i < run->requests->count; i++)
        if (run->items[i].waiting)
            return &run->items[i];
    return NULL;
}

static int start(struct run *run, struct item *item)
{
    struct pr_frame request;
    if (item->waiting)
        run->again--;
    item->waiting = false;
    item->tries++;
    item->since = run->all;
    replace(run, NULL, item);
    run->requests->request(run->requests->context, item->index, &request);
    if (pr_client_outstanding(run->gateway->client) == 0)
        run->heard = pr_client_now();
    return pr_client_request(run->gateway->client, &request, FOREVER, handle_answer, item);
}

/* Sends a request to the gateway's own node, not to a node behind it. */
static int look_for_gateway(struct run *run)
{
    struct gateway *gateway = run->gateway;
    struct pr_frame request, answer;
    bool answered;
    pr_message_identify(&request, PR_CONSOLE_THIS_SITE);
    int status = pr_client_ask(gateway->client, &request, gateway->timeout / TRIES, &answer, &answered);
    run->silent = status == PR_CLIENT_OK && !answered;
    return status;
}

/* Waits for answers. It gives up on the outstanding requests after too long a silence, and on all requests if the
 * gateway is silent too. */
static int wait_for_answers(struct run *run)
{
    struct pr_client *client = run->gateway->client;
    double now = pr_client_now(), deadline = run->heard + run->gateway->timeout / tries(run->requests),
           late = all_late(run);
    if (now < deadline)
        return pr_client_poll(&client, 1, (now < late && late < deadline ? late : deadline) - now);
    pr_client_give_up(client);
    run->silent = run->requests->once;
    int status = run->silent ? PR_CLIENT_OK : look_for_gateway(run);
    run->heard = pr_client_now();
    return status;
}

static size_t settled(const struct pipelined_requests *requests)
{
    return requests->answered + requests->silent + requests->refused;
}

static int run_items(struct run *run)
{
    struct pipelined_requests *requests = run->requests;
    int status = PR_CLIENT_OK;
    while (status == PR_CLIENT_OK && !run->silent && settled(requests) < requests->count) {
        struct item *item = has_room(run) ? next_item(run) : NULL;
        status = item ? start(run, item) : wait_for_answers(run);
    }
    return status;
}

static int report_silence(const struct run *run)
{
    const struct gateway *gateway = run->gateway;
    size_t answered = run->requests->answered + run->requests->refused;
    return report_failure(EXIT_TIMEOUT, gateway->options->verb,
                          "%s does not answer any more: of %zu requests %zu were answered, %zu not within %g s, "
                          "and %zu not made",
                          gateway->text, run->requests->count, answered, run->next - answered, gateway->timeout,
                          run->requests->count - run->next);
}

int pipelined_requests_run(struct gateway *gateway, struct pipelined_requests *requests)
{
    struct run run = {.gateway = gateway,
                      .requests = requests,
                      .moved = pr_client_now(),
                      .window = requests->window,
                      .items = or_abort(calloc(requests->count + 1, sizeof *run.items))};
    for (size_t i = 0; i < requests->count; i++)
        run.items[i] = (struct item){.run = &run, .index = i};
    requests->answered = requests->silent = requests->refused = 0;
    progress_begin(&run.progress, gateway->options, requests->label, requests->count);
    int status = run_items(&run);
    progress_end(&run.progress);
    int code = status == PR_CLIENT_OK ? EXIT_OK : gateway_failed(gateway, status);
    if (status != PR_CLIENT_OK)
        gateway_close(gateway); /* no late answer may find run gone */
    free(run.items);
    return code == EXIT_OK && settled(requests) < requests->count ? report_silence(&run) : code;
}

int pipelined_requests_exit_code(const struct pipelined_requests *requests)
{
    if (requests->answered == requests->count)
        return EXIT_OK;
    return requests->answered ? EXIT_PARTIAL : EXIT_TIMEOUT;
}
