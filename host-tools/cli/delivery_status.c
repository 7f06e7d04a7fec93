/* The delivery status of packets, see delivery_status.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/delivery_status.h"

#include "cli/report.h"
#include "support/or_abort.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SET_TEXT_SIZE = 160 };

_Static_assert((int)DELIVERY_TIME_OUT == (int)PR_CONSOLE_REASON_TIME_OUT &&
                   (int)DELIVERY_RESTARTED == (int)PR_CONSOLE_REASON_RESTARTED,
               "reasons are the operator's");

static struct packet_status *find(struct delivery_status *deliveries, unsigned sequence)
{
    for (size_t i = 0; i < deliveries->open_count; i++)
        if (deliveries->open[i].sequence == sequence)
            return &deliveries->open[i];
    return NULL;
}

static void note_failure(struct delivery_status *deliveries, struct packet_status *packet,
                         const struct pr_message_event *event)
{
    unsigned end = event->failure && event->failure < DELIVERY_NO_REASON ? event->failure : DELIVERY_NO_REASON;
    for (size_t i = 0; i < deliveries->targets->count; i++)
        if (deliveries->targets->sites[i] == event->site && packet->ends[i] == DELIVERY_DELIVERED) {
            packet->ends[i] = (uint8_t)end;
            packet->failures++;
        }
}

static const char *end_name(unsigned end)
{
    return end == DELIVERY_DELIVERED ? "delivered" : end == DELIVERY_UNKNOWN ? "unknown" : "failed";
}

/* Prints a line for the targets with this outcome, if there are any. */
static void print_line(const struct delivery_status *deliveries, const struct packet_status *packet, unsigned end,
                       uint32_t clock)
{
    struct site_set set = {.sites = or_abort(calloc(deliveries->targets->count, sizeof(uint16_t)))};
    char text[SET_TEXT_SIZE];
    for (size_t i = 0; i < deliveries->targets->count; i++)
        if (packet->ends[i] == end)
            set.sites[set.count++] = deliveries->targets->sites[i];
    if (set.count) {
        site_set_text(&set, text, sizeof text);
        printf("%s: sequence %u, site%s %s", end_name(end), packet->sequence, set.count == 1 ? "" : "s", text);
        if (end == DELIVERY_DELIVERED)
            printf(", settled after %u clocks\n", (unsigned)(clock - packet->accepted));
        else
            printf(end == DELIVERY_UNKNOWN ? "\n" : ": %s\n", pr_message_failure_text(end));
    }
    site_set_free(&set);
}

static void fill_json(const struct delivery_status *deliveries, const struct packet_status *packet, uint32_t clock)
{
    cJSON *list;
    cJSON_AddBoolToObject(packet->json, "settled", packet->settled);
    if (packet->settled)
        cJSON_AddNumberToObject(packet->json, "settled_clock", clock);
    list = cJSON_AddArrayToObject(packet->json, "targets");
    for (size_t i = 0; i < deliveries->targets->count; i++) {
        unsigned end = packet->ends[i];
        cJSON *one = cJSON_CreateObject();
        cJSON_AddNumberToObject(one, "site", deliveries->targets->sites[i]);
        cJSON_AddStringToObject(one, "outcome", end_name(end));
        if (end != DELIVERY_DELIVERED && end != DELIVERY_UNKNOWN)
            cJSON_AddStringToObject(one, "reason", pr_message_failure_text(end));
        cJSON_AddItemToArray(list, one);
    }
}

/* No further event can concern this packet. */
static void conclude(struct delivery_status *deliveries, struct packet_status *packet, uint32_t clock)
{
    unsigned long counts[DELIVERY_ENDS] = {0};
    for (size_t i = 0; i < deliveries->targets->count; i++)
        counts[packet->ends[i]]++;
    deliveries->delivered += counts[DELIVERY_DELIVERED];
    deliveries->unknown += counts[DELIVERY_UNKNOWN];
    deliveries->failed += deliveries->targets->count - counts[DELIVERY_DELIVERED] - counts[DELIVERY_UNKNOWN];
    if (packet->json)
        fill_json(deliveries, packet, clock);
    for (unsigned end = 0; end < DELIVERY_ENDS && !packet->json && !deliveries->quiet; end++)
        print_line(deliveries, packet, end, clock);
    free(packet->ends);
}

