/* The reliable service rule by rule, on one operator without a network: its peers are the test. test_reliable_soak.c
 * has whole meshes.
 *
 * SPDX-License-Identifier: ISC
 */
#include <string.h>

#include "check.h"
#include "fake_interface.h"
#include "operator/operator.h"
#include "operator/target_list.h"

enum {
    BUFFERS = 24,
    WORDS = 300,
    SITES = 16,
    HERE = 5,
    HANDLER = 7,
    BUSY_CLOCKS = 600,                     /* shorter than a time-out */
    CALM_CLOCKS = 65537,                   /* without a deferral: links are calm again */
    MARK = 1 << PR_SITE_MARK_BIT_16,       /* of a site word */
    KIND_BIT = 1 << PR_HEADER_KIND_BIT_16, /* of a header */
    END = PR_TAG_END_OF_PACKET,
    LOCAL_END = PR_TAG_LOCAL_END_OF_PACKET,
    LONGEST = 2000000,
    NOTES = 64,
    BEFORE = (1 << PR_ACKNOWLEDGEMENT_SPAN) - 1 /* a bitmap: what was before the first packet counts as received */
};

static struct fake_interface fake;
static struct pr_site_identity identity;
static struct pr_operator op;
static bool diverts = true; /* capability of the network */
static uint32_t *memory;
static unsigned deliveries;
static struct pr_delivery last;

/* Events of this site's own packets, in their order. */
static struct pr_operator_event notes[NOTES];
static unsigned note_count;

static void on_delivery(void *context, const struct pr_delivery *delivery)
{
    CHECK(context == &op);
    deliveries++;
    last = *delivery;
}

static void on_event(void *context, const struct pr_operator_event *event)
{
    (void)context;
    if (event->kind >= PR_OPERATOR_EVENT_TIMED_OUT)
        notes[note_count++ % NOTES] = *event;
}

static unsigned count_of(enum pr_operator_event_kind kind)
{
    unsigned count = 0;
    for (unsigned k = 0; k < note_count && k < NOTES; k++)
        count += notes[k].kind == kind;
    return count;
}

static void restart_with(unsigned epoch, unsigned buffers, unsigned window)
{
    const struct pr_operator_size size = {buffers, WORDS, window, SITES};
    free(memory);
    memory = malloc(PR_OPERATOR_MEMORY_WORDS(buffers, WORDS, SITES) * sizeof *memory); /* exact: overruns are seen */
    memset(memory, 0xdb, PR_OPERATOR_MEMORY_WORDS(buffers, WORDS, SITES) * sizeof *memory);
    fake_init(&fake);
    fake.interface.capabilities.diverts = diverts;
    fake.clock = UINT32_MAX - 3000; /* wraps round before the first time-out */
    identity = fake_identity(HERE);
    identity.reliable = 1;
    identity.epoch = epoch;
    identity.max_packet = WORDS;
    deliveries = note_count = 0;
    CHECK_EQUAL(pr_operator_init(&op, &fake.interface, &identity, memory, &size), 0);
    CHECK_EQUAL(pr_operator_register(&op, HANDLER, on_delivery, &op), 0);
    CHECK_EQUAL(pr_operator_observe(&op, on_event, NULL), 0);
}

static void start(void)
{
    restart_with(0, BUFFERS, 8);
}

static uint32_t address(unsigned site)
{
    return pr_site_identity_address(&identity, site);
}

static uint32_t pr_count(unsigned index)
{
    return pr_operator_counter(&op, index);
}

static void poll_all(void)
{
    while (pr_operator_poll(&op))
        ;
}

/* ---- what the peers send ---- */

static void receive(uint32_t kind, unsigned target, struct pr_header *header, unsigned more)
{
    uint32_t data[PR_HEADER_WORDS_MAX + 8], site_word = address(target);
    pr_header_encode(header, data, KIND_BIT);
    for (unsigned k = 0; k < more; k++)
        data[header->words + k] = 0x1000 + header->sequence + k;
    CHECK(fake_receive(&fake, kind, &site_word, 1, data, header->words + more) != NULL);
    poll_all();
}

static struct pr_header data_header(unsigned source, unsigned epoch, unsigned sequence)
{
    return (struct pr_header){
        .kind = PR_HEADER_KIND_DATA,
        .source = (uint16_t)source,
        .epoch = (uint8_t)epoch,
        .sequence = (uint16_t)sequence,
        .handler = HANDLER,
    };
}

static void data_from(unsigned source, unsigned epoch, unsigned sequence)
{
    struct pr_header header = data_header(source, epoch, sequence);
    receive(END, HERE, &header, 2);
}

static void acknowledge_from(unsigned site, unsigned epoch, unsigned sequence, unsigned bitmap)
{
    struct pr_header header = {
        .kind = PR_HEADER_KIND_ACKNOWLEDGEMENT,
        .source = (uint16_t)site,
        .acknowledgement = {(uint16_t)sequence, (uint16_t)bitmap, (uint8_t)epoch},
    };
    receive(END, HERE, &header, 0);
}

static void control_from(unsigned site, unsigned type, unsigned epoch, unsigned peer_epoch, uint32_t base)
{
    struct pr_header header = {
        .kind = PR_HEADER_KIND_CONTROL,
        .source = (uint16_t)site,
        .control = (uint8_t)type,
        .epoch = (uint16_t)epoch,
        .peer_epoch = (uint16_t)peer_epoch,
        .base = base,
    };
    receive(END, HERE, &header, 0);
}

/* ---- what this site sends ---- */

/* The packet that left last. */
static struct {
    struct pr_header header;
    uint32_t kind, words[WORDS], info[PR_PACKET_INFO_WORDS];
    unsigned target_words, data_words, site; /* site: of the first target */
} out;

/* The next packet leaves. False: there is none now. */
static bool leave(void)
{
    const struct pr_packet *packet = fake_leaving(&fake);
    if (!packet)
        return false;
    out.kind = packet->kind;
    out.target_words = pr_packet_target_words(packet);
    out.data_words = pr_packet_data_words(packet);
    memcpy(out.words, packet->words, (out.target_words + out.data_words) * sizeof *out.words);
    memcpy(out.info, packet->info, sizeof out.info);
    out.site = pr_site_identity_site(&identity, out.words[0]);
    CHECK(pr_header_decode(&out.header, out.words + out.target_words, out.data_words, KIND_BIT) != PR_HEADER_KIND_BAD);
    CHECK_EQUAL(out.header.source, HERE);
    fake_sent(&fake);
    poll_all();
    return true;
}

static bool is_idle(void)
{
    uint32_t clock;
    return fake_sending(&fake) == NULL && !pr_operator_next_wake(&op, &clock);
}

/* Sleeps until the operator wakes by itself. False: it never would. */
static bool sleep_once(void)
{
    uint32_t clock;
    if (!pr_operator_next_wake(&op, &clock))
        return false;
    CHECK((int32_t)(clock - (uint32_t)fake.clock) > 0); /* else it should have been done by now */
    fake.clock += (uint32_t)(clock - (uint32_t)fake.clock);
    poll_all();
    return true;
}

/* The next packet that leaves, if need be after a time; with the clocks that took. */
static uint32_t leave_in_time(void)
{
    uint64_t began = fake.clock;
    while (!leave())
        CHECK(sleep_once() && fake.clock - began < LONGEST);
    return (uint32_t)(fake.clock - began);
}

