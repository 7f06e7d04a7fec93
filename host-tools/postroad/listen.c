/* postroad listen: shows deliveries, and on request operator events, at one site or many, as they happen.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/console_text.h"
#include "cli/gateway.h"
#include "cli/payload_text.h"
#include "cli/report.h"
#include "cli/site_set.h"
#include "libpostroad/group_client.h"
#include "multicast/groups.h"
#include "postroad/listen_capture.h"
#include "postroad/verbs.h"
#include "support/or_abort.h"

#include <cjson/cJSON.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double reader_time = 0.5; /* seconds until it is noticed that the reader of a capture has gone */

enum { ANY = -1 };

struct listen_options {
    struct options common;
    long count; /* 0: no limit */
    long group; /* ANY: all deliveries */
    bool events;
    const char *capture; /* path of a pcapng file, - for standard output; NULL: none */
};

struct listening {
    const struct listen_options *options;
    unsigned long deliveries;
    struct pr_client **clients;
    struct ear *ears;
    size_t count, silent;           /* sites; of these, that do not answer */
    struct listen_capture *capture; /* NULL: lines on standard output */
    bool ended;                     /* the capture cannot go on */
};

struct ear {
    struct listening *listening;
    unsigned site;
    bool answered;
    uint32_t clock_hz; /* 0: not known */
};

static bool enough(const struct listening *listening)
{
    return listening->ended ||
           (listening->options->count && listening->deliveries >= (unsigned long)listening->options->count);
}

static void add_words(cJSON *object, const char *name, const uint32_t *words, unsigned count)
{
    cJSON *list = cJSON_AddArrayToObject(object, name);
    for (unsigned i = 0; i < count; i++)
        cJSON_AddItemToArray(list, cJSON_CreateNumber(words[i]));
}

static cJSON *line_object(const char *kind, unsigned site)
{
    cJSON *object = report_object("listen");
    cJSON_AddStringToObject(object, "kind", kind);
    cJSON_AddNumberToObject(object, "site", site);
    return object;
}

static void delivery_json(unsigned site, const struct pr_message_delivery *delivery)
{
    char text[2 * PR_MESSAGE_WORDS_MAX + 1];
    cJSON *object = line_object("delivery", site);
    cJSON_AddNumberToObject(object, "source", delivery->source);
    cJSON_AddNumberToObject(object, "sequence", delivery->sequence);
    cJSON_AddNumberToObject(object, "handler", delivery->handler);
    cJSON_AddNumberToObject(object, "first_word_clock", delivery->stamp_first);
    cJSON_AddNumberToObject(object, "terminator_clock", delivery->stamp_last);
    cJSON_AddNumberToObject(object, "delivered_clock", delivery->clock);
    add_words(object, "info", delivery->info, delivery->info_words);
    add_words(object, "data", delivery->data, delivery->data_words);
    if (payload_text_write(delivery->data, delivery->data_words, text, sizeof text))
        cJSON_AddStringToObject(object, "text", text);
    report_print(object, true);
}

/* In the notation that send accepts. */
static void print_words(const char *label, const uint32_t *words, unsigned count)
{
    printf(" %s", label);
    for (unsigned i = 0; i < count; i++)
        printf("%s0x%x", i ? "," : ":", (unsigned)words[i]);
}

static void delivery_line(unsigned site, const struct pr_message_delivery *delivery)
{
    char text[2 * PR_MESSAGE_WORDS_MAX + 1];
    printf("site %u: from %u sequence %u handler %u clock %u:", site, delivery->source, delivery->sequence,
           delivery->handler, (unsigned)delivery->clock);
    if (delivery->info_words)
        print_words("info", delivery->info, delivery->info_words);
    if (!delivery->data_words)
        printf(" no data");
    else if (payload_text_write(delivery->data, delivery->data_words, text, sizeof text))
        printf(" text:\"%s\"", text);
    else
        print_words("words", delivery->data, delivery->data_words);
    putchar('\n');
    fflush(stdout);
}

