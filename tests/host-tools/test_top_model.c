/* The model of `postroad top`: rates, totals and ranks from made-up counters.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "check.h"
#include "mesh/topology_view.h"
#include "postroad/top_view.h"

#include <math.h>
#include <string.h>

enum { SITES_MAX = 64 };

/* A grid whose site 0 asks, and the readings of a round. */
struct bed {
    struct mesh_config mesh;
    struct top_ways ways;
    struct top_model model;
    struct top_reading readings[SITES_MAX];
    double now;
};

static void begin(struct bed *bed, unsigned columns, unsigned rows, bool reliable)
{
    const struct pr_shape shape = {.topology = PR_TOPOLOGY_GRID, .size_x = columns, .size_y = rows, .word_width = 16};
    memset(bed, 0, sizeof *bed);
    mesh_set_shape(&bed->mesh, &shape);
    top_ways_make(&bed->ways, &bed->mesh, 0);
    top_model_begin(&bed->model, &bed->mesh, &bed->ways, 0, reliable);
    for (int site = 0; site < bed->mesh.sites; site++) {
        bed->model.sites[site].asked = true;
        bed->readings[site].answered = true;
        bed->readings[site].counters[PR_COUNTER_FEWEST_FREE_BUFFERS] = 20;
    }
}

static void end(struct bed *bed)
{
    top_model_end(&bed->model);
    top_ways_free(&bed->ways);
}

static uint32_t *counter(struct bed *bed, unsigned site, unsigned index)
{
    return &bed->readings[site].counters[index];
}

static struct top_site *site_of(struct bed *bed, unsigned site)
{
    return &bed->model.sites[site];
}

/* A round so many seconds after the one before. */
static void take_round(struct bed *bed, double seconds)
{
    bed->now += seconds;
    for (int site = 0; site < bed->mesh.sites; site++)
        bed->readings[site].time = bed->now;
    top_model_round(&bed->model, bed->readings, bed->now);
}

static bool is_near(double got, double wanted)
{
    return fabs(got - wanted) < 1e-6;
}

static void test_rates(void)
{
    struct bed bed;
    begin(&bed, 2, 2, false);
    *counter(&bed, 1, PR_COUNTER_SENT_PACKETS) = 1000;
    take_round(&bed, 1);
    CHECK(top_rate(site_of(&bed, 1), PR_COUNTER_SENT_PACKETS) == 0); /* there are no two readings */
    *counter(&bed, 1, PR_COUNTER_SENT_PACKETS) += 30;
    *counter(&bed, 1, PR_COUNTER_ACKNOWLEDGEMENTS) += 10;
    *counter(&bed, 1, PR_COUNTER_FORWARDED) += 4;
    *counter(&bed, 1, PR_COUNTER_TIME_OUTS) += 3;
    take_round(&bed, 4);
    CHECK(is_near(top_rate(site_of(&bed, 1), PR_COUNTER_SENT_PACKETS), 7.5));
    CHECK(is_near(top_sent(site_of(&bed, 1)), 4));
    CHECK(is_near(top_resent(site_of(&bed, 1)), 3));
    take_round(&bed, 4);
    CHECK(top_sent(site_of(&bed, 1)) == 0);
    CHECK(is_near(top_resent(site_of(&bed, 1)), 3)); /* since the base line */
    top_model_rebase(&bed.model, bed.now);
    CHECK(top_resent(site_of(&bed, 1)) == 0);
    CHECK(is_near(bed.model.base, 9));
    end(&bed);
}

