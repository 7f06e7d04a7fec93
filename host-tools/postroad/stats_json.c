/* See stats.h: counters as JSON.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/report.h"
#include "mesh/topology_view.h"
#include "postroad/stats.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

static void add_counters(cJSON *object, const struct stats *stats, size_t site)
{
    for (const struct counter_name *one = counter_names; one->count; one++)
        if (counter_is_single(one))
            cJSON_AddNumberToObject(object, one->name, stats_value(stats, site, one->first));
}

static void add_sites(cJSON *list, const struct stats *stats)
{
    uint16_t *sites = stats_rank_sites(stats);
    for (size_t i = 0; i < stats->set.count; i++) {
        cJSON *one = cJSON_CreateObject();
        bool answers = stats_complete(stats, sites[i]);
        cJSON_AddNumberToObject(one, "site", sites[i]);
        cJSON_AddBoolToObject(one, "answers", answers);
        if (answers) {
            cJSON_AddBoolToObject(one, "short_of_buffers", stats_short_of_buffers(stats, sites[i]));
            cJSON_AddBoolToObject(one, "overrun", stats_overrun(stats, sites[i]));
            if (stats->before)
                cJSON_AddNumberToObject(one, "own_packets", stats_own(stats, sites[i]));
            add_counters(one, stats, sites[i]);
        }
        cJSON_AddItemToArray(list, one);
    }
    free(sites);
}

static void add_links(cJSON *list, const struct stats *stats)
{
    size_t count;
    struct stats_link *links = stats_rank_links(stats, &count);
    const struct mesh_config *mesh = &stats->gateway->mesh;
    for (size_t i = 0; i < count; i++) {
        cJSON *one = cJSON_CreateObject();
        cJSON_AddNumberToObject(one, "site", links[i].site);
        cJSON_AddStringToObject(one, "output", links[i].port ? mesh_link_name(mesh, links[i].port - 1) : "local");
        if (links[i].port)
            cJSON_AddNumberToObject(one, "to", mesh_far_end(mesh, links[i].site, links[i].port - 1).site);
        cJSON_AddNumberToObject(one, "words", links[i].words);
        cJSON_AddNumberToObject(one, "stalls", links[i].stalls);
        cJSON_AddNumberToObject(one, "drops", links[i].drops);
        cJSON_AddItemToArray(list, one);
    }
    free(links);
}

void stats_show_json(const struct stats *stats)
{
    cJSON *object = report_object("stats");
    cJSON_AddBoolToObject(object, "since_last", stats->before != NULL);
    cJSON_AddBoolToObject(object, "reliable", stats->gateway->identity.reliable != 0);
    add_sites(cJSON_AddArrayToObject(object, "sites"), stats);
    add_links(cJSON_AddArrayToObject(object, "links"), stats);
    report_print(object, stats->options->again >= 0);
}