static void check_acknowledgement(unsigned to, unsigned epoch, unsigned sequence, unsigned bitmap)
{
    CHECK_EQUAL(out.header.kind, PR_HEADER_KIND_ACKNOWLEDGEMENT);
    CHECK_EQUAL(out.site, to);
    CHECK_EQUAL(out.target_words, 1);
    CHECK_EQUAL(out.header.acknowledgement.epoch, epoch);
    CHECK_EQUAL(out.header.acknowledgement.sequence, sequence & 0xffff);
    CHECK_EQUAL(out.header.acknowledgement.bitmap, bitmap);
}

static void check_control(unsigned to, unsigned type)
{
    CHECK_EQUAL(out.header.kind, PR_HEADER_KIND_CONTROL);
    CHECK_EQUAL(out.header.control, type);
    CHECK_EQUAL(out.site, to);
    CHECK_EQUAL(out.header.epoch, identity.epoch);
}

static void check_data(unsigned to, unsigned sequence)
{
    CHECK_EQUAL(out.header.kind, PR_HEADER_KIND_DATA);
    CHECK_EQUAL(out.site, to);
    CHECK_EQUAL(out.header.sequence, sequence & 0xffff);
    CHECK_EQUAL(out.header.epoch, identity.epoch);
    CHECK_EQUAL(out.header.handler, HANDLER);
}

static int send_to(const unsigned *sites, unsigned site_count)
{
    struct pr_target targets[SITES] = {0};
    const uint32_t data[] = {0xabcd, 0x1234};
    for (unsigned k = 0; k < site_count; k++)
        targets[k].site = (uint16_t)sites[k];
    return pr_operator_send(&op, targets, site_count, HANDLER, data, 2, NULL);
}

#define SITES_OF(...) (const unsigned[]){__VA_ARGS__}, sizeof((const unsigned[]){__VA_ARGS__}) / sizeof(unsigned)

static void send_and_leave(unsigned site)
{
    CHECK_EQUAL(send_to(&site, 1), 0);
    CHECK(leave());
    CHECK_EQUAL(out.site, site);
}

/* ---- receiving ---- */

static void a_duplicate_is_acknowledged_again_and_not_delivered(void)
{
    start();
    data_from(2, 0, 0);
    CHECK_EQUAL(deliveries, 1);
    CHECK_EQUAL(last.source, 2);
    CHECK_EQUAL(last.epoch, 0);
    CHECK_EQUAL(last.sequence, 0);
    CHECK_EQUAL(last.data_words, 2);
    CHECK_EQUAL(pr_count(PR_COUNTER_FREE_BUFFERS), BUFFERS);
    leave_in_time();
    check_acknowledgement(2, 0, 0, BEFORE);
    CHECK(is_idle());
    data_from(2, 0, 0);
    CHECK_EQUAL(deliveries, 1);
    CHECK_EQUAL(pr_count(PR_COUNTER_DUPLICATES), 1);
    leave_in_time();
    check_acknowledgement(2, 0, 0, BEFORE);
    CHECK(is_idle());
}

static void a_stale_packet_is_dropped(void)
{
    start();
    data_from(2, 0, 40);
    leave_in_time();
    data_from(2, 0, 40 - PR_PEER_SPAN);
    CHECK_EQUAL(deliveries, 2);
    leave_in_time();
    data_from(2, 0, 40 - PR_PEER_SPAN - 1);
    CHECK_EQUAL(deliveries, 2);
    CHECK(is_idle());
}

/* Against a set of all numbers ever received, in any order within the window. */
static void every_number_is_taken_once(void)
{
    enum { NUMBERS = 200000, SPAN = PR_PEER_SPAN };
    static bool received[NUMBERS + SPAN];
    uint64_t random = check_seed();
    struct pr_peer peer = {0};
    uint32_t edge = 0;
    memset(received, 0, sizeof received);
    pr_peer_start(&peer, 0);
    for (unsigned k = 0; edge < NUMBERS; k++) {
        uint32_t number = edge + check_below(&random, SPAN);
        if (check_below(&random, 64) == 0)
            number = edge - check_below(&random, 200); /* a late copy */
        if (number > edge + SPAN)
            continue;
        CHECK_EQUAL(pr_peer_receive(&peer, (uint16_t)number) == PR_PEER_NEW, !received[number] && number >= edge);
        received[number] = true;
        if (check_below(&random, 300) == 0 && edge > 200) /* those are given up: they may come late, or not */
            for (unsigned i = 0; i < SPAN; i++)
                received[edge + i] = received[edge + i] || pr_peer_receive(&peer, (uint16_t)(edge + i)) == PR_PEER_NEW;
        while (received[edge])
            edge++;
    }
}

static void a_newer_epoch_begins_anew_and_an_older_one_is_dropped(void)
{
    start();
    data_from(2, 0, 7);
    leave_in_time();
    send_and_leave(2);
    data_from(2, 3, 0); /* data alone is not believed: its epoch is only 5 bits of one */
    CHECK_EQUAL(deliveries, 1);
    control_from(2, PR_CONTROL_TYPE_RESTARTED, 3, 0, 0);
    leave();
    data_from(2, 3, 0);
    CHECK_EQUAL(deliveries, 2);
    CHECK_EQUAL(last.epoch, 3);
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_FAILED), 1); /* what site 2 was sent before may be lost with its memory */
    CHECK_EQUAL(notes[0].failure, PR_OPERATOR_FAILED_RESTARTED);
    CHECK_EQUAL(notes[0].site, 2);
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_SETTLED), 1);
    CHECK_EQUAL(pr_count(PR_COUNTER_PEERS_RESTARTED), 1);
    leave_in_time();
    check_acknowledgement(2, 3, 0, 0);
    data_from(2, 2, 8);
    data_from(2, 0, 8);
    CHECK_EQUAL(deliveries, 2);
    CHECK(is_idle());
    control_from(2, PR_CONTROL_TYPE_RESTARTED, 2, 0, 0);
    CHECK(is_idle());
    control_from(2, PR_CONTROL_TYPE_RESTARTED, 3 + 32767, 0, 0); /* newer; one more would be older */
    leave();
    data_from(2, (3 + 32767) & PR_EPOCH_MASK, 0);
    CHECK_EQUAL(deliveries, 3);
    leave_in_time();
    control_from(2, PR_CONTROL_TYPE_RESTARTED, 3 + 32767 + 32768, 0, 0);
    CHECK(is_idle());
}

/* However many restarts of a site went unnoticed, it takes no acknowledgement for one of its present life. */
static void unnoticed_restarts(void)
{
    start();
    data_from(2, 0, 0);
    leave_in_time();
    for (unsigned epoch = 1; epoch <= 3 * (PR_EPOCH_MASK + 1); epoch++) {
        unsigned before = deliveries;
        control_from(2, PR_CONTROL_TYPE_BASE, epoch, 0,
                     0); /* the first that is heard of this life: it asks before it sends */
        leave_in_time();
        data_from(2, epoch & PR_EPOCH_MASK, 0);
        CHECK_EQUAL(deliveries, before + 1);
        leave_in_time();
        epoch += 15; /* lives of which nothing arrives */
    }
}

/* A site that restarted sends nobody data before that one has acknowledged a base: only control packets carry all of an
 * epoch. */
