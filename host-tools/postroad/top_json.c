/* See top_json.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "postroad/top_json.h"

#include "cli/report.h"
#include "mesh/topology_view.h"
#include "support/or_abort.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>

/* What a share is left out of is no whole number. */
static void add_count(cJSON *object, const char *name, double value)
{
    cJSON_AddNumberToObject(object, name, round(value));
}

static void add_rate(cJSON *object, const char *name, double value)
{
    cJSON_AddNumberToObject(object, name, round(1000 * value) / 1000);
}

static void add_counters(cJSON *one, const struct top_site *site)
{
    for (const struct counter_name *name = counter_names; name->count; name++) {
        unsigned counter = name->first;
        bool level = counter == PR_COUNTER_FREE_BUFFERS || counter == PR_COUNTER_FEWEST_FREE_BUFFERS;
        if (counter_is_single(name))
            add_count(one, name->name, level ? site->last.counters[counter] : site->added[counter]);
    }
}

static void add_trips(cJSON *one, const struct top_trips *trips)
{
    cJSON *clocks = cJSON_AddObjectToObject(one, "round_trip_clocks");
    if (trips->count) {
        cJSON_AddNumberToObject(clocks, "last", trips->last);
        cJSON_AddNumberToObject(clocks, "min", trips->least);
        cJSON_AddNumberToObject(clocks, "mean", trips->sum / trips->count);
    } else {
        cJSON_AddNullToObject(clocks, "last");
        cJSON_AddNullToObject(clocks, "min");
        cJSON_AddNullToObject(clocks, "mean");
    }
}

static void add_site(cJSON *list, const struct top_model *model, unsigned number)
{
    const struct top_site *site = &model->sites[number];
    cJSON *one = cJSON_CreateObject();
    cJSON_AddNumberToObject(one, "site", number);
    cJSON_AddBoolToObject(one, "answers", site->answers);
    cJSON_AddStringToObject(one, "state", top_health_text(top_health(site)));
    if (site->answers) {
        add_rate(one, "seconds", site->seconds);
        add_rate(one, "sent_per_second", top_sent(site));
        add_rate(one, "delivered_per_second", top_rate(site, PR_COUNTER_DELIVERED));
        add_rate(one, "words_per_second", top_words(model, site));
        cJSON_AddNumberToObject(one, "restarts", site->restarts);
        add_trips(one, &site->trips);
        add_counters(one, site);
    }
    cJSON_AddItemToArray(list, one);
}

static void add_sites(cJSON *list, const struct top_view *view)
{
    uint16_t *order = or_abort(calloc((size_t)view->model->mesh->sites, sizeof *order));
    size_t count = top_sort_sites(view->model, view->sort, order);
    for (size_t i = 0; i < count; i++)
        add_site(list, view->model, order[i]);
    free(order);
}

static void add_links(cJSON *list, const struct top_model *model)
{
    struct top_link *links = or_abort(calloc((size_t)model->mesh->sites * model->ports, sizeof *links));
    size_t count = top_sort_links(model, links);
    for (size_t i = 0; i < count; i++) {
        const struct top_link *link = &links[i];
        const struct top_site *site = &model->sites[link->site];
        cJSON *one = cJSON_CreateObject();
        cJSON_AddNumberToObject(one, "site", link->site);
        cJSON_AddStringToObject(one, "output", link->port ? mesh_link_name(model->mesh, link->port - 1) : "local");
        if (link->port)
            cJSON_AddNumberToObject(one, "to", mesh_far_end(model->mesh, link->site, link->port - 1).site);
        add_count(one, "words", site->added[PR_COUNTER_WORDS_OUT + link->port]);
        add_count(one, "stalls", site->added[PR_COUNTER_STALLS + link->port]);
        add_count(one, "drops", site->added[PR_COUNTER_DROPS + link->port]);
        add_rate(one, "words_per_second", link->words);
        cJSON_AddItemToArray(list, one);
    }
    free(links);
}

void top_print_json(const struct top_view *view)
{
    const struct top_model *model = view->model;
    cJSON *object = report_object("top");
    cJSON_AddBoolToObject(object, "reliable", model->reliable);
    cJSON_AddNumberToObject(object, "gateway_site", model->gateway);
    if (view->clock_hz > 0)
        add_count(object, "clocks_per_second", view->clock_hz);
    else
        cJSON_AddNullToObject(object, "clocks_per_second");
    add_count(object, "own_packets", model->own_packets);
    add_sites(cJSON_AddArrayToObject(object, "sites"), view);
    add_links(cJSON_AddArrayToObject(object, "links"), model);
    report_print(object, false);
}