static bool is_wanted(const struct listen_options *options, const struct pr_message_delivery *delivery)
{
    struct pr_group_delivery of_group;
    return options->group == ANY || (pr_group_read_delivery(delivery, &of_group) && of_group.group == options->group);
}

static void show_delivery(struct ear *ear, const struct pr_frame *frame)
{
    static struct pr_message_delivery delivery; /* large */
    if (enough(ear->listening) || !pr_message_read_delivery(frame, &delivery) ||
        !is_wanted(ear->listening->options, &delivery))
        return;
    ear->listening->deliveries++;
    if (ear->listening->options->common.json)
        delivery_json(ear->site, &delivery);
    else
        delivery_line(ear->site, &delivery);
}

static void event_line(unsigned site, const struct pr_message_event *event)
{
    printf("site %u: %s: packet from %u sequence %u, ", site, pr_message_event_text(event->what), event->source,
           event->sequence);
    if (event->what == PR_CONSOLE_KIND_FAILED)
        printf("site %u given up: %s", event->site, pr_message_failure_text(event->failure));
    else
        printf("%u targets %s", event->remaining, event->what == PR_CONSOLE_KIND_SETTLED ? "failed" : "remain");
    printf(", clock %u\n", (unsigned)event->clock);
    fflush(stdout);
}

static void show_event(struct ear *ear, const struct pr_frame *frame)
{
    struct pr_message_event event;
    if (!pr_message_read_event(frame, &event))
        return;
    if (!ear->listening->options->common.json) {
        event_line(ear->site, &event);
        return;
    }
    cJSON *object = line_object("event", ear->site);
    cJSON_AddStringToObject(object, "what", pr_message_event_text(event.what));
    cJSON_AddNumberToObject(object, "source", event.source);
    cJSON_AddNumberToObject(object, "sequence", event.sequence);
    cJSON_AddNumberToObject(object, "remaining", event.remaining);
    if (event.what == PR_CONSOLE_KIND_FAILED) {
        cJSON_AddNumberToObject(object, "target", event.site);
        cJSON_AddStringToObject(object, "reason", pr_message_failure_text(event.failure));
    }
    cJSON_AddNumberToObject(object, "clock", event.clock);
    report_print(object, true);
}

static void show_log(void *context, const char *line)
{
    const struct ear *ear = context;
    if (!ear->listening->options->common.quiet)
        fprintf(stderr, "site %u: log: %s\n", ear->site, line);
}

static bool is_whole(const struct pr_frame *frame)
{
    static struct pr_message_delivery delivery;
    struct pr_message_event event;
    return frame->type == PR_CONSOLE_DELIVERED ? pr_message_read_delivery(frame, &delivery)
                                               : pr_message_read_event(frame, &event);
}

static void capture_frame(struct listening *listening, const struct ear *ear, const struct pr_frame *frame)
{
    if (enough(listening) || !is_whole(frame))
        return;
    listening->deliveries += frame->type == PR_CONSOLE_DELIVERED;
    if (!listen_capture_add(listening->capture, (size_t)(ear - listening->ears), frame))
        listening->ended = true;
}

static void show_frame(void *context, const struct pr_frame *frame)
{
    struct ear *ear = context;
    if (ear->listening->capture && (frame->type == PR_CONSOLE_DELIVERED || frame->type == PR_CONSOLE_EVENT))
        capture_frame(ear->listening, ear, frame);
    else if (frame->type == PR_CONSOLE_DELIVERED)
        show_delivery(ear, frame);
    else if (frame->type == PR_CONSOLE_EVENT)
        show_event(ear, frame);
    else
        console_text_frame(frame, show_log, ear);
}

static void handle_answer(void *context, const struct pr_frame *answer)
{
    struct ear *ear = context;
    ear->answered = answer && pr_message_status(answer) == PR_CONSOLE_OK;
}

