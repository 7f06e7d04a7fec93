/* See node_under_test.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "node_under_test.h"

#include <string.h>

#include "check.h"
#include "small_host.h"

#define FULL        .sends = true, .groups = true, .explains = true, .polls_tell = true, .hostile_round = 10000
#define SMALL       .settles_what_was_sent = true, .window = 1, .packet_words = 56, .hostile_round = 500
#define FULL_TRIES  .tries = PR_TRIES_MAX, .bases = 3, .time_out = 1024, .doublings = 3
#define SMALL_TRIES .tries = 8, .bases = 8, .time_out = 8192 << 1, .doublings = 2

const struct node_kind full_raw = {
    FULL,
    .name = "full, raw",
    .buffers = 12,
    .packet_words = 64,
};
const struct node_kind full_reliable = {
    FULL,           FULL_TRIES,    .name = "full, reliable", .reliable = true,
    .delays = true, .buffers = 24, .packet_words = 300,      .window = 8,
};
const struct node_kind small_raw = {
    SMALL, .name = "small-raw", .image = "raw", .sends = true, .buffers = 5,
};
const struct node_kind small_reliable = {
    SMALL, SMALL_TRIES, .name = "small-reliable", .image = "reliable", .reliable = true, .sends = true, .buffers = 5,
};
const struct node_kind small_receiver = {
    SMALL, .name = "small-receiver", .image = "receiver", .reliable = true, .buffers = 4,
};

void node_init(struct node_under_test *node, const struct node_kind *kind)
{
    node_end(node);
    memset(node, 0, sizeof *node);
    node->kind = kind;
    node->buffers = kind->buffers;
    node->packet_words = kind->packet_words;
    node->window = kind->window;
    node->console = &host_console;
    host_reset(1);
    fake_init(&node->fake);
}

void node_end(struct node_under_test *node)
{
    if (node->small.object)
        small_site_unload(&node->small);
    node->small.object = NULL;
    free(node->memory);
    node->memory = NULL;
}

/* ---- the full operator ---- */

static bool start_full(struct node_under_test *node)
{
    const struct pr_operator_size size = {node->buffers, node->packet_words, node->window, node->sites};
    size_t words = node->kind->reliable ? PR_OPERATOR_MEMORY_WORDS(node->buffers, node->packet_words, node->sites)
                                        : node->buffers * PR_PACKET_BUFFER_WORDS(node->packet_words);
    node->memory = malloc(words * sizeof *node->memory);
    memset(node->memory, 0xdb, words * sizeof *node->memory);
    memset(&node->full, 0xdb, sizeof node->full);
    if (pr_operator_init(&node->full.op, &node->fake.interface, &node->identity, node->memory, &size) != 0)
        return false;
    pr_operator_use_relays(&node->full.op, &node->relay_source, NULL);
    CHECK_EQUAL(pr_operator_register(&node->full.op, node->handler, node->deliver, node->context), 0);
    if (node->observe)
        CHECK_EQUAL(pr_operator_observe(&node->full.op, node->observe, node->context), 0);
    if (node->has_console)
        CHECK_EQUAL(pr_console_init(&node->full.console, &node->full.op), 0);
    return true;
}

static bool poll_full(struct node_under_test *node)
{
    return node->has_console ? pr_node_poll(&node->full) : pr_operator_poll(&node->full.op);
}

static bool next_wake_full(struct node_under_test *node, uint32_t *clock)
{
    return node->has_console ? pr_node_next_wake(&node->full, clock) : pr_operator_next_wake(&node->full.op, clock);
}

/* ---- a small one ---- */

static void report(struct node_under_test *node, const struct pr_operator_event *event)
{
    if (node->observe)
        node->observe(node->context, event);
}

static void deliver_small(void *context, const struct pr_small_delivery *small)
{
    struct node_under_test *node = context;
    const struct pr_delivery delivery = {
        .source = small->source,
        .sequence = (uint16_t)small->sequence,
        .handler = (uint8_t)small->handler,
        .data = small->data,
        .data_words = small->data_words,
        .info = small->info,
        .info_words = small->info_words,
        .stamp_first = small->stamp_first,
        .stamp_last = small->stamp_last,
    };
    report(node, &(struct pr_operator_event){.kind = PR_OPERATOR_EVENT_DELIVERED, .delivery = &delivery});
    if (delivery.handler == node->handler)
        node->deliver(node->context, &delivery);
}