/* A counter that wraps goes on; a site that was reset has counted from 0. */
static void test_wrap_and_restart(void)
{
    struct bed bed;
    begin(&bed, 2, 1, false);
    *counter(&bed, 0, PR_COUNTER_DELIVERED) = UINT32_MAX - 4;
    *counter(&bed, 1, PR_COUNTER_DELIVERED) = 500;
    *counter(&bed, 1, PR_COUNTER_FREE_BUFFERS) = 30;
    take_round(&bed, 1);
    *counter(&bed, 0, PR_COUNTER_DELIVERED) += 15;
    *counter(&bed, 1, PR_COUNTER_DELIVERED) = 6;
    *counter(&bed, 1, PR_COUNTER_FREE_BUFFERS) = 2; /* a level is no restart */
    take_round(&bed, 3);
    CHECK(is_near(top_rate(site_of(&bed, 0), PR_COUNTER_DELIVERED), 5));
    CHECK_EQUAL(site_of(&bed, 0)->restarts, 0);
    CHECK(is_near(top_rate(site_of(&bed, 1), PR_COUNTER_DELIVERED), 2));
    CHECK_EQUAL(site_of(&bed, 1)->restarts, 1);
    CHECK_EQUAL(top_health(site_of(&bed, 1)), TOP_RESTARTED);
    *counter(&bed, 1, PR_COUNTER_FREE_BUFFERS) = 1;
    *counter(&bed, 1, PR_COUNTER_DELIVERED) += 1;
    take_round(&bed, 1);
    CHECK_EQUAL(site_of(&bed, 1)->restarts, 1);
    CHECK(!site_of(&bed, 1)->restarted);
    end(&bed);
}

static void test_zero_interval(void)
{
    struct bed bed;
    begin(&bed, 2, 1, true);
    take_round(&bed, 1);
    *counter(&bed, 1, PR_COUNTER_DELIVERED) += 5;
    take_round(&bed, 0);
    CHECK(top_rate(site_of(&bed, 1), PR_COUNTER_DELIVERED) == 0);
    CHECK(isfinite(top_busiest(&bed.model)) && bed.model.own_seconds == 0);
    CHECK(is_near(site_of(&bed, 1)->total[PR_COUNTER_DELIVERED], 5));
    end(&bed);
}

static void test_silent(void)
{
    struct bed bed;
    uint16_t order[4];
    begin(&bed, 2, 2, false);
    take_round(&bed, 1);
    *counter(&bed, 3, PR_COUNTER_DELIVERED) += 5;
    bed.readings[3].answered = false;
    take_round(&bed, 1);
    CHECK_EQUAL(top_health(site_of(&bed, 3)), TOP_SILENT);
    CHECK(top_rate(site_of(&bed, 3), PR_COUNTER_DELIVERED) == 0);
    CHECK_EQUAL(top_sort_sites(&bed.model, TOP_BY_TROUBLE, order), 4);
    CHECK_EQUAL(order[0], 3);
    bed.readings[3].answered = true;
    take_round(&bed, 1);
    CHECK(is_near(top_rate(site_of(&bed, 3), PR_COUNTER_DELIVERED), 2.5)); /* in two seconds */
    CHECK_EQUAL(top_health(site_of(&bed, 3)), TOP_WELL);
    end(&bed);
}

/* What a request, its answer and both acknowledgements add, at each site and output of their ways. */
static void add_own_packets(struct bed *bed, unsigned site, unsigned words, unsigned answer_words)
{
    const struct top_way *ways[] = {&bed->ways.there[site], &bed->ways.back[site]};
    unsigned sum[] = {words + TOP_PACKET_WORDS, answer_words + TOP_PACKET_WORDS}, ends[] = {0, site};
    for (unsigned w = 0; w < 2; w++) {
        for (size_t h = ways[w]->first; h < ways[w]->first + ways[w]->count; h++)
            *counter(bed, bed->ways.hops[h].site, PR_COUNTER_WORDS_OUT + bed->ways.hops[h].port) += sum[w];
        *counter(bed, ends[w], PR_COUNTER_SENT_PACKETS) += 2;
        *counter(bed, ends[w], PR_COUNTER_ACKNOWLEDGEMENTS) += 1;
        *counter(bed, ends[w], PR_COUNTER_RECEIVED_PACKETS) += 2;
        *counter(bed, ends[w], PR_COUNTER_DELIVERED) += 1;
    }
}

/* Of a mesh that does nothing else nothing is shown; what others do is. Readings and requests are in another order than
 * their shares: those are of the round before. */
