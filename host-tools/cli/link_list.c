/* See link_list.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/link_list.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/exit_code.h"
#include "cli/report.h"
#include "mesh/topology_view.h"
#include "support/or_abort.h"

enum { PLACE_BITS = 36 /* a word's time on a link, in bits */ };

static void find_links(struct link_list *list)
{
    const struct mesh_config *mesh = &list->gateway->mesh;
    list->links = or_abort(calloc(list->set.count * LINK_COUNTS_LINKS + 1, sizeof *list->links));
    list->rows = or_abort(calloc((size_t)mesh->sites + 1, sizeof *list->rows));
    for (size_t i = 0; i < list->set.count; i++)
        for (unsigned link = 0; link < LINK_COUNTS_LINKS && link < (unsigned)mesh->links; link++) {
            int neighbour = mesh_far_end(mesh, (int)list->set.sites[i], (int)link).site;
            list->links[list->count++] = (struct one_link){
                .site = list->set.sites[i], .link = link, .neighbour = neighbour};
        }
}

/* Where the mesh has no neighbour, a link is of interest only if a wrong cable is there. */
static void drop_open_edges(struct link_list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct one_link *one = &list->links[i];
        if (one->neighbour >= 0 || (one->answered && one->counts.meets))
            list->links[kept++] = *one;
    }
    list->count = kept;
}

static void take_counts(struct one_link *one, const struct link_rows *rows)
{
    struct link_counts before = one->counts;
    one->answered = rows->answered;
    if (!one->answered)
        return;
    link_counts_of(rows, one->link, &one->counts);
    if (one->once) {
        one->damaged += (uint16_t)(one->counts.damaged - before.damaged);
        one->trained += (uint16_t)(one->counts.trained - before.trained);
    }
    one->once = true;
}

int link_list_read(struct link_list *list)
{
    int status = link_rows_read(list->gateway, &list->set, LINK_ROWS_ALL, list->rows);
    if (status != EXIT_OK && status != EXIT_PARTIAL)
        return status;
    for (size_t i = 0; i < list->count; i++)
        take_counts(&list->links[i], &list->rows[list->links[i].site]);
    return status;
}

/* Some site has answered, and none of those that have has a link that counts. */
static bool counts_nothing(const struct link_list *list)
{
    bool answered = false, counts = false;
    for (size_t i = 0; i < list->count; i++) {
        answered |= list->links[i].answered;
        counts |= list->links[i].answered && list->links[i].counts.there;
    }
    return (answered || !list->count) && !counts;
}

int link_list_open(struct link_list *list, struct gateway *gateway, const struct options *options)
{
    *list = (struct link_list){.gateway = gateway};
    int status = gateway_open_sites(gateway, options, &list->set);
    if (status != EXIT_OK)
        return status;
    find_links(list);
    status = link_list_read(list);
    drop_open_edges(list);
    if ((status == EXIT_OK || status == EXIT_PARTIAL) && counts_nothing(list)) {
        report_error(options->verb,
                     "no link counts frames: links inside of a chip and simulated cables do not, expected "
                     "boards that are joined by cables");
        status = EXIT_USAGE;
    }
    if (status != EXIT_OK && status != EXIT_PARTIAL)
        link_list_close(list);
    return status;
}

void link_list_close(struct link_list *list)
{
    free(list->links);
    free(list->rows);
    gateway_close_sites(list->gateway, &list->set);
}

bool link_is_up(const struct one_link *one)
{
    return one->answered && one->counts.up;
}

bool link_is_good(const struct one_link *one)
{
    return link_is_up(one) && (int)one->counts.far_site == one->neighbour;
}

const char *link_state(const struct link_list *list, const struct one_link *one, char text[LINK_STATE_TEXT])
{
    if (!one->answered)
        return "no answer";
    if (!one->counts.there)
        return "no cable: inside of a chip";
    if (link_is_good(one))
        return "up";
    if (one->counts.up)
        snprintf(text, LINK_STATE_TEXT, "up, leads to site %u", one->counts.far_site);
    else if (one->counts.meets)
        snprintf(text, LINK_STATE_TEXT, "down, wrong cable: pull it now");
    else if (!one->counts.alive && one->counts.far_link == one->link)
        snprintf(text, LINK_STATE_TEXT, "down, leads to a link %s",
                 mesh_link_name(&list->gateway->mesh, (int)one->link));
    else
        snprintf(text, LINK_STATE_TEXT, "down, %s",
                 one->counts.alive ? "not heard at its far end" : "nothing is heard");
    return text;
}

static int compare(const struct one_link *a, const struct one_link *b, unsigned long damaged_a, unsigned long damaged_b)
{
    if (link_is_good(a) != link_is_good(b))
        return link_is_good(a) - link_is_good(b);
    if (damaged_a != damaged_b)
        return damaged_a < damaged_b ? 1 : -1;
    return a->site != b->site ? (int)a->site - (int)b->site : (int)a->link - (int)b->link;
}

static int compare_all(const void *left, const void *right)
{
    const struct one_link *a = left, *b = right;
    return compare(a, b, a->counts.damaged, b->counts.damaged);
}

static int compare_new(const void *left, const void *right)
{
    const struct one_link *a = left, *b = right;
    return compare(a, b, a->damaged, b->damaged);
}

void link_list_sort(struct link_list *list, bool since_power_on)
{
    qsort(list->links, list->count, sizeof *list->links, since_power_on ? compare_all : compare_new);
}

double link_list_bit_rate(const struct link_list *list)
{
    const struct pr_site_identity *identity = &list->gateway->identity;
    return identity->link_clocks ? (double)identity->clock_hz * PLACE_BITS / identity->link_clocks : 0;
}

int link_list_verdict(const struct link_list *list, int status)
{
    bool bad = false;
    for (size_t i = 0; i < list->count; i++)
        bad |= list->links[i].answered && list->links[i].counts.there && !link_is_good(&list->links[i]);
    return status == EXIT_OK && bad ? EXIT_MISMATCH : status;
}

cJSON *link_list_json(const struct link_list *list, const struct one_link *one)
{
    char text[LINK_STATE_TEXT];
    cJSON *entry = cJSON_CreateObject();
    cJSON_AddNumberToObject(entry, "site", one->site);
    cJSON_AddStringToObject(entry, "link", mesh_link_name(&list->gateway->mesh, (int)one->link));
    cJSON_AddItemToObject(entry, "to", one->neighbour < 0 ? cJSON_CreateNull() : cJSON_CreateNumber(one->neighbour));
    cJSON_AddBoolToObject(entry, "up", link_is_up(one));
    cJSON_AddStringToObject(entry, "state", link_state(list, one, text));
    return entry;
}