static void a_restarted_site_asks_before_it_sends(void)
{
    restart_with(PR_EPOCH_MASK + 1, BUFFERS, 8);
    poll_all();
    while (leave()) /* the news for all sites */
        ;
    control_from(2, PR_CONTROL_TYPE_BASE, 0, PR_EPOCH_MASK + 1, 0);
    CHECK(leave());
    check_control(2, PR_CONTROL_TYPE_BASE);
    leave_in_time();
    check_acknowledgement(2, 0, UINT16_MAX, BEFORE);
    send_and_leave(2);
    check_control(2, PR_CONTROL_TYPE_BASE); /* not data, though site 2 has been heard */
    acknowledge_from(2, 0, UINT16_MAX, 0);
    CHECK(leave());
    CHECK_EQUAL(out.header.kind, PR_HEADER_KIND_DATA);
    CHECK_EQUAL(out.header.epoch, 0); /* its low bits */
}

static void acknowledgements_are_merged(void)
{
    start();
    data_from(2, 0, 0);
    data_from(2, 0, 2);
    data_from(3, 0, 0);
    data_from(2, 0, 3);
    CHECK(fake_sending(&fake) == NULL);
    leave_in_time();
    check_acknowledgement(2, 0, 3, BEFORE & ~2u);
    leave_in_time();
    check_acknowledgement(3, 0, 0, BEFORE);
    CHECK(is_idle());
    CHECK_EQUAL(pr_count(PR_COUNTER_ACKNOWLEDGEMENTS), 2);
}

static void acknowledgements_are_carried_by_data(void)
{
    uint32_t clock;
    start();
    data_from(2, 0, 0);
    send_and_leave(2);
    check_data(2, 0);
    CHECK(out.header.carries);
    CHECK_EQUAL(out.header.acknowledgement.sequence, 0);
    CHECK_EQUAL(out.data_words, PR_HEADER_WORDS + PR_ACKNOWLEDGEMENT_WORDS + 2);
    CHECK_EQUAL(out.words[out.target_words + out.header.words], 0xabcd);
    acknowledge_from(2, 0, 0, 0);
    CHECK(is_idle()); /* no other packet was needed for it */
    data_from(2, 0, 1);
    data_from(2, 0, 2);
    send_and_leave(2);
    CHECK(out.header.carries);
    CHECK_EQUAL(out.header.acknowledgement.sequence, 2);
    CHECK_EQUAL(out.header.acknowledgement.bitmap, BEFORE);
    CHECK_EQUAL(pr_count(PR_COUNTER_ACKNOWLEDGEMENTS_CARRIED), 2);
    CHECK_EQUAL(pr_count(PR_COUNTER_ACKNOWLEDGEMENTS), 0);
    leave_in_time(); /* sent again: that acknowledgement is old */
    check_data(2, 1);
    CHECK(!out.header.carries);
    CHECK_EQUAL(out.data_words, PR_HEADER_WORDS + 2);
    CHECK(pr_operator_next_wake(&op, &clock));
    fake.clock += (uint32_t)(clock - (uint32_t)fake.clock) - 1;
    data_from(2, 0, 3);
    leave_in_time();
    check_data(2, 1);
    CHECK(out.header.carries);
    CHECK_EQUAL(out.header.acknowledgement.sequence, 3); /* and the next one is new */
    CHECK_EQUAL(out.words[out.target_words + out.header.words], 0xabcd);
}

static void a_carried_acknowledgement_counts(void)
{
    struct pr_header header = data_header(2, 0, 0);
    start();
    send_and_leave(2);
    header.carries = true;
    receive(END, HERE, &header, 2);
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_SETTLED), 1);
    CHECK_EQUAL(deliveries, 1);
    CHECK_EQUAL(last.data_words, 2);
    CHECK_EQUAL(last.data[0], 0x1000);
}

static void no_room_to_carry(void)
{
    static uint32_t data[WORDS];
    const struct pr_target two = {2, 0, NULL};
    start();
    for (unsigned less = 0; less < 3; less++) {
        data_from(2, 0, 2 * less);
        data_from(2, 0, 2 * less + 1);
        CHECK_EQUAL(pr_operator_send(&op, &two, 1, HANDLER, data, WORDS - 1 - PR_HEADER_WORDS - less, NULL), 0);
        CHECK(leave());
        CHECK_EQUAL(out.header.carries, less == 2);
        acknowledge_from(2, 0, less, 0);
        if (less < 2) {
            leave_in_time();
            check_acknowledgement(2, 0, 2 * less + 1, BEFORE);
        }
        CHECK(is_idle());
    }
}

static uint32_t delay_at(unsigned site, uint32_t kind)
{
    struct pr_header header = data_header(2, 0, 0);
    uint64_t began;
    start();
    identity.site = site;
    identity.address = address(site);
    receive(kind, site, &header, 2);
    CHECK_EQUAL(deliveries, 1);
    for (began = fake.clock; fake_sending(&fake) == NULL;)
        CHECK(sleep_once());
    return (uint32_t)(fake.clock - began);
}

static void acknowledgements_of_a_multicast_are_paced(void)
{
    uint32_t first = delay_at(0, PR_KIND_MULTICAST | LOCAL_END), latest = first;
    CHECK_EQUAL(delay_at(0, END), delay_at(15, END));
    for (unsigned site = 3; site < SITES; site += 4) {
        uint32_t delay = delay_at(site, PR_KIND_MULTICAST | LOCAL_END);
        CHECK(delay >= latest);
        latest = delay;
    }
    CHECK(latest >= first + 32);
}

static void to_oneself_without_an_acknowledgement(void)
{
    const struct pr_target targets[] = {{HERE, 0, NULL}};
    uint16_t sequence;
    struct pr_header header = data_header(HERE, 0, 0);
    start();
    CHECK_EQUAL(pr_operator_send(&op, targets, 1, HANDLER, NULL, 0, &sequence), 0);
    CHECK(leave());
    CHECK_EQUAL(out.site, HERE);
    receive(END, HERE, &header, 0);
    CHECK_EQUAL(deliveries, 1);
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_SETTLED), 1);
    CHECK(is_idle());
    CHECK_EQUAL(pr_count(PR_COUNTER_ACKNOWLEDGEMENTS), 0);
    CHECK_EQUAL(pr_count(PR_COUNTER_FREE_BUFFERS), BUFFERS);
}

/* ---- sending ---- */

static void a_packet_is_kept_until_all_have_acknowledged(void)
{
    start();
    CHECK_EQUAL(send_to(SITES_OF(1, 9, 15)), 0);
    CHECK(leave());
    CHECK_EQUAL(out.kind, PR_KIND_MULTICAST);
    CHECK_EQUAL(pr_count(PR_COUNTER_FREE_BUFFERS), BUFFERS - 1);
    acknowledge_from(9, 0, 0, 0);
    acknowledge_from(9, 0, 0, 0); /* twice the same, somebody else, another epoch, another number */
    acknowledge_from(2, 0, 0, 0);
    acknowledge_from(1, 1, 0, 0);
    acknowledge_from(1, 0, 1, 0);
    acknowledge_from(1, 0, 0x7ff, 0);
    acknowledge_from(15, 0, 0, 0);
    CHECK_EQUAL(note_count, 0);
    CHECK_EQUAL(pr_count(PR_COUNTER_FREE_BUFFERS), BUFFERS - 1);
    acknowledge_from(1, 0, 0, 0);
    CHECK_EQUAL(note_count, 1);
    CHECK_EQUAL(notes[0].kind, PR_OPERATOR_EVENT_SETTLED);
    CHECK_EQUAL(notes[0].remaining, 0);
    CHECK_EQUAL(pr_count(PR_COUNTER_FREE_BUFFERS), BUFFERS);
    CHECK(is_idle());
}

