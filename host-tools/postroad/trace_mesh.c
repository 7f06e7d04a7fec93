/* postroad trace in a simulated mesh: sends a packet and shows its way, link by link, with the clocks in which it
 * passed. The daemon of a simulated mesh sees the words on the links (simulation/packet_tap.h), and finds the packet's
 * by what the packet says.
 *
 *   daemon          node SITE              node TARGET
 *     | <- tap           |                      | <- listen
 *     |                  | <- send              |
 *     |                  | -> sequence          | -> delivered: stamps of its network_interface
 *     | <- passages      |                      |
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/gateway.h"
#include "cli/group_orders.h"
#include "cli/report.h"
#include "cli/table.h"
#include "daemon/daemon_requests.h"
#include "libpostroad/run_directory.h"
#include "mesh/topology_view.h"
#include "postroad/trace.h"
#include "support/or_abort.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Seconds for which passages are asked for anew: the last one may end after the packet has been delivered. */
static const double answer_time = 5;

/* A link that the packet has passed. */
struct hop {
    unsigned site, link, tag, epoch;
    int to;
    unsigned long long head, terminator;
    unsigned long words;
    unsigned try; /* 1: first sent */
    bool stored;  /* all of it had come in before it left */
};

struct arrival {
    unsigned sequence;
    uint32_t first, last; /* stamps */
};

struct tracing {
    struct gateway *gateway;
    const struct trace_options *options;
    unsigned from, to;
    struct pr_client *clients[2]; /* of the source and the target */
    unsigned sequence;
    bool listens, accepted, delivered;
    int status; /* of SEND */
    struct arrival *arrivals;
    size_t arrival_count;
    struct arrival arrival;
    struct hop hops[DAEMON_REQUESTS_PASSAGES];
    size_t hop_count;
};

static bool sends_to_group(const struct tracing *tracing)
{
    return tracing->options->group != TRACE_NO_GROUP;
}

static void note_arrival(void *context, const struct pr_frame *frame)
{
    static struct pr_message_delivery delivery; /* large */
    struct tracing *tracing = context;
    struct pr_group_delivery group;
    if (frame->type != PR_CONSOLE_DELIVERED || !pr_message_read_delivery(frame, &delivery) ||
        delivery.source != tracing->from)
        return;
    if (sends_to_group(tracing) &&
        (!pr_group_read_delivery(&delivery, &group) || group.group != tracing->options->group))
        return;
    tracing->arrivals = or_abort(realloc(tracing->arrivals, (tracing->arrival_count + 1) * sizeof *tracing->arrivals));
    tracing->arrivals[tracing->arrival_count++] = (struct arrival){delivery.sequence, delivery.stamp_first,
                                                                   delivery.stamp_last};
}

static void note_listening(void *context, const struct pr_frame *answer)
{
    struct tracing *tracing = context;
    tracing->listens = answer && pr_message_status(answer) == PR_CONSOLE_OK;
}

static void note_sent(void *context, const struct pr_frame *answer)
{
    struct tracing *tracing = context;
    uint32_t clock;
    tracing->status = answer ? pr_message_status(answer) : -1;
    tracing->accepted = answer && pr_message_read_send(answer, &tracing->sequence, &clock);
}

/* Sends a request through one of the clients and waits for its answer. */
static int ask(struct tracing *tracing, unsigned client, struct pr_frame *request, pr_client_answer *function)
{
    struct gateway one = *tracing->gateway;
    one.client = tracing->clients[client];
    int status = pr_client_request(one.client, request, one.timeout, function, tracing);
    while (status == PR_CLIENT_OK && pr_client_outstanding(one.client))
        status = pr_client_poll(tracing->clients, 2, -1);
    return status == PR_CLIENT_OK ? EXIT_OK : gateway_failed(&one, status);
}

/* EXIT_OK, with the answer in `text`, or what the daemon has refused it with. */
static int ask_daemon(const struct tracing *tracing, const char *request, char *text, size_t size)
{
    int status = daemon_requests_ask(tracing->gateway->endpoint.path, request, answer_time, text, size);
    if (status != EXIT_OK)
        report_error("trace", "%s", text);
    return status;
}

static int start_tap(const struct tracing *tracing)
{
    char request[32], text[DAEMON_REQUESTS_MESSAGE_MAX];
    snprintf(request, sizeof request, "tap\n%u", tracing->from);
    return ask_daemon(tracing, request, text, sizeof text);
}

