/* See suite.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "suite.h"

#include <string.h>

#include "check.h"
#include "small_host.h"

enum { LONGEST = 2000000, ROUNDS_MAX = 2000 };

struct node_under_test node;
unsigned deliveries, events[PR_OPERATOR_EVENT_SETTLED + 1], note_count;
struct pr_delivery last;
uint32_t last_data[SUITE_WORDS], last_info[SUITE_WORDS];
struct pr_operator_event notes[NOTES];
struct suite_out out;
static const struct node_kind *kind;

static void on_delivery(void *context, const struct pr_delivery *delivery)
{
    CHECK(context == &node);
    CHECK_EQUAL(delivery->handler, node.handler);
    deliveries++;
    last = *delivery;
    memcpy(last_data, delivery->data, delivery->data_words * sizeof *last_data);
    memcpy(last_info, delivery->info, delivery->info_words * sizeof *last_info);
}

static void on_event(void *context, const struct pr_operator_event *event)
{
    CHECK(context == &node);
    events[event->kind]++;
    CHECK((event->kind == PR_OPERATOR_EVENT_DELIVERED) == (event->delivery != NULL));
    if (event->kind == PR_OPERATOR_EVENT_RESENT &&
        fake_sending(fake) != NULL) /* it may leave at once, before it is delivered */
        fake_sending(fake)->stamp_first = fake_sending(fake)->stamp_last = 0xdead;
    if (event->kind >= PR_OPERATOR_EVENT_TIMED_OUT)
        notes[note_count++ % NOTES] = *event;
}

unsigned count_of(enum pr_operator_event_kind of_kind)
{
    unsigned count = 0;
    for (unsigned k = 0; k < note_count && k < NOTES; k++)
        count += notes[k].kind == of_kind;
    return count;
}

void suite_of(const struct node_kind *of_kind)
{
    kind = of_kind;
}

void prepare(unsigned epoch)
{
    node_init(&node, kind);
    node.sites = SITES;
    node.handler = HANDLER;
    node.deliver = on_delivery;
    node.observe = on_event;
    node.context = &node;
    *identity = fake_identity(HERE);
    identity->max_packet = kind->packet_words;
    identity->reliable = kind->reliable;
    identity->epoch = epoch;
    if (kind->reliable)
        fake->clock = UINT32_MAX - 3000; /* wraps round before the first time-out */
    deliveries = note_count = 0;
    memset(events, 0, sizeof events);
}

void begin(void)
{
    CHECK(node_start(&node));
}

void start_in_epoch(unsigned epoch)
{
    prepare(epoch);
    begin();
}

void start(void)
{
    start_in_epoch(0);
}

uint32_t address(unsigned site)
{
    return pr_site_identity_address(identity, site);
}

uint32_t counter(unsigned index)
{
    return node_counter(&node, index);
}

void poll_all(void)
{
    for (unsigned k = 0; k < ROUNDS_MAX && node_poll(&node); k++)
        CHECK(k < ROUNDS_MAX - 1 || host.stuck); /* nobody may read what it has to say */
}

/* ---- what the peers send ---- */

void receive(uint32_t of_kind, unsigned target, struct pr_header *header, unsigned more)
{
    uint32_t data[PR_HEADER_WORDS_MAX + 8], site_word = address(target);
    pr_header_encode(header, data, KIND_BIT);
    for (unsigned k = 0; k < more; k++)
        data[header->words + k] = 0x1000 + header->sequence + k;
    CHECK(fake_receive(fake, of_kind, &site_word, 1, data, header->words + more) != NULL);
    poll_all();
}

struct pr_header data_header(unsigned source, unsigned epoch, unsigned sequence)
{
    return (struct pr_header){
        .kind = PR_HEADER_KIND_DATA,
        .source = source,
        .epoch = (uint8_t)epoch,
        .sequence = (uint16_t)sequence,
        .handler = HANDLER,
    };
}

void data_from(unsigned source, unsigned epoch, unsigned sequence)
{
    struct pr_header header = data_header(source, epoch, sequence);
    receive(END, HERE, &header, 2);
}

void acknowledge_from(unsigned site, unsigned epoch, unsigned sequence, unsigned bitmap)
{
    struct pr_header header = {
        .kind = PR_HEADER_KIND_ACKNOWLEDGEMENT,
        .source = site,
        .acknowledgement = {(uint16_t)sequence, (uint16_t)bitmap, (uint8_t)epoch},
    };
    receive(END, HERE, &header, 0);
}

