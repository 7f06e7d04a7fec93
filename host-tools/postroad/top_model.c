/* See top_model.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "postroad/top_model.h"

#include "operator/operator.h"
#include "support/or_abort.h"

#include <stdlib.h>
#include <string.h>

enum {
    OVERRUN_PARTS = 10, /* one packet in so many discarded: as `stats` has it */
    QUIET_PARTS = 64,   /* others have sent so small a part of the packets: less than the edges of a round tell */
    WRONG_PARTS = 32,   /* so large a part of the words is where none was reckoned, or not where it was */
    QUIET_ROUNDS = 8,   /* at most, of which the mean is taken */
    DOUBT_PARTS = 256,  /* the own share is known to one part in so many */
};

void top_model_begin(struct top_model *model, const struct mesh_config *mesh, const struct top_ways *ways,
                     unsigned gateway, bool reliable)
{
    *model = (struct top_model){.mesh = mesh,
                                .ways = ways,
                                .reliable = reliable,
                                .gateway = gateway,
                                .ports = (unsigned)mesh->links + 1,
                                .sites = or_abort(calloc((size_t)mesh->sites, sizeof *model->sites))};
    if (model->ports > TOP_PORTS)
        model->ports = TOP_PORTS;
}

void top_model_end(struct top_model *model)
{
    free(model->sites);
}

static bool is_level(unsigned counter)
{
    return counter == PR_COUNTER_FREE_BUFFERS || counter == PR_COUNTER_FEWEST_FREE_BUFFERS;
}

/* Counters wrap; a site that was reset counts from 0 again. So long a way forward is a way back. */
static bool went_back(uint32_t before, uint32_t now)
{
    return now - before > INT32_MAX;
}

static double added_to(uint32_t before, uint32_t now)
{
    return went_back(before, now) ? now : now - before;
}

static bool has_restarted(const struct top_reading *before, const struct top_reading *now)
{
    for (unsigned c = 0; c < TOP_COUNTERS; c++)
        if (!is_level(c) && went_back(before->counters[c], now->counters[c]))
            return true;
    return false;
}

/* How many of so many acknowledgements were packets of their own, as a part. */
static double own_acknowledgements(const struct top_model *model, unsigned site, const struct top_reading *now,
                                   double packets)
{
    const struct top_site *one = &model->sites[site];
    if (!model->reliable)
        return 0;
    if (!now->answered || !one->known || packets <= 0)
        return 1;
    double sent = added_to(one->last.counters[PR_COUNTER_ACKNOWLEDGEMENTS], now->counters[PR_COUNTER_ACKNOWLEDGEMENTS]);
    return sent < packets ? sent / packets : 1;
}

static void add_words(struct top_model *model, const struct top_way *way, double words)
{
    if (model->quiet_rounds)
        return;
    for (size_t h = way->first; h < way->first + way->count; h++)
        if (model->ways->hops[h].port < model->ports)
            model->sites[model->ways->hops[h].site].own[PR_COUNTER_WORDS_OUT + model->ways->hops[h].port] += words;
}

/* A packet and the acknowledgement that goes the other way are of this verb. */
static void add_packets(struct top_site *from, struct top_site *to, double packets, double acknowledgements)
{
    from->own[PR_COUNTER_SENT_PACKETS] += packets;
    to->own[PR_COUNTER_RECEIVED_PACKETS] += packets;
    to->own[PR_COUNTER_DELIVERED] += packets;
    to->own[PR_COUNTER_SENT_PACKETS] += acknowledgements;
    to->own[PR_COUNTER_ACKNOWLEDGEMENTS] += acknowledgements;
    from->own[PR_COUNTER_RECEIVED_PACKETS] += acknowledgements;
}

/* Words of so many acknowledgements, of which a part were packets. */
static double acknowledgement_words(const struct top_model *model, double packets, double part)
{
    return model->reliable ? packets * (part * TOP_PACKET_WORDS + (1 - part) * TOP_CARRIED_WORDS) : 0;
}

static double pending_packets(const struct top_model *model)
{
    double sum = 0;
    for (int site = 0; site < model->mesh->sites; site++)
        sum += (unsigned)site == model->gateway ? 0 : model->sites[site].pending.packets;
    return sum;
}

