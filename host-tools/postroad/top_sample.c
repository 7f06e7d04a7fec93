/* See top_sample.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "postroad/top_sample.h"

#include "console/remote_service.h"
#include "support/or_abort.h"

#include <stdlib.h>
#include <string.h>

enum {
    LATE_ANSWERS = 4,
    PARTS = 4 /* a site is silent after a quarter of the time-out, late after a quarter of that */
};

/* Words of data, for the own share: beside them a packet has TOP_PACKET_WORDS. */
enum {
    PING_WORDS = 5,
    PING_ANSWER_WORDS = PR_SERVICE_MAX_PACKET_LEAST - 1 - PR_HEADER_WORDS,
};

static const double full_wait = 0.02; /* seconds */

void top_sampler_begin(struct top_sampler *sampler, struct gateway *gateway, struct top_model *model,
                       const struct site_set *set, double interval, unsigned pings)
{
    size_t sites = (size_t)gateway->mesh.sites;
    *sampler = (struct top_sampler){.gateway = gateway,
                                    .model = model,
                                    .set = set,
                                    .interval = interval,
                                    .pings = pings,
                                    .readings = or_abort(calloc(sites, sizeof *sampler->readings)),
                                    .chunks = or_abort(calloc(sites, sizeof *sampler->chunks)),
                                    .silent = or_abort(calloc(sites, sizeof *sampler->silent)),
                                    .waited_for = or_abort(calloc(sites, sizeof *sampler->waited_for))};
    counter_requests_add_all(&sampler->ranges, gateway, model->ports);
}

void top_sampler_end(struct top_sampler *sampler)
{
    free(sampler->readings);
    free(sampler->chunks);
    free(sampler->silent);
    free(sampler->waited_for);
}

bool top_sampler_rests(const struct top_sampler *sampler)
{
    return !sampler->reading && !sampler->pinging;
}

static struct top_request *free_place(struct top_sampler *sampler)
{
    for (size_t i = 0; i < TOP_OUTSTANDING; i++)
        if (!sampler->requests[i].sampler)
            return &sampler->requests[i];
    return NULL;
}

static double patience(const struct top_sampler *sampler)
{
    return sampler->gateway->timeout / PARTS;
}

static bool is_late(const struct top_sampler *sampler, const struct top_request *request)
{
    return sampler->answers - request->answers >= LATE_ANSWERS ||
           pr_client_now() - request->sent >= patience(sampler) / PARTS;
}

static unsigned under_way(const struct top_sampler *sampler, bool late_ones)
{
    unsigned count = 0;
    for (size_t i = 0; i < TOP_OUTSTANDING; i++)
        count += sampler->requests[i].sampler && (late_ones || !is_late(sampler, &sampler->requests[i]));
    return count;
}

static void take_counters(struct top_sampler *sampler, const struct top_request *request, const struct pr_frame *answer)
{
    const struct counter_chunk *chunk = &sampler->ranges.chunks[request->chunk];
    struct top_reading *reading = &sampler->readings[request->site];
    struct pr_message_counters counters;
    if (!pr_message_read_counters(answer, &counters) || counters.site != request->site ||
        counters.first != chunk->first || counters.count != chunk->count)
        return;
    top_model_own(sampler->model, request->site, PR_SERVICE_VALUES_WORDS + TOP_PACKET_WORDS,
                  PR_SERVICE_VALUES_WORDS + 2 * counters.count + TOP_PACKET_WORDS);
    if (!sampler->reading || request->round != sampler->round || sampler->chunks[request->site] != request->chunk)
        return;
    memcpy(reading->counters + counters.first, counters.values, counters.count * sizeof *counters.values);
    if (sampler->chunks[request->site]++ == 0)
        reading->time = pr_client_now();
}

static void take_ping(struct top_sampler *sampler, const struct top_request *request, const struct pr_frame *answer)
{
    struct pr_message_ping ping;
    if (!pr_message_read_ping(answer, &ping) || ping.site != request->site)
        return;
    top_model_own(sampler->model, request->site, PING_WORDS + TOP_PACKET_WORDS, PING_ANSWER_WORDS + TOP_PACKET_WORDS);
    top_model_ping(sampler->model, request->site, ping.round_trip);
}

/* A node that is full is asked again after a moment; what answers with anything else is as good as silent. */
static void take_answer(void *context, const struct pr_frame *answer)
{
    struct top_request *request = context;
    struct top_sampler *sampler = request->sampler;
    int status = answer ? pr_message_status(answer) : -1;
    request->sampler = NULL;
    sampler->waited_for[request->site] = false;
    sampler->answers += answer != NULL;
    if (status == PR_CONSOLE_NO_BUFFER || status == PR_CONSOLE_WINDOW_FULL) {
        sampler->refused = pr_client_now();
        return;
    }
    if (!request->ping)
        sampler->silent[request->site] = status != PR_CONSOLE_OK;
    if (status == PR_CONSOLE_OK)
        (request->ping ? take_ping : take_counters)(sampler, request, answer);
}