static void one_bitmap_settles_many(void)
{
    start();
    for (unsigned k = 0; k < 6; k++)
        send_and_leave(2);
    acknowledge_from(2, 0, 5, 0xfff6); /* 5, 3, 2, 0 and what was before */
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_SETTLED), 4);
    acknowledge_from(2, 0, 4, 0xffff);
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_SETTLED), 6);
    CHECK(is_idle());
}

/* The buffer is the network_interface's until it has left, acknowledged or not. */
static void a_packet_that_is_leaving_is_kept(void)
{
    start();
    send_and_leave(2);
    while (fake_sending(&fake) == NULL)
        CHECK(sleep_once());
    acknowledge_from(2, 0, 0, 0);
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_SETTLED), 1);
    CHECK_EQUAL(pr_count(PR_COUNTER_FREE_BUFFERS), BUFFERS - 1);
    CHECK(leave());
    CHECK_EQUAL(pr_count(PR_COUNTER_FREE_BUFFERS), BUFFERS);
    CHECK(is_idle());
}

static void acknowledge_all_before(unsigned site, unsigned sequence)
{
    for (unsigned k = 0; k < sequence; k++)
        acknowledge_from(site, 0, k, 0);
}

static void fill_window(unsigned window, unsigned buffers)
{
    unsigned taken = 0;
    restart_with(0, buffers, window);
    if (window > buffers - PR_OPERATOR_RECEIVE_RESERVE)
        window = buffers - PR_OPERATOR_RECEIVE_RESERVE;
    while (send_to(SITES_OF(2)) == 0)
        taken++;
    CHECK(taken >= 1 && taken <= window);
    CHECK(taken + 1 >= window || buffers < window + 12); /* one is kept for services, up to 8 are posted */
    CHECK_EQUAL(pr_operator_send_room(&op), 0);
    while (leave())
        ;
    acknowledge_from(2, 0, 1, 0); /* the oldest is still there: no room */
    CHECK(taken == 1 || taken + 1 < window || pr_operator_send_room(&op) == 0);
    acknowledge_from(2, 0, 0, 0);
    CHECK(pr_operator_send_room(&op) >= 1);
    CHECK_EQUAL(send_to(SITES_OF(2)), 0);
    acknowledge_all_before(2, taken + 1);
    while (leave())
        ;
    CHECK(is_idle());
    CHECK_EQUAL(pr_count(PR_COUNTER_FREE_BUFFERS), buffers);
}

static void a_full_window_refuses(void)
{
    start();
    for (unsigned k = 0; send_to(SITES_OF(2)) == 0; k++)
        CHECK(k < 8);
    CHECK_EQUAL(send_to(SITES_OF(2)), -PR_OPERATOR_WINDOW_FULL);
    CHECK_EQUAL(pr_count(PR_COUNTER_WINDOW_FULL), 2);
    for (unsigned buffers = 3; buffers <= 2 * BUFFERS; buffers += buffers < 6 ? 1 : 14) {
        for (unsigned window = 1; window <= PR_WINDOW_MAX; window += window < 4 ? 1 : 4)
            fill_window(window, buffers);
    }
}

static unsigned idle_calls;

static void acknowledge_all(void *context)
{
    CHECK(context == &op);
    idle_calls++;
    if (leave())
        acknowledge_from(2, 0, out.header.sequence, 0xffff);
}

static void a_blocking_call_waits_for_room(void)
{
    const struct pr_target target = {2, 0, NULL};
    uint16_t sequence;
    start();
    idle_calls = 0;
    for (unsigned k = 0; k < 100; k++) {
        CHECK_EQUAL(pr_operator_send_blocking(&op, &target, 1, HANDLER, NULL, 0, &sequence, acknowledge_all, &op), 0);
        CHECK_EQUAL(sequence, k);
    }
    CHECK(idle_calls > 50);
    while (!is_idle())
        acknowledge_all(&op);
    CHECK_EQUAL(pr_operator_send_blocking(&op, &target, 0, HANDLER, NULL, 0, NULL, NULL, NULL),
                -PR_OPERATOR_NO_TARGETS);
}

/* ---- sending again ---- */

/* Lets time go by in which a target was deferred here, or none for so long that the links are calm. */
static void let_links_be(bool busy)
{
    fake.clock += busy ? BUSY_CLOCKS : CALM_CLOCKS;
    fake.deferrals += busy;
    poll_all();
}

/* From here on the links are busy: one multicast was judged before, and is acknowledged. */
static void start_busy(void)
{
    start();
    CHECK_EQUAL(send_to(SITES_OF(9, 13)), 0);
    CHECK(leave());
    acknowledge_from(9, 0, 0, 0);
    acknowledge_from(13, 0, 0, 0);
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_SETTLED), 1);
    let_links_be(true);
}

/* The packet that leaves next, or in time, is the second one of this site, to these targets. */
static void check_group(uint32_t kind, uint32_t mark, const unsigned *sites, unsigned site_count)
{
    leave_in_time();
    CHECK_EQUAL(out.kind, kind);
    CHECK_EQUAL(out.header.sequence, 1);
    CHECK_EQUAL(out.target_words, site_count);
    for (unsigned k = 0; k < site_count; k++)
        CHECK_EQUAL(out.words[k], address(sites[k]) | mark);
}

static void a_try_goes_in_groups(void)
{
    start_busy();
    CHECK_EQUAL(send_to(SITES_OF(14, 1, 13, 9, 7, 6)), 0);
    check_group(PR_KIND_MULTICAST, MARK, SITES_OF(9, 13));
    acknowledge_from(14, 0, 1, 0); /* what has acknowledged meanwhile is left out, and its path is shorter */
    check_group(0, 0, SITES_OF(1));
    check_group(0, 0, SITES_OF(6));
    check_group(0, 0, SITES_OF(7));
    acknowledge_from(9, 0, 1, 0);
    CHECK(!leave());
    let_links_be(false); /* the next try is a tree, without marks */
    check_group(PR_KIND_MULTICAST, 0, SITES_OF(13, 1, 6, 7));
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_TIMED_OUT), 1);
    acknowledge_from(1, 0, 1, 0);
    check_group(0, 0, SITES_OF(13));
    check_group(0, 0, SITES_OF(6));
    acknowledge_from(13, 0, 1, 0);
    check_group(0, 0, SITES_OF(7));
    acknowledge_from(6, 0, 1, 0);
    acknowledge_from(7, 0, 1, 0);
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_SETTLED), 2);
    CHECK(is_idle());
    CHECK_EQUAL(pr_count(PR_COUNTER_FREE_BUFFERS), BUFFERS);
}

/* Nothing is left to be sent of a try whose last targets acknowledge an earlier one. */
static void a_try_ends_with_its_last_missing_target(void)
{
    start_busy();
    CHECK_EQUAL(send_to(SITES_OF(9, 13, 1, 6)), 0);
    check_group(PR_KIND_MULTICAST, MARK, SITES_OF(9, 13));
    acknowledge_from(6, 0, 1, 0);
    check_group(0, 0, SITES_OF(1));
    acknowledge_from(1, 0, 1, 0);
    CHECK(!leave());
    let_links_be(true);
    check_group(PR_KIND_MULTICAST, MARK, SITES_OF(9, 13));
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_TIMED_OUT), 1);
    acknowledge_from(9, 0, 1, 0);
    acknowledge_from(13, 0, 1, 0);
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_SETTLED), 2);
    CHECK(is_idle());
    CHECK_EQUAL(pr_count(PR_COUNTER_FREE_BUFFERS), BUFFERS);
}