static int start_listening(struct tracing *tracing)
{
    struct pr_frame request;
    pr_client_on_event(tracing->clients[1], note_arrival, tracing);
    pr_message_listen(&request, PR_CONSOLE_LISTEN_DELIVERED);
    int status = ask(tracing, 1, &request, note_listening);
    if (status == EXIT_OK && !tracing->listens) {
        report_error("trace", "site %u does not answer", tracing->to);
        status = EXIT_TIMEOUT;
    }
    return status;
}

/* A member, until its group has room for the packet. */
static int send_to_group(struct tracing *tracing)
{
    static const uint32_t data[PR_MESSAGE_WORDS_MAX];
    const struct pr_group_order order = {.what = PR_GROUP_ORDER_SEND,
                                         .group = (uint8_t)tracing->options->group,
                                         .handler = (uint8_t)tracing->options->handler,
                                         .data = data,
                                         .words = (unsigned)tracing->options->words};
    struct pr_group_client client;
    struct pr_group_answer answer;
    int status = group_orders_start(tracing->gateway, &client, tracing->clients[0], NULL, NULL);
    if (status == EXIT_OK)
        status = group_orders_send(tracing->gateway, &client, tracing->from, &order, &answer);
    if (status == EXIT_OK)
        tracing->sequence = answer.number;
    return status;
}

/* Until the node accepts the packet: its window or its pool may be full. */
static int send_packet(struct tracing *tracing)
{
    uint32_t data[PR_MESSAGE_WORDS_MAX] = {0};
    const uint16_t site = (uint16_t)tracing->to;
    const struct pr_message_send packet = {.handler = (unsigned)tracing->options->handler,
                                           .targets = 1,
                                           .sites = &site,
                                           .data_words = (unsigned)tracing->options->words,
                                           .data = data};
    double end = pr_client_now() + tracing->gateway->timeout;
    int status;
    do {
        struct pr_frame request;
        pr_message_send(&request, &packet);
        status = ask(tracing, 0, &request, note_sent);
    } while (status == EXIT_OK && pr_client_now() < end &&
             (tracing->status == PR_CONSOLE_WINDOW_FULL || tracing->status == PR_CONSOLE_NO_BUFFER));
    if (status != EXIT_OK || tracing->accepted)
        return status;
    if (tracing->status < 0)
        report_error("trace", "site %u does not answer", tracing->from);
    else
        report_error("trace", "site %u refuses the packet: %s", tracing->from, pr_message_status_text(tracing->status));
    return tracing->status < 0 ? EXIT_TIMEOUT : EXIT_USAGE;
}

static bool find_arrival(struct tracing *tracing)
{
    for (size_t i = 0; i < tracing->arrival_count; i++)
        if (tracing->arrivals[i].sequence == tracing->sequence) {
            tracing->arrival = tracing->arrivals[i];
            return true;
        }
    return false;
}

static int await_delivery(struct tracing *tracing)
{
    double end = pr_client_now() + tracing->gateway->timeout;
    while (!(tracing->delivered = find_arrival(tracing)) && pr_client_now() < end) {
        int status = pr_client_poll(tracing->clients, 2, end - pr_client_now());
        if (status != PR_CLIENT_OK)
            return gateway_failed(tracing->gateway, status);
    }
    return EXIT_OK;
}

/* The hop over which the packet had come to a site last, before a clock; NULL: none. */
static const struct hop *hop_into(const struct tracing *tracing, unsigned site, unsigned long long before)
{
    const struct hop *found = NULL;
    for (size_t i = 0; i < tracing->hop_count; i++)
        if (tracing->hops[i].to == (int)site && tracing->hops[i].head < before)
            found = &tracing->hops[i];
    return found;
}

/* The clock in which the site behind a link has had all of it: that in which it left, but for a cable with a delay. */
static uint64_t came_in(const struct tracing *tracing, const struct hop *hop)
{
    return hop->terminator + mesh_delay(&tracing->gateway->mesh, (int)hop->site, (int)hop->link) - 1;
}

/* Says of each hop, in the order of heads, of which try it is, and whether the site it left had stored the packet. */
static void judge_hops(struct tracing *tracing)
{
    unsigned tries = 0;
    for (size_t i = 0; i < tracing->hop_count; i++) {
        struct hop *hop = &tracing->hops[i];
        const struct hop *before = hop_into(tracing, hop->site, hop->head);
        if (hop->site == tracing->from && !before)
            tries++;
        else if (hop->site == tracing->from)
            tries += before->terminator < hop->head;
        hop->try = before && hop->site != tracing->from ? before->
        try : tries
            ;
        hop->stored = hop->site != tracing->from && before && came_in(tracing, before) < hop->head;
    }
}

