/* postroad send: hands packets to the operator of the gateway, and waits for their delivery status.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/delivery_status.h"
#include "cli/gateway.h"
#include "cli/group_orders.h"
#include "cli/payload_text.h"
#include "cli/pipelined_requests.h"
#include "cli/report.h"
#include "cli/site_set.h"
#include "cli/target_info.h"
#include "multicast/groups.h"
#include "postroad/verbs.h"

#include <cjson/cJSON.h>
#include <limits.h>
#include <stdio.h>

enum { NO_GROUP = -1 };

struct send_options {
    struct options common;
    const char *data; /* or NULL: none */
    struct option_list info;
    long handler, count;
    long group; /* NO_GROUP: the sites are the targets */
    bool no_wait;
};

struct sending {
    struct pr_message_send packet;
    cJSON *list; /* NULL: print lines */
    const struct send_options *options;
    struct delivery_status *deliveries; /* NULL: not waited for */
};

/* The node checks this too, but a message from here can contain the numbers. */
static bool fits_mesh(const struct gateway *gateway, const struct pr_message_send *packet, unsigned targets)
{
    unsigned data = packet->data_words + 3;
    unsigned limit = gateway->identity.max_packet;
    if (targets + data <= limit)
        return true;
    report_error("send",
                 "packet too long: %u target words and %u data words (3 of them the operator's), "
                 "but this mesh takes %u in all",
                 targets, data, limit);
    return false;
}

static void request(void *context, size_t index, struct pr_frame *out)
{
    struct sending *sending = context;
    (void)index;
    pr_message_send(out, &sending->packet);
}

static bool answer(void *context, size_t index, const struct pr_frame *frame)
{
    struct sending *sending = context;
    cJSON *one = NULL;
    unsigned sequence;
    uint32_t clock;
    (void)index;
    if (!pr_message_read_send(frame, &sequence, &clock))
        return false;
    if (sending->list) {
        one = cJSON_CreateObject();
        cJSON_AddNumberToObject(one, "sequence", sequence);
        cJSON_AddNumberToObject(one, "accepted_clock", clock);
        cJSON_AddItemToArray(sending->list, one);
    } else if (!sending->options->common.quiet) {
        printf("accepted: sequence %u, %u target%s, %u data word%s, clock %u\n", sequence, sending->packet.targets,
               sending->packet.targets == 1 ? "" : "s", sending->packet.data_words,
               sending->packet.data_words == 1 ? "" : "s", (unsigned)clock);
    }
    if (sending->deliveries)
        delivery_status_accepted(sending->deliveries, sequence, clock, one);
    return true;
}

/* Handles the immediate answers of the node. */
static int report_answers(const struct gateway *gateway, const struct pipelined_requests *requests)
{
    bool full = requests->refusal == PR_CONSOLE_NO_BUFFER || requests->refusal == PR_CONSOLE_WINDOW_FULL;
    if (requests->refused)
        report_error("send", "%zu refused by the node: %s%s", requests->refused,
                     pr_message_status_text(requests->refusal), full ? " for so long" : "");
    if (requests->silent)
        return report_failure(EXIT_TIMEOUT, "send", "%zu not answered within %g s: sent or not is unknown",
                              requests->silent, gateway->timeout);
    return requests->refused == requests->count && !full ? EXIT_USAGE : pipelined_requests_exit_code(requests);
}

/* Handles the delivery status, which arrives later. The worse of the two results counts. */
static int report_delivery(const struct gateway *gateway, const struct delivery_status *deliveries, int answered)
{
    int status = delivery_status_exit_code(deliveries);
    if (deliveries->unknown)
        report_error("send", "of %lu targets it is not known after %g s whether they have the packet",
                     deliveries->unknown, gateway->timeout);
    return answered == EXIT_OK || status > answered ? status : answered;
}

static void add_totals(cJSON *object, const struct sending *sending)
{
    const struct delivery_status *deliveries = sending->deliveries;
    cJSON_AddBoolToObject(object, "waited", deliveries != NULL);
    if (!deliveries)
        return;
    cJSON_AddNumberToObject(object, "targets_delivered", (double)deliveries->delivered);
    cJSON_AddNumberToObject(object, "targets_failed", (double)deliveries->failed);
    cJSON_AddNumberToObject(object, "targets_unknown", (double)deliveries->unknown);
}

