/* The page of `postroad top`: heading, map, tables, help.
 *
 *     wide            narrow
 *     heading         heading
 *     map  sites      map
 *          links      sites, or links
 *     help            help
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/table.h"
#include "mesh/topology_view.h"
#include "postroad/top_view.h"
#include "support/or_abort.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    TABLE_WIDTH_LEAST = 38, /* of tables beside the map */
    TABLE_ROWS_LEAST = 3,   /* below it, with the titles */
    LINKS_ROWS = 9,         /* below the sites, with the titles: as many as that, if the sites need all others */
    BOTH_ROWS_LEAST = 14,   /* for the two tables */
    GAP = 3,
    WIDE = 60, /* columns: below, a page has short words and leaves some out */
    HEADING_LINES_MAX = 16,
};

const char *top_number(double value, char out[TOP_NUMBER])
{
    static const struct {
        double least, unit;
        const char *name;
    } units[] = {{1e9, 1e9, "G"}, {1e6, 1e6, "M"}, {1e4, 1e3, "k"}};
    for (size_t u = 0; u < sizeof units / sizeof *units; u++)
        if (value >= units[u].least) {
            snprintf(out, TOP_NUMBER, "%.1f%s", value / units[u].unit, units[u].name);
            return out;
        }
    snprintf(out, TOP_NUMBER, value > 0 && value < 99.95 ? "%.1f" : "%.0f", value);
    return out;
}

/* The sum of something over all sites. */
struct sums {
    unsigned asked, answering, restarts;
    double sent, delivered, words, discards, resent, failed;
};

static struct sums sum_sites(const struct top_model *model)
{
    struct sums sums = {0};
    for (int s = 0; s < model->mesh->sites; s++) {
        const struct top_site *site = &model->sites[s];
        sums.asked += site->asked;
        sums.answering += site->answers;
        sums.restarts += site->restarts;
        sums.sent += top_sent(site);
        sums.delivered += top_rate(site, PR_COUNTER_DELIVERED);
        sums.words += top_words(model, site);
        sums.discards += top_discards(model, site);
        sums.resent += top_resent(site);
        sums.failed += site->total[PR_COUNTER_TARGETS_FAILED];
    }
    return sums;
}

static void draw_mesh(const struct top_view *view, struct page *page, const struct box *box, int *y)
{
    const struct top_model *model = view->model;
    char shape[TOPOLOGY_TEXT], number[TOP_NUMBER];
    int x = 0;
    page_flow(page, box, &x, y, PAGE_BOLD, "%s", view->name);
    if (view->paused)
        page_flow(page, box, &x, y, PAGE_REVERSE, "PAUSED");
    page_flow(page, box, &x, y, PAGE_PLAIN, "%s, %s, from site %u", topology_describe(model->mesh, shape),
              model->reliable ? "reliable" : "raw", model->gateway);
    if (view->clock_hz > 0 && page->width >= WIDE)
        page_flow(page, box, &x, y, PAGE_PLAIN, "%s clocks/s", top_number(view->clock_hz, number));
}

static void draw_rates(const struct top_view *view, struct page *page, const struct box *box, int *y)
{
    const struct top_model *model = view->model;
    const struct sums sums = sum_sites(model);
    double own = model->own_seconds > 0 ? model->own_packets / model->own_seconds : 0;
    char number[TOP_NUMBER];
    int x = 0;
    if (!model->rounds) {
        page_flow(page, box, &x, y, PAGE_PLAIN, "asking %u sites", sums.asked);
        return;
    }
    page_flow(page, box, &x, y, sums.answering < sums.asked ? PAGE_BAD : PAGE_PLAIN, "%u/%u answer", sums.answering,
              sums.asked);
    if (model->rounds == 1) {
        page_flow(page, box, &x, y, PAGE_PLAIN, "no rates yet");
        return;
    }
    page_flow(page, box, &x, y, PAGE_PLAIN, "sent %s/s", top_number(sums.sent, number));
    page_flow(page, box, &x, y, PAGE_PLAIN, page->width < WIDE ? "got %s/s" : "delivered %s/s",
              top_number(sums.delivered, number));
    if (page->width < WIDE)
        return;
    page_flow(page, box, &x, y, PAGE_PLAIN, "words %s/s", top_number(sums.words, number));
    page_flow(page, box, &x, y, PAGE_PLAIN, "(+ own %s/s)", top_number(own, number));
}