/* What a full operator would have told of this site's own packet since the last look. */
static void report_events(struct node_under_test *node)
{
    uint32_t failed = node_counter(node, PR_COUNTER_TARGETS_FAILED) - node->failed;
    struct pr_operator_event event = {.source = node->identity.site,
                                      .site = node->target,
                                      .sequence = node->sequence,
                                      .kind = PR_OPERATOR_EVENT_TIMED_OUT};
    CHECK(failed <= node->is_unsettled && node->own_failed + failed <= 1);
    for (; node->time_outs != node_counter(node, PR_COUNTER_TIME_OUTS); node->time_outs++)
        report(node, &event);
    node->failed += failed;
    node->own_failed += (uint16_t)failed;
    event.kind = PR_OPERATOR_EVENT_FAILED;
    if (failed > 0)
        report(node, &event);
    if (!node->is_unsettled || !node->small.functions->can_send())
        return;
    node->is_unsettled = false;
    event.kind = PR_OPERATOR_EVENT_SETTLED;
    event.remaining = node->own_failed;
    report(node, &event);
}

static bool start_small(struct node_under_test *node)
{
    node->small = small_site_load(node->kind->image);
    node->sequence = UINT16_MAX;
    node->is_unsettled = false;
    node->failed = node->time_outs = 0;
    node->small.functions->set_application(deliver_small, node);
    CHECK_EQUAL(node->small.functions->buffers, node->buffers);
    return node->small.functions->start(&node->fake.interface, &node->identity, node->console);
}

/* A byte for the console would wake a core. */
static bool poll_small(struct node_under_test *node)
{
    bool more = node->small.functions->round() || node->console->has_byte(node->console->context);
    if (node->kind->sends)
        report_events(node);
    return more;
}

/* A handler may send in the round in which the last packet is settled. */
static int send_small(struct node_under_test *node, const struct pr_target *target, const uint32_t *data,
                      unsigned words, uint16_t *sequence)
{
    report_events(node);
    if (!node->small.functions->send ||
        !node->small.functions->send((unsigned)target->site, node->handler, data, words))
        return -1;
    node->sequence++;
    node->target = (uint16_t)target->site;
    node->is_unsettled = true;
    node->own_failed = 0;
    if (sequence)
        *sequence = node->sequence;
    return 0;
}

/* ---- either ---- */

bool node_start(struct node_under_test *node)
{
    node_end(node);
    return node->kind->image ? start_small(node) : start_full(node);
}

bool node_poll(struct node_under_test *node)
{
    return node->kind->image ? poll_small(node) : poll_full(node);
}

bool node_next_wake(struct node_under_test *node, uint32_t *clock)
{
    return node->kind->image ? node->small.functions->wake(clock) : next_wake_full(node, clock);
}

uint32_t node_counter(const struct node_under_test *node, unsigned index)
{
    return node->kind->image ? node->small.functions->counter(index) : pr_operator_counter(&node->full.op, index);
}

unsigned node_send_room(const struct node_under_test *node)
{
    if (!node->kind->image)
        return pr_operator_send_room(&node->full.op);
    return node->kind->sends && node->small.functions->can_send();
}

int node_send(struct node_under_test *node, const struct pr_target *targets, unsigned count, const uint32_t *data,
              unsigned words, uint16_t *sequence)
{
    if (!node->kind->image)
        return pr_operator_send(&node->full.op, targets, count, node->handler, data, words, sequence);
    return count == 1 && targets->info_words == 0 ? send_small(node, targets, data, words, sequence) : -1;
}

bool node_is_at_rest(const struct node_under_test *node)
{
    unsigned buffers = node->kind->image ? node->buffers
                                         : node->full.op.common.pool.buffers; /* routes take the place of some */
    if (node_counter(node, PR_COUNTER_FREE_BUFFERS) != buffers)
        return false;
    if (node->kind->image)
        return fake_posted(&node->fake) == node->buffers && (!node->kind->sends || node_send_room(node) > 0);
    return node_send_room(node) > 0 && (!node->kind->reliable || node->full.op.common.pool.small == PR_SMALL_BUFFERS);
}