static void parse_hops(struct tracing *tracing, char *text)
{
    char *line;
    tracing->hop_count = 0;
    while ((line = strtok(text, "\n")) && tracing->hop_count < DAEMON_REQUESTS_PASSAGES) {
        struct hop *hop = &tracing->hops[tracing->hop_count];
        text = NULL;
        if (sscanf(line, "%u %u %llu %llu %u %lu %u", &hop->site, &hop->link, &hop->head, &hop->terminator, &hop->tag,
                   &hop->words, &hop->epoch) == 7)
            tracing->hop_count++;
        hop->to = mesh_far_end(&tracing->gateway->mesh, (int)hop->site, (int)hop->link).site;
    }
    judge_hops(tracing);
}

static int read_hops(struct tracing *tracing)
{
    char request[64], text[DAEMON_REQUESTS_MESSAGE_MAX];
    int used = snprintf(request, sizeof request, "passages\n%u\n%u", tracing->from, tracing->sequence);
    if (sends_to_group(tracing))
        snprintf(request + used, sizeof request - (size_t)used, "\n%ld", tracing->options->group);
    int status = ask_daemon(tracing, request, text, sizeof text);
    if (status == EXIT_OK)
        parse_hops(tracing, text);
    return status;
}

static const struct table_column columns[] = {
    {"site", 0, false, false},  {"link", 0, false, true}, {"to", 0, false, false},
    {"head", 0, false, false},  {"end", 0, false, false}, {"clocks", 2, false, false},
    {"words", 3, false, false}, {"try", 1, false, false}, {"", 0, false, true},
};
enum { TRACE_SITE, TRACE_LINK, TRACE_TO, TRACE_HEAD, TRACE_END, TRACE_CLOCKS, TRACE_WORDS, TRACE_TRY, TRACE_REMARK };

static const char *remark(const struct hop *hop)
{
    if (hop->tag == PR_TAG_ABORT_PACKET)
        return "aborted";
    return hop->stored ? "stored here, sent on" : "";
}

static void add_row(struct table *table, const struct tracing *tracing, const struct hop *hop)
{
    const struct mesh_config *mesh = &tracing->gateway->mesh;
    table_row(table, hop->try > 1 || hop->stored || hop->tag == PR_TAG_ABORT_PACKET ? STYLE_DOUBTFUL : STYLE_PLAIN);
    table_cell(table, TRACE_SITE, "%u", hop->site);
    table_cell(table, TRACE_LINK, "%s", mesh_link_name(mesh, (int)hop->link));
    table_cell(table, TRACE_TO, "%d", hop->to);
    table_cell(table, TRACE_HEAD, "%llu", hop->head);
    table_cell(table, TRACE_END, "%llu", hop->terminator);
    table_cell(table, TRACE_CLOCKS, "%llu", hop->head - tracing->hops[0].head);
    table_cell(table, TRACE_WORDS, "%lu", hop->words);
    table_cell(table, TRACE_TRY, "%u", hop->try);
    table_cell(table, TRACE_REMARK, "%s", remark(hop));
}

static void print_text(const struct tracing *tracing)
{
    struct table table;
    table_begin(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < tracing->hop_count; i++)
        add_row(&table, tracing, &tracing->hops[i]);
    if (sends_to_group(tracing))
        printf("Packet %u of site %u to group %ld, until site %u has it, in clocks of the mesh:\n", tracing->sequence,
               tracing->from, tracing->options->group, tracing->to);
    else
        printf("Packet %u of site %u to site %u, in clocks of the mesh:\n", tracing->sequence, tracing->from,
               tracing->to);
    table_print(&table, stdout, tracing->hop_count, terminal_width(STDOUT_FILENO));
    table_end(&table);
    if (!tracing->delivered)
        return;
    printf("Site %u: first word in at clock %u, terminator at clock %u", tracing->to, (unsigned)tracing->arrival.first,
           (unsigned)tracing->arrival.last);
    if (tracing->hop_count)
        printf(": %u clocks from the first link", (unsigned)(tracing->arrival.last - (uint32_t)tracing->hops[0].head));
    printf(".\n");
}