static int connect_ears(struct listening *listening, struct gateway *gateway, const struct site_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        int status = gateway_connect(gateway, set->sites[i], &listening->clients[i]);
        if (status != EXIT_OK)
            return status;
        listening->count++;
        listening->ears[i] = (struct ear){.listening = listening, .site = set->sites[i]};
        pr_client_on_event(listening->clients[i], show_frame, &listening->ears[i]);
    }
    return EXIT_OK;
}

static int lost(struct listening *listening, const struct gateway *gateway, int status)
{
    struct gateway one = *gateway;
    for (size_t i = 0; i < listening->count; i++)
        if (*pr_client_lost_reason(listening->clients[i]))
            one.client = listening->clients[i];
    return gateway_failed(&one, status);
}

static void take_identity(void *context, const struct pr_frame *answer)
{
    struct ear *ear = context;
    struct pr_site_identity identity;
    unsigned site;
    if (answer && pr_message_read_identity(answer, &site, &identity))
        ear->clock_hz = identity.clock_hz;
}

static unsigned outstanding(const struct listening *listening)
{
    unsigned sum = 0;
    for (size_t i = 0; i < listening->count; i++)
        sum += pr_client_outstanding(listening->clients[i]);
    return sum;
}

/* Sends a request to all nodes at once, and waits until each has answered or has not done so in time. */
static int ask_all(struct listening *listening, const struct gateway *gateway, const struct pr_frame *request,
                   pr_client_answer *function)
{
    int status = PR_CLIENT_OK;
    for (size_t i = 0; i < listening->count && status == PR_CLIENT_OK; i++) {
        struct pr_frame one = *request;
        status = pr_client_request(listening->clients[i], &one, gateway->timeout, function, &listening->ears[i]);
    }
    while (status == PR_CLIENT_OK && outstanding(listening))
        status = pr_client_poll(listening->clients, listening->count, -1);
    return status == PR_CLIENT_OK ? EXIT_OK : lost(listening, gateway, status);
}

/* What a capture has before its records. They need the rates of the nodes' clocks. */
static int begin_capture(struct listening *listening, const struct gateway *gateway)
{
    struct pr_frame request;
    pr_message_identify(&request, PR_CONSOLE_THIS_SITE);
    int status = ask_all(listening, gateway, &request, take_identity);
    if (status != EXIT_OK)
        return status;
    for (size_t i = 0; i < listening->count; i++)
        listen_capture_site(listening->capture, listening->ears[i].site, listening->ears[i].clock_hz);
    listening->ended = !listen_capture_begin(listening->capture, gateway);
    return EXIT_OK;
}

/* Requests all nodes to report deliveries. */
static int start_listening(struct listening *listening, const struct gateway *gateway)
{
    unsigned mask = PR_CONSOLE_LISTEN_DELIVERED | (listening->options->events ? PR_CONSOLE_LISTEN_EVENTS : 0);
    struct pr_frame request;
    pr_message_listen(&request, mask);
    int status = ask_all(listening, gateway, &request, handle_answer);
    if (status != EXIT_OK)
        return status;
    for (size_t i = 0; i < listening->count; i++)
        if (!listening->ears[i].answered) {
            report_error("listen", "site %u does not answer", listening->ears[i].site);
            listening->silent++;
        }
    return listening->silent < listening->count ? EXIT_OK : EXIT_TIMEOUT;
}

static int heard(const struct listening *listening)
{
    return listening->silent ? EXIT_PARTIAL : EXIT_OK;
}

static int time_is_up(const struct listening *listening)
{
    if (!listening->options->count)
        return heard(listening);
    report_error("listen", "%lu of %ld deliveries within %g s", listening->deliveries, listening->options->count,
                 listening->options->common.timeout);
    return listening->deliveries ? EXIT_PARTIAL : EXIT_TIMEOUT;
}

/* Seconds; negative: without a limit. No event announces that the reader of a stream has gone. */
static double longest_wait(const struct listening *listening, double left)
{
    if (listening->capture)
        return fmin(left, reader_time);
    return isinf(left) ? -1 : left;
}

