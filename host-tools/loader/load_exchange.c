/* See load_exchange.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "loader/load_exchange.h"

#include "cli/exit_code.h"
#include "libpostroad/client.h"

#include <math.h>

enum {
    TAGS = 1 << 15,
    SITES_AT_ONCE = 64, /* at most */
    ENTER_TOGETHER = 3, /* tries of an order to enter that go to all at once; */
    ENTER_TRIES = 4     /* and that follow each other at once: firmware does not answer the first one */
};

/* Parts of the time-out: the first patience; the shortest, which an answer on a busy line may take; the longest, with
 * which a lost packet is repeated in time; and that of an order to enter, in which a boot program begins. */
static const double first_patience = 1.0 / 60, least_patience = 1.0 / 300, most_patience = 1.0 / 2,
                    enter_patience = 1.0 / 600;
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

static void take_answer(void *context, unsigned site, char answer, uint32_t tag)
{
    struct load_exchange *exchange = context;
    double tried;
    if (!find_try(exchange, tag, &tried) || answer == PR_LOAD_BAD_CHECK || answer == PR_LOAD_BAD_LENGTH)
        return; /* the record was damaged on its way: it is sent again, as if there were no answer */
    for (size_t i = 0; i < exchange->way.count; i++)
        if (exchange->way.targets[i].site == site && is_silent(&exchange->way.targets[i])) {
            exchange->way.targets[i].answer = answer;
            exchange->slowest = fmax(exchange->slowest, pr_client_now() - tried);
        }
}

static int send_to(struct load_exchange *exchange, const uint16_t *sites, unsigned count,
                   const struct load_record *record)
{
    exchange->way.sent++;
    return exchange->carrier->send(exchange->carrier, sites, count, record, exchange->tag);
}

/* Sends the record to the silent targets, `group` of them in a packet. */
static int send_all(struct load_exchange *exchange, unsigned group, const struct load_record *record)
{
    uint16_t sites[SITES_AT_ONCE];
    unsigned used = 0;
    int status = EXIT_OK;
    for (size_t i = 0; i < exchange->way.count && status == EXIT_OK; i++) {
        if (is_silent(&exchange->way.targets[i]))
            sites[used++] = (uint16_t)exchange->way.targets[i].site;
        if (used == group || (used > 0 && i == exchange->way.count - 1)) {
            status = send_to(exchange, sites, used, record);
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
    size_t silent = count_silent(exchange);
    double heard = pr_client_now();
    while (silent > 0) {
        double left = heard + patience - pr_client_now();
        if (left <= 0)
            break;
        int status = exchange->carrier->poll(exchange->carrier, left);
        if (status != EXIT_OK)
            return status;
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

static double patience_of(const struct load_exchange *exchange, unsigned tries_before, bool enters)
{
    unsigned late = enters ? ENTER_TRIES : 0; /* whose patience is short, and teaches nothing */
    if (tries_before < late)
        return exchange->timeout * enter_patience;
    return exchange->patience * (tries_before - late < 3 ? 1 << (tries_before - late) : 8);
}

/* One try, and the answers that come before the patience ends. */
static int try_record(struct load_exchange *exchange, const struct load_record *record)
{
    unsigned before = exchange->tries;
    bool enters = load_record_enters(record), together = before < (enters ? ENTER_TOGETHER : 1);
    if (before > 0)
        exchange->way.repeats += count_silent(exchange);
    begin_try(exchange);
    int status = send_all(exchange, together ? exchange->carrier->group : 1, record);
    if (status == EXIT_OK)
        status = exchange->carrier->finish(exchange->carrier);
    return status == EXIT_OK ? wait_for_answers(exchange, patience_of(exchange, before, enters)) : status;
}

static int cast_record(struct load_way *way, const struct load_record *record)
{
    struct load_exchange *exchange = (struct load_exchange *)way;
    begin_record(exchange);
    return send_all(exchange, exchange->carrier->group, record);
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
    int status = exchange->carrier->finish(exchange->carrier);
    begin_record(exchange);
    if (status == EXIT_OK)
        status = try_until_answered(exchange, record);
    if (status != EXIT_OK)
        return status;
    learn_patience(exchange);
    for (size_t i = 0; i < way->count; i++)
        way->targets[i].lost |= is_silent(&way->targets[i]);
    return EXIT_OK;
}

/* The first tag is random: answers to a load that has been interrupted may still come. */
void load_exchange_open(struct load_exchange *exchange, struct load_carrier *carrier, struct load_target *targets,
                        size_t count, double timeout, uint32_t seed)
{
    *exchange = (struct load_exchange){
        .way = {.targets = targets, .count = count, .room = carrier->room, .send = send_record, .cast = cast_record},
        .carrier = carrier,
        .timeout = timeout,
        .tag = seed % TAGS,
        .patience = timeout * first_patience};
    carrier->answered = take_answer;
    carrier->context = exchange;
}
