/* postroad stats: the counters of every site and of every link, the worst first. Reading them costs packets itself.
 */
#include "gateway.h"
#include "protocol.h"
#include "report.h"
#include "sites.h"
#include "sweep.h"
#include "verbs.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    COUNTERS = COUNTER_ANSWERS_LOST + 1,
    PORTS_MAX = COUNTER_STALLS - COUNTER_WORDS_OUT,
    WINDOW = 8,
    WORST_LINKS = 20,
    RELIEF_BUFFERS = 1, /* so few free: the operator asks its router for relief (firmware/operator/operator.c) */
};

struct row {
    uint32_t counters[COUNTERS];
    unsigned chunks; /* that have been answered */
};

struct link_row {
    int site, port;
    uint32_t words, stalls, drops;
};

struct chunk {
    unsigned first, count;
};

struct stats {
    const struct gateway *gateway;
    struct site_set set; /* the sites that are asked */
    unsigned ports;
    struct chunk chunks[COUNTERS]; /* what is asked for at once */
    size_t chunk_count;
    struct row *rows, *before; /* by site; before: the last table, NULL in the first */
};

struct column {
    const char *title;
    unsigned index;
};

/* Columns of the tables of sites: what every mesh has, and what delivery end to end adds. */
static const struct column columns[] = {
    {"sent", COUNTER_SENT_PACKETS},
    {"received", COUNTER_RECEIVED_PACKETS},
    {"delivered", COUNTER_DELIVERED},
    {"aborts", COUNTER_ABORTS},
    {"resent", COUNTER_RESENT},
    {"fallback", COUNTER_UNICAST_FALLBACKS},
    {"diverted", COUNTER_DIVERSIONS},
    {"forwarded", COUNTER_FORWARDED},
    {"discarded", COUNTER_DISCARDED},
    {"rx waits", COUNTER_RECEIVE_WAITS},
    {"tx waits", COUNTER_SENT_WAITS},
    {"free", COUNTER_FREE_BUFFERS},
    {"fewest", COUNTER_FEWEST_FREE_BUFFERS},
};

static const struct column reliable_columns[] = {
    {"time-outs", COUNTER_TIME_OUTS},
    {"dups", COUNTER_DUPLICATES},
    {"acks", COUNTER_ACKNOWLEDGEMENTS},
    {"carried", COUNTER_ACKNOWLEDGEMENTS_CARRIED},
    {"no buffer", COUNTER_RECEIVED_DISCARDED},
    {"foreign", COUNTER_FOREIGN_DISCARDED},
    {"failed", COUNTER_TARGETS_FAILED},
    {"restarts", COUNTER_PEERS_RESTARTED},
    {"win full", COUNTER_WINDOW_FULL},
    {"no answer", COUNTER_ANSWERS_LOST},
};

static bool is_level(unsigned index)
{
    return index == COUNTER_FREE_BUFFERS || index == COUNTER_FEWEST_FREE_BUFFERS;
}

/* Counters are asked for in ranges; count 0: one for each port. */
static const struct chunk ranges[] = {
    {0, COUNTER_RECEIVED_DISCARDED + 1},
    {COUNTER_WORDS_OUT, 0},
    {COUNTER_STALLS, 0},
    {COUNTER_DROPS, 0},
    {COUNTER_DELIVERED, COUNTER_ACKNOWLEDGEMENTS - COUNTER_DELIVERED},
    {COUNTER_ACKNOWLEDGEMENTS, COUNTERS - COUNTER_ACKNOWLEDGEMENTS},
};

/* An answer has to fit a packet of the mesh. */
static void make_chunks(struct stats *stats)
{
    unsigned fit = service_values_fit(stats->gateway->identity.max_packet);
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++) {
        unsigned end = ranges[r].first + (ranges[r].count ? ranges[r].count : stats->ports);
        for (unsigned first = ranges[r].first; first < end; first += fit)
            stats->chunks[stats->chunk_count++] = (struct chunk){first, end - first < fit ? end - first : fit};
    }
}

/* The requests under way at any time go to as many sites: one may have no more than a buffer for them. */
static void request(void *context, size_t index, struct frame *out)
{
    const struct stats *stats = context;
    const struct chunk *chunk = &stats->chunks[index / stats->set.count];
    message_counters(out, stats->set.sites[index % stats->set.count], chunk->first, chunk->count);
}