static void test_own_share(void)
{
    struct bed bed;
    begin(&bed, 8, 8, true);
    take_round(&bed, 1);
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned site = 1; site < 64; site++) {
            top_model_own(&bed.model, site, 10, 24);
            add_own_packets(&bed, site, 10, 24);
        }
        *counter(&bed, 7, PR_COUNTER_WORDS_OUT + 2) += 100;
        *counter(&bed, 8, PR_COUNTER_STALLS + 4) += 77; /* south of 8: all of it is the verb's */
        take_round(&bed, 2);
        CHECK(is_near(top_busiest(&bed.model), 50));
        for (unsigned site = 0; site < 64; site++) {
            CHECK(top_sent(site_of(&bed, site)) == 0);
            CHECK(is_near(top_rate(site_of(&bed, site), PR_COUNTER_DELIVERED), 0));
            CHECK(is_near(top_words(&bed.model, site_of(&bed, site)), site == 7 ? 50 : 0));
        }
        CHECK(is_near(top_rate(site_of(&bed, 8), PR_COUNTER_STALLS + 4), 0));
        CHECK(is_near(bed.model.own_packets, 63 * 4));
    }
    end(&bed);
}

/* A word more or less of own packets is no traffic of others; ten packets are. */
static void test_doubt(void)
{
    struct bed bed;
    begin(&bed, 2, 1, true);
    take_round(&bed, 1);
    for (unsigned words = 1; words <= 150; words += 149) {
        for (unsigned k = 0; k < 20; k++) {
            top_model_own(&bed.model, 1, 10, 24);
            add_own_packets(&bed, 1, 10, 24);
        }
        *counter(&bed, 0, PR_COUNTER_SENT_PACKETS) += words / 15;
        *counter(&bed, 0, PR_COUNTER_WORDS_OUT + 1) += words;
        take_round(&bed, 1);
        CHECK(is_near(top_words(&bed.model, site_of(&bed, 0)), words > 1 ? words : 0));
    }
    end(&bed);
}

/* Each own packet of a fabric that pads packets, and takes them other ways: 3 words more at the target, and 64 by site
 * 2, where none are reckoned. */
static void add_padded_packets(struct bed *bed)
{
    top_model_own(&bed->model, 1, 10, 24);
    add_own_packets(bed, 1, 10, 24);
    *counter(bed, 1, PR_COUNTER_WORDS_OUT) += 3;
    *counter(bed, 2, PR_COUNTER_WORDS_OUT + 1) += 64;
}

/* What the words of own packets are where they cannot be reckoned is learned while nobody else sends. */
static void test_learned_share(void)
{
    struct bed bed;
    begin(&bed, 2, 2, true);
    take_round(&bed, 1);
    add_padded_packets(&bed);
    *counter(&bed, 3, PR_COUNTER_SENT_PACKETS) += 1; /* not quiet: as reckoned */
    take_round(&bed, 2);
    CHECK(is_near(top_words(&bed.model, site_of(&bed, 2)), 32));
    add_padded_packets(&bed);
    bed.readings[3].answered = false; /* nor is it known to be */
    take_round(&bed, 2);
    CHECK(is_near(top_words(&bed.model, site_of(&bed, 2)), 32));
    bed.readings[3].answered = true;
    add_padded_packets(&bed);
    take_round(&bed, 2);
    CHECK_EQUAL(bed.model.quiet_rounds, 1);
    for (unsigned site = 0; site < 4; site++)
        CHECK(is_near(top_words(&bed.model, site_of(&bed, site)), 0));
    for (unsigned round = 0; round < 2; round++) {
        add_padded_packets(&bed);
        *counter(&bed, 3, PR_COUNTER_SENT_PACKETS) += 5;
        *counter(&bed, 2, PR_COUNTER_WORDS_OUT + 1) += 90;
        take_round(&bed, 2);
        CHECK(is_near(top_words(&bed.model, site_of(&bed, 2)), 45));
        CHECK(is_near(top_words(&bed.model, site_of(&bed, 1)), 0));
        CHECK(is_near(top_rate(site_of(&bed, 1), PR_COUNTER_WORDS_OUT), 0));
    }
    end(&bed);
}