void control_from(unsigned site, unsigned type, unsigned epoch, unsigned peer_epoch, uint32_t base)
{
    struct pr_header header = {
        .kind = PR_HEADER_KIND_CONTROL,
        .source = site,
        .control = (uint8_t)type,
        .epoch = (uint16_t)epoch,
        .peer_epoch = (uint16_t)peer_epoch,
        .base = base,
    };
    receive(END, HERE, &header, 0);
}

/* ---- what this site sends ---- */

int send_to(const unsigned *sites, unsigned site_count)
{
    struct pr_target targets[SITES] = {0};
    const uint32_t data[] = {0xabcd, 0x1234};
    for (unsigned k = 0; k < site_count; k++)
        targets[k].site = sites[k];
    return node_send(&node, targets, site_count, data, 2, NULL);
}

bool leave(void)
{
    const struct pr_packet *packet = fake_leaving(fake);
    if (!packet)
        return false;
    out.kind = packet->kind;
    out.target_words = pr_packet_target_words(packet);
    out.data_words = pr_packet_data_words(packet);
    memcpy(out.words, packet->words, (out.target_words + out.data_words) * sizeof *out.words);
    memcpy(out.info, packet->info, sizeof out.info);
    out.site = pr_site_identity_site(identity, out.words[0]);
    CHECK(pr_header_decode(&out.header, out.words + out.target_words, out.data_words, KIND_BIT) != PR_HEADER_KIND_BAD);
    CHECK(out.header.source == HERE || out.header.has_parent ||
          out.header.kind == PR_HEADER_KIND_RELAY_ACKNOWLEDGEMENT); /* of others this node is a relay */
    fake_sent(fake);
    poll_all();
    return true;
}

bool is_idle(void)
{
    uint32_t clock;
    return fake_sending(fake) == NULL && !node_next_wake(&node, &clock);
}

bool sleep_once(void)
{
    uint32_t clock;
    if (!node_next_wake(&node, &clock))
        return false;
    CHECK((int32_t)(clock - (uint32_t)fake->clock) > 0); /* else it should have been done by now */
    fake->clock += (uint32_t)(clock - (uint32_t)fake->clock);
    poll_all();
    return true;
}

uint32_t leave_in_time(void)
{
    uint64_t began = fake->clock;
    while (!leave())
        CHECK(sleep_once() && fake->clock - began < LONGEST);
    return (uint32_t)(fake->clock - began);
}

void check_acknowledgement(unsigned to, unsigned epoch, unsigned sequence, unsigned bitmap)
{
    CHECK_EQUAL(out.header.kind, PR_HEADER_KIND_ACKNOWLEDGEMENT);
    CHECK_EQUAL(out.site, to);
    CHECK_EQUAL(out.target_words, 1);
    CHECK_EQUAL(out.header.acknowledgement.epoch, epoch);
    CHECK_EQUAL(out.header.acknowledgement.sequence, sequence & 0xffff);
    CHECK_EQUAL(out.header.acknowledgement.bitmap, bitmap);
}

void check_control(unsigned to, unsigned type)
{
    CHECK_EQUAL(out.header.kind, PR_HEADER_KIND_CONTROL);
    CHECK_EQUAL(out.header.control, type);
    CHECK_EQUAL(out.site, to);
    CHECK_EQUAL(out.target_words, 1);
    CHECK_EQUAL(out.header.epoch, identity->epoch);
}

void check_data(unsigned to, unsigned sequence)
{
    CHECK_EQUAL(out.header.kind, PR_HEADER_KIND_DATA);
    CHECK_EQUAL(out.site, to);
    CHECK_EQUAL(out.header.sequence, sequence & 0xffff);
    CHECK_EQUAL(out.header.epoch, identity->epoch & PR_EPOCH_MASK);
    CHECK_EQUAL(out.header.handler, HANDLER);
}

void send_and_leave(unsigned site)
{
    CHECK_EQUAL(send_to(&site, 1), 0);
    CHECK(leave());
    CHECK_EQUAL(out.site, site);
}

void send_many(unsigned site, unsigned packets)
{
    for (unsigned k = 0; k < packets; k++) {
        CHECK_EQUAL(send_to(&site, 1), 0);
        note_count = 0;
        while (!leave() || out.site != site)
            ;
        acknowledge_from(site, identity->epoch & PR_EPOCH_MASK, out.header.sequence, 0);
        CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_SETTLED), 1);
        fake->clock += 100;
    }
    note_count = 0;
}