static bool answer(void *context, size_t index, const struct frame *frame)
{
    struct stats *stats = context;
    struct message_counters counters;
    size_t site = stats->set.sites[index % stats->set.count];
    const struct chunk *chunk = &stats->chunks[index / stats->set.count];
    struct row *row = &stats->rows[site];
    if (!message_read_counters(frame, &counters) || counters.site != site || counters.first != chunk->first ||
        counters.count != chunk->count)
        return false;
    memcpy(row->counters + counters.first, counters.values, counters.count * sizeof *counters.values);
    row->chunks++;
    return true;
}

static bool complete(const struct stats *stats, const struct row *row)
{
    return row->chunks == stats->chunk_count;
}

/* Counted since the last table; counters wrap, so the difference is right all the same. */
static uint32_t value(const struct stats *stats, size_t site, unsigned index)
{
    uint32_t now = stats->rows[site].counters[index];
    bool since = stats->before && complete(stats, &stats->before[site]) && !is_level(index);
    return since ? now - stats->before[site].counters[index] : now;
}

static uint64_t port_sum(const struct stats *stats, size_t site, unsigned first)
{
    uint64_t sum = 0;
    for (unsigned port = 0; port < stats->ports && port < PORTS_MAX; port++)
        sum += value(stats, site, first + port);
    return sum;
}

/* What makes a site or a link worse than another: lost words, then waiting, then work done again. */
static uint64_t site_badness(const struct stats *stats, size_t site)
{
    return (port_sum(stats, site, COUNTER_DROPS) << 32) + port_sum(stats, site, COUNTER_STALLS) +
           value(stats, site, COUNTER_RECEIVE_WAITS) + value(stats, site, COUNTER_ABORTS) +
           value(stats, site, COUNTER_RESENT) + value(stats, site, COUNTER_TIME_OUTS) +
           ((uint64_t)value(stats, site, COUNTER_TARGETS_FAILED) << 32);
}

struct rank {
    uint64_t badness, tie;
    size_t index;
};

static int compare_ranks(const void *a, const void *b)
{
    const struct rank *one = a, *other = b;
    if (one->badness != other->badness)
        return one->badness < other->badness ? 1 : -1;
    if (one->tie != other->tie)
        return one->tie < other->tie ? 1 : -1;
    return one->index < other->index ? -1 : one->index > other->index;
}

static struct rank *rank_sites(const struct stats *stats)
{
    struct rank *ranks = calloc(stats->set.count, sizeof *ranks);
    if (!ranks)
        abort();
    for (size_t i = 0; i < stats->set.count; i++) {
        size_t site = stats->set.sites[i];
        ranks[i] = (struct rank){site_badness(stats, site), value(stats, site, COUNTER_SENT_PACKETS), site};
    }
    qsort(ranks, stats->set.count, sizeof *ranks, compare_ranks);
    return ranks;
}

/* Every connected port of every site that answered; port 0 is the site's own. */
static struct link_row *list_links(const struct stats *stats, size_t *count)
{
    struct link_row *links = calloc(stats->set.count * stats->ports, sizeof *links);
    if (!links)
        abort();
    *count = 0;
    for (size_t i = 0; i < stats->set.count; i++) {
        size_t site = stats->set.sites[i];
        for (unsigned port = 0; complete(stats, &stats->rows[site]) && port < stats->ports && port < PORTS_MAX; port++)
            if (port == 0 || mesh_neighbour(&stats->gateway->mesh, (int)site, (int)port - 1) >= 0)
                links[(*count)++] = (struct link_row){
                    (int)site, (int)port, value(stats, site, COUNTER_WORDS_OUT + port),
                    value(stats, site, COUNTER_STALLS + port), value(stats, site, COUNTER_DROPS + port)};
    }
    return links;
}

static int compare_links(const void *a, const void *b)
{
    const struct link_row *one = a, *other = b;
    if (one->drops != other->drops)
        return one->drops < other->drops ? 1 : -1;
    if (one->stalls != other->stalls)
        return one->stalls < other->stalls ? 1 : -1;
    if (one->words != other->words)
        return one->words < other->words ? 1 : -1;
    return one->site != other->site ? one->site - other->site : one->port - other->port;
}

static void print_sites(const struct stats *stats, const struct column *shown, size_t count)
{
    struct rank *ranks = rank_sites(stats);
    printf("%5s", "site");
    for (size_t c = 0; c < count; c++)
        printf(" %9s", shown[c].title);
    putchar('\n');
    for (size_t i = 0; i < stats->set.count; i++) {
        size_t site = ranks[i].index;
        printf("%5zu", site);
        for (size_t c = 0; c < count && complete(stats, &stats->rows[site]); c++)
            printf(" %9u", (unsigned)value(stats, site, shown[c].index));
        puts(complete(stats, &stats->rows[site]) ? "" : "    silent");
    }
    free(ranks);
}