/* What is rare counts from the base line. */
static void draw_losses(const struct top_view *view, struct page *page, const struct box *box, int *y)
{
    const struct sums sums = sum_sites(view->model);
    const double counts[] = {sums.discards, sums.resent, sums.failed, sums.restarts};
    static const char *const names[] = {"discarded", "resent", "given up", "restarts"};
    static const char *const short_names[] = {"drop", "again", "failed", "new"};
    int x = 0;
    page_flow(page, box, &x, y, PAGE_PLAIN,
              page->width < WIDE ? "%.0f s:" : "in %.0f s:", view->model->now - view->model->base);
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        page_flow(page, box, &x, y, counts[k] > 0 ? (int)STYLE_DOUBTFUL : PAGE_PLAIN, "%s %.0f",
                  (page->width < WIDE ? short_names : names)[k], counts[k]);
}

/* At the top of the page; returns the row behind. */
static int draw_heading(const struct top_view *view, struct page *page)
{
    static void (*const parts[])(const struct top_view *view, struct page *page, const struct box *box,
                                 int *y) = {draw_mesh, draw_rates, draw_losses};
    const struct box box = {0, 0, page->width, HEADING_LINES_MAX};
    int y = 0;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++, y++)
        parts[k](view, page, &box, &y);
    return y;
}

/* Returns the first row of the help, which is at the bottom. */
static int draw_help(const struct top_view *view, struct page *page)
{
    char sort[32], table[32];
    snprintf(sort, sizeof sort, "s sort:%s", top_sort_text(view->sort));
    snprintf(table, sizeof table, view->links ? "l sites" : "l links");
    const char *const pieces[] = {"q quit", "p pause", sort, "up/down site", "z zoom", "r reset", table};
    struct page lines;
    struct box box = {0, 0, page->width, page->height};
    int x = 0, y = 0;
    if (!view->live)
        return page->height;
    page_begin(&lines, page->width, page->height);
    for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++)
        page_flow(&lines, &box, &x, &y, PAGE_REVERSE, "%s", pieces[k]);
    page_end(&lines);
    box.y = page->height - 1 - y;
    x = 0;
    int top = y = box.y;
    for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++)
        page_flow(page, &box, &x, &y, PAGE_REVERSE, "%s", pieces[k]);
    return top;
}

static const struct table_column site_columns[] = {
    {"site", 0, false, false},       {"state", 0, false, true},     {"sent/s", 1, false, false},
    {"deliv/s", 2, false, false},    {"words/s", 4, false, false},  {"ping", 3, false, false},
    {"discarded", 5, true, false},   {"resent", 6, true, false},    {"given up", 7, true, false},
    {"restarts", 8, true, false},    {"stalls/s", 9, false, false}, {"least ping", 10, false, false},
    {"mean ping", 11, false, false}, {"free", 12, false, false},    {"fewest", 13, false, false},
};

enum {
    SITE_SITE,
    SITE_STATE,
    SITE_SENT,
    SITE_DELIVERED,
    SITE_WORDS,
    SITE_PING,
    SITE_DISCARDED,
    SITE_RESENT,
    SITE_FAILED,
    SITE_RESTARTS,
    SITE_STALLS,
    SITE_LEAST,
    SITE_MEAN,
    SITE_FREE,
    SITE_FEWEST
};

static enum style site_style(enum top_health health)
{
    return health >= TOP_OVERRUN ? STYLE_BAD : health > TOP_WELL ? STYLE_DOUBTFUL : STYLE_PLAIN;
}

static double stalls_of(const struct top_model *model, const struct top_site *site)
{
    double sum = 0;
    for (unsigned port = 0; port < model->ports; port++)
        sum += top_rate(site, PR_COUNTER_STALLS + port);
    return sum;
}

static void add_site(const struct top_model *model, struct table *table, unsigned number)
{
    const struct top_site *site = &model->sites[number];
    const struct top_trips *trips = &site->trips;
    char text[TOP_NUMBER];
    table_row(table, site_style(top_health(site)));
    table_cell(table, SITE_SITE, "%u", number);
    table_cell(table, SITE_STATE, "%s", top_health_text(top_health(site)));
    table_cell(table, SITE_DISCARDED, "%.0f", top_discards(model, site));
    table_cell(table, SITE_RESENT, "%.0f", top_resent(site));
    table_cell(table, SITE_FAILED, "%.0f", site->total[PR_COUNTER_TARGETS_FAILED]);
    table_cell(table, SITE_RESTARTS, "%u", site->restarts);
    if (!site->answers)
        return;
    if (site->seconds > 0) {
        table_cell(table, SITE_SENT, "%s", top_number(top_sent(site), text));
        table_cell(table, SITE_DELIVERED, "%s", top_number(top_rate(site, PR_COUNTER_DELIVERED), text));
        table_cell(table, SITE_WORDS, "%s", top_number(top_words(model, site), text));
        table_cell(table, SITE_STALLS, "%s", top_number(stalls_of(model, site), text));
    }
    table_cell(table, SITE_FREE, "%u", (unsigned)site->last.counters[PR_COUNTER_FREE_BUFFERS]);
    table_cell(table, SITE_FEWEST, "%u", (unsigned)site->last.counters[PR_COUNTER_FEWEST_FREE_BUFFERS]);
    if (!trips->count)
        return;
    table_cell(table, SITE_PING, "%u", (unsigned)trips->last);
    table_cell(table, SITE_LEAST, "%u", (unsigned)trips->least);
    table_cell(table, SITE_MEAN, "%.0f", trips->sum / trips->count);
}

