/* See load_exchange.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "boot/load_exchange.h"

#include "cli/exit_code.h"
#include "cli/report.h"

#include <math.h>
#include <sodium.h>

enum {
    ANSWER = PR_LOAD_PACKET_ANSWER - PR_HEADER_WORDS, /* behind the header */
    TAGS = 1 << 15
};

/* Parts of the time-out: the first patience; the shortest, which an answer on a busy line may take; the longest, with
 * which a lost packet is repeated in time. */
static const double first_patience = 1.0 / 60, least_patience = 1.0 / 300, most_patience = 1.0 / 2;
static const double answers_late = 4; /* times the time that answers have taken */

static bool is_silent(const struct load_target *target)
{
    return load_way_is_wanted(target) && target->answer == 0;
}

/* True if an answer with this tag is to the present record: in *tried, when that try began. */
static bool find_try(const struct load_exchange *exchange, uint32_t tag, double *tried)
{
    unsigned age = (exchange->tag - tag) % TAGS;
    *tried = exchange->tried[tag % LOAD_TRIES];
    return tag < TAGS && age < exchange->tries && age < LOAD_TRIES;
}

static void begin_try(struct load_exchange *exchange)
{
    exchange->tag = (exchange->tag + 1) % TAGS;
    exchange->tries++;
    exchange->tried[exchange->tag % LOAD_TRIES] = pr_client_now();
}

static void handle_event(void *context, const struct pr_frame *frame)
{
    static struct pr_message_delivery delivery; /* large */
    struct load_exchange *exchange = context;
    double tried;
    if (frame->type != PR_CONSOLE_DELIVERED || !pr_message_read_delivery(frame, &delivery) ||
        delivery.handler != PR_HANDLER_LOAD || delivery.data_words != ANSWER + 2 ||
        !find_try(exchange, delivery.data[ANSWER + 1], &tried))
        return;
    for (size_t i = 0; i < exchange->way.count; i++)
        if (exchange->way.targets[i].site == delivery.source && is_silent(&exchange->way.targets[i])) {
            exchange->way.targets[i].answer = (char)delivery.data[ANSWER];
            exchange->slowest = fmax(exchange->slowest, pr_client_now() - tried);
        }
}

static uint32_t own_address(const struct load_exchange *exchange)
{
    return exchange->gateway->identity.address;
}

/* One packet. A node whose buffers are full is asked again. */
static int send_packet(struct load_exchange *exchange, const uint16_t *sites, unsigned targets,
                       const struct load_record *record)
{
    uint32_t data[LOAD_PACKET_WORDS];
    struct pr_message_send packet = {
        .handler = PR_HANDLER_LOAD,
        .targets = targets,
        .data_words = load_record_packet(record, own_address(exchange), exchange->tag, data),
        .sites = sites,
        .data = data};
    struct pr_frame request, answer;
    struct pr_client *client = exchange->gateway->client;
    double deadline = pr_client_now() + exchange->timeout;
    exchange->way.sent++;
    for (;;) {
        bool answered;
        pr_message_send(&request, &packet);
        int status = pr_client_ask(client, &request, exchange->timeout, &answer, &answered);
        if (status != PR_CLIENT_OK)
            return gateway_failed(exchange->gateway, status);
        int refusal = answered ? pr_message_status(&answer) : PR_CONSOLE_OK;
        bool full = refusal == PR_CONSOLE_NO_BUFFER || refusal == PR_CONSOLE_WINDOW_FULL;
        if (answered && !full && refusal == PR_CONSOLE_OK)
            return EXIT_OK;
        if (!full || pr_client_now() > deadline) {
            report_error("load", "%s %s", exchange->gateway->text,
                         answered ? pr_message_status_text(refusal) : "does not answer any more");
            return answered ? exit_code_of_answer(refusal) : EXIT_TIMEOUT;
        }
        status = pr_client_poll(&client, 1, exchange->timeout * least_patience);
        if (status != PR_CLIENT_OK)
            return gateway_failed(exchange->gateway, status);
    }
}

/* Sends the record to the silent targets, `group` of them in a packet. */
static int send_all(struct load_exchange *exchange, unsigned group, const struct load_record *record)
{
    uint16_t sites[LOAD_GROUP];
    unsigned used = 0;
    int status = EXIT_OK;
    for (size_t i = 0; i < exchange->way.count && status == EXIT_OK; i++) {
        if (is_silent(&exchange->way.targets[i]))
            sites[used++] = (uint16_t)exchange->way.targets[i].site;
        if (used == group || (used > 0 && i == exchange->way.count - 1)) {
            status = send_packet(exchange, sites, used, record);
            used = 0;
        }
    }
    return status;
}