/* So few were free at times that nothing more could be kept, or packets were discarded for that reason. */
static bool short_of_buffers(const struct stats *stats, size_t site)
{
    return complete(stats, &stats->rows[site]) &&
           (value(stats, site, COUNTER_FEWEST_FREE_BUFFERS) <= OPERATOR_RECEIVE_RESERVE ||
            value(stats, site, COUNTER_RECEIVED_DISCARDED) || value(stats, site, COUNTER_FOREIGN_DISCARDED));
}

static void print_short_sites(const struct stats *stats)
{
    struct rank *ranks = rank_sites(stats);
    for (size_t i = 0; i < stats->set.count; i++) {
        size_t site = ranks[i].index;
        if (!short_of_buffers(stats, site))
            continue;
        unsigned fewest = value(stats, site, COUNTER_FEWEST_FREE_BUFFERS);
        printf("site %zu is short of buffers: at the least %u of them were free%s", site, fewest,
               stats->gateway->identity.reliable && fewest <= RELIEF_BUFFERS ? ", and it asked its router for relief" : "");
        if (value(stats, site, COUNTER_FOREIGN_DISCARDED))
            printf("; it discarded %u packets of other sites",
                   (unsigned)value(stats, site, COUNTER_FOREIGN_DISCARDED));
        if (value(stats, site, COUNTER_RECEIVED_DISCARDED))
            printf("; its network_interface discarded %u packets that it had nowhere to put",
                   (unsigned)value(stats, site, COUNTER_RECEIVED_DISCARDED));
        putchar('\n');
    }
    free(ranks);
}

/* What was given up, and by whom. */
static void print_failures(const struct stats *stats)
{
    for (size_t i = 0; i < stats->set.count; i++) {
        size_t site = stats->set.sites[i];
        if (complete(stats, &stats->rows[site]) && value(stats, site, COUNTER_TARGETS_FAILED))
            printf("site %zu has given up %u target%s of its packets\n", site,
                   (unsigned)value(stats, site, COUNTER_TARGETS_FAILED),
                   value(stats, site, COUNTER_TARGETS_FAILED) == 1 ? "" : "s");
    }
}

static void print_links(const struct stats *stats)
{
    size_t count, shown;
    struct link_row *links = list_links(stats, &count);
    const struct mesh_config *mesh = &stats->gateway->mesh;
    qsort(links, count, sizeof *links, compare_links);
    shown = stats->gateway->options->full || count < WORST_LINKS ? count : WORST_LINKS;
    printf("\n%5s %-12s %5s %12s %12s %12s %9s\n", "site", "output", "to", "words", "stalls", "stalls/word",
           "drops in");
    for (size_t i = 0; i < shown; i++) {
        const struct link_row *link = &links[i];
        printf("%5d %-12s ", link->site, link->port ? mesh_link_name(mesh, link->port - 1) : "local");
        if (link->port)
            printf("%5d", mesh_neighbour(mesh, link->site, link->port - 1));
        else
            printf("%5s", "-");
        printf(" %12u %12u %12.3f %9u\n", (unsigned)link->words, (unsigned)link->stalls,
               link->words ? (double)link->stalls / link->words : 0, (unsigned)link->drops);
    }
    if (shown < count)
        printf("%zu links with fewer drops and stalls are not shown (--full shows all)\n", count - shown);
    free(links);
}

static void add_counters(cJSON *object, const struct stats *stats, size_t site)
{
    static const struct {
        unsigned first, count;
        const char *name;
    } names[] = {
#define COUNTER_NAME(first, count, name) {first, count, name},
        COUNTER_LIST(COUNTER_NAME)
#undef COUNTER_NAME
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].count == 1)
            cJSON_AddNumberToObject(object, names[i].name, value(stats, site, names[i].first));
}

static void add_sites(cJSON *list, const struct stats *stats)
{
    struct rank *ranks = rank_sites(stats);
    for (size_t i = 0; i < stats->set.count; i++) {
        cJSON *one = cJSON_CreateObject();
        bool answers = complete(stats, &stats->rows[ranks[i].index]);
        cJSON_AddNumberToObject(one, "site", (double)ranks[i].index);
        cJSON_AddBoolToObject(one, "answers", answers);
        if (answers) {
            cJSON_AddBoolToObject(one, "short_of_buffers", short_of_buffers(stats, ranks[i].index));
            add_counters(one, stats, ranks[i].index);
        }
        cJSON_AddItemToArray(list, one);
    }
    free(ranks);
}