static void draw_sites(const struct top_view *view, struct page *page, const struct box *box)
{
    const struct top_model *model = view->model;
    uint16_t *order = or_abort(calloc((size_t)model->mesh->sites, sizeof *order));
    struct table table;
    long marked = -1;
    size_t count = top_sort_sites(model, view->sort, order);
    table_begin(&table, site_columns, sizeof site_columns / sizeof *site_columns);
    for (size_t i = 0; i < count; i++) {
        add_site(model, &table, order[i]);
        if (order[i] == view->selected)
            marked = (long)i;
    }
    size_t rows = page_table_rows(box, count);
    page_table(page, box, &table, count, marked >= (long)rows ? (size_t)marked - rows + 1 : 0, marked);
    table_end(&table);
    free(order);
}

static const struct table_column link_columns[] = {
    {"site", 0, false, false}, {"output", 0, false, true},    {"to", 2, false, false},     {"words/s", 1, false, false},
    {"load", 3, true, false},  {"stalls/s", 4, false, false}, {"drops/s", 5, true, false},
};

enum { LINK_SITE, LINK_OUTPUT, LINK_TO, LINK_WORDS, LINK_LOAD, LINK_STALLS, LINK_DROPS };

static void add_link(const struct top_view *view, struct table *table, const struct top_link *link)
{
    const struct mesh_config *mesh = view->model->mesh;
    char text[TOP_NUMBER];
    table_row(table, link->drops > 0 ? STYLE_BAD : STYLE_PLAIN);
    table_cell(table, LINK_SITE, "%d", link->site);
    table_cell(table, LINK_OUTPUT, "%s", link->port ? mesh_link_name(mesh, link->port - 1) : "local");
    if (link->port)
        table_cell(table, LINK_TO, "%d", mesh_far_end(mesh, link->site, link->port - 1).site);
    else
        table_cell(table, LINK_TO, "-");
    table_cell(table, LINK_WORDS, "%s", top_number(link->words, text));
    if (view->clock_hz > 0)
        table_cell(table, LINK_LOAD, "%.2f%%", 100 * link->words * view->link_clocks / view->clock_hz);
    table_cell(table, LINK_STALLS, "%s", top_number(link->stalls, text));
    table_cell(table, LINK_DROPS, "%s", top_number(link->drops, text));
}

/* The worst links; of one site if `only` is not negative. */
static void draw_links(const struct top_view *view, struct page *page, const struct box *box, int only)
{
    const struct top_model *model = view->model;
    struct top_link *links = or_abort(calloc((size_t)model->mesh->sites * model->ports, sizeof *links));
    struct table table;
    size_t count = top_sort_links(model, links), chosen = 0;
    table_begin(&table, link_columns, sizeof link_columns / sizeof *link_columns);
    for (size_t i = 0; i < count; i++)
        if ((only < 0 ? links[i].words + links[i].stalls + links[i].drops > 0 : links[i].site == only) &&
            chosen++ < (size_t)box->height)
            add_link(view, &table, &links[i]);
    page_table(page, box, &table, chosen, 0, -1);
    table_end(&table);
    free(links);
}

static const struct table_column counter_columns[] = {
    {"counter", 0, false, true}, {"a second", 1, false, false}, {"in all", 2, false, false}};

enum { COUNTER_NAME, COUNTER_RATE, COUNTER_TOTAL };

/* The counters of a site that are not zero since the base line. */
static void draw_counters(const struct top_site *site, struct page *page, const struct box *box)
{
    struct table table;
    char text[TOP_NUMBER];
    table_begin(&table, counter_columns, sizeof counter_columns / sizeof *counter_columns);
    for (const struct counter_name *name = counter_names; name->count; name++) {
        unsigned counter = name->first;
        if (!counter_is_single(name) || site->total[counter] < 0.5)
            continue;
        table_row(&table, STYLE_PLAIN);
        table_cell(&table, COUNTER_NAME, "%s", name->name);
        table_cell(&table, COUNTER_RATE, "%s", top_number(top_rate(site, counter), text));
        table_cell(&table, COUNTER_TOTAL, "%.0f", site->total[counter]);
    }
    page_table(page, box, &table, table.row_count, 0, -1);
    table_end(&table);
}