static void check_info(unsigned position, unsigned site)
{
    CHECK_EQUAL(out.words[position], address(site));
    CHECK_EQUAL(out.words[position + 1], 0x100 + site);
    CHECK_EQUAL(out.words[position + 2], 0x200 + site);
    CHECK(!(out.info[0] >> position & 1) && (out.info[0] >> position & 6) == 6);
}

static void sent_again_as_multicast_then_as_unicasts(void)
{
    const unsigned sites[] = {9, 1, 15, 12}; /* in the order in which they lie on their ways */
    uint32_t info[4][2];
    struct pr_target targets[4];
    unsigned unicasts[SITES] = {0};
    start();
    for (unsigned k = 0; k < 4; k++) {
        info[k][0] = 0x100 + sites[k];
        info[k][1] = 0x200 + sites[k];
        targets[k] = (struct pr_target){(uint16_t)sites[k], 2, info[k]};
    }
    CHECK_EQUAL(pr_operator_send(&op, targets, 4, HANDLER, (const uint32_t[]){0xabcd}, 1, NULL), 0);
    CHECK(leave());
    CHECK_EQUAL(out.target_words, 12);
    acknowledge_from(9, 0, 0, 0);
    leave_in_time();
    CHECK_EQUAL(out.kind, PR_KIND_MULTICAST);
    CHECK_EQUAL(out.target_words, 9);
    for (unsigned k = 0; k < 3; k++)
        check_info(3 * k, sites[k + 1]);
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_TIMED_OUT), 1);
    CHECK_EQUAL(notes[0].remaining, 3);
    CHECK_EQUAL(pr_count(PR_COUNTER_TIME_OUTS), 1);
    while (count_of(PR_OPERATOR_EVENT_SETTLED) == 0) {
        if (!leave()) {
            CHECK(sleep_once());
            continue;
        }
        check_data(out.site, 0);
        CHECK_EQUAL(out.kind, 0);
        CHECK_EQUAL(out.target_words, 3);
        check_info(0, out.site);
        CHECK_EQUAL(out.words[out.target_words + out.header.words], 0xabcd);
        unicasts[out.site]++;
        if (out.site == 12 && unicasts[12] == 2)
            acknowledge_from(12, 0, 0, 0);
    }
    CHECK_EQUAL(unicasts[9], 0);
    CHECK_EQUAL(unicasts[12], 2);
    CHECK_EQUAL(unicasts[1], PR_TRIES_MAX - 2);
    CHECK_EQUAL(unicasts[15], PR_TRIES_MAX - 2);
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_FAILED), 2);
    CHECK_EQUAL(notes[note_count - 1].remaining, 2);
    CHECK(is_idle());
    CHECK_EQUAL(pr_count(PR_COUNTER_FREE_BUFFERS), BUFFERS);
    CHECK_EQUAL(pr_count(PR_COUNTER_TARGETS_FAILED), 2);
}

static void a_dead_target_fails_in_bounded_time_and_others_go_on(void)
{
    uint64_t began, gone_on = 0;
    unsigned sequence = 0;
    start();
    began = fake.clock;
    CHECK_EQUAL(send_to(SITES_OF(9)), 0);
    while (count_of(PR_OPERATOR_EVENT_FAILED) == 0) {
        note_count = 0;
        if (send_to(SITES_OF(2)) == 0)
            sequence++;
        for (unsigned k = 0; k < 3 && count_of(PR_OPERATOR_EVENT_FAILED) == 0; k++) {
            if (leave() && out.site == 2) {
                acknowledge_from(2, 0, out.header.sequence, 0);
                gone_on++;
            }
        }
        if (count_of(PR_OPERATOR_EVENT_FAILED) == 0 && fake_sending(&fake) == NULL)
            sleep_once();
        CHECK(fake.clock - began < LONGEST);
    }
    CHECK(gone_on >= 6);
    CHECK(fake.clock - began > 20000);
    printf("    given up after %llu clocks\n", (unsigned long long)(fake.clock - began));
}

/* Waits only as long as it said, and no longer; idle it has no wake. */
static void wakes_are_honest(void)
{
    uint32_t clock;
    start();
    CHECK(!pr_operator_next_wake(&op, &clock));
    send_and_leave(2);
    CHECK(pr_operator_next_wake(&op, &clock));
    fake.clock += (uint32_t)(clock - (uint32_t)fake.clock) - 1;
    CHECK(!pr_operator_poll(&op));
    CHECK(fake_sending(&fake) == NULL);
    fake.clock++;
    CHECK(pr_operator_poll(&op));
    CHECK(fake_sending(&fake) != NULL);
    CHECK(leave());
    acknowledge_from(2, 0, 0, 0);
    CHECK(!pr_operator_next_wake(&op, &clock));
    CHECK(!pr_operator_poll(&op));
    data_from(2, 0, 0);
    CHECK(pr_operator_next_wake(&op, &clock));
    leave_in_time();
    CHECK(!pr_operator_next_wake(&op, &clock));
}

static void ordered_holds_back(void)
{
    start();
    pr_operator_set_ordered(&op, true);
    CHECK_EQUAL(send_to(SITES_OF(2, 3)), 0);
    CHECK_EQUAL(send_to(SITES_OF(3)), 0);
    CHECK_EQUAL(send_to(SITES_OF(4)), 0);
    CHECK_EQUAL(send_to(SITES_OF(3, 4)), 0);
    CHECK(leave());
    CHECK_EQUAL(out.header.sequence, 0);
    CHECK(leave());
    check_data(4, 2);
    CHECK(!leave());
    acknowledge_from(3, 0, 0, 0);
    CHECK(leave());
    check_data(3, 1);
    acknowledge_from(4, 0, 2, 0);
    CHECK(!leave());
    acknowledge_from(3, 0, 1, 0);
    CHECK(leave());
    CHECK_EQUAL(out.header.sequence, 3);
    acknowledge_from(2, 0, 0, 0);
    acknowledge_from(3, 0, 3, 0);
    acknowledge_from(4, 0, 3, 0);
    CHECK(is_idle());
}

/* ---- forgeries ---- */

/* What names this site as its source is taken if this site has sent it to itself, and once. */
static void a_forged_source_that_is_this_site(void)
{
    start();
    data_from(HERE, 0, 0);
    CHECK_EQUAL(deliveries, 0);
    acknowledge_from(HERE, 0, 0, 0);
    control_from(HERE, PR_CONTROL_TYPE_RESTARTED, 7, 0, 0);
    control_from(HERE, PR_CONTROL_TYPE_BASE, 0, 0, 900);
    CHECK(is_idle());
    CHECK_EQUAL(op.peers[HERE].epoch, 0);
    send_and_leave(HERE);
    acknowledge_from(HERE, 0, 0, 0);
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_SETTLED), 0);
    data_from(HERE, 0, 1); /* a number that is still to come */
    CHECK_EQUAL(deliveries, 0);
    data_from(HERE, 0, 0);
    data_from(HERE, 0, 0);
    CHECK_EQUAL(deliveries, 1);
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_SETTLED), 1);
}

/* A packet that still waits to be sent for the first time is not settled by an acknowledgement of its number. */
static void an_acknowledgement_of_what_was_never_sent(void)
{
    unsigned packets = 0;
    start();
    while (send_to(SITES_OF(2)) == 0)
        packets++;
    CHECK(packets > 3);
    note_count = 0;
    acknowledge_from(2, 0, packets - 1, 0);
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_SETTLED), 0);
    for (unsigned k = 0; k < packets; k++)
        CHECK(leave());
    acknowledge_from(2, 0, packets - 1, 0);
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_SETTLED), 1);
}

/* ---- load packets ---- */