/* A mesh of one site has no links, and nothing of the verb's goes over any. */
static void test_one_site(void)
{
    struct bed bed;
    struct top_link links[TOP_PORTS];
    uint16_t order[1];
    begin(&bed, 1, 1, true);
    top_model_own(&bed.model, 0, 10, 24);
    take_round(&bed, 1);
    *counter(&bed, 0, PR_COUNTER_WORDS_OUT) += 8;
    top_model_own(&bed.model, 0, 10, 24);
    take_round(&bed, 2);
    CHECK_EQUAL(top_sort_sites(&bed.model, TOP_BY_SENT, order), 1);
    CHECK_EQUAL(top_sort_links(&bed.model, links), 1);
    CHECK(links[0].port == 0 && is_near(links[0].words, 4));
    CHECK(top_busiest(&bed.model) == 0 && bed.model.own_packets == 0);
    end(&bed);
}

static void test_order(void)
{
    struct bed bed;
    uint16_t order[64];
    static struct top_link links[64 * TOP_PORTS];
    begin(&bed, 8, 8, false);
    take_round(&bed, 1);
    for (unsigned site = 0; site < 64; site++) {
        *counter(&bed, site, PR_COUNTER_SENT_PACKETS) += site;
        *counter(&bed, site, PR_COUNTER_DELIVERED) += 63 - site;
        *counter(&bed, site, PR_COUNTER_WORDS_OUT + 1) += site * 37 % 64;
        if (site != 20)
            top_model_ping(&bed.model, site, 1000 + site * 29 % 64);
    }
    *counter(&bed, 9, PR_COUNTER_DROPS + 1) += 1;
    *counter(&bed, 33, PR_COUNTER_STALLS + 2) += 10;
    *counter(&bed, 44, PR_COUNTER_TARGETS_FAILED) += 1;
    take_round(&bed, 1);
    CHECK_EQUAL(top_sort_sites(&bed.model, TOP_BY_TROUBLE, order), 64);
    CHECK(order[0] == 44 && order[1] == 9 && order[2] == 33 && order[3] == 0 && order[4] == 1);
    top_sort_sites(&bed.model, TOP_BY_SENT, order);
    CHECK(order[0] == 63 && order[63] == 0);
    top_sort_sites(&bed.model, TOP_BY_DELIVERED, order);
    CHECK(order[0] == 0 && order[63] == 63);
    top_sort_sites(&bed.model, TOP_BY_WORDS, order);
    CHECK_EQUAL(order[0] * 37 % 64, 63);
    top_sort_sites(&bed.model, TOP_BY_LATENCY, order);
    CHECK(order[0] * 29 % 64 == 63 && order[63] == 20);
    top_sort_sites(&bed.model, TOP_BY_SITE, order);
    for (unsigned i = 0; i < 64; i++)
        CHECK_EQUAL(order[i], i);
    CHECK_EQUAL(top_sort_links(&bed.model, links), 64 + 2 * 2 * 56);
    CHECK(links[0].site == 9 && links[0].port == 1 && links[1].site == 33 && links[1].port == 2);
    CHECK(links[2].words >= links[3].words && links[2].words > 0);
    end(&bed);
}

static void test_trips(void)
{
    struct bed bed;
    begin(&bed, 2, 1, true);
    top_model_ping(&bed.model, 1, 50);
    top_model_ping(&bed.model, 1, 40);
    top_model_ping(&bed.model, 1, 60);
    const struct top_trips *trips = &site_of(&bed, 1)->trips;
    CHECK(trips->count == 3 && trips->last == 60 && trips->least == 40 && is_near(trips->sum, 150));
    top_model_rebase(&bed.model, 1);
    CHECK_EQUAL(trips->count, 0);
    end(&bed);
}