/* The targets that did not fail may have received the packet or not. */
static void forget(const struct delivery_status *deliveries, struct packet_status *packet)
{
    for (size_t i = 0; i < deliveries->targets->count; i++)
        if (packet->ends[i] == DELIVERY_DELIVERED)
            packet->ends[i] = DELIVERY_UNKNOWN;
}

static void settle(struct delivery_status *deliveries, struct packet_status *packet,
                   const struct pr_message_event *event)
{
    size_t place = (size_t)(packet - deliveries->open);
    packet->settled = true;
    if (packet->failures < event->remaining) /* an event that named one of them was lost on the way here */
        forget(deliveries, packet);
    conclude(deliveries, packet, event->clock);
    deliveries->open_count--;
    memmove(packet, packet + 1, (deliveries->open_count - place) * sizeof *packet);
}

static void note_event(void *context, const struct pr_frame *frame)
{
    struct delivery_status *deliveries = context;
    struct pr_message_event event;
    if (frame->type != PR_CONSOLE_EVENT || !pr_message_read_event(frame, &event) ||
        event.source != deliveries->gateway->identity.site)
        return;
    struct packet_status *packet = find(deliveries, event.sequence);
    if (!packet)
        return;
    if (event.what == PR_CONSOLE_KIND_FAILED)
        note_failure(deliveries, packet, &event);
    else if (event.what == PR_CONSOLE_KIND_SETTLED)
        settle(deliveries, packet, &event);
    deliveries->heard = pr_client_now();
}

int delivery_status_begin(struct delivery_status *deliveries, struct gateway *gateway, const struct site_set *targets,
                          bool quiet)
{
    struct pr_frame request, answer;
    *deliveries = (struct delivery_status){.gateway = gateway, .targets = targets, .quiet = quiet};
    pr_client_on_event(gateway->client, note_event, deliveries);
    pr_message_listen(&request, PR_CONSOLE_LISTEN_OUTCOMES);
    return gateway_ask(gateway, &request, &answer, "listen");
}

void delivery_status_accepted(struct delivery_status *deliveries, unsigned sequence, uint32_t clock, struct cJSON *json)
{
    if (deliveries->open_count == deliveries->room) {
        deliveries->room = deliveries->room ? 2 * deliveries->room : 16;
        deliveries->open = or_abort(realloc(deliveries->open, deliveries->room * sizeof *deliveries->open));
    }
    struct packet_status *packet = &deliveries->open[deliveries->open_count++];
    *packet = (struct packet_status){.sequence = sequence, .accepted = clock, .json = json};
    packet->ends = or_abort(calloc(deliveries->targets->count, 1));
    deliveries->heard = pr_client_now();
}

int delivery_status_wait(struct delivery_status *deliveries)
{
    struct gateway *gateway = deliveries->gateway;
    while (deliveries->open_count) {
        double left = deliveries->heard + gateway->timeout - pr_client_now();
        int status = left > 0 ? pr_client_poll(&gateway->client, 1, left) : PR_CLIENT_OK;
        if (status != PR_CLIENT_OK)
            return gateway_failed(gateway, status);
        if (left <= 0)
            break;
    }
    return EXIT_OK;
}

void delivery_status_end(struct delivery_status *deliveries)
{
    for (size_t i = 0; i < deliveries->open_count; i++) {
        forget(deliveries, &deliveries->open[i]);
        conclude(deliveries, &deliveries->open[i], 0);
    }
    free(deliveries->open);
    deliveries->open = NULL;
    deliveries->open_count = deliveries->room = 0;
    if (deliveries->gateway->client)
        pr_client_on_event(deliveries->gateway->client, NULL, NULL);
}

int delivery_status_exit_code(const struct delivery_status *deliveries)
{
    if (deliveries->unknown)
        return EXIT_TIMEOUT;
    if (!deliveries->failed)
        return EXIT_OK;
    return deliveries->delivered ? EXIT_PARTIAL : EXIT_MISMATCH;
}