/* Boot programs acknowledge nothing: a load packet leaves once, takes no number, and is kept by nobody. */
static void a_load_packet_leaves_and_is_forgotten(void)
{
    const struct pr_target to = {.site = 2};
    start();
    CHECK_EQUAL(pr_operator_send(&op, &to, 1, PR_HANDLER_LOAD, (const uint32_t[]){7}, 1, NULL), 0);
    CHECK(leave());
    CHECK_EQUAL(out.header.handler, PR_HANDLER_LOAD);
    CHECK(is_idle());
    CHECK_EQUAL(pr_count(PR_COUNTER_FREE_BUFFERS), BUFFERS);
    send_and_leave(2);
    check_data(2, 0);
}

/* Nor do boot programs know of epochs, or of a receiver's duplicates. */
static void a_load_packet_is_delivered_whatever_its_numbers(void)
{
    start();
    CHECK_EQUAL(pr_operator_register(&op, PR_HANDLER_LOAD, on_delivery, &op), 0);
    for (unsigned times = 1; times <= 2; times++) {
        struct pr_header header = data_header(2, 9, 4000);
        header.handler = PR_HANDLER_LOAD;
        receive(END, HERE, &header, 2);
        CHECK_EQUAL(deliveries, times);
        CHECK(is_idle());
    }
    data_from(2, 0, 0);
    CHECK_EQUAL(deliveries, 3);
}

/* ---- restarts ---- */

static void who_has_restarted_knows_nobody(void)
{
    unsigned told = 0;
    restart_with(3, BUFFERS, 8);
    poll_all();
    for (; leave(); told |= 1u << out.site)
        check_control(out.site, PR_CONTROL_TYPE_RESTARTED);
    CHECK_EQUAL(told, 0xffff & ~(1u << HERE));
    data_from(2, 0, 9);
    CHECK_EQUAL(deliveries, 0);
    CHECK(leave());
    check_control(2, PR_CONTROL_TYPE_RESTARTED);
    control_from(2, PR_CONTROL_TYPE_BASE, 0, 2, 5); /* for an earlier life */
    CHECK(leave());
    check_control(2, PR_CONTROL_TYPE_RESTARTED);
    data_from(2, 0, 9);
    CHECK_EQUAL(deliveries, 0);
    while (leave())
        ;
    control_from(2, PR_CONTROL_TYPE_BASE, 0, 3, 9);
    CHECK(leave());
    check_control(2, PR_CONTROL_TYPE_BASE); /* its own, before it sends any data */
    leave_in_time();
    CHECK_EQUAL(out.header.kind, PR_HEADER_KIND_ACKNOWLEDGEMENT);
    CHECK_EQUAL(out.header.acknowledgement.sequence, 8);
    data_from(2, 0, 8); /* below the base: had */
    CHECK_EQUAL(deliveries, 0);
    data_from(2, 0, 9);
    CHECK_EQUAL(deliveries, 1);
    control_from(2, PR_CONTROL_TYPE_BASE, 0, 3, 7); /* an old one, late */
    data_from(2, 0, 8);
    data_from(2, 0, 9);
    CHECK_EQUAL(deliveries, 1);
    data_from(3, 0, 0);
    CHECK_EQUAL(deliveries, 1);
    while (leave() || sleep_once())
        ;
    CHECK_EQUAL(pr_count(PR_COUNTER_FREE_BUFFERS), BUFFERS);
}

static void a_peer_that_has_restarted_gets_a_base(void)
{
    start();
    send_and_leave(2);
    send_and_leave(3);
    send_and_leave(2);
    control_from(2, PR_CONTROL_TYPE_RESTARTED, 1, 0, 0);
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_FAILED), 2);
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_SETTLED), 2);
    CHECK_EQUAL(notes[0].failure, PR_OPERATOR_FAILED_RESTARTED);
    CHECK(leave());
    check_control(2, PR_CONTROL_TYPE_BASE);
    CHECK_EQUAL(out.header.peer_epoch, 1);
    CHECK_EQUAL(out.header.base, 3);
    send_and_leave(2);
    control_from(2, PR_CONTROL_TYPE_RESTARTED, 1, 0, 0); /* it comes again, as the base was lost */
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_FAILED), 2);
    CHECK(leave());
    check_control(2, PR_CONTROL_TYPE_BASE);
    CHECK_EQUAL(out.header.base, 3); /* what is under way may still come */
    acknowledge_from(2, 0, 3, 0);
    acknowledge_from(3, 0, 1, 0);
    CHECK(is_idle());
}

/* Two restarts: what it was sent may have been delivered before the second, whichever message tells of it first. */
static void a_first_word_may_be_a_base(void)
{
    restart_with(1, BUFFERS, 8);
    poll_all();
    while (leave())
        ;
    send_and_leave(2);
    check_control(2, PR_CONTROL_TYPE_BASE);
    acknowledge_from(2, 1, UINT16_MAX, 0);
    CHECK(leave());
    check_data(2, 0);
    note_count = 0;
    control_from(2, PR_CONTROL_TYPE_BASE, 1, 1, 4);
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_FAILED), 1);
    CHECK_EQUAL(notes[0].failure, PR_OPERATOR_FAILED_RESTARTED);
}

/* A site that has restarted alone sends to all others at once. There are more of them than small buffers, and those in
 * `answering` answer. Each is asked before it is given up, and the data go to those that have answered. */
static void all_are_asked(uint32_t answering)
{
    unsigned asked[SITES] = {0}, sites[SITES - 1], targets = 0;
    uint32_t reached = 0;
    restart_with(3, BUFFERS, 8);
    for (unsigned site = 0; site < SITES; site++) {
        if (site != HERE)
            sites[targets++] = site;
    }
    CHECK_EQUAL(send_to(sites, targets), 0);
    while (reached != answering || count_of(PR_OPERATOR_EVENT_SETTLED) == 0) {
        leave_in_time();
        if (out.header.kind == PR_HEADER_KIND_DATA) {
            for (unsigned k = 0; k < out.target_words; k++) {
                unsigned site = pr_site_identity_site(&identity, out.words[k]);
                reached |= 1u << site;
                acknowledge_from(site, 3, out.header.sequence, 0);
            }
        } else if (out.header.control == PR_CONTROL_TYPE_BASE) {
            asked[out.site]++;
            if (answering >> out.site & 1)
                acknowledge_from(out.site, 3, out.header.base - 1, 0);
        }
    }
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_FAILED), (unsigned)__builtin_popcount(0xffff & ~(1u << HERE) & ~answering));
    for (unsigned k = 0; k < targets; k++)
        CHECK_EQUAL(asked[sites[k]], answering >> sites[k] & 1 ? 1 : 3);
}

static void after_a_restart_all_are_asked(void)
{
    all_are_asked(0xffff & ~(1u << HERE));
    all_are_asked(0x5555 & ~(1u << HERE));
    all_are_asked(0xc000);
    CHECK_EQUAL(send_to(SITES_OF(0)), 0); /* which has been given up: it is asked again */
    leave_in_time();
    check_control(0, PR_CONTROL_TYPE_BASE);
}

/* ---- numbers that wrap round ---- */

/* Packets to site 2, all acknowledged at once. */
static void send_many(unsigned packets)
{
    for (unsigned k = 0; k < packets; k++) {
        CHECK_EQUAL(send_to(SITES_OF(2)), 0);
        note_count = 0;
        while (!leave() || out.site != 2)
            ;
        acknowledge_from(2, 0, out.header.sequence, 0);
        CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_SETTLED), 1);
        fake.clock += 100;
    }
    note_count = 0;
}