static int hear(struct listening *listening, const struct gateway *gateway)
{
    double timeout = listening->options->common.timeout, deadline = timeout < 0 ? INFINITY : pr_client_now() + timeout;
    int status = listening->capture ? begin_capture(listening, gateway) : EXIT_OK;
    if (status == EXIT_OK)
        status = start_listening(listening, gateway);
    if (status != EXIT_OK)
        return status;
    size_t sites = listening->count - listening->silent;
    report_note(&listening->options->common, "listening at %zu site%s", sites, sites == 1 ? "" : "s");
    while (!enough(listening)) {
        double left = deadline - pr_client_now();
        if (left <= 0)
            return time_is_up(listening);
        status = pr_client_poll(listening->clients, listening->count, longest_wait(listening, left));
        if (status != PR_CLIENT_OK && !enough(listening))
            return lost(listening, gateway, status);
        listening->ended |= listening->capture && listen_capture_reader_gone(listening->capture);
    }
    return heard(listening);
}

static int listen_at(struct gateway *gateway, const struct site_set *set)
{
    struct listening listening = {.options = (const void *)gateway->options,
                                  .clients = or_abort(calloc(set->count, sizeof(struct pr_client *))),
                                  .ears = or_abort(calloc(set->count, sizeof *listening.ears))};
    const char *path = listening.options->capture;
    int status = connect_ears(&listening, gateway, set);
    if (status == EXIT_OK && path && !(listening.capture = listen_capture_open(path, set->count)))
        status = EXIT_TRANSPORT;
    if (status == EXIT_OK)
        status = hear(&listening, gateway);
    if (listening.capture)
        status = listen_capture_close(listening.capture, status);
    for (size_t i = 0; i < listening.count; i++)
        pr_client_destroy(listening.clients[i]);
    free(listening.clients);
    free(listening.ears);
    return status;
}

/* Chooses the sites of a mesh that is up: it offers the consoles of all sites, even if other sites are in trouble. */
static int choose_of_mesh(struct gateway *gateway, struct site_set *set)
{
    int status = gateway_reach(gateway);
    return status == EXIT_OK ? gateway_choose_up(gateway, set) : status;
}

/* Chooses the one node at the end of a line. */
static int choose_node(struct gateway *gateway, const char *text, struct site_set *set)
{
    char self[16];
    int status = gateway_open(gateway, gateway->options);
    if (status != EXIT_OK)
        return status;
    gateway_close(gateway);
    if (text)
        report_note(gateway->options, "SITES: %s is the console of one node, site %u", gateway->text,
                    (unsigned)gateway->identity.site);
    snprintf(self, sizeof self, "%u", (unsigned)gateway->identity.site);
    return site_set_parse("listen", "SITES", self, (unsigned)gateway->mesh.sites, set) ? EXIT_OK : EXIT_USAGE;
}

static int choose_sites(struct gateway *gateway, const struct options *options, struct site_set *set)
{
    struct options first = *options;
    first.timeout = -1; /* the user's is for all of the listening */
    const char *text = options->operand_count ? options->operands[0] : NULL;
    int status = gateway_find(gateway, &first);
    if (status == EXIT_OK)
        status = gateway->endpoint.kind == PR_ENDPOINT_UP ? choose_of_mesh(gateway, set)
                                                          : choose_node(gateway, text, set);
    gateway->options = options;
    return status;
}

static int run(const struct options *options)
{
    struct gateway gateway;
    struct site_set set;
    if (options->json && ((const struct listen_options *)options)->capture)
        return report_failure(EXIT_USAGE, "listen", "--json and --pcap: expected one of them");
    int status = choose_sites(&gateway, options, &set);
    if (status != EXIT_OK)
        return status;
    status = listen_at(&gateway, &set);
    site_set_free(&set);
    return status;
}

static const struct listen_options defaults = {.group = ANY};