/* Each SEND gets one try, since a SEND whose answer was lost may have been executed. */
static int send_all(struct gateway *gateway, struct sending *sending)
{
    const struct send_options *options = sending->options;
    struct pipelined_requests requests = {.label = "send",
                                          .count = (size_t)options->count,
                                          .window = 1,
                                          .once = true,
                                          .context = sending,
                                          .request = request,
                                          .answer = answer};
    cJSON *object = NULL;
    if (options->common.json) {
        object = report_object("send");
        cJSON_AddNumberToObject(object, "from", gateway->identity.site);
        cJSON_AddNumberToObject(object, "targets", sending->packet.targets);
        cJSON_AddBoolToObject(object, "reliable", gateway->identity.reliable != 0);
        sending->list = cJSON_AddArrayToObject(object, "packets");
    }
    int status = pipelined_requests_run(gateway, &requests);
    if (sending->deliveries) {
        if (status == EXIT_OK)
            status = delivery_status_wait(sending->deliveries);
        delivery_status_end(sending->deliveries);
    }
    if (object) {
        add_totals(object, sending);
        report_print(object, false);
    }
    if (status != EXIT_OK && status != EXIT_TIMEOUT)
        return status;
    if (status == EXIT_OK)
        status = report_answers(gateway, &requests);
    return sending->deliveries ? report_delivery(gateway, sending->deliveries, status) : status;
}

/* Only a reliable mesh reports the delivery status. */
static int send_and_wait(struct gateway *gateway, struct sending *sending, const struct site_set *set)
{
    const struct send_options *options = sending->options;
    struct delivery_status deliveries;
    if (gateway->identity.reliable && !options->no_wait) {
        int status = delivery_status_begin(&deliveries, gateway, set, options->common.quiet);
        if (status != EXIT_OK)
            return status;
        sending->deliveries = &deliveries;
    }
    return send_all(gateway, sending);
}

static void show_sent(struct sending *sending, unsigned site, const struct pr_group_answer *answer)
{
    cJSON *one;
    if (sending->list) {
        one = cJSON_CreateObject();
        cJSON_AddNumberToObject(one, "site", site);
        cJSON_AddNumberToObject(one, "group", answer->group);
        cJSON_AddNumberToObject(one, "number", answer->number);
        cJSON_AddItemToArray(sending->list, one);
    } else if (!sending->options->common.quiet) {
        printf("site %u: packet %u to group %u, %u data word%s\n", site, answer->number, answer->group,
               sending->packet.data_words, sending->packet.data_words == 1 ? "" : "s");
    }
}

/* Each of the sites sends to the group, and takes care that all members get it. */
static int send_to_group(struct gateway *gateway, struct sending *sending, const struct site_set *set)
{
    const struct send_options *options = sending->options;
    const struct pr_group_order order = {.what = PR_GROUP_ORDER_SEND,
                                         .group = (uint8_t)options->group,
                                         .handler = (uint8_t)options->handler,
                                         .data = sending->packet.data,
                                         .words = sending->packet.data_words};
    cJSON *object = options->common.json ? report_object("send") : NULL;
    struct pr_group_client client;
    struct pr_group_answer answer;
    int status = group_orders_start(gateway, &client, gateway->client, NULL, NULL);
    if (object)
        sending->list = cJSON_AddArrayToObject(object, "group_packets");
    for (long round = 0; status == EXIT_OK && round < options->count; round++)
        for (size_t k = 0; status == EXIT_OK && k < set->count; k++) {
            status = group_orders_send(gateway, &client, set->sites[k], &order, &answer);
            if (status == EXIT_OK)
                show_sent(sending, set->sites[k], &answer);
        }
    if (object)
        report_print(object, false);
    return status;
}

static int send_to(struct gateway *gateway, const struct site_set *set)
{
    const struct send_options *options = (const void *)gateway->options;
    struct payload data = {.count = 0};
    struct target_info info;
    unsigned width = (unsigned)gateway->mesh.word_width;
    if (options->data && !payload_text_parse("send", "--data", options->data, width, &data))
        return EXIT_USAGE;
    if (!target_info_parse(&options->info, set, (unsigned)gateway->mesh.sites, width, &info))
        return EXIT_USAGE;
    struct sending sending = {.options = options,
                              .packet = {.handler = (unsigned)options->handler,
                                         .targets = (unsigned)set->count,
                                         .sites = set->sites,
                                         .info = info.of_target,
                                         .data_words = data.count,
                                         .data = data.words}};
    bool fits = fits_mesh(gateway, &sending.packet, target_info_words(&info, set->count));
    int status = !fits                        ? EXIT_USAGE
                 : options->group != NO_GROUP ? send_to_group(gateway, &sending, set)
                                              : send_and_wait(gateway, &sending, set);
    target_info_free(&info);
    return status;
}

static int run(const struct options *options)
{
    struct gateway gateway;
    struct site_set set;
    int status = gateway_open_sites(&gateway, options, &set);
    if (status != EXIT_OK)
        return status;
    status = send_to(&gateway, &set);
    gateway_close_sites(&gateway, &set);
    return status;
}

static const struct send_options defaults = {.group = NO_GROUP};

