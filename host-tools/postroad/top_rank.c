/* See top_model.h: the order of sites and links.
 *
 * SPDX-License-Identifier: ISC
 */
#include "postroad/top_model.h"
#include "support/or_abort.h"

#include <stdlib.h>

enum { KEYS = 4 };

/* The greatest first, key by key; then by number. */
struct rank {
    double keys[KEYS];
    unsigned index;
};

static int compare_ranks(const void *a, const void *b)
{
    const struct rank *one = a, *other = b;
    for (unsigned k = 0; k < KEYS; k++)
        if (one->keys[k] > other->keys[k] || one->keys[k] < other->keys[k])
            return one->keys[k] > other->keys[k] ? -1 : 1;
    return one->index < other->index ? -1 : one->index > other->index;
}

static double port_rate_sum(const struct top_model *model, const struct top_site *site, unsigned first)
{
    double sum = 0;
    for (unsigned port = 0; port < model->ports; port++)
        sum += top_rate(site, first + port);
    return sum;
}

static struct rank rank_of(const struct top_model *model, enum top_sort sort, unsigned index)
{
    const struct top_site *site = &model->sites[index];
    struct rank rank = {.index = index};
    double *keys = rank.keys;
    switch (sort) {
    case TOP_BY_TROUBLE:
        keys[0] = top_health(site) > TOP_WAITED ? top_health(site) : TOP_WELL;
        keys[1] = top_discards(model, site) + site->total[PR_COUNTER_TARGETS_FAILED];
        keys[2] = top_resent(site);
        keys[3] = port_rate_sum(model, site, PR_COUNTER_STALLS);
        break;
    case TOP_BY_SENT:
        keys[0] = top_sent(site);
        break;
    case TOP_BY_DELIVERED:
        keys[0] = top_rate(site, PR_COUNTER_DELIVERED);
        break;
    case TOP_BY_WORDS:
        keys[0] = top_words(model, site);
        break;
    case TOP_BY_LATENCY:
        keys[0] = site->trips.count ? (double)site->trips.last : -1;
        break;
    default:
        break;
    }
    return rank;
}

size_t top_sort_sites(const struct top_model *model, enum top_sort sort, uint16_t *out)
{
    struct rank *ranks = or_abort(calloc((size_t)model->mesh->sites, sizeof *ranks));
    size_t count = 0;
    for (unsigned site = 0; site < (unsigned)model->mesh->sites; site++)
        if (model->sites[site].asked)
            ranks[count++] = rank_of(model, sort, site);
    qsort(ranks, count, sizeof *ranks, compare_ranks);
    for (size_t i = 0; i < count; i++)
        out[i] = (uint16_t)ranks[i].index;
    free(ranks);
    return count;
}

const char *top_sort_text(enum top_sort sort)
{
    static const char *const texts[] = {"trouble", "sent", "delivered", "words", "latency", "site"};
    return texts[sort];
}

static int compare_links(const void *a, const void *b)
{
    const struct top_link *one = a, *other = b;
    const struct rank ranks[] = {
        {{one->drops, one->stalls, one->words}, (unsigned)(one->site * TOP_PORTS + one->port)},
        {{other->drops, other->stalls, other->words}, (unsigned)(other->site * TOP_PORTS + other->port)}};
    return compare_ranks(&ranks[0], &ranks[1]);
}

static bool is_connected(const struct top_model *model, int site, unsigned port)
{
    return port == 0 || mesh_far_end(model->mesh, site, (int)port - 1).site >= 0;
}

size_t top_sort_links(const struct top_model *model, struct top_link *out)
{
    size_t count = 0;
    for (int s = 0; s < model->mesh->sites; s++) {
        const struct top_site *site = &model->sites[s];
        for (unsigned port = 0; site->answers && port < model->ports; port++)
            if (is_connected(model, s, port))
                out[count++] = (struct top_link){s, (int)port, top_rate(site, PR_COUNTER_WORDS_OUT + port),
                                                 top_rate(site, PR_COUNTER_STALLS + port),
                                                 top_rate(site, PR_COUNTER_DROPS + port)};
    }
    qsort(out, count, sizeof *out, compare_links);
    return count;
}

double top_busiest(const struct top_model *model)
{
    double most = 0;
    for (int s = 0; s < model->mesh->sites; s++)
        for (unsigned port = 1; port < model->ports; port++) {
            double rate = top_rate(&model->sites[s], PR_COUNTER_WORDS_OUT + port);
            most = rate > most ? rate : most;
        }
    return most;
}