/* To one that was heard lately at once; one that was not is asked first, and told where the numbers are. */
static void an_idle_peer_is_asked_first(void)
{
    static const unsigned idle[] = {100, 20000, 32768, 65536, 65540};
    uint32_t sequence = 0;
    start();
    for (unsigned k = 0; k < sizeof idle / sizeof *idle; k++) {
        send_many(idle[k]);
        sequence += idle[k];
        CHECK_EQUAL(send_to(SITES_OF(3)), 0);
        CHECK(leave());
        if (k > 0) {
            check_control(3, PR_CONTROL_TYPE_BASE);
            CHECK_EQUAL(out.header.base, sequence);
            CHECK(!leave());
            acknowledge_from(3, 0, sequence - 1, 0xffff);
            leave_in_time();
        }
        check_data(3, sequence);
        acknowledge_from(3, 0, sequence++, 0);
        CHECK(is_idle());
    }
}

static void who_was_idle_is_told_where_the_numbers_are(void)
{
    static const unsigned idle[] = {20000, 32767, 32768, 32769, 65535, 65536, 65540, 131072};
    uint32_t sequence = 3;
    start();
    data_from(2, 0, sequence);
    for (unsigned k = 0; k < sizeof idle / sizeof *idle; k++) {
        sequence += idle[k];
        control_from(2, PR_CONTROL_TYPE_BASE, 0, 0, sequence);
        leave_in_time();
        CHECK_EQUAL(out.header.acknowledgement.sequence, (sequence - 1) & 0xffff);
        CHECK_EQUAL(deliveries, k + 1);
        data_from(2, 0, sequence - 1);
        CHECK_EQUAL(deliveries, k + 1);
        data_from(2, 0, sequence);
        CHECK_EQUAL(deliveries, k + 2);
        control_from(2, PR_CONTROL_TYPE_BASE, 0, 0, sequence); /* once more, late */
        data_from(2, 0, sequence);
        CHECK_EQUAL(deliveries, k + 2);
        while (leave() || sleep_once())
            ;
    }
}

static void a_silent_peer_fails_in_bounded_time(void)
{
    start();
    send_many(20000);
    CHECK_EQUAL(send_to(SITES_OF(3)), 0);
    while (count_of(PR_OPERATOR_EVENT_SETTLED) == 0) {
        if (!leave()) {
            CHECK(sleep_once());
            continue;
        }
        check_control(3, PR_CONTROL_TYPE_BASE);
    }
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_FAILED), 1);
    CHECK(is_idle());
    CHECK_EQUAL(pr_count(PR_COUNTER_FREE_BUFFERS), BUFFERS);
    note_count = 0;
    CHECK_EQUAL(send_to(SITES_OF(2)), 0); /* that one was heard lately, but not any more */
    while (count_of(PR_OPERATOR_EVENT_FAILED) == 0)
        CHECK(leave() || sleep_once());
}

/* An operator that stood for long: what it was about to acknowledge may mean another packet by now. */
static void after_a_long_stop_nothing_old_is_acknowledged(void)
{
    for (uint32_t stop = 1 << 19; stop <= 1 << 22; stop += stop / 3) {
        start();
        data_from(2, 0, 0);
        fake.clock += stop;
        poll_all();
        CHECK(is_idle());
        data_from(2, 0, 0);
        leave_in_time();
        check_acknowledgement(2, 0, 0, BEFORE);
    }
}

/* ---- storage ---- */

static void foreign_packets_are_discarded_when_storage_is_short(void)
{
    struct pr_header header = data_header(2, 0, 0);
    unsigned held = 0;
    restart_with(0, 4, 1);
    for (; pr_count(PR_COUNTER_FOREIGN_DISCARDED) == 0; held++) {
        CHECK(held < 5);
        receive(END, 9, &header, 2);
        CHECK(fake_posted(&fake) > 0);
    }
    CHECK(held >= 2);
    CHECK(fake.native.relief);
    data_from(2, 0, 0); /* and what is for this site still comes in */
    CHECK_EQUAL(deliveries, 1);
    CHECK_EQUAL(send_to(SITES_OF(2)), -PR_OPERATOR_NO_BUFFER);
    for (; fake_sending(&fake) != NULL; poll_all())
        fake_sent(&fake);
    CHECK(!fake.native.relief);
    CHECK_EQUAL(pr_count(PR_COUNTER_FORWARDED), held - 1);
    CHECK_EQUAL(pr_count(PR_COUNTER_FREE_BUFFERS), 4);
}

static void what_lay_here_for_long_goes_no_further(void)
{
    struct pr_header header = data_header(2, 0, 0);
    start();
    for (unsigned k = 0; k < 4; k++)
        receive(END, 9, &header, 2);
    CHECK(fake_queued(&fake) > 0 && fake_queued(&fake) < 4);
    fake.clock += 1 << 20;
    for (; fake_sending(&fake) != NULL; poll_all())
        fake_sent(&fake);
    CHECK(pr_count(PR_COUNTER_FOREIGN_DISCARDED) > 0);
    CHECK_EQUAL(pr_count(PR_COUNTER_FREE_BUFFERS), BUFFERS);
}

static bool is_acknowledgement(const struct pr_packet *packet)
{
    struct pr_header header;
    return pr_header_decode(&header, packet->words + pr_packet_target_words(packet), pr_packet_data_words(packet),
                            KIND_BIT) == PR_HEADER_KIND_ACKNOWLEDGEMENT;
}

/* For each packet that leaves another one comes: what this site owes leaves among them. */
static void foreign_packets_do_not_hold_up_an_acknowledgement(void)
{
    struct pr_header header = data_header(2, 0, 0);
    start();
    while (fake_queued(&fake) < 2)
        receive(END, 9, &header, 2);
    data_from(3, 0, 0);
    fake.clock += 1000; /* its time has come */
    for (unsigned k = 0; !is_acknowledgement(fake_leaving(&fake)); k++) {
        CHECK(k < 4);
        fake_sent(&fake);
        receive(END, 9, &header, 2);
    }
}

/* ---- evaluators that take nothing ---- */

static void who_refuses_says_that_it_is_alive(void)
{
    start();
    data_from(2, 0, 0);
    leave_in_time();
    pr_operator_refuse(&op, true);
    data_from(2, 0, 1);
    CHECK_EQUAL(deliveries, 1);
    CHECK_EQUAL(pr_count(PR_COUNTER_REFUSED), 1);
    leave_in_time();
    check_acknowledgement(2, 0, 0, BEFORE);
    CHECK(is_idle());
    pr_operator_refuse(&op, false);
    data_from(2, 0, 1);
    CHECK_EQUAL(deliveries, 2);
    leave_in_time();
    check_acknowledgement(2, 0, 1, BEFORE);
}

/* Site 9 answers, but never for this packet: it is busy, not dead, and gets longer, but not for ever. The tries become
 * rare, as rare as the longest time-out has it. */
static void a_busy_site_gets_longer(void)
{
    unsigned tries = 0;
    uint64_t began;
    start();
    began = fake.clock;
    CHECK_EQUAL(send_to(SITES_OF(9)), 0);
    while (count_of(PR_OPERATOR_EVENT_FAILED) == 0) {
        note_count = 0;
        if (leave()) {
            tries++;
            acknowledge_from(9, 0, UINT16_MAX, 0);
        } else {
            CHECK(sleep_once());
        }
        CHECK(fake.clock - began < 1 << 25);
    }
    CHECK(tries > 4 * PR_TRIES_MAX);
    CHECK(tries < (1 << 24) / (1 << 16) + 4 * PR_TRIES_MAX);
    CHECK(is_idle());
    CHECK_EQUAL(pr_count(PR_COUNTER_FREE_BUFFERS), BUFFERS);
}