static void add_links(cJSON *list, const struct stats *stats)
{
    size_t count;
    struct link_row *links = list_links(stats, &count);
    const struct mesh_config *mesh = &stats->gateway->mesh;
    qsort(links, count, sizeof *links, compare_links);
    for (size_t i = 0; i < count; i++) {
        cJSON *one = cJSON_CreateObject();
        cJSON_AddNumberToObject(one, "site", links[i].site);
        cJSON_AddStringToObject(one, "output", links[i].port ? mesh_link_name(mesh, links[i].port - 1) : "local");
        if (links[i].port)
            cJSON_AddNumberToObject(one, "to", mesh_neighbour(mesh, links[i].site, links[i].port - 1));
        cJSON_AddNumberToObject(one, "words", links[i].words);
        cJSON_AddNumberToObject(one, "stalls", links[i].stalls);
        cJSON_AddNumberToObject(one, "drops", links[i].drops);
        cJSON_AddItemToArray(list, one);
    }
    free(links);
}

static void print_json(const struct stats *stats)
{
    cJSON *object = report_object("stats");
    cJSON_AddBoolToObject(object, "since_last", stats->before != NULL);
    cJSON_AddBoolToObject(object, "reliable", stats->gateway->identity.reliable != 0);
    add_sites(cJSON_AddArrayToObject(object, "sites"), stats);
    add_links(cJSON_AddArrayToObject(object, "links"), stats);
    report_print(object, stats->gateway->options->watch >= 0);
}

static void print_tables(const struct stats *stats)
{
    if (stats->gateway->options->json) {
        print_json(stats);
        return;
    }
    if (stats->before)
        printf("\nsince the last table:\n");
    print_sites(stats, columns, sizeof columns / sizeof *columns);
    if (stats->gateway->identity.reliable) {
        putchar('\n');
        print_sites(stats, reliable_columns, sizeof reliable_columns / sizeof *reliable_columns);
    }
    print_links(stats);
    putchar('\n');
    print_short_sites(stats);
    print_failures(stats);
    fflush(stdout);
}

static int take_table(struct gateway *gateway, struct stats *stats)
{
    struct sweep sweep = {.label = "stats",
                          .count = stats->set.count * stats->chunk_count,
                          .window = WINDOW,
                          .context = stats,
                          .request = request,
                          .answer = answer};
    memset(stats->rows, 0, (size_t)stats->gateway->mesh.sites * sizeof *stats->rows);
    int status = sweep_run(gateway, &sweep);
    if (status != EXIT_OK)
        return status;
    print_tables(stats);
    if (sweep.refused)
        report_error("stats", "%zu requests refused: %s", sweep.refused, message_status_text(sweep.refusal));
    return sweep_exit_code(&sweep);
}

/* Until a signal, a lost connection, or standard output that nobody reads any more. */
static int watch(struct gateway *gateway, struct stats *stats, struct row *other)
{
    int status;
    do {
        double end = client_now() + gateway->options->watch;
        struct row *last = stats->rows;
        status = CLIENT_OK;
        while (status == CLIENT_OK && client_now() < end)
            status = client_poll(&gateway->client, 1, end - client_now());
        if (status != CLIENT_OK)
            return gateway_failed(gateway, status);
        stats->rows = other;
        stats->before = other = last;
        status = take_table(gateway, stats);
    } while (status == EXIT_OK || status == EXIT_PARTIAL);
    return status;
}

static int show(struct gateway *gateway, struct stats *stats)
{
    size_t sites = (size_t)gateway->mesh.sites;
    struct row *rows = calloc(2 * sites, sizeof *rows);
    if (!rows)
        abort();
    stats->rows = rows;
    make_chunks(stats);
    int status = take_table(gateway, stats);
    if (gateway->options->watch >= 0 && (status == EXIT_OK || status == EXIT_PARTIAL))
        status = watch(gateway, stats, rows + sites);
    free(rows);
    return status;
}

int verb_stats(const struct options *options)
{
    struct gateway gateway;
    const char *text = options->operand_count ? options->operands[0] : "all";
    int status = gateway_open(&gateway, options);
    if (status != EXIT_OK)
        return status;
    struct stats stats = {.gateway = &gateway, .ports = (unsigned)gateway.mesh.links + 1};
    status = EXIT_USAGE;
    if (site_set_parse("stats", "SITES", text, (unsigned)gateway.mesh.sites, &stats.set)) {
        status = show(&gateway, &stats);
        site_set_free(&stats.set);
    }
    gateway_close(&gateway);
    return status;
}