/* One site: its state, its outputs, its counters. */
static void draw_zoom(const struct top_view *view, struct page *page, const struct box *box)
{
    const struct top_site *site = &view->model->sites[view->selected];
    const struct top_trips *trips = &site->trips;
    int outputs = 1, x = box->x, y = box->y;
    page_flow(page, box, &x, &y, PAGE_BOLD, "site %d: %s", view->selected, top_health_text(top_health(site)));
    if (trips->count)
        page_flow(page, box, &x, &y, PAGE_PLAIN, "ping %u clocks, least %u, mean %.0f of %u", (unsigned)trips->last,
                  (unsigned)trips->least, trips->sum / trips->count, trips->count);
    for (int link = 0; link < view->model->mesh->links; link++)
        outputs += mesh_far_end(view->model->mesh, view->selected, link).site >= 0;
    struct box links = {box->x, y + 1, box->width, outputs + 1};
    struct box counters = {box->x, links.y + links.height + 1, box->width, 0};
    if (links.y + links.height > box->y + box->height)
        links.height = box->y + box->height - links.y;
    counters.height = box->y + box->height - counters.y;
    draw_links(view, page, &links, view->selected);
    draw_counters(site, page, &counters);
}

static int asked_sites(const struct top_model *model)
{
    int count = 0;
    for (int site = 0; site < model->mesh->sites; site++)
        count += model->sites[site].asked;
    return count;
}

static void draw_tables(const struct top_view *view, struct page *page, const struct box *box)
{
    struct box sites = *box, links = *box;
    bool both = box->height >= BOTH_ROWS_LEAST || !view->live;
    if (view->zoomed) {
        draw_zoom(view, page, box);
        return;
    }
    if (both) {
        int rows = box->height / 3 < LINKS_ROWS ? box->height / 3 : LINKS_ROWS, needed = asked_sites(view->model) + 1;
        sites.height = needed < box->height - rows - 1 ? needed : box->height - rows - 1;
        links.y = box->y + sites.height + 1;
        links.height = box->height - sites.height - 1;
    }
    if (both || !view->links)
        draw_sites(view, page, &sites);
    if (both || view->links)
        draw_links(view, page, &links, -1);
}

/* What 9 means, below the map. */
static void draw_scale(const struct top_view *view, struct page *page, const struct box *map, int below)
{
    char number[TOP_NUMBER];
    if (map->y + map->height < below)
        page_put(page, 0, map->y + map->height, PAGE_PLAIN, "9: %s words/s",
                 top_number(top_busiest(view->model), number));
}

int top_height(const struct top_view *view)
{
    return HEADING_LINES_MAX + 2 * topology_view(view->model->mesh)->picture(view->model->mesh).rows +
           asked_sites(view->model) + 2 * LINKS_ROWS;
}

void top_draw(const struct top_view *view, struct page *page)
{
    int top = draw_heading(view, page), bottom = draw_help(view, page);
    if (!view->model->rounds) /* nobody is silent yet */
        return;
    struct box room = {0, top + 1, page->width, bottom - top - 2};
    struct box beside = {room.x, room.y, room.width, room.height - 1};
    int comfort = page->width - GAP - TABLE_WIDTH_LEAST;
    struct box map = top_draw_map(view, page, &beside, page->width < WIDE ? page->width : comfort);
    bool drawn = map.width > 0 && map.width <= beside.width && map.height <= beside.height;
    if (drawn && map.width <= comfort) {
        draw_scale(view, page, &map, bottom);
        room.x += map.width + GAP;
        room.width -= map.width + GAP;
    } else if (drawn && map.height + 2 + TABLE_ROWS_LEAST <= room.height) {
        draw_scale(view, page, &map, bottom);
        room.y += map.height + 2;
        room.height -= map.height + 2;
    } else if (map.width > 0) {
        if (drawn)
            page_clear(page, &map);
        int rows = page->height - room.height + map.height + (map.width <= comfort ? 1 : 2 + TABLE_ROWS_LEAST);
        page_put(page, 0, top, PAGE_PLAIN, "the map needs %d columns, %d rows", map.width, rows);
    }
    draw_tables(view, page, &room);
}
