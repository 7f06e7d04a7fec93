/* See load_exchange.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "loader/load_exchange.h"

#include "cli/exit_code.h"
#include "cli/report.h"

#include <math.h>
#include <sodium.h>

enum {
    ANSWER = PR_LOAD_PACKET_ANSWER - PR_HEADER_WORDS, /* behind the header */
    FRAME_AROUND = PR_MESSAGE_FRAME_BYTES + PR_MESSAGE_SEND_BYTES +
                   6, /* a request's bytes: zeros, CRC and COBS are 6 */
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

static int send_packet(struct load_exchange *exchange, const uint16_t *sites, unsigned targets,
                       const struct load_record *record)
{
    uint32_t data[LOAD_PACKET_WORDS];
    struct pr_message_send packet = {
        .handler = PR_HANDLER_LOAD,
        .targets = targets,
        .data_words = load_record_packet(record, own_address(exchange), exchange->tag, data),
        .sites = sites,
        .data = data,
        .halves = exchange->halves};
    exchange->way.sent++;
    return load_requests_put(&exchange->requests, &packet);
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
    if (status == EXIT_OK)
        status = load_requests_finish(&exchange->requests);
    return status == EXIT_OK ? wait_for_answers(exchange, exchange->patience * (before < 3 ? 1 << before : 8)) : status;
}

/* The gateway reports the answers only if it is to: each takes its core and its line as long as some words of a record.
 */
static int listen_to_answers(struct load_exchange *exchange, bool listens)
{
    struct pr_frame request, answer;
    if (exchange->listens == listens)
        return EXIT_OK;
    exchange->listens = listens;
    pr_message_listen(&request, listens ? PR_CONSOLE_LISTEN_DELIVERED : 0);
    return gateway_ask(exchange->gateway, &request, &answer, "listen");
}

static int cast_record(struct load_way *way, const struct load_record *record)
{
    struct load_exchange *exchange = (struct load_exchange *)way;
    int status = listen_to_answers(exchange, false);
    begin_record(exchange);
    begin_try(exchange);
    return status == EXIT_OK ? send_all(exchange, LOAD_GROUP, record) : status;
}

/* Tries, until all have answered, or those that are left have been silent for the time-out. */
static int try_until_answered(struct load_exchange *exchange, const struct load_record *record)
{
    double heard = pr_client_now();
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
    return EXIT_OK;
}

static int send_record(struct load_way *way, const struct load_record *record)
{
    struct load_exchange *exchange = (struct load_exchange *)way;
    int status = load_requests_finish(&exchange->requests);
    begin_record(exchange);
    if (status == EXIT_OK)
        status = listen_to_answers(exchange, true);
    if (status == EXIT_OK)
        status = try_until_answered(exchange, record);
    if (status != EXIT_OK)
        return status;
    learn_patience(exchange);
    for (size_t i = 0; i < way->count; i++)
        way->targets[i].lost |= is_silent(&way->targets[i]);
    return EXIT_OK;
}

static unsigned least(unsigned first, unsigned second)
{
    return first < second ? first : second;
}

/* Words of RAM that a data record may have, so that its packet fits the mesh and the boot program, and two requests for
 * such a packet the gateway's UART: its core takes one while the other is on the line. */
static unsigned room_of(const struct gateway *gateway, size_t count)
{
    unsigned targets = count < LOAD_GROUP ? (unsigned)count : LOAD_GROUP;
    unsigned used = PR_LOAD_PACKET_RECORD + 2 * PR_LOAD_EXTRA;
    unsigned words = gateway->identity.max_packet;
    unsigned bytes = LOAD_REQUESTS_BYTES / 2 - FRAME_AROUND - targets * PR_MESSAGE_ENTRY_BYTES;
    unsigned halves = least(words < targets + used ? 0 : words - targets - used, bytes / 2 + PR_HEADER_WORDS - used);
    return least(halves / 2, PR_LOAD_DATA_MAX);
}

/* Does the gateway take data words of 16 bits? A request without targets fails in either case. */
static int ask_for_halves(struct load_exchange *exchange)
{
    const struct pr_message_send nothing = {.handler = PR_HANDLER_LOAD, .halves = true};
    struct pr_frame request, answer;
    bool answered;
    pr_message_send(&request, &nothing);
    int status = pr_client_ask(exchange->gateway->client, &request, exchange->timeout, &answer, &answered);
    if (status != PR_CLIENT_OK)
        return gateway_failed(exchange->gateway, status);
    exchange->halves = answered && pr_message_status(&answer) == PR_CONSOLE_NO_TARGETS;
    return EXIT_OK;
}

/* The first tag is random: answers to a load that has been interrupted may still come. */
int load_exchange_open(struct load_exchange *exchange, struct gateway *gateway, struct load_target *targets,
                       size_t count, double timeout)
{
    *exchange = (struct load_exchange){.way = {.targets = targets,
                                               .count = count,
                                               .room = room_of(gateway, count),
                                               .send = send_record,
                                               .cast = cast_record},
                                       .gateway = gateway,
                                       .requests = {.gateway = gateway, .timeout = timeout},
                                       .timeout = timeout,
                                       .tag = randombytes_uniform(TAGS),
                                       .patience = timeout * first_patience};
    if (exchange->way.room == 0) {
        report_error("load", "packets of %u words, expected room for a load record",
                     (unsigned)gateway->identity.max_packet);
        return EXIT_USAGE;
    }
    pr_client_on_event(gateway->client, handle_event, exchange);
    return ask_for_halves(exchange);
}
