/* What becomes of packets.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/delivery_status.h"

#include "cli/report.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SET_TEXT_SIZE = 160 };

_Static_assert((int)OUTCOME_TIME_OUT == (int)PR_CONSOLE_REASON_TIME_OUT &&
                   (int)OUTCOME_RESTARTED == (int)PR_CONSOLE_REASON_RESTARTED,
               "reasons are the operator's");

static struct outcome *find(struct outcomes *outcomes, unsigned sequence)
{
    for (size_t i = 0; i < outcomes->open_count; i++)
        if (outcomes->open[i].sequence == sequence)
            return &outcomes->open[i];
    return NULL;
}

static void note_failure(struct outcomes *outcomes, struct outcome *outcome, const struct pr_message_event *event)
{
    unsigned end = event->failure && event->failure < OUTCOME_NO_REASON ? event->failure : OUTCOME_NO_REASON;
    for (size_t i = 0; i < outcomes->targets->count; i++)
        if (outcomes->targets->sites[i] == event->site && outcome->ends[i] == OUTCOME_DELIVERED) {
            outcome->ends[i] = (uint8_t)end;
            outcome->failures++;
        }
}

static const char *end_name(unsigned end)
{
    return end == OUTCOME_DELIVERED ? "delivered" : end == OUTCOME_UNKNOWN ? "unknown" : "failed";
}

/* A line for the targets that ended like this, if there are any. */
static void print_line(const struct outcomes *outcomes, const struct outcome *outcome, unsigned end, uint32_t clock)
{
    struct site_set set = {.sites = calloc(outcomes->targets->count, sizeof(uint16_t))};
    char text[SET_TEXT_SIZE];
    if (!set.sites)
        abort();
    for (size_t i = 0; i < outcomes->targets->count; i++)
        if (outcome->ends[i] == end)
            set.sites[set.count++] = outcomes->targets->sites[i];
    if (set.count) {
        site_set_text(&set, text, sizeof text);
        printf("%s: sequence %u, site%s %s", end_name(end), outcome->sequence, set.count == 1 ? "" : "s", text);
        if (end == OUTCOME_DELIVERED)
            printf(", settled after %u clocks\n", (unsigned)(clock - outcome->accepted));
        else
            printf(end == OUTCOME_UNKNOWN ? "\n" : ": %s\n", pr_message_failure_text(end));
    }
    site_set_free(&set);
}

static void fill_json(const struct outcomes *outcomes, const struct outcome *outcome, uint32_t clock)
{
    cJSON *list;
    cJSON_AddBoolToObject(outcome->json, "settled", outcome->settled);
    if (outcome->settled)
        cJSON_AddNumberToObject(outcome->json, "settled_clock", clock);
    list = cJSON_AddArrayToObject(outcome->json, "targets");
    for (size_t i = 0; i < outcomes->targets->count; i++) {
        unsigned end = outcome->ends[i];
        cJSON *one = cJSON_CreateObject();
        cJSON_AddNumberToObject(one, "site", outcomes->targets->sites[i]);
        cJSON_AddStringToObject(one, "outcome", end_name(end));
        if (end != OUTCOME_DELIVERED && end != OUTCOME_UNKNOWN)
            cJSON_AddStringToObject(one, "reason", pr_message_failure_text(end));
        cJSON_AddItemToArray(list, one);
    }
}

/* Nothing more will be heard of this packet. */
static void conclude(struct outcomes *outcomes, struct outcome *outcome, uint32_t clock)
{
    unsigned long counts[OUTCOME_ENDS] = {0};
    for (size_t i = 0; i < outcomes->targets->count; i++)
        counts[outcome->ends[i]]++;
    outcomes->delivered += counts[OUTCOME_DELIVERED];
    outcomes->unknown += counts[OUTCOME_UNKNOWN];
    outcomes->failed += outcomes->targets->count - counts[OUTCOME_DELIVERED] - counts[OUTCOME_UNKNOWN];
    if (outcome->json)
        fill_json(outcomes, outcome, clock);
    for (unsigned end = 0; end < OUTCOME_ENDS && !outcome->json && !outcomes->quiet; end++)
        print_line(outcomes, outcome, end, clock);
    free(outcome->ends);
}