static size_t count_silent(const struct load_exchange *exchange)
{
    size_t silent = 0;
    for (size_t i = 0; i < exchange->way.count; i++)
        silent += is_silent(&exchange->way.targets[i]);
    return silent;
}

/* Waits until all have answered, or none has for the patience. */
static int wait_for_answers(struct load_exchange *exchange, double patience)
{
    struct pr_client *client = exchange->gateway->client;
    size_t silent = count_silent(exchange);
    double heard = pr_client_now();
    while (silent > 0) {
        double left = heard + patience - pr_client_now();
        if (left <= 0)
            break;
        int status = pr_client_poll(&client, 1, left);
        if (status != PR_CLIENT_OK)
            return gateway_failed(exchange->gateway, status);
        if (count_silent(exchange) < silent)
            heard = pr_client_now();
        silent = count_silent(exchange);
    }
    return EXIT_OK;
}

static void learn_patience(struct load_exchange *exchange)
{
    double wanted = answers_late * exchange->slowest;
    if (exchange->slowest == 0)
        return;
    wanted = fmin(fmax(wanted, exchange->timeout * least_patience), exchange->timeout * most_patience);
    exchange->patience = wanted > exchange->patience ? wanted : (7 * exchange->patience + wanted) / 8;
}

static void begin_record(struct load_exchange *exchange)
{
    exchange->tries = 0;
    exchange->slowest = 0;
    for (size_t i = 0; i < exchange->way.count; i++)
        if (load_way_is_wanted(&exchange->way.targets[i]))
            exchange->way.targets[i].answer = 0;
}

/* One try, and the answers that come before the patience ends. */
static int try_record(struct load_exchange *exchange, const struct load_record *record)
{
    unsigned before = exchange->tries;
    if (before > 0)
        exchange->way.repeats += count_silent(exchange);
    begin_try(exchange);
    int status = send_all(exchange, before == 0 ? LOAD_GROUP : 1, record);
    return status == EXIT_OK ? wait_for_answers(exchange, exchange->patience * (before < 3 ? 1 << before : 8)) : status;
}

static int send_record(struct load_way *way, const struct load_record *record)
{
    struct load_exchange *exchange = (struct load_exchange *)way;
    double heard = pr_client_now();
    begin_record(exchange);
    for (size_t silent = count_silent(exchange), before; silent > 0;) {
        before = silent;
        int status = try_record(exchange, record);
        if (status != EXIT_OK)
            return status;
        silent = count_silent(exchange);
        if (silent < before)
            heard = pr_client_now();
        if (silent > 0 && pr_client_now() > heard + exchange->timeout)
            break;
    }
    learn_patience(exchange);
    for (size_t i = 0; i < exchange->way.count; i++)
        exchange->way.targets[i].lost |= is_silent(&exchange->way.targets[i]);
    return EXIT_OK;
}

/* Words of RAM that a data record may have, so that its packet fits the mesh and the boot program. */
static unsigned room_of(const struct gateway *gateway)
{
    unsigned used = LOAD_GROUP + PR_LOAD_PACKET_RECORD + 2 * PR_LOAD_EXTRA;
    unsigned room = gateway->identity.max_packet > used ? (gateway->identity.max_packet - used) / 2 : 0;
    return room < PR_LOAD_DATA_MAX ? room : PR_LOAD_DATA_MAX;
}

/* The first tag is random: answers to a load that has been interrupted may still come. */
int load_exchange_open(struct load_exchange *exchange, struct gateway *gateway, struct load_target *targets,
                       size_t count, double timeout)
{
    struct pr_frame request, answer;
    *exchange = (struct load_exchange){
        .way = {.targets = targets, .count = count, .room = room_of(gateway), .send = send_record},
        .gateway = gateway,
        .timeout = timeout,
        .tag = randombytes_uniform(TAGS),
        .patience = timeout * first_patience};
    if (exchange->way.room == 0) {
        report_error("load", "packets of %u words, expected room for a load record",
                     (unsigned)gateway->identity.max_packet);
        return EXIT_USAGE;
    }
    pr_client_on_event(gateway->client, handle_event, exchange);
    pr_message_listen(&request, PR_CONSOLE_LISTEN_DELIVERED);
    return gateway_ask(gateway, &request, &answer, "listen");
}