static void test_keys(void)
{
    struct bed bed;
    begin(&bed, 2, 2, false);
    take_round(&bed, 1);
    struct top_view view = {.model = &bed.model, .sort = TOP_BY_SITE, .selected = -1};
    CHECK_EQUAL(top_key(&view, 'q'), TOP_QUIT);
    CHECK_EQUAL(top_key(&view, 'r'), TOP_REBASE);
    CHECK_EQUAL(top_key(&view, 'x'), TOP_NOTHING);
    top_key(&view, 'p');
    CHECK(view.paused);
    top_key(&view, ' ');
    CHECK(!view.paused);
    top_key(&view, TOP_KEY_DOWN);
    CHECK_EQUAL(view.selected, 0);
    top_key(&view, TOP_KEY_UP); /* there is none above */
    CHECK_EQUAL(view.selected, 0);
    for (int k = 1; k < 6; k++) {
        top_key(&view, TOP_KEY_DOWN);
        CHECK_EQUAL(view.selected, k < 3 ? k : 3);
    }
    top_key(&view, TOP_KEY_ENTER);
    CHECK(view.zoomed);
    top_key(&view, TOP_KEY_ESCAPE);
    CHECK(!view.zoomed && view.selected < 0);
    top_key(&view, 'z');
    CHECK(view.zoomed && view.selected == 0);
    for (unsigned k = 0; k < TOP_SORTS; k++)
        top_key(&view, 's');
    CHECK_EQUAL(view.sort, TOP_BY_SITE);
    end(&bed);
}

static bool page_has(const struct page *page, const char *text)
{
    for (int y = 0; y < page->height; y++)
        if (memmem(page->letters + y * page->width, (size_t)page->width, text, strlen(text)))
            return true;
    return false;
}

/* Nobody is silent before it has been asked, and rates take two rounds. The heading has three rows of 80 columns,
 * whatever the rates. */
static void test_heading(void)
{
    struct bed bed;
    struct page page;
    begin(&bed, 8, 8, false);
    const struct top_view view = {
        .model = &bed.model, .name = "up:made-up", .live = true, .clock_hz = 1e6, .selected = -1};
    for (unsigned round = 0; round < 3; round++) {
        page_begin(&page, 80, 24);
        top_draw(&view, &page);
        CHECK_EQUAL(page_has(&page, "asking 64 sites"), round == 0);
        CHECK_EQUAL(page_has(&page, "64/64 answer"), round > 0);
        CHECK(!page_has(&page, "xx") && !page_has(&page, "silent"));
        CHECK_EQUAL(page_has(&page, "no rates yet"), round == 1);
        CHECK_EQUAL(page_has(&page, " 2  ok          0        0"), round == 2);
        CHECK(page.letters[3 * page.width] == ' ');
        page_end(&page);
        if (round == 1) {
            *counter(&bed, 1, PR_COUNTER_DELIVERED) += 567890;
            *counter(&bed, 1, PR_COUNTER_SENT_PACKETS) += 567890;
            *counter(&bed, 1, PR_COUNTER_WORDS_OUT + 1) += 567890;
            for (unsigned k = 0; k < 1000; k++)
                top_model_own(&bed.model, 1, 10, 24);
        }
        take_round(&bed, 1);
    }
    end(&bed);
}

/* No page is too small or too large to draw on, and nothing is drawn beside it. */
static void test_sizes(void)
{
    struct bed bed;
    begin(&bed, 8, 8, true);
    take_round(&bed, 1);
    *counter(&bed, 5, PR_COUNTER_WORDS_OUT + 1) += 12345678;
    take_round(&bed, 1);
    for (int width = 1; width < 220; width += 3)
        for (int height = 1; height < 70; height += 2)
            for (unsigned k = 0; k < 4; k++) {
                struct top_view view = {.model = &bed.model,
                                        .name = "up:made-up",
                                        .live = true,
                                        .clock_hz = 1e6,
                                        .link_clocks = 1,
                                        .zoomed = k & 1,
                                        .links = k & 2};
                struct page page;
                page_begin(&page, width, height);
                top_draw(&view, &page);
                page_end(&page);
            }
    end(&bed);
}

static void test_numbers(void)
{
    static const struct {
        double value;
        const char *text;
    } rows[] = {{0, "0"},         {0.04, "0.0"},    {4.25, "4.2"},    {99.9, "99.9"}, {99.96, "100"},
                {1234.4, "1234"}, {9999.4, "9999"}, {12345, "12.3k"}, {1e6, "1.0M"},  {2.5e9, "2.5G"}};
    char text[TOP_NUMBER];
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        check(strcmp(top_number(rows[r].value, text), rows[r].text) == 0, "%g is %s, expected %s", rows[r].value, text,
              rows[r].text);
}

