/* postroad links: the state of each cable, the worst first, and how many bits are wrong.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/link_counts.h"
#include "cli/report.h"
#include "cli/table.h"
#include "postroad/verbs.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    FRAME_BITS = 33,
    PLACE_BITS = 36, /* a word's time on a link, in bits; a status frame has two */
    PLACES = 2,
    TEXT = 48
};

static const double interval = 1;      /* seconds between two readings: no count wraps meanwhile, but words sent */
static const double confidence = 0.05; /* of the bound: so often the truth is above it */

struct links_options {
    struct options common;
    double seconds;
};

/* A link of the mesh, as its receiver sees it. */
struct one_link {
    unsigned site, link, neighbour;
    bool answered;
    struct link_counts counts;
    unsigned long damaged; /* during the test, else since power-on modulo 65536 */
};

struct links {
    struct gateway *gateway;
    const struct links_options *options;
    struct site_set set;
    struct link_rows *rows;
    struct one_link *links;
    size_t count;
    double tested; /* seconds */
};

static double bits_a_second(const struct pr_site_identity *identity)
{
    return identity->link_clocks ? (double)identity->clock_hz * PLACE_BITS / identity->link_clocks : 0;
}

/* Bits that were looked at on one link: those of status frames at least, if nothing else was sent. */
static double tested_bits(const struct links *links)
{
    return links->tested * bits_a_second(&links->gateway->identity) * FRAME_BITS / (PLACES * PLACE_BITS);
}