/* What this verb has sent since the last round began is part of the readings of this one. */
static void settle_own(struct top_model *model, const struct top_reading *readings)
{
    struct top_site *gateway = &model->sites[model->gateway];
    double asked = pending_packets(model);
    double gateway_part = own_acknowledgements(model, model->gateway, &readings[model->gateway], asked);
    model->own_packets = 0;
    for (unsigned site = 0; site < (unsigned)model->mesh->sites; site++) {
        struct top_site *one = &model->sites[site];
        double packets = one->pending.packets;
        if (site != model->gateway && packets > 0) {
            double part = own_acknowledgements(model, site, &readings[site], packets);
            add_packets(gateway, one, packets, packets * part);
            add_packets(one, gateway, packets, packets * gateway_part);
            add_words(model, &model->ways->there[site],
                      (double)one->pending.words + acknowledgement_words(model, packets, gateway_part));
            add_words(model, &model->ways->back[site],
                      (double)one->pending.answer_words + acknowledgement_words(model, packets, part));
            model->own_packets += packets * (2 + part + gateway_part);
        }
        one->pending = (struct top_own){0};
    }
    for (int site = 0; site < model->mesh->sites; site++)
        for (unsigned port = 0; port < model->ports; port++)
            model->sites[site].own[PR_COUNTER_WORDS_OUT + port] += model->sites[site].words_each[port] *
                                                                   model->own_packets;
}

/* What the own share leaves, unless that is within its doubt: an idle mesh would show busy links. */
static double of_others(const struct top_site *site, const struct top_reading *now, unsigned counter)
{
    double own = site->own[counter] - site->own_read[counter];
    double added = added_to(site->last.counters[counter], now->counters[counter]) - own;
    return added > own / DOUBT_PARTS ? added : 0;
}

/* Every site that was asked tells what was added, and others have sent nothing to speak of. */
static bool is_quiet(const struct top_model *model, const struct top_reading *readings)
{
    double others = 0;
    for (int site = 0; site < model->mesh->sites; site++) {
        const struct top_site *one = &model->sites[site];
        if (one->asked && !(one->known && readings[site].answered))
            return false;
        others += one->asked ? of_others(one, &readings[site], PR_COUNTER_SENT_PACKETS) : 0;
    }
    return others < model->own_packets / QUIET_PARTS;
}

/* Words of an output since its last reading, and how many of them are reckoned to be own. */
static double words_of(const struct top_site *site, const struct top_reading *now, unsigned port, double *own)
{
    unsigned counter = PR_COUNTER_WORDS_OUT + port;
    *own = site->own[counter] - site->own_read[counter];
    return added_to(site->last.counters[counter], now->counters[counter]);
}

static bool is_reckoned_well(const struct top_model *model, const struct top_reading *readings)
{
    double all = 0, wrong = 0, own;
    for (int site = 0; site < model->mesh->sites; site++)
        for (unsigned port = 0; port < model->ports && model->sites[site].asked; port++) {
            double words = words_of(&model->sites[site], &readings[site], port, &own);
            all += words;
            wrong += words > own ? words - own : own - words;
        }
    return wrong <= all / WRONG_PARTS;
}

static void learn(struct top_model *model, const struct top_reading *readings)
{
    double own;
    if (model->quiet_rounds < QUIET_ROUNDS)
        model->quiet_rounds++;
    for (int site = 0; site < model->mesh->sites; site++)
        for (unsigned port = 0; port < model->ports && model->sites[site].asked; port++) {
            struct top_site *one = &model->sites[site];
            double words = words_of(one, &readings[site], port, &own);
            one->words_each[port] += (words / model->own_packets - one->words_each[port]) / model->quiet_rounds;
            one->own[PR_COUNTER_WORDS_OUT + port] += words - own;
        }
}

/* Clocks in which words waited were others' as far as the words of that output were. */
static void share_stalls(const struct top_model *model, struct top_site *site, const struct top_reading *now)
{
    for (unsigned port = 0; port < model->ports; port++) {
        unsigned words = PR_COUNTER_WORDS_OUT + port;
        double all = added_to(site->last.counters[words], now->counters[words]);
        site->added[PR_COUNTER_STALLS + port] *= all > 0 ? site->added[words] / all : 1;
    }
}