/* Packets of 15 words from one site to another in an interval, and their acknowledgements. */
static void add_traffic(struct bed *bed, unsigned from, unsigned to, unsigned packets, const unsigned (*hops)[2])
{
    *counter(bed, from, PR_COUNTER_SENT_PACKETS) += packets;
    *counter(bed, to, PR_COUNTER_SENT_PACKETS) += packets;
    *counter(bed, to, PR_COUNTER_ACKNOWLEDGEMENTS) += packets;
    *counter(bed, to, PR_COUNTER_RECEIVED_PACKETS) += packets;
    *counter(bed, to, PR_COUNTER_DELIVERED) += packets;
    for (; (*hops)[1]; hops++) {
        struct pr_far_end far = mesh_far_end(&bed->mesh, (int)(*hops)[0], (int)(*hops)[1] - 1);
        *counter(bed, (*hops)[0], PR_COUNTER_WORDS_OUT + (*hops)[1]) += 15 * packets;
        *counter(bed, (*hops)[0], PR_COUNTER_STALLS + (*hops)[1]) += 2 * packets;
        *counter(bed, (unsigned)far.site, PR_COUNTER_WORDS_OUT + far.link + 1) += TOP_PACKET_WORDS * packets;
    }
    *counter(bed, to, PR_COUNTER_WORDS_OUT) += 15 * packets;
    *counter(bed, from, PR_COUNTER_WORDS_OUT) += TOP_PACKET_WORDS * packets;
}

/* The screen in the manual is drawn by today's program, from the counters here. */
static void test_manual(void)
{
    enum { EAST = 1, SOUTH = 4, MANUAL_SIZE = 100000 };
    static char manual[MANUAL_SIZE], screen[MANUAL_SIZE];
    static const unsigned top_row[][2] = {{12, EAST}, {13, EAST}, {14, EAST}, {0, 0}},
                          down[][2] = {{10, SOUTH}, {6, SOUTH}, {0, 0}};
    struct page page;
    struct bed bed;
    size_t length = 0;
    begin(&bed, 4, 4, true);
    bed.readings[9].answered = false;
    take_round(&bed, 1);
    add_traffic(&bed, 12, 15, 80, top_row);
    add_traffic(&bed, 10, 2, 37, down);
    *counter(&bed, 2, PR_COUNTER_RECEIVED_DISCARDED) += 3;
    *counter(&bed, 10, PR_COUNTER_TIME_OUTS) += 3;
    for (unsigned site = 1; site < 16; site++) {
        if (site != 9)
            top_model_ping(&bed.model, site, 37 + 2 * (unsigned)mesh_hops(&bed.mesh, 0, (int)site));
        for (unsigned k = 0; k < 6 && site != 9; k++) {
            top_model_own(&bed.model, site, 10, 24);
            add_own_packets(&bed, site, 10, 24);
        }
    }
    take_round(&bed, 2);
    const struct top_view view = {
        .model = &bed.model, .name = "up:grid-4x4", .clock_hz = 52100, .link_clocks = 1, .live = true, .selected = 10};
    page_begin(&page, 80, 24);
    top_draw(&view, &page);
    for (int y = 0; y < page.height; y++) {
        int width = page.width;
        while (width && page.letters[y * page.width + width - 1] == ' ')
            width--;
        length += (size_t)snprintf(screen + length, sizeof screen - length, "%.*s\n", width,
                                   page.letters + y * page.width);
    }
    page_end(&page);
    FILE *file = fopen("host-tools/README.md", "r");
    CHECK(file);
    manual[fread(manual, 1, sizeof manual - 1, file)] = 0;
    fclose(file);
    check(strstr(manual, screen), "host-tools/README.md does not have the screen of today:\n%s", screen);
    end(&bed);
}

int main(void)
{
    RUN(test_rates);
    RUN(test_wrap_and_restart);
    RUN(test_zero_interval);
    RUN(test_silent);
    RUN(test_own_share);
    RUN(test_doubt);
    RUN(test_learned_share);
    RUN(test_one_site);
    RUN(test_order);
    RUN(test_trips);
    RUN(test_keys);
    RUN(test_heading);
    RUN(test_sizes);
    RUN(test_numbers);
    RUN(test_manual);
    return verdict("test_top_model");
}
