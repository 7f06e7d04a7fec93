/* See load_exchange.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "boot/load_exchange.h"

#include "cli/exit_code.h"
#include "cli/report.h"

enum {
    REPLY = PR_LOAD_PACKET_REPLY - PR_HEADER_WORDS, /* words behind the header, which the gateway's operator writes */
    TAG = PR_LOAD_PACKET_TAG - PR_HEADER_WORDS,
    RECORD = PR_LOAD_PACKET_RECORD - PR_HEADER_WORDS,
    ANSWER = PR_LOAD_PACKET_ANSWER - PR_HEADER_WORDS,
    TAGS = 1 << 15
};

/* Parts of the time-out: the first patience, and the shortest, which an answer on a busy line may take. */
static const double first_patience = 1.0 / 60, least_patience = 1.0 / 300;
static const double answers_late = 4; /* times the time that answers have taken */

static bool is_wanted(const struct load_target *target)
{
    return target->wanted && !target->lost;
}

static bool is_silent(const struct load_target *target)
{
    return is_wanted(target) && target->answer == 0;
}

static void handle_event(void *context, const struct pr_frame *frame)
{
    static struct pr_message_delivery delivery; /* large */
    struct load_exchange *exchange = context;
    if (frame->type != PR_CONSOLE_DELIVERED || !pr_message_read_delivery(frame, &delivery) ||
        delivery.handler != PR_HANDLER_LOAD || delivery.data_words != ANSWER + 2 ||
        delivery.data[ANSWER + 1] != exchange->tag)
        return;
    for (size_t i = 0; i < exchange->count; i++)
        if (exchange->targets[i].site == delivery.source && is_wanted(&exchange->targets[i]))
            exchange->targets[i].answer = (char)delivery.data[ANSWER];
}

int load_exchange_open(struct load_exchange *exchange, struct gateway *gateway, struct load_target *targets,
                       size_t count, double timeout)
{
    struct pr_frame request, answer;
    *exchange = (struct load_exchange){.gateway = gateway,
                                       .targets = targets,
                                       .count = count,
                                       .timeout = timeout,
                                       .patience = timeout * first_patience};
    pr_client_on_event(gateway->client, handle_event, exchange);
    pr_message_listen(&request, PR_CONSOLE_LISTEN_DELIVERED);
    return gateway_ask(gateway, &request, &answer, "listen");
}

unsigned load_exchange_room(const struct load_exchange *exchange)
{
    unsigned used = LOAD_GROUP + PR_LOAD_PACKET_RECORD + 2 * PR_LOAD_EXTRA;
    unsigned room = exchange->gateway->identity.max_packet > used ? (exchange->gateway->identity.max_packet - used) / 2
                                                                  : 0;
    return room < PR_LOAD_DATA_MAX ? room : PR_LOAD_DATA_MAX;
}

static uint32_t own_address(const struct load_exchange *exchange)
{
    return exchange->gateway->identity.address;
}

/* One packet. A node whose buffers are full is asked again. */
static int send_packet(struct load_exchange *exchange, const uint16_t *sites, unsigned targets,
                       const struct load_record *record)
{
    uint32_t data[RECORD + 2 * LOAD_RECORD_WORDS];
    struct pr_message_send packet = {.handler = PR_HANDLER_LOAD,
                                     .targets = targets,
                                     .data_words = RECORD + 2 * record->count,
                                     .sites = sites,
                                     .data = data};
    struct pr_frame request, answer;
    struct pr_client *client = exchange->gateway->client;
    double deadline = pr_client_now() + exchange->timeout;
    data[REPLY] = own_address(exchange);
    data[TAG] = exchange->tag;
    for (unsigned k = 0; k < 2 * record->count; k++)
        data[RECORD + k] = record->words[k / 2] >> 16 * (k % 2) & 0xffff;
    exchange->packets++;
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
    for (size_t i = 0; i < exchange->count && status == EXIT_OK; i++) {
        if (is_silent(&exchange->targets[i]))
            sites[used++] = (uint16_t)exchange->targets[i].site;
        if (used == group || (used > 0 && i == exchange->count - 1)) {
            status = send_packet(exchange, sites, used, record);
            used = 0;
        }
    }
    return status;
}

static size_t count_silent(const struct load_exchange *exchange)
{
    size_t silent = 0;
    for (size_t i = 0; i < exchange->count; i++)
        silent += is_silent(&exchange->targets[i]);
    return silent;
}

/* Waits until all have answered, or none has for the patience. */
static int wait_for_answers(struct load_exchange *exchange)
{
    struct pr_client *client = exchange->gateway->client;
    size_t silent = count_silent(exchange);
    double heard = pr_client_now();
    while (silent > 0) {
        double left = heard + exchange->patience - pr_client_now();
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

/* Karn's rule: only records that went out once tell how long answers take. */
static void learn_patience(struct load_exchange *exchange, double took)
{
    double wanted = answers_late * took, least = exchange->timeout * least_patience;
    wanted = wanted > least ? wanted : least;
    exchange->patience = wanted > exchange->patience ? wanted : (7 * exchange->patience + wanted) / 8;
}

int load_exchange_send(struct load_exchange *exchange, const struct load_record *record)
{
    double began = pr_client_now(), heard = began;
    size_t silent;
    exchange->tag = (exchange->tag + 1) % TAGS;
    for (size_t i = 0; i < exchange->count; i++)
        if (is_wanted(&exchange->targets[i]))
            exchange->targets[i].answer = 0;
    silent = count_silent(exchange);
    for (unsigned tries = 0; silent > 0; tries++) {
        size_t before = silent;
        double patience = exchange->patience;
        int status = send_all(exchange, tries == 0 ? LOAD_GROUP : 1, record);
        if (tries > 0)
            exchange->repeats += before;
        exchange->patience = patience * (tries < 3 ? 1 << tries : 8);
        if (status == EXIT_OK)
            status = wait_for_answers(exchange);
        exchange->patience = patience;
        if (status != EXIT_OK)
            return status;
        silent = count_silent(exchange);
        if (silent < before)
            heard = pr_client_now();
        if (silent == 0 && tries == 0)
            learn_patience(exchange, pr_client_now() - began);
        if (silent > 0 && pr_client_now() > heard + exchange->timeout)
            break;
    }
    for (size_t i = 0; i < exchange->count; i++)
        exchange->targets[i].lost |= is_silent(&exchange->targets[i]);
    return EXIT_OK;
}