static int send_request(struct top_sampler *sampler, unsigned site, bool ping)
{
    struct top_request *request = free_place(sampler);
    struct pr_frame frame;
    *request = (struct top_request){.sampler = sampler,
                                    .site = site,
                                    .ping = ping,
                                    .chunk = sampler->chunks[site],
                                    .sent = pr_client_now(),
                                    .answers = sampler->answers,
                                    .round = sampler->round};
    sampler->waited_for[site] = true;
    if (ping)
        pr_message_ping(&frame, site, 0);
    else
        pr_message_counters(&frame, site, sampler->ranges.chunks[request->chunk].first,
                            sampler->ranges.chunks[request->chunk].count);
    int status = pr_client_request(sampler->gateway->client, &frame, patience(sampler), take_answer, request);
    if (status != PR_CLIENT_OK) {
        request->sampler = NULL;
        sampler->waited_for[site] = false;
    }
    return status;
}

/* Has the site more counters to tell in this round? */
static bool has_more(const struct top_sampler *sampler, unsigned site)
{
    return !sampler->silent[site] && sampler->chunks[site] < sampler->ranges.chunk_count;
}

/* The next site to ask for counters: one after the other, since a site may have one buffer only. -1: none now. */
static int site_to_read(struct top_sampler *sampler)
{
    for (size_t i = 0; i < sampler->set->count; i++) {
        size_t place = (sampler->next + i) % sampler->set->count;
        unsigned site = sampler->set->sites[place];
        if (has_more(sampler, site) && !sampler->waited_for[site]) {
            sampler->next = place + 1;
            return (int)site;
        }
    }
    return -1;
}

/* The silent site whose turn it is. -1: none. */
static int silent_site(struct top_sampler *sampler)
{
    for (size_t i = 0; i < sampler->set->count && !sampler->silent_asked; i++) {
        size_t place = (sampler->next_silent + i) % sampler->set->count;
        unsigned site = sampler->set->sites[place];
        if (sampler->silent[site] && !sampler->waited_for[site]) {
            sampler->next_silent = place + 1;
            sampler->silent_asked = true;
            return (int)site;
        }
    }
    return -1;
}

static int site_to_ping(struct top_sampler *sampler)
{
    for (size_t i = 0; i < sampler->set->count; i++) {
        size_t place = (sampler->next_ping + i) % sampler->set->count;
        unsigned site = sampler->set->sites[place];
        if (!sampler->silent[site] && !sampler->waited_for[site] && site != sampler->model->gateway) {
            sampler->next_ping = place + 1;
            return (int)site;
        }
    }
    return -1;
}

static bool has_room(const struct top_sampler *sampler)
{
    unsigned window = sampler->pinging ? 1 : PIPELINED_REQUESTS_WINDOW;
    return under_way(sampler, true) < TOP_OUTSTANDING && under_way(sampler, false) < window &&
           pr_client_now() - sampler->refused >= full_wait;
}

static bool readings_complete(const struct top_sampler *sampler)
{
    for (size_t i = 0; i < sampler->set->count; i++)
        if (has_more(sampler, sampler->set->sites[i]))
            return false;
    return true;
}

static void begin_round(struct top_sampler *sampler)
{
    size_t sites = (size_t)sampler->gateway->mesh.sites;
    memset(sampler->readings, 0, sites * sizeof *sampler->readings);
    memset(sampler->chunks, 0, sites * sizeof *sampler->chunks);
    sampler->reading = true;
    sampler->silent_asked = false;
    sampler->pings_left = sampler->pings;
    sampler->round++;
    sampler->began = pr_client_now();
}

static void end_readings(struct top_sampler *sampler)
{
    for (size_t i = 0; i < sampler->set->count; i++) {
        unsigned site = sampler->set->sites[i];
        sampler->readings[site].answered = sampler->chunks[site] == sampler->ranges.chunk_count;
    }
    top_model_round(sampler->model, sampler->readings, pr_client_now());
    sampler->reading = false;
    sampler->pinging = true;
}

static void end_round(struct top_sampler *sampler)
{
    double now = pr_client_now(), rested = now + (now - sampler->began), due = sampler->began + sampler->interval;
    sampler->pinging = false;
    sampler->next_round = due > rested ? due : rested;
}

static int step_readings(struct top_sampler *sampler)
{
    int status = PR_CLIENT_OK, site = 0;
    while (status == PR_CLIENT_OK && site >= 0 && has_room(sampler)) {
        site = site_to_read(sampler);
        site = site < 0 ? silent_site(sampler) : site;
        if (site >= 0)
            status = send_request(sampler, (unsigned)site, false);
    }
    if (readings_complete(sampler))
        end_readings(sampler);
    return status;
}

static int step_pings(struct top_sampler *sampler)
{
    int status = PR_CLIENT_OK, site = 0;
    while (status == PR_CLIENT_OK && site >= 0 && sampler->pings_left && has_room(sampler)) {
        site = site_to_ping(sampler);
        sampler->pings_left = site < 0 ? 0 : sampler->pings_left - 1;
        if (site >= 0)
            status = send_request(sampler, (unsigned)site, true);
    }
    if (!sampler->pings_left && !under_way(sampler, false))
        end_round(sampler);
    return status;
}

int top_sampler_step(struct top_sampler *sampler, bool paused)
{
    int status = PR_CLIENT_OK;
    if (top_sampler_rests(sampler) && !paused && pr_client_now() >= sampler->next_round)
        begin_round(sampler);
    if (sampler->reading)
        status = step_readings(sampler);
    if (sampler->pinging && status == PR_CLIENT_OK)
        status = step_pings(sampler);
    return status == PR_CLIENT_FULL ? PR_CLIENT_OK : status;
}