/* Those that did not fail may have been delivered or not. */
static void forget(const struct outcomes *outcomes, struct outcome *outcome)
{
    for (size_t i = 0; i < outcomes->targets->count; i++)
        if (outcome->ends[i] == OUTCOME_DELIVERED)
            outcome->ends[i] = OUTCOME_UNKNOWN;
}

static void settle(struct outcomes *outcomes, struct outcome *outcome, const struct pr_message_event *event)
{
    size_t place = (size_t)(outcome - outcomes->open);
    outcome->settled = true;
    if (outcome->failures < event->remaining) /* an event that named one of them was lost on the way here */
        forget(outcomes, outcome);
    conclude(outcomes, outcome, event->clock);
    outcomes->open_count--;
    memmove(outcome, outcome + 1, (outcomes->open_count - place) * sizeof *outcome);
}

static void take_event(void *context, const struct pr_frame *frame)
{
    struct outcomes *outcomes = context;
    struct pr_message_event event;
    if (frame->type != PR_CONSOLE_EVENT || !pr_message_read_event(frame, &event) ||
        event.source != outcomes->gateway->identity.site)
        return;
    struct outcome *outcome = find(outcomes, event.sequence);
    if (!outcome)
        return;
    if (event.what == PR_CONSOLE_KIND_FAILED)
        note_failure(outcomes, outcome, &event);
    else if (event.what == PR_CONSOLE_KIND_SETTLED)
        settle(outcomes, outcome, &event);
    outcomes->heard = pr_client_now();
}

int outcomes_begin(struct outcomes *outcomes, struct gateway *gateway, const struct site_set *targets, bool quiet)
{
    struct pr_frame request, answer;
    *outcomes = (struct outcomes){.gateway = gateway, .targets = targets, .quiet = quiet};
    pr_client_on_event(gateway->client, take_event, outcomes);
    pr_message_listen(&request, PR_CONSOLE_LISTEN_OUTCOMES);
    return gateway_ask(gateway, &request, &answer, "listen");
}

void outcomes_accepted(struct outcomes *outcomes, unsigned sequence, uint32_t clock, struct cJSON *json)
{
    if (outcomes->open_count == outcomes->room) {
        outcomes->room = outcomes->room ? 2 * outcomes->room : 16;
        outcomes->open = realloc(outcomes->open, outcomes->room * sizeof *outcomes->open);
        if (!outcomes->open)
            abort();
    }
    struct outcome *outcome = &outcomes->open[outcomes->open_count++];
    *outcome = (struct outcome){.sequence = sequence, .accepted = clock, .json = json};
    outcome->ends = calloc(outcomes->targets->count, 1);
    if (!outcome->ends)
        abort();
    outcomes->heard = pr_client_now();
}

int outcomes_wait(struct outcomes *outcomes)
{
    struct gateway *gateway = outcomes->gateway;
    while (outcomes->open_count) {
        double left = outcomes->heard + gateway->timeout - pr_client_now();
        int status = left > 0 ? pr_client_poll(&gateway->client, 1, left) : PR_CLIENT_OK;
        if (status != PR_CLIENT_OK)
            return gateway_failed(gateway, status);
        if (left <= 0)
            break;
    }
    return EXIT_OK;
}

void outcomes_end(struct outcomes *outcomes)
{
    for (size_t i = 0; i < outcomes->open_count; i++) {
        forget(outcomes, &outcomes->open[i]);
        conclude(outcomes, &outcomes->open[i], 0);
    }
    free(outcomes->open);
    outcomes->open = NULL;
    outcomes->open_count = outcomes->room = 0;
    if (outcomes->gateway->client)
        pr_client_on_event(outcomes->gateway->client, NULL, NULL);
}

int outcomes_exit_code(const struct outcomes *outcomes)
{
    if (outcomes->unknown)
        return EXIT_TIMEOUT;
    if (!outcomes->failed)
        return EXIT_OK;
    return outcomes->delivered ? EXIT_PARTIAL : EXIT_MISMATCH;
}