static void packets_with_256_target_words(void)
{
    static uint32_t info[SITES][SITES];
    struct pr_target targets[SITES];
    unsigned unicasts = 0;
    start();
    for (unsigned k = 0; k < SITES; k++) {
        for (unsigned i = 0; i < SITES; i++)
            info[k][i] = k << 8 | i;
        targets[k] = (struct pr_target){(uint16_t)k, SITES - 1, info[k]};
    }
    CHECK_EQUAL(pr_operator_send(&op, targets, SITES, HANDLER, (const uint32_t[]){0xabcd}, 1, NULL), 0);
    CHECK(leave());
    CHECK_EQUAL(out.target_words, PR_PACKET_TARGET_WORDS_MAX);
    for (unsigned k = 0; k < SITES; k += 2) {
        if (k != HERE)
            acknowledge_from(k, 0, 0, 0);
    }
    leave_in_time();
    CHECK_EQUAL(out.target_words, PR_PACKET_TARGET_WORDS_MAX / 2);
    while (count_of(PR_OPERATOR_EVENT_SETTLED) == 0) {
        if (!leave()) {
            CHECK(sleep_once());
            continue;
        }
        CHECK_EQUAL(out.target_words, SITES);
        CHECK_EQUAL(out.site % 2, 1);
        CHECK_EQUAL(out.info[0] & 0xffff, 0xfffe);
        for (unsigned i = 1; i < SITES; i++)
            CHECK_EQUAL(out.words[i], out.site << 8 | (i - 1));
        CHECK_EQUAL(out.words[SITES + PR_HEADER_WORDS], 0xabcd);
        unicasts++;
        if (out.site != HERE)
            acknowledge_from(out.site, 0, 0, 0);
    }
    CHECK(unicasts >= SITES / 2);
    targets[0].info_words = SITES;
    CHECK_EQUAL(pr_operator_send(&op, targets, SITES, HANDLER, NULL, 0, NULL), -PR_OPERATOR_TOO_LONG);
}

static void a_mesh_of_one_site(void)
{
    const struct pr_operator_size size = {BUFFERS, WORDS, 4, 1};
    const struct pr_target self = {0, 0, NULL};
    struct pr_header header = data_header(0, 0, 0);
    start();
    identity = fake_identity(0);
    identity.size_x = identity.size_y = 1;
    identity.reliable = 1;
    CHECK_EQUAL(pr_operator_init(&op, &fake.interface, &identity, memory, &size), 0);
    CHECK_EQUAL(pr_operator_observe(&op, on_event, NULL), 0);
    CHECK_EQUAL(pr_operator_send(&op, &self, 1, HANDLER, NULL, 0, NULL), 0);
    CHECK(fake_sending(&fake) != NULL);
    fake_sent(&fake);
    receive(END, 0, &header, 0);
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_SETTLED), 1);
    CHECK(is_idle());
}

static void refuses_what_cannot_work(void)
{
    struct pr_operator_size size = {BUFFERS, WORDS, 4, SITES - 1};
    start();
    CHECK_EQUAL(pr_operator_init(&op, &fake.interface, &identity, memory, &size), -PR_OPERATOR_TOO_MANY_SITES);
    size = (struct pr_operator_size){2, WORDS, 4, SITES};
    CHECK_EQUAL(pr_operator_init(&op, &fake.interface, &identity, memory, &size), -PR_OPERATOR_NO_BUFFER);
    size = (struct pr_operator_size){BUFFERS, WORDS - 1, 4, SITES};
    CHECK_EQUAL(pr_operator_init(&op, &fake.interface, &identity, memory, &size), -PR_OPERATOR_TOO_LONG);
}

static void foreign_packets_are_discarded_where_the_fabric_never_diverts(void)
{
    struct pr_header header = data_header(2, 0, 0);
    diverts = false;
    restart_with(0, 4, 1);
    diverts = true;
    receive(END, 9, &header, 2);
    CHECK_EQUAL(pr_count(PR_COUNTER_DISCARDED), 1);
    CHECK(fake_sending(&fake) == NULL);
    CHECK_EQUAL(pr_count(PR_COUNTER_FREE_BUFFERS), 4);
    CHECK_EQUAL(send_to(SITES_OF(2)), 0);
    CHECK_EQUAL(pr_operator_send_room(&op), 0);
    for (unsigned k = 0; k < 2; k++)
        receive(PR_KIND_MULTICAST | END, 9, &header, 2); /* an aborted multicast is sent on nevertheless */
    CHECK_EQUAL(pr_count(PR_COUNTER_RESENT_AFTER_ABORT), 2);
    CHECK_EQUAL(pr_count(PR_COUNTER_FREE_BUFFERS), 1);
    CHECK(!fake.native.relief);
}

int main(void)
{
    RUN(a_duplicate_is_acknowledged_again_and_not_delivered);
    RUN(a_stale_packet_is_dropped);
    RUN(every_number_is_taken_once);
    RUN(a_newer_epoch_begins_anew_and_an_older_one_is_dropped);
    RUN(unnoticed_restarts);
    RUN(a_restarted_site_asks_before_it_sends);
    RUN(acknowledgements_are_merged);
    RUN(acknowledgements_are_carried_by_data);
    RUN(a_carried_acknowledgement_counts);
    RUN(no_room_to_carry);
    RUN(acknowledgements_of_a_multicast_are_paced);
    RUN(to_oneself_without_an_acknowledgement);
    RUN(a_packet_is_kept_until_all_have_acknowledged);
    RUN(one_bitmap_settles_many);
    RUN(a_packet_that_is_leaving_is_kept);
    RUN(a_full_window_refuses);
    RUN(a_blocking_call_waits_for_room);
    RUN(a_try_goes_in_groups);
    RUN(a_try_ends_with_its_last_missing_target);
    RUN(sent_again_as_multicast_then_as_unicasts);
    RUN(a_dead_target_fails_in_bounded_time_and_others_go_on);
    RUN(wakes_are_honest);
    RUN(ordered_holds_back);
    RUN(a_load_packet_leaves_and_is_forgotten);
    RUN(a_load_packet_is_delivered_whatever_its_numbers);
    RUN(a_forged_source_that_is_this_site);
    RUN(an_acknowledgement_of_what_was_never_sent);
    RUN(who_has_restarted_knows_nobody);
    RUN(a_peer_that_has_restarted_gets_a_base);
    RUN(a_first_word_may_be_a_base);
    RUN(after_a_restart_all_are_asked);
    RUN(an_idle_peer_is_asked_first);
    RUN(who_was_idle_is_told_where_the_numbers_are);
    RUN(a_silent_peer_fails_in_bounded_time);
    RUN(after_a_long_stop_nothing_old_is_acknowledged);
    RUN(foreign_packets_are_discarded_when_storage_is_short);
    RUN(what_lay_here_for_long_goes_no_further);
    RUN(foreign_packets_do_not_hold_up_an_acknowledgement);
    RUN(who_refuses_says_that_it_is_alive);
    RUN(a_busy_site_gets_longer);
    RUN(packets_with_256_target_words);
    RUN(a_mesh_of_one_site);
    RUN(foreign_packets_are_discarded_where_the_fabric_never_diverts);
    RUN(refuses_what_cannot_work);
    free(memory);
    return 0;
}