/* The mean of a Poisson process of which so few events or fewer are seen with the probability `confidence`. */
static double poisson_bound(unsigned long events)
{
    double low = (double)events, high = (double)events + 10 + 6 * sqrt((double)events + 1);
    while (high - low > 1e-6 * high) {
        double middle = (low + high) / 2, term = exp(-middle), sum = term;
        for (unsigned long k = 1; k <= events; k++)
            sum += term *= middle / (double)k;
        if (sum > confidence && term > 0)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static void find_links(struct links *links)
{
    const struct mesh_config *mesh = &links->gateway->mesh;
    links->links = calloc(links->set.count * LINK_COUNTS_LINKS + 1, sizeof *links->links);
    links->rows = calloc((size_t)mesh->sites + 1, sizeof *links->rows);
    if (!links->links || !links->rows)
        abort();
    for (size_t i = 0; i < links->set.count; i++)
        for (unsigned link = 0; link < LINK_COUNTS_LINKS && link < (unsigned)mesh->links; link++) {
            int neighbour = pr_site_geometry_neighbour(&links->gateway->identity.geometry, links->set.sites[i], link);
            if (neighbour >= 0)
                links->links[links->count++] = (struct one_link){
                    .site = links->set.sites[i], .link = link, .neighbour = (unsigned)neighbour};
        }
}

/* Adds what was damaged since the reading before. */
static int read_counts(struct links *links, bool first)
{
    int status = link_rows_read(links->gateway, &links->set, LINK_ROWS_ALL, links->rows);
    if (status != EXIT_OK && status != EXIT_PARTIAL)
        return status;
    for (size_t i = 0; i < links->count; i++) {
        struct one_link *one = &links->links[i];
        uint16_t before = one->counts.damaged;
        link_counts_of(&links->rows[one->site], one->link, &one->counts);
        one->answered = links->rows[one->site].answered;
        if (one->answered && !first)
            one->damaged += (uint16_t)(one->counts.damaged - before);
        else if (one->answered && links->options->seconds <= 0)
            one->damaged = one->counts.damaged;
    }
    return status;
}

static int wait_until(struct links *links, double end)
{
    int status = PR_CLIENT_OK;
    while (status == PR_CLIENT_OK && pr_client_now() < end)
        status = pr_client_poll(&links->gateway->client, 1, end - pr_client_now());
    return status == PR_CLIENT_OK ? EXIT_OK : gateway_failed(links->gateway, status);
}

static int test(struct links *links)
{
    double began = pr_client_now(), end = began + links->options->seconds, next = began;
    int status = EXIT_OK;
    while (status == EXIT_OK && pr_client_now() < end) {
        next = next + interval < end ? next + interval : end;
        status = wait_until(links, next);
        if (status == EXIT_OK)
            status = read_counts(links, false);
    }
    links->tested = pr_client_now() - began;
    return status;
}

static bool is_up(const struct one_link *one)
{
    return one->answered && one->counts.up;
}

static bool is_good(const struct one_link *one)
{
    return is_up(one) && one->counts.far_site == one->neighbour;
}

/* Down or to a wrong board first, then by damaged frames. */
static int compare(const void *left, const void *right)
{
    const struct one_link *a = left, *b = right;
    if (is_good(a) != is_good(b))
        return is_good(a) - is_good(b);
    if (a->damaged != b->damaged)
        return a->damaged < b->damaged ? 1 : -1;
    return a->site != b->site ? (int)a->site - (int)b->site : (int)a->link - (int)b->link;
}

static const char *state_of(const struct links *links, const struct one_link *one, char text[TEXT])
{
    if (!one->answered)
        return "no answer";
    if (!one->counts.there)
        return "no cable: inside of a chip";
    if (is_good(one))
        return "up";
    if (one->counts.up)
        snprintf(text, TEXT, "up, leads to site %u", one->counts.far_site);
    else if (!one->counts.alive && one->counts.far_link == one->link)
        snprintf(text, TEXT, "down, leads to a link %s", mesh_link_name(&links->gateway->mesh, (int)one->link));
    else
        snprintf(text, TEXT, "down, %s", one->counts.alive ? "not heard at its far end" : "nothing is heard");
    return text;
}

static double worst_rate(const struct links *links, const struct one_link *one)
{
    return poisson_bound(one->damaged) / tested_bits(links);
}

static void print_table(const struct links *links)
{
    enum { SITE, LINK, TO, STATE, DAMAGED, RATE, TRAINED };
    static const struct table_column columns[] = {
        {.title = "site"},
        {.title = "link", .left = true},
        {.title = "to"},
        {.title = "state", .left = true},
        {.title = "damaged"},
        {.title = "bit errors", .rank = 1, .if_not_zero = true},
        {.title = "trained", .rank = 2},
    };
    struct table table;
    table_begin(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < links->count; i++) {
        const struct one_link *one = &links->links[i];
        char text[TEXT];
        table_row(&table, !is_good(one) ? STYLE_BAD : one->damaged ? STYLE_DOUBTFUL : STYLE_PLAIN);
        table_cell(&table, SITE, "%u", one->site);
        table_cell(&table, LINK, "%s", mesh_link_name(&links->gateway->mesh, (int)one->link));
        table_cell(&table, TO, "%u", one->neighbour);
        table_cell(&table, STATE, "%s", state_of(links, one, text));
        if (one->answered)
            table_cell(&table, DAMAGED, "%lu", one->damaged);
        if (is_up(one) && tested_bits(links) > 0)
            table_cell(&table, RATE, "< %.1e", worst_rate(links, one));
        if (one->answered)
            table_cell(&table, TRAINED, "%u", one->counts.trained);
    }
    table_print(&table, stdout, links->count, terminal_width(STDOUT_FILENO));
    table_end(&table);
}

static void print_json(const struct links *links)
{
    cJSON *object = report_object("links"), *list = cJSON_AddArrayToObject(object, "links");
    cJSON_AddNumberToObject(object, "bits_per_second", bits_a_second(&links->gateway->identity));
    cJSON_AddNumberToObject(object, "tested_seconds", links->tested);
    for (size_t i = 0; i < links->count; i++) {
        const struct one_link *one = &links->links[i];
        char text[TEXT];
        cJSON *entry = cJSON_CreateObject();
        cJSON_AddItemToArray(list, entry);
        cJSON_AddNumberToObject(entry, "site", one->site);
        cJSON_AddStringToObject(entry, "link", mesh_link_name(&links->gateway->mesh, (int)one->link));
        cJSON_AddNumberToObject(entry, "to", one->neighbour);
        cJSON_AddBoolToObject(entry, "up", is_up(one));
        cJSON_AddStringToObject(entry, "state", state_of(links, one, text));
        if (!one->answered)
            continue;
        cJSON_AddNumberToObject(entry, "damaged_frames", (double)one->damaged);
        cJSON_AddNumberToObject(entry, "trained", one->counts.trained);
        cJSON_AddNumberToObject(entry, "words_out_modulo_65536", one->counts.words_out);
        if (is_up(one) && tested_bits(links) > 0)
            cJSON_AddNumberToObject(entry, "bit_error_rate_below", worst_rate(links, one));
    }
    report_print(object, false);
}

/* EXIT_MISMATCH: a link is down, or leads to a wrong board. */
static int show(struct links *links, int status)
{
    bool bad = false;
    qsort(links->links, links->count, sizeof *links->links, compare);
    if (links->options->common.json)
        print_json(links);
    else
        print_table(links);
    for (size_t i = 0; i < links->count; i++)
        bad |= links->links[i].answered && links->links[i].counts.there && !is_good(&links->links[i]);
    return status == EXIT_OK && bad ? EXIT_MISMATCH : status;
}

static int run(const struct options *options)
{
    struct gateway gateway;
    struct links links = {.gateway = &gateway, .options = (const struct links_options *)(const void *)options};
    const char *text = options->operand_count ? options->operands[0] : "all";
    int status = gateway_open(&gateway, options);
    if (status != EXIT_OK)
        return status;
    if (!site_set_parse("links", "SITES", text, (unsigned)gateway.mesh.sites, &links.set)) {
        gateway_close(&gateway);
        return EXIT_USAGE;
    }
    find_links(&links);
    status = read_counts(&links, true);
    if (status == EXIT_OK && links.options->seconds > 0)
        status = test(&links);
    if (status == EXIT_OK || status == EXIT_PARTIAL)
        status = show(&links, status);
    free(links.links);
    free(links.rows);
    site_set_free(&links.set);
    gateway_close(&gateway);
    return status;
}

static const struct option_row rows[] = {
    {.name = "test",
     .kind = OPTION_SECONDS,
     .argument = "SECONDS",
     OPTION_FIELD(struct links_options, seconds),
     .help = "counts damaged frames for so long, on all links at once, and bounds the rate of bit errors",
     .manual =
         "Counts damaged frames for so many seconds, on all links at once, and prints a bound for the rate of bit "
         "errors of each: the truth is below it with a confidence of 95 %, if bit errors come one by one. Without "
         "a damaged frame the bound is 3 / n for n bits. Frames of idle links count too: every link sends them "
         "all the time."},
    {.name = NULL},
};

static const char manual[] =
    "Prints the links between boards, as the boards at their ends receive them, those that are down and those with the "
    "most damaged frames first. A damaged frame is detected by its check byte, ends its packet, and is counted since "
    "power-on, modulo 65536. `trained` is how often the link has come up. The exit code is 3 if a link of the mesh is "
    "down, or leads to a board that is not its neighbour in the mesh. Links inside of an FPGA and those of a simulated "
    "mesh have no frames.";

static const struct json_key keys[] = {
    {"bits_per_second", "bits/s", "rate of the links' bits"},
    {"tested_seconds", "seconds", "`--test`: how long frames were counted"},
    {"links[].site", "site", "the board that receives"},
    {"links[].link", "text", "its link"},
    {"links[].to", "site", "the neighbour in the mesh"},
    {"links[].up", "true or false", "trained in both directions"},
    {"links[].state", "text", "in words"},
    {"links[].damaged_frames", "number", "since power-on, or during `--test`"},
    {"links[].trained", "number", "how often the link came up"},
    {"links[].words_out_modulo_65536", "words", "sent"},
    {"links[].bit_error_rate_below", "number", "`--test`: bound with a confidence of 95 %"},
    {NULL, NULL, NULL},
};

static const struct links_options defaults = {.seconds = 0};

const struct verb verb_links = {
    .name = "links",
    .operands = "[SITES]",
    .summary = "Links between boards, the worst first, and how many bits are wrong.",
    .manual = manual,
    .operands_max = 1,
    .operand_words = {"all"},
    .common = COMMON_ASK,
    .rows = rows,
    .keys = keys,
    .size = sizeof(struct links_options),
    .defaults = &defaults,
    .run = run,
};