static void take_reading(const struct top_model *model, struct top_site *site, const struct top_reading *now)
{
    site->restarted = site->known && has_restarted(&site->last, now);
    site->restarts += site->restarted;
    for (unsigned c = 0; c < TOP_COUNTERS; c++)
        site->added[c] = !site->known || is_level(c) ? 0 : of_others(site, now, c);
    share_stalls(model, site, now);
    for (unsigned c = 0; c < TOP_COUNTERS; c++)
        site->total[c] += site->added[c];
    site->seconds = site->known ? now->time - site->last.time : 0;
    memcpy(site->own_read, site->own, sizeof site->own);
    site->last = *now;
    site->known = true;
}

void top_model_round(struct top_model *model, const struct top_reading *readings, double now)
{
    settle_own(model, readings);
    if (is_quiet(model, readings) && (model->quiet_rounds || !is_reckoned_well(model, readings)))
        learn(model, readings);
    for (int site = 0; site < model->mesh->sites; site++) {
        model->sites[site].answers = readings[site].answered;
        if (readings[site].answered)
            take_reading(model, &model->sites[site], &readings[site]);
        else
            model->sites[site].seconds = 0;
    }
    model->own_seconds = model->rounds ? now - model->now : 0;
    if (model->rounds++ == 0)
        model->base = now;
    model->now = now;
}

void top_model_own(struct top_model *model, unsigned site, unsigned words, unsigned answer_words)
{
    struct top_own *own = &model->sites[site].pending;
    own->packets++;
    own->words += words;
    own->answer_words += answer_words;
}

void top_model_ping(struct top_model *model, unsigned site, uint32_t clocks)
{
    struct top_trips *trips = &model->sites[site].trips;
    if (!trips->count || clocks < trips->least)
        trips->least = clocks;
    trips->last = clocks;
    trips->sum += clocks;
    trips->count++;
}

void top_model_rebase(struct top_model *model, double now)
{
    for (int site = 0; site < model->mesh->sites; site++) {
        struct top_site *one = &model->sites[site];
        memset(one->total, 0, sizeof one->total);
        one->trips = (struct top_trips){0};
        one->restarts = 0;
        one->restarted = false;
    }
    model->base = now;
}

double top_rate(const struct top_site *site, unsigned counter)
{
    return site->seconds > 0 ? site->added[counter] / site->seconds : 0;
}

double top_sent(const struct top_site *site)
{
    double rate = top_rate(site, PR_COUNTER_SENT_PACKETS) - top_rate(site, PR_COUNTER_ACKNOWLEDGEMENTS) -
                  top_rate(site, PR_COUNTER_FORWARDED);
    return rate > 0 ? rate : 0;
}

static double port_rates(const struct top_model *model, const struct top_site *site, unsigned first, unsigned port)
{
    double sum = 0;
    for (; port < model->ports; port++)
        sum += top_rate(site, first + port);
    return sum;
}

double top_words(const struct top_model *model, const struct top_site *site)
{
    return port_rates(model, site, PR_COUNTER_WORDS_OUT, 1);
}

double top_discards(const struct top_model *model, const struct top_site *site)
{
    double sum = site->total[PR_COUNTER_DISCARDED] + site->total[PR_COUNTER_RECEIVED_DISCARDED] +
                 site->total[PR_COUNTER_FOREIGN_DISCARDED];
    for (unsigned port = 0; port < model->ports; port++)
        sum += site->total[PR_COUNTER_DROPS + port];
    return sum;
}

double top_resent(const struct top_site *site)
{
    return site->total[PR_COUNTER_TIME_OUTS] + site->total[PR_COUNTER_RESENT_AFTER_ABORT];
}

enum top_health top_health(const struct top_site *site)
{
    if (!site->answers)
        return site->asked ? TOP_SILENT : TOP_WELL;
    if (site->restarts)
        return TOP_RESTARTED;
    if (site->total[PR_COUNTER_TARGETS_FAILED] > 0)
        return TOP_GAVE_UP;
    if (site->total[PR_COUNTER_RECEIVED_DISCARDED] > site->total[PR_COUNTER_RECEIVED_PACKETS] / OVERRUN_PARTS)
        return TOP_OVERRUN;
    if (site->last.counters[PR_COUNTER_FEWEST_FREE_BUFFERS] <= PR_OPERATOR_RECEIVE_RESERVE ||
        site->total[PR_COUNTER_FOREIGN_DISCARDED] > 0)
        return TOP_SHORT;
    return top_resent(site) > 0 ? TOP_WAITED : TOP_WELL;
}

const char *top_health_text(enum top_health health)
{
    static const char *const texts[] = {"ok", "resent", "short", "overrun", "gave up", "restarted", "silent"};
    return texts[health];
}