static const struct option_row rows[] = {
    {.name = "count",
     .letter = 'c',
     .kind = OPTION_NUMBER,
     .argument = "N",
     OPTION_FIELD(struct listen_options, count),
     .minimum = 1,
     .maximum = INT_MAX,
     .help = "stop after so many deliveries"},
    {.name = "events",
     .letter = 'e',
     .kind = OPTION_FLAG,
     OPTION_FIELD(struct listen_options, events),
     .help = "show what operators do too: resend, fall back, forward, give up"},
    {.name = "group",
     .kind = OPTION_NUMBER,
     .argument = "GROUP",
     OPTION_FIELD(struct listen_options, group),
     .maximum = PR_GROUPS_NUMBERS - 1,
     .otherwise = "all deliveries",
     .help = "show only what this group delivers; info: the group, and the place in its order"},
    {.name = "pcap",
     .kind = OPTION_TEXT,
     .argument = "FILE",
     OPTION_FIELD(struct listen_options, capture),
     .expected = "FILE, or - for standard output",
     .file = FILE_WRITTEN,
     .words = "@file",
     .help = "write a capture for Wireshark in place of lines; -: to stdout",
     .manual = "Writes the deliveries, and with `--events` the events, as a capture (pcapng) for Wireshark in place of "
               "lines. <FILE> appears when the verb ends; `-` is standard output, for a pipe."},
    {OPTION_TIMEOUT, .otherwise = "never", .help = "end after so long"},
    {.name = NULL},
};

static const char manual[] =
    "Shows every packet that is delivered at <SITES> (all by default) until it is interrupted or `--count` "
    "deliveries have come. With `--events` the verb also shows what the operators do: a retransmission after an "
    "abort or a time-out, a fallback to unicasts, the forwarding of a diverted packet, a target that was given "
    "up (failed), a packet that is finished (settled).\n"
    "A listener that reads too slowly loses events and gets a line with their number. Sites that do not answer "
    "are named; the verb listens to the others. Printable data are shown as `text:\"`<TEXT>`\"`, other data as "
    "`words:`<NUMBER>`,`..., in the form that `send` takes.\n"
    "`postroad listen --pcap - | wireshark -k -X lua_script:build/postroad.lua -i -` shows the packets in Wireshark as they "
    "are delivered. Times in a capture are those of the nodes' clocks. A simulated mesh has one clock. Each board has "
    "its own, which is set by the host's clock when the first record of that board comes, so that times of two boards differ "
    "by milliseconds.";

static const struct json_key keys[] = {
    {"kind", "text", "`delivery` or `event`; one object a line"},
    {"site", "site", "where it happened"},
    {"source", "site", "source of the packet"},
    {"sequence", "number", "sequence number of the packet"},
    {"handler", "number", "delivery: the handler"},
    {"first_word_clock", "clock", "delivery: when the first word arrived"},
    {"terminator_clock", "clock", "delivery: when the terminator arrived"},
    {"delivered_clock", "clock", "delivery: when the handler was called"},
    {"info[]", "words", "delivery: target_info of this site"},
    {"data[]", "words", "delivery: the data"},
    {"text", "text", "delivery: the data as text, if all bytes are printable"},
    {"what", "text", "event: what the operator did"},
    {"remaining", "targets", "event: the targets that are left, or that failed"},
    {"target", "site", "event `failed`: the target"},
    {"reason", "text", "event `failed`: why it was given up"},
    {"clock", "clock", "event: when"},
    {NULL, NULL, NULL},
};

const struct verb verb_listen = {
    .name = "listen",
    .operands = "[SITES]",
    .summary = "Shows packets as they are delivered, at all sites or some.",
    .manual = manual,
    .operands_max = 1,
    .operand_words = {"all"},
    .common = COMMON_TALK & ~COMMON_TIMEOUT,
    .rows = rows,
    .keys = keys,
    .size = sizeof(struct listen_options),
    .defaults = &defaults,
    .run = run,
};