static void print_json(const struct tracing *tracing)
{
    const struct mesh_config *mesh = &tracing->gateway->mesh;
    cJSON *object = report_object("trace");
    cJSON_AddNumberToObject(object, "from", tracing->from);
    cJSON_AddNumberToObject(object, "to", tracing->to);
    cJSON_AddNumberToObject(object, "sequence", tracing->sequence);
    if (sends_to_group(tracing))
        cJSON_AddNumberToObject(object, "group", (double)tracing->options->group);
    cJSON_AddNumberToObject(object, "clock_hz", tracing->gateway->identity.clock_hz);
    cJSON_AddBoolToObject(object, "delivered", tracing->delivered);
    if (tracing->delivered) {
        cJSON_AddNumberToObject(object, "first_word_clock", tracing->arrival.first);
        cJSON_AddNumberToObject(object, "terminator_clock", tracing->arrival.last);
    }
    cJSON *list = cJSON_AddArrayToObject(object, "links");
    for (size_t i = 0; i < tracing->hop_count; i++) {
        const struct hop *hop = &tracing->hops[i];
        cJSON *one = cJSON_CreateObject();
        cJSON_AddNumberToObject(one, "site", hop->site);
        cJSON_AddStringToObject(one, "link", mesh_link_name(mesh, (int)hop->link));
        cJSON_AddNumberToObject(one, "to", hop->to);
        cJSON_AddNumberToObject(one, "head_clock", (double)hop->head);
        cJSON_AddNumberToObject(one, "terminator_clock", (double)hop->terminator);
        cJSON_AddNumberToObject(one, "words", (double)hop->words);
        cJSON_AddNumberToObject(one, "attempt", hop->try);
        cJSON_AddBoolToObject(one, "stored", hop->stored);
        cJSON_AddBoolToObject(one, "aborted", hop->tag == PR_TAG_ABORT_PACKET);
        cJSON_AddItemToArray(list, one);
    }
    report_print(object, false);
}

static int trace_packet(struct tracing *tracing)
{
    int status = start_tap(tracing);
    if (status == EXIT_OK)
        status = start_listening(tracing);
    if (status == EXIT_OK)
        status = sends_to_group(tracing) ? send_to_group(tracing) : send_packet(tracing);
    if (status == EXIT_OK)
        status = await_delivery(tracing);
    if (status == EXIT_OK)
        status = read_hops(tracing);
    if (status != EXIT_OK)
        return status;
    if (tracing->options->common.json)
        print_json(tracing);
    else
        print_text(tracing);
    if (tracing->delivered)
        return EXIT_OK;
    return report_failure(EXIT_TIMEOUT, "trace", "packet %u has not been delivered at site %u within %g s",
                          tracing->sequence, tracing->to, tracing->gateway->timeout);
}

/* A number below the number of sites. */
static bool parse_site(const struct gateway *gateway, const char *what, const char *text, unsigned *site)
{
    long number;
    if (options_number(text, 0, gateway->mesh.sites - 1, &number)) {
        *site = (unsigned)number;
        return true;
    }
    report_error("trace", "%s %s: expected a site, 0 to %d", what, text, gateway->mesh.sites - 1);
    return false;
}

/* A target word, the data and the operator's header. The node checks this too, but does not answer. */
static bool fits_mesh(const struct gateway *gateway, long words)
{
    long most = (long)gateway->identity.max_packet - 1 - PR_HEADER_WORDS;
    if (words > most)
        report_error("trace", "words %ld: expected at most %ld in this mesh", words, most);
    return words <= most;
}

static int trace_between(struct gateway *gateway, const char *from, const char *to)
{
    struct tracing tracing = {.gateway = gateway, .options = (const void *)gateway->options};
    if (!parse_site(gateway, "SITE", from, &tracing.from) || !parse_site(gateway, "TARGET", to, &tracing.to) ||
        !fits_mesh(gateway, tracing.options->words))
        return EXIT_USAGE;
    tracing.clients[0] = gateway->client;
    int status = gateway_connect(gateway, (int)tracing.to, &tracing.clients[1]);
    if (status != EXIT_OK)
        return status;
    status = trace_packet(&tracing);
    pr_client_destroy(tracing.clients[1]);
    free(tracing.arrivals);
    return status;
}

int trace_mesh(const struct trace_options *options)
{
    struct trace_options own = *options;
    char **sites = options->common.operands;
    struct gateway gateway;
    own.common.from = sites[0]; /* the node that sends is the one that is asked */
    int status = gateway_find_up(&gateway, &own.common);
    if (status == EXIT_OK)
        status = gateway_open(&gateway, &own.common);
    if (status != EXIT_OK)
        return status;
    status = trace_between(&gateway, sites[0], sites[1]);
    gateway_close(&gateway);
    return status;
}