static const struct option_row rows[] = {
    {.name = "data",
     .letter = 'd',
     .kind = OPTION_TEXT,
     .argument = "DATA",
     OPTION_FIELD(struct send_options, data),
     .any_bytes = true,
     .words = "text: hex: words: file: -",
     .otherwise = "none",
     .help = "text:..., hex:..., words:1,0x2,..., file:PATH or - (standard input); bare numbers are words, anything "
             "else text",
     .manual = "The data: `text:`<TEXT>, `hex:`<DIGITS>, `words:`<NUMBER>`,`..., `file:`<PATH> (the bytes of any file) "
               "or `-` (the bytes of standard input). Bare numbers are words; anything else is text. Data that a "
               "packet cannot hold are refused before anything is sent."},
    {.name = "info",
     .kind = OPTION_LIST,
     .argument = "INFO",
     OPTION_FIELD(struct send_options, info),
     .any_bytes = true,
     .help = "target_info, which only its site sees: WORDS, or SITES:WORDS as in 3:0x12,7; may be repeated",
     .manual = "`target_info` words, which only their own target receives: those for <SITES>, or for all targets that "
               "no other `--info` names. The words have the form of `--data`. The option may be given often: `--info "
               "3:0x12,0x34` `--info 5:7`."},
    {.name = "handler",
     .kind = OPTION_NUMBER,
     .argument = "N",
     OPTION_FIELD(struct send_options, handler),
     .maximum = PR_GROUPS_HANDLER_MOST,
     .initial = "1",
     .help = "the handler that receives the packet at its targets"},
    {.name = "group",
     .kind = OPTION_NUMBER,
     .argument = "GROUP",
     OPTION_FIELD(struct send_options, group),
     .maximum = PR_GROUPS_NUMBERS - 1,
     .otherwise = "none",
     .help = "the sites are senders: each sends the packet to this group, of which it is a member",
     .manual = "The <SITES> are not targets but senders: each sends the packet to this group, of which it has to be a "
               "member (`postroad group`). The verb ends when the sites have taken it; they see to it that all members "
               "get it."},
    {.name = "no-wait",
     .kind = OPTION_FLAG,
     OPTION_FIELD(struct send_options, no_wait),
     .help = "do not wait for acknowledgements: accepted is enough"},
    {.name = "count",
     .letter = 'c',
     .kind = OPTION_NUMBER,
     .argument = "N",
     OPTION_FIELD(struct send_options, count),
     .minimum = 1,
     .maximum = INT_MAX,
     .initial = "1",
     .help = "send so many packets"},
    {.name = NULL},
};

static const char manual[] =
    "Hands one packet for all <SITES> to the operator of the gateway. In a reliable mesh the verb waits until "
    "the operator knows the outcome for every target. It then prints which targets acknowledged, and which were "
    "given up and why. The exit status is 0 if all targets have the packet, 4 if some have it, 3 if none has it, "
    "and 5 if the outcome is not known in time.\n"
    "With `--no-wait`, or with the raw service, the answer only means that the operator has accepted the packet. "
    "`listen` shows whether it arrives. Text and `hex:` bytes go two to a word, low byte first.";

static const struct json_key keys[] = {
    {"from", "site", "the site that sent"},
    {"targets", "sites", "number of targets of a packet"},
    {"reliable", "true or false", "the mesh has the reliable service"},
    {"group_packets[].site", "site", "with `--group`: a sender"},
    {"group_packets[].group", "number", "the group"},
    {"group_packets[].number", "number", "of the packet, among those of this sender to the group"},
    {"packets[].sequence", "number", "sequence number"},
    {"packets[].accepted_clock", "clock", "when the operator accepted the packet"},
    {"packets[].settled", "true or false",
     "the outcome is known for every target; this key and those below only if the verb waited"},
    {"packets[].settled_clock", "clock", "when the packet was settled"},
    {"packets[].targets[].site", "site", "a target"},
    {"packets[].targets[].outcome", "text", "`delivered`, `failed` or `unknown`"},
    {"packets[].targets[].reason", "text", "why the target was given up"},
    {"waited", "true or false", "the verb waited for acknowledgements"},
    {"targets_delivered", "targets", "that have the packet; of all packets"},
    {"targets_failed", "targets", "that were given up"},
    {"targets_unknown", "targets", "whose outcome is not known"},
    {NULL, NULL, NULL},
};

const struct verb verb_send = {
    .name = "send",
    .operands = "SITES",
    .summary = "Sends one packet to a set of sites.",
    .manual = manual,
    .operands_min = 1,
    .operands_max = 1,
    .operand_words = {"all"},
    .common = COMMON_ASK,
    .rows = rows,
    .keys = keys,
    .size = sizeof(struct send_options),
    .defaults = &defaults,
    .run = run,
};
