/* The reliable service of the full operator: delayed acknowledgements, its send window, groups, order. The rules that
 * any operator has are in reliable_rules.c; test_reliable_soak.c has whole meshes.
 *
 * SPDX-License-Identifier: ISC
 */
#include <string.h>

#include "check.h"
#include "operator/target_list.h"
#include "suite.h"

enum {
    BUSY_CLOCKS = 600,   /* shorter than a time-out */
    CALM_CLOCKS = 65537, /* without a deferral: links are calm again */
    SLOW_CLOCKS = 1000,  /* between two looks of a slow core at its clock */
    LONGEST = 2000000
};

static void start_with(unsigned buffers, unsigned window)
{
    prepare(0);
    node.buffers = buffers;
    node.window = window;
    begin();
}

static uint64_t seed;
static struct pr_peer peer;

static bool is_new_to_peer(uint16_t sequence)
{
    return pr_peer_receive(&peer, sequence) == PR_PEER_NEW;
}

static void every_number_is_taken_as_new_once(void)
{
    peer = (struct pr_peer){0};
    pr_peer_start(&peer, 0);
    every_number_is_taken_once(seed, 200000, is_new_to_peer);
}

static void acknowledgements_are_merged(void)
{
    start();
    data_from(2, 0, 0);
    data_from(2, 0, 2);
    data_from(3, 0, 0);
    data_from(2, 0, 3);
    CHECK(fake_sending(fake) == NULL);
    leave_in_time();
    check_acknowledgement(2, 0, 3, BEFORE & ~2u);
    leave_in_time();
    check_acknowledgement(3, 0, 0, BEFORE);
    CHECK(is_idle());
    CHECK_EQUAL(counter(PR_COUNTER_ACKNOWLEDGEMENTS), 2);
}

/* Who polls sleeps when nothing was done, so an acknowledgement that leaves counts as something. */
static void a_poll_tells_that_it_sent(void)
{
    uint32_t clock;
    start();
    data_from(2, 0, 0);
    CHECK(node_next_wake(&node, &clock));
    CHECK(!node_poll(&node));
    fake->clock += (uint32_t)(clock - (uint32_t)fake->clock);
    CHECK(node_poll(&node));
    CHECK(fake_sending(fake) != NULL);
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
    CHECK_EQUAL(counter(PR_COUNTER_ACKNOWLEDGEMENTS_CARRIED), 2);
    CHECK_EQUAL(counter(PR_COUNTER_ACKNOWLEDGEMENTS), 0);
    leave_in_time(); /* sent again: that acknowledgement is old */
    check_data(2, 1);
    CHECK(!out.header.carries);
    CHECK_EQUAL(out.data_words, PR_HEADER_WORDS + 2);
    CHECK(node_next_wake(&node, &clock));
    fake->clock += (uint32_t)(clock - (uint32_t)fake->clock) - 1;
    data_from(2, 0, 3);
    leave_in_time();
    check_data(2, 1);
    CHECK(out.header.carries);
    CHECK_EQUAL(out.header.acknowledgement.sequence, 3); /* and the next one is new */
    CHECK_EQUAL(out.words[out.target_words + out.header.words], 0xabcd);
}

static void no_room_to_carry(void)
{
    static uint32_t data[SUITE_WORDS];
    const struct pr_target two = {2, 0, NULL};
    start();
    for (unsigned less = 0; less < 3; less++) {
        data_from(2, 0, 2 * less);
        data_from(2, 0, 2 * less + 1);
        CHECK_EQUAL(node_send(&node, &two, 1, data, SUITE_WORDS - 1 - PR_HEADER_WORDS - less, NULL), 0);
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
    identity->site = site;
    identity->address = address(site);
    receive(kind, site, &header, 2);
    CHECK_EQUAL(deliveries, 1);
    for (began = fake->clock; fake_sending(fake) == NULL;)
        CHECK(sleep_once());
    return (uint32_t)(fake->clock - began);
}

static void acknowledgements_of_a_multicast_are_paced(void)
{
    uint32_t first = delay_at(0, MULTICAST | LOCAL_END), latest = first;
    CHECK_EQUAL(delay_at(0, END), delay_at(15, END));
    for (unsigned site = 3; site < SITES; site += 4) {
        uint32_t delay = delay_at(site, MULTICAST | LOCAL_END);
        CHECK(delay >= latest);
        latest = delay;
    }
    CHECK(latest >= first + 32);
}

static uint32_t clock_of_a_slow_core(struct pr_network_interface *interface)
{
    (void)interface;
    return (uint32_t)(fake->clock += SLOW_CLOCKS);
}

/* Packets come from the source faster than a fast core's delay would merge. */
static void a_slow_core_acknowledges_several_packets_at_once(void)
{
    struct pr_network_interface_functions slow;
    const struct pr_network_interface_functions *fast;
    uint64_t last_came;
    prepare(0);
    node.window = 8;
    fast = fake->interface.functions;
    slow = *fast;
    slow.clock = clock_of_a_slow_core;
    fake->interface.functions = &slow;
    begin();
    fake->interface.functions = fast;
    for (unsigned sequence = 0; sequence < 6; sequence++) {
        CHECK(fake_sending(fake) == NULL);
        fake->clock += SLOW_CLOCKS / 8;
        data_from(2, 0, sequence);
    }
    CHECK(leave()); /* as many as half a window, and one more: the source must not run dry */
    check_acknowledgement(2, 0, 4, BEFORE);
    last_came = fake->clock;
    leave_in_time();
    check_acknowledgement(2, 0, 5, BEFORE);
    CHECK(fake->clock - last_came >= SLOW_CLOCKS);
    CHECK(is_idle());
}

static void to_oneself_without_an_acknowledgement(void)
{
    const struct pr_target targets[] = {{HERE, 0, NULL}};
    uint16_t sequence;
    struct pr_header header = data_header(HERE, 0, 0);
    start();
    CHECK_EQUAL(node_send(&node, targets, 1, NULL, 0, &sequence), 0);
    CHECK(leave());
    CHECK_EQUAL(out.site, HERE);
    receive(END, HERE, &header, 0);
    CHECK_EQUAL(deliveries, 1);
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_SETTLED), 1);
    CHECK(is_idle());
    CHECK_EQUAL(counter(PR_COUNTER_ACKNOWLEDGEMENTS), 0);
    CHECK_EQUAL(counter(PR_COUNTER_FREE_BUFFERS), node.buffers);
}

static void a_packet_is_kept_until_all_have_acknowledged(void)
{
    start();
    CHECK_EQUAL(send_to(SITES_OF(1, 9, 15)), 0);
    CHECK(leave());
    CHECK_EQUAL(out.kind, MULTICAST);
    CHECK_EQUAL(counter(PR_COUNTER_FREE_BUFFERS), node.buffers - 1);
    acknowledge_from(9, 0, 0, 0);
    acknowledge_from(9, 0, 0, 0); /* twice the same, somebody else, another epoch, another number */
    acknowledge_from(2, 0, 0, 0);
    acknowledge_from(1, 1, 0, 0);
    acknowledge_from(1, 0, 1, 0);
    acknowledge_from(1, 0, 0x7ff, 0);
    acknowledge_from(15, 0, 0, 0);
    CHECK_EQUAL(note_count, 0);
    CHECK_EQUAL(counter(PR_COUNTER_FREE_BUFFERS), node.buffers - 1);
    acknowledge_from(1, 0, 0, 0);
    CHECK_EQUAL(note_count, 1);
    CHECK_EQUAL(notes[0].kind, PR_OPERATOR_EVENT_SETTLED);
    CHECK_EQUAL(notes[0].remaining, 0);
    CHECK_EQUAL(counter(PR_COUNTER_FREE_BUFFERS), node.buffers);
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

static void acknowledge_all_before(unsigned site, unsigned sequence)
{
    for (unsigned k = 0; k < sequence; k++)
        acknowledge_from(site, 0, k, 0);
}

static void fill_window(unsigned window, unsigned buffers)
{
    unsigned taken = 0;
    start_with(buffers, window);
    if (window > buffers - PR_OPERATOR_RECEIVE_RESERVE)
        window = buffers - PR_OPERATOR_RECEIVE_RESERVE;
    while (send_to(SITES_OF(2)) == 0)
        taken++;
    CHECK(taken >= 1 && taken <= window);
    CHECK(taken + 1 >= window || buffers < window + 12); /* one is kept for services, up to 8 are posted */
    CHECK_EQUAL(node_send_room(&node), 0);
    while (leave())
        ;
    acknowledge_from(2, 0, 1, 0); /* the oldest is still there: no room */
    CHECK(taken == 1 || taken + 1 < window || node_send_room(&node) == 0);
    acknowledge_from(2, 0, 0, 0);
    CHECK(node_send_room(&node) >= 1);
    CHECK_EQUAL(send_to(SITES_OF(2)), 0);
    acknowledge_all_before(2, taken + 1);
    while (leave())
        ;
    CHECK(is_idle());
    CHECK_EQUAL(counter(PR_COUNTER_FREE_BUFFERS), buffers);
}

static void a_full_window_refuses(void)
{
    start();
    for (unsigned k = 0; send_to(SITES_OF(2)) == 0; k++)
        CHECK(k < 8);
    CHECK_EQUAL(send_to(SITES_OF(2)), -PR_OPERATOR_WINDOW_FULL);
    CHECK_EQUAL(counter(PR_COUNTER_WINDOW_FULL), 2);
    for (unsigned buffers = 3; buffers <= 2 * full_reliable.buffers; buffers += buffers < 6 ? 1 : 14) {
        for (unsigned window = 1; window <= PR_WINDOW_MAX; window += window < 4 ? 1 : 4)
            fill_window(window, buffers);
    }
}

static unsigned idle_calls;

static void acknowledge_all(void *context)
{
    CHECK(context == op);
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
        CHECK_EQUAL(pr_operator_send_blocking(op, &target, 1, HANDLER, NULL, 0, &sequence, acknowledge_all, op), 0);
        CHECK_EQUAL(sequence, k);
    }
    CHECK(idle_calls > 50);
    while (!is_idle())
        acknowledge_all(op);
    CHECK_EQUAL(pr_operator_send_blocking(op, &target, 0, HANDLER, NULL, 0, NULL, NULL, NULL), -PR_OPERATOR_NO_TARGETS);
}

/* Lets time go by in which a target was deferred here, or none for so long that the links are calm. */
static void let_links_be(bool busy)
{
    fake->clock += busy ? BUSY_CLOCKS : CALM_CLOCKS;
    fake->deferrals += busy;
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
    check_group(MULTICAST, MARK, SITES_OF(9, 13));
    acknowledge_from(14, 0, 1, 0); /* what has acknowledged meanwhile is left out, and its path is shorter */
    check_group(0, 0, SITES_OF(1));
    check_group(0, 0, SITES_OF(6));
    check_group(0, 0, SITES_OF(7));
    acknowledge_from(9, 0, 1, 0);
    CHECK(!leave());
    let_links_be(false); /* the next try is a tree, without marks */
    check_group(MULTICAST, 0, SITES_OF(13, 1, 6, 7));
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
    CHECK_EQUAL(counter(PR_COUNTER_FREE_BUFFERS), node.buffers);
}

/* ---- relays (O10), and acknowledgements merged on the tree (O11) ---- */

enum { CHILD = MARK, SIBLING = MARK >> 1, RELAY = 1 << PR_HEADER_RELAY_BIT, PARENT = 1 << PR_HEADER_PARENT_BIT };

/* The packet that left last is for relays: to words[0], with the others as its relay list. parent: 0: none. */
static void check_relay(const uint32_t *words, unsigned count, unsigned parent)
{
    CHECK_EQUAL(out.kind, 0);
    CHECK_EQUAL(out.target_words, count);
    for (unsigned k = 0; k < count; k++) {
        CHECK_EQUAL(out.words[k], words[k]);
        CHECK_EQUAL(out.info[0] >> k & 1, k > 0);
    }
    CHECK_EQUAL(out.words[count + PR_HEADER_HANDLER] & RELAY, RELAY);
    CHECK_EQUAL(out.header.has_parent, parent != 0);
    CHECK_EQUAL(out.header.parent, parent);
}

/* So many target words arrive, all but the first marked as target_info, and data words behind them. */
static void arrives(const uint32_t *words, unsigned target_words, unsigned data_words)
{
    struct pr_packet *packet = fake_receive(fake, END, words, target_words, words + target_words, data_words);
    CHECK(packet != NULL);
    packet->info[0] = (1u << target_words) - 2;
    poll_all();
}

#define WORDS_OF(...) (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)

/* The network_interface has a packet to send, of this sequence number, when this one is sent. */
static void send_by_relays_to(const unsigned *sites, unsigned count, unsigned sequence)
{
    CHECK_EQUAL(send_to(SITES_OF(2)), 0);
    CHECK_EQUAL(send_to(sites, count), 0);
    CHECK(leave());
    check_data(2, sequence);
    CHECK(leave());
}

/* Links are busy. */
static void send_by_relays(void)
{
    start_busy();
    send_by_relays_to(SITES_OF(4, 6, 7, 9, 13), 1);
    check_relay(WORDS_OF(address(9), address(13)), 0);
    CHECK(leave());
    check_relay(WORDS_OF(address(6), address(7)), 0);
    CHECK(leave());
    check_relay(WORDS_OF(address(4)), 0);
    acknowledge_from(2, 0, 1, 0);
}

/* An acknowledgement of `site` for its subtree. */
static void acknowledge_subtree_from(unsigned site, unsigned source, unsigned sequence)
{
    uint32_t words[] = {address(HERE), site | KIND_BIT | KIND_BIT >> 1, source, sequence};
    arrives(words, 1, 3);
}

static void a_packet_leaves_by_relays(void)
{
    send_by_relays();
    acknowledge_from(4, 0, 2, 0);
    acknowledge_subtree_from(9, HERE, 2);
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_SETTLED), 2);
    acknowledge_from(6, 0, 2, 0); /* for itself alone */
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_SETTLED), 2);
    acknowledge_subtree_from(6, HERE, 2); /* its subtree is known, though it needs no acknowledgement itself */
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_SETTLED), 3);
    CHECK(is_idle());
    CHECK_EQUAL(counter(PR_COUNTER_FREE_BUFFERS), node.buffers);
}

/* A plan is for packets to the same targets, and no others. */
static void a_plan_is_kept(void)
{
    send_by_relays();
    send_by_relays_to(SITES_OF(13, 9, 7, 6, 4), 3);
    check_relay(WORDS_OF(address(9), address(13)), 0);
    CHECK(leave() && leave());
    check_relay(WORDS_OF(address(4)), 0);
    send_by_relays_to(SITES_OF(1, 9, 10, 11, 13), 5);
    check_relay(WORDS_OF(address(9), CHILD | SIBLING | address(10), address(11), address(13)), 0);
    CHECK(leave());
    send_by_relays_to(SITES_OF(1, 9, 10, 13), 7); /* the first four, in their order */
    check_relay(WORDS_OF(address(9), SIBLING | address(13), address(10)), 0);
}

/* A packet goes by relays only if all its targets are. */
static void a_target_that_is_no_relay(void)
{
    static const uint32_t all_but_7 = (1 << SITES) - 1 - (1 << 7);
    for (unsigned with = 0; with < 2; with++) {
        start_busy();
        pr_operator_use_relays(&node.full.op, &node.relay_source, &all_but_7);
        CHECK_EQUAL(send_to(SITES_OF(2)), 0);
        CHECK_EQUAL(with ? send_to(SITES_OF(4, 6, 7, 9, 13)) : send_to(SITES_OF(4, 6, 9, 13)), 0);
        CHECK(leave());
        CHECK(leave());
        CHECK_EQUAL(out.words[out.target_words + PR_HEADER_HANDLER] & RELAY, with ? 0 : RELAY);
    }
}

/* In a hypercube relays take packets of many words, all targets together. */
static void relays_of_a_hypercube(void)
{
    start_busy();
    node.identity.topology = PR_TOPOLOGY_HYPERCUBE;
    CHECK_EQUAL(send_to(SITES_OF(2)), 0);
    CHECK_EQUAL(send_to(SITES_OF(4, 6, 9, 13)), 0);
    CHECK_EQUAL(send_to(SITES_OF(1, 2, 3, 4, 6, 7, 8, 9, 13)), 0);
    while (leave() && out.header.sequence < 3)
        CHECK_EQUAL(out.words[out.target_words + PR_HEADER_HANDLER] & RELAY, 0);
    CHECK_EQUAL(out.header.sequence, 3);
    CHECK_EQUAL(out.words[out.target_words + PR_HEADER_HANDLER] & RELAY, RELAY);
}

/* What a subtree has not acknowledged goes to each of its sites alone, without a relay list or a mark. */
static void the_second_try_is_none_by_relays(void)
{
    send_by_relays();
    acknowledge_from(4, 0, 2, 0);
    acknowledge_subtree_from(9, HERE, 2);
    acknowledge_from(6, 0, 2, 0);
    leave_in_time();
    check_data(7, 2);
    CHECK_EQUAL(out.target_words, 1);
    CHECK_EQUAL(out.words[0], address(7));
    CHECK_EQUAL(out.words[1 + PR_HEADER_HANDLER] & RELAY, 0);
    acknowledge_subtree_from(6, HERE, 2); /* the tree is gone: it is for site 6 alone */
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_SETTLED), 2);
    acknowledge_from(7, 0, 2, 0);
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_SETTLED), 3);
    CHECK(is_idle());
}

/* In the order of ways again (O9), if the links are calm by then. */
static void a_tree_follows_relays(void)
{
    static const unsigned sites[] = {9, 6, 7};
    start_busy();
    CHECK_EQUAL(send_to(SITES_OF(2)), 0);
    CHECK_EQUAL(send_to(SITES_OF(6, 7, 9)), 0);
    CHECK(leave());
    acknowledge_from(2, 0, 1, 0);
    CHECK(leave());
    check_relay(WORDS_OF(address(6), address(7)), 0);
    CHECK(leave());
    check_relay(WORDS_OF(address(9)), 0);
    let_links_be(false);
    leave_in_time();
    CHECK_EQUAL(out.kind, MULTICAST);
    CHECK_EQUAL(out.target_words, 3);
    CHECK_EQUAL(out.words[3 + PR_HEADER_HANDLER] & RELAY, 0);
    for (unsigned k = 0; k < 3; k++) {
        CHECK_EQUAL(out.words[k], address(sites[k]));
        CHECK_EQUAL(out.info[0] >> k & 1, 0);
    }
    for (unsigned k = 0; k < 3; k++)
        acknowledge_from(sites[k], 0, 2, 0);
    CHECK(is_idle());
}

/* A packet of site 1 to this site, with 9 behind it, 13 behind that, and 4. parent: 0: it comes from its source. */
static void relay_from(unsigned sequence, unsigned parent)
{
    uint32_t words[12] = {address(HERE),
                          address(9) | CHILD | SIBLING,
                          address(13),
                          address(4),
                          1,
                          sequence,
                          HANDLER | RELAY | (parent ? PARENT : 0),
                          parent};
    unsigned header = parent ? PR_HEADER_WORDS + PR_HEADER_PARENT_WORDS : PR_HEADER_WORDS;
    words[4 + header] = 0xabcd;
    arrives(words, 4, header + 1);
}

static void check_subtree_acknowledgement(unsigned to, unsigned from, unsigned source, unsigned sequence)
{
    CHECK_EQUAL(out.site, to);
    CHECK_EQUAL(out.data_words, 3);
    CHECK_EQUAL(out.words[1], from | KIND_BIT | KIND_BIT >> 1);
    CHECK_EQUAL(out.words[2], source);
    CHECK_EQUAL(out.words[3], sequence);
}

static void check_sent_on(void)
{
    CHECK(leave());
    check_relay(WORDS_OF(address(9), address(13)), HERE);
    CHECK_EQUAL(out.words[2 + PR_HEADER_WORDS + PR_HEADER_PARENT_WORDS], 0xabcd);
    CHECK(leave());
    check_relay(WORDS_OF(address(4)), HERE);
    CHECK_EQUAL(out.words[1 + PR_HEADER_WORDS + PR_HEADER_PARENT_WORDS], 0xabcd);
}

/* It delivers the packet without a word of the list, sends it on, and answers once for all. */
static void a_relay_answers_for_its_subtree(void)
{
    for (unsigned parent = 0; parent < 3; parent += 2) {
        start();
        relay_from(0, parent);
        CHECK_EQUAL(deliveries, 1);
        CHECK_EQUAL(last.info_words, 0);
        CHECK_EQUAL(last.data_words, 1);
        CHECK_EQUAL(last_data[0], 0xabcd);
        CHECK_EQUAL(counter(PR_COUNTER_RELAYED), 1);
        check_sent_on();
        acknowledge_subtree_from(9, 1, 0);
        acknowledge_subtree_from(9, 1, 0); /* again: it is not awaited any more, and goes on to the source */
        leave_in_time();
        check_subtree_acknowledgement(1, 9, 1, 0);
        CHECK(!leave());
        acknowledge_subtree_from(4, 1, 0);
        leave_in_time();
        check_subtree_acknowledgement(parent ? parent : 1, HERE, 1, 0);
        CHECK(is_idle());
        CHECK_EQUAL(counter(PR_COUNTER_ACKNOWLEDGEMENTS), 2);
        CHECK_EQUAL(counter(PR_COUNTER_FREE_BUFFERS), node.buffers);
    }
}

/* So many packets are awaited that this one is not: those behind this site acknowledge to the source. */
static void a_relay_without_room(void)
{
    start();
    for (unsigned k = 0; k <= PR_RELAYED_MAX; k++) {
        relay_from(k, 2);
        CHECK(leave());
        check_relay(WORDS_OF(address(9), address(13)), k < PR_RELAYED_MAX ? HERE : 1);
        CHECK(leave());
        check_relay(WORDS_OF(address(4)), k < PR_RELAYED_MAX ? HERE : 1);
    }
    CHECK_EQUAL(deliveries, PR_RELAYED_MAX + 1);
}

/* Some child is missing for too long: the source gets what has come. */
static void a_relay_gives_its_children_up(void)
{
    start();
    relay_from(0, 2);
    check_sent_on();
    acknowledge_subtree_from(9, 1, 0);
    CHECK(leave_in_time() > 1000);
    check_acknowledgement(1, 0, 0, BEFORE);
    leave_in_time();
    check_subtree_acknowledgement(1, 9, 1, 0);
    acknowledge_subtree_from(4, 1, 0);
    leave_in_time();
    check_subtree_acknowledgement(1, 4, 1, 0);
    CHECK(is_idle());
}

/* The last site of a tree answers to the site that sent the packet, or to the source if that did; of a copy, always to
 * the source. */
static void a_leaf_answers_to_its_parent(void)
{
    uint32_t words[12] = {address(HERE), 1, 0, HANDLER | RELAY | PARENT, 2, 0xabcd};
    start();
    for (unsigned k = 0; k < 2; k++) {
        arrives(words, 1, 5);
        CHECK_EQUAL(deliveries, 1);
        leave_in_time();
        if (k == 0)
            check_subtree_acknowledgement(2, HERE, 1, 0);
        else
            check_acknowledgement(1, 0, 0, BEFORE);
    }
    words[2] = 1;
    words[3] = HANDLER | RELAY;
    words[4] = 0xabcd;
    arrives(words, 1, 4);
    leave_in_time();
    check_acknowledgement(1, 0, 1, BEFORE);
    CHECK(is_idle());
}

/* A list with an address that no site has is sent on to nobody. */
static void a_relay_list_of_no_sites(void)
{
    uint32_t words[12] = {address(HERE), 0x3fff, 1, 0, HANDLER | RELAY, 0xabcd};
    start();
    arrives(words, 2, 4);
    CHECK_EQUAL(deliveries, 1);
    CHECK_EQUAL(last.info_words, 0);
    CHECK_EQUAL(counter(PR_COUNTER_DISCARDED), 1);
    leave_in_time();
    check_acknowledgement(1, 0, 0, BEFORE);
    CHECK(is_idle());
}

/* Nothing is left to be sent of a try whose last targets acknowledge an earlier one. */
static void a_try_ends_with_its_last_missing_target(void)
{
    start_busy();
    CHECK_EQUAL(send_to(SITES_OF(9, 13, 1, 6)), 0);
    check_group(MULTICAST, MARK, SITES_OF(9, 13));
    acknowledge_from(6, 0, 1, 0);
    check_group(0, 0, SITES_OF(1));
    acknowledge_from(1, 0, 1, 0);
    CHECK(!leave());
    let_links_be(true);
    check_group(MULTICAST, MARK, SITES_OF(9, 13));
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_TIMED_OUT), 1);
    acknowledge_from(9, 0, 1, 0);
    acknowledge_from(13, 0, 1, 0);
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_SETTLED), 2);
    CHECK(is_idle());
    CHECK_EQUAL(counter(PR_COUNTER_FREE_BUFFERS), node.buffers);
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
    CHECK_EQUAL(node_send(&node, targets, 4, (const uint32_t[]){0xabcd}, 1, NULL), 0);
    CHECK(leave());
    CHECK_EQUAL(out.target_words, 12);
    acknowledge_from(9, 0, 0, 0);
    leave_in_time();
    CHECK_EQUAL(out.kind, MULTICAST);
    CHECK_EQUAL(out.target_words, 9);
    for (unsigned k = 0; k < 3; k++)
        check_info(3 * k, sites[k + 1]);
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_TIMED_OUT), 1);
    CHECK_EQUAL(notes[0].remaining, 3);
    CHECK_EQUAL(counter(PR_COUNTER_TIME_OUTS), 1);
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
    CHECK_EQUAL(counter(PR_COUNTER_FREE_BUFFERS), node.buffers);
    CHECK_EQUAL(counter(PR_COUNTER_TARGETS_FAILED), 2);
}

static void a_dead_target_fails_in_bounded_time_and_others_go_on(void)
{
    uint64_t began, gone_on = 0;
    unsigned sequence = 0;
    start();
    began = fake->clock;
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
        if (count_of(PR_OPERATOR_EVENT_FAILED) == 0 && fake_sending(fake) == NULL)
            sleep_once();
        CHECK(fake->clock - began < LONGEST);
    }
    CHECK(gone_on >= 6);
    CHECK(fake->clock - began > 20000);
    printf("    given up after %llu clocks\n", (unsigned long long)(fake->clock - began));
}

static void ordered_holds_back(void)
{
    start();
    pr_operator_set_ordered(op, true);
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

/* What names this site as its source is taken if this site has sent it to itself, and once. */
static void a_packet_to_itself_is_taken_once(void)
{
    start();
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

/* Boot programs acknowledge nothing: a load packet leaves once, takes no number, and is kept by nobody. */
static void a_load_packet_leaves_and_is_forgotten(void)
{
    const struct pr_target to = {.site = 2};
    start();
    CHECK_EQUAL(pr_operator_send(op, &to, 1, PR_HANDLER_LOAD, (const uint32_t[]){7}, 1, NULL), 0);
    CHECK(leave());
    CHECK_EQUAL(out.header.handler, PR_HANDLER_LOAD);
    CHECK(is_idle());
    CHECK_EQUAL(counter(PR_COUNTER_FREE_BUFFERS), node.buffers);
    send_and_leave(2);
    check_data(2, 0);
}

static unsigned loads;

static void on_load(void *context, const struct pr_delivery *delivery)
{
    CHECK(context == &node);
    CHECK_EQUAL(delivery->handler, PR_HANDLER_LOAD);
    loads++;
}

/* Nor do boot programs know of epochs, or of a receiver's duplicates. */
static void a_load_packet_is_delivered_whatever_its_numbers(void)
{
    start();
    loads = 0;
    CHECK_EQUAL(pr_operator_register(op, PR_HANDLER_LOAD, on_load, &node), 0);
    for (unsigned times = 1; times <= 2; times++) {
        struct pr_header header = data_header(2, 9, 4000);
        header.handler = PR_HANDLER_LOAD;
        receive(END, HERE, &header, 2);
        CHECK_EQUAL(loads, times);
        CHECK(is_idle());
    }
    data_from(2, 0, 0);
    CHECK_EQUAL(deliveries, 1);
}

/* ---- scouts ---- */

static void start_routed(void)
{
    prepare(0);
    fake->interface.capabilities = (struct pr_capabilities){.source_routed = true};
    identity->max_packet -= PR_ROUTE_PORTS_MAX;
    begin();
}

/* A scout with these words of data: to whoever gets it, unless `target` is a site. */
static void scout_from(unsigned source, unsigned target, const uint32_t *words, unsigned count)
{
    uint32_t data[PR_HEADER_WORDS_MAX + PR_ROUTE_PORTS_MAX + 4], site_word = address(target);
    struct pr_header header = data_header(source, 0, 4000);
    header.handler = PR_HANDLER_SCOUT;
    pr_header_encode(&header, data, KIND_BIT);
    memcpy(data + header.words, words, count * sizeof *words);
    CHECK(fake_receive(fake, END, &site_word, 1, data, header.words + count) != NULL);
    poll_all();
}

/* The route comes off again when the packet has left, so that the buffer is as it was. */
static void check_answer(unsigned number, const uint32_t *ports, unsigned count)
{
    const struct pr_packet *packet = fake_sending(fake);
    CHECK(packet != NULL);
    CHECK_EQUAL(pr_packet_target_words(packet), count + 1);
    for (unsigned k = 0; k < count; k++)
        CHECK(pr_packet_is_info(packet, k) && packet->words[k] == ports[k]);
    CHECK_EQUAL(packet->words[count], address(SITES));
    CHECK_EQUAL(pr_packet_data_words(packet), PR_HEADER_WORDS + 1);
    CHECK_EQUAL(packet->words[count + 1 + PR_HEADER_SOURCE], HERE);
    CHECK_EQUAL(packet->words[count + 1 + PR_HEADER_HANDLER], PR_HANDLER_SCOUT);
    CHECK_EQUAL(packet->words[count + 1 + PR_HEADER_WORDS], number);
    fake_leaving(fake);
    fake_sent(fake);
    poll_all();
    CHECK(is_idle());
}

static void a_scout_turns_round(void)
{
    static const uint32_t scout[] = {77, 3, 1, 0},
                          longest[1 + PR_ROUTE_PORTS_MAX] = {78, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0};
    start_routed();
    unsigned free = counter(PR_COUNTER_FREE_BUFFERS);
    scout_from(2, SITES, scout, 4);
    check_answer(77, scout + 1, 3);
    scout_from(3, SITES, longest, 1 + PR_ROUTE_PORTS_MAX);
    check_answer(78, longest + 1, PR_ROUTE_PORTS_MAX);
    CHECK_EQUAL(counter(PR_COUNTER_FREE_BUFFERS), free);
    CHECK_EQUAL(counter(PR_COUNTER_DISCARDED), 0);
    CHECK_EQUAL(deliveries, 0);
}

static unsigned scouts;

static void on_scout(void *context, const struct pr_delivery *delivery)
{
    CHECK(context == &node);
    CHECK_EQUAL(delivery->handler, PR_HANDLER_SCOUT);
    CHECK_EQUAL(delivery->data[0], 77);
    scouts++;
}

/* It has come home, it is an answer, or its way back is too long. */
static void other_scouts_are_delivered(void)
{
    static const uint32_t scout[2 + PR_ROUTE_PORTS_MAX] = {77, 3, 1, 0};
    start_routed();
    CHECK_EQUAL(pr_operator_register(op, PR_HANDLER_SCOUT, on_scout, &node), 0);
    scouts = 0;
    scout_from(HERE, SITES, scout, 4);
    scout_from(HERE, SITES, scout, 1);
    scout_from(2, SITES, scout, 1);
    scout_from(2, SITES, scout, 2 + PR_ROUTE_PORTS_MAX);
    CHECK_EQUAL(scouts, 4);
    CHECK_EQUAL(counter(PR_COUNTER_DISCARDED), 0);
    CHECK(is_idle());
}

/* Nobody knows scouts where the fabric finds the ways: the packet is stray. */
static void no_scouts_without_routes(void)
{
    static const uint32_t scout[] = {77, 3, 1, 0};
    const struct pr_target anybody = {.site = SITES};
    start();
    scout_from(2, SITES, scout, 4);
    CHECK_EQUAL(counter(PR_COUNTER_DISCARDED), 1);
    CHECK(is_idle());
    CHECK_EQUAL(pr_operator_send(op, &anybody, 1, PR_HANDLER_SCOUT, NULL, 0, NULL), -PR_OPERATOR_UNKNOWN_SITE);
    start_routed();
    CHECK_EQUAL(pr_operator_send(op, &anybody, 1, HANDLER, NULL, 0, NULL), -PR_OPERATOR_UNKNOWN_SITE);
    CHECK_EQUAL(pr_operator_send(op, &anybody, 1, PR_HANDLER_SCOUT, NULL, 0, NULL), 0);
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

/* A site that has restarted alone sends to all others at once. There are more of them than small buffers, and those in
 * `answering` answer. Each is asked before it is given up, and the data go to those that have answered. */
static void all_are_asked(uint32_t answering)
{
    unsigned asked[SITES] = {0}, sites[SITES - 1], targets = 0;
    uint32_t reached = 0;
    start_in_epoch(3);
    for (unsigned site = 0; site < SITES; site++) {
        if (site != HERE)
            sites[targets++] = site;
    }
    CHECK_EQUAL(send_to(sites, targets), 0);
    while (reached != answering || count_of(PR_OPERATOR_EVENT_SETTLED) == 0) {
        leave_in_time();
        if (out.header.kind == PR_HEADER_KIND_DATA) {
            for (unsigned k = 0; k < out.target_words; k++) {
                unsigned site = pr_site_identity_site(identity, out.words[k]);
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

static void what_lay_here_for_long_goes_no_further(void)
{
    struct pr_header header = data_header(2, 0, 0);
    start();
    for (unsigned k = 0; k < 4; k++)
        receive(END, 9, &header, 2);
    CHECK(fake_queued(fake) > 0 && fake_queued(fake) < 4);
    fake->clock += 1 << 20;
    for (; fake_sending(fake) != NULL; poll_all())
        fake_sent(fake);
    CHECK(counter(PR_COUNTER_FOREIGN_DISCARDED) > 0);
    CHECK_EQUAL(counter(PR_COUNTER_FREE_BUFFERS), node.buffers);
}

static void who_refuses_says_that_it_is_alive(void)
{
    start();
    data_from(2, 0, 0);
    leave_in_time();
    pr_operator_refuse(op, true);
    data_from(2, 0, 1);
    CHECK_EQUAL(deliveries, 1);
    CHECK_EQUAL(counter(PR_COUNTER_REFUSED), 1);
    leave_in_time();
    check_acknowledgement(2, 0, 0, BEFORE);
    CHECK(is_idle());
    pr_operator_refuse(op, false);
    data_from(2, 0, 1);
    CHECK_EQUAL(deliveries, 2);
    leave_in_time();
    check_acknowledgement(2, 0, 1, BEFORE);
}

/* A packet to itself comes back as long as this site refuses, and is tried again: it is not given up, for this site
 * lives. */
static void who_refuses_its_own_does_not_give_them_up(void)
{
    struct pr_header header = data_header(HERE, 0, 0);
    start();
    pr_operator_refuse(op, true);
    send_and_leave(HERE);
    receive(END, HERE, &header, 2);
    for (unsigned tries = 1; tries < 3 * PR_TRIES_MAX; tries++) {
        leave_in_time();
        check_data(HERE, 0);
        receive(END, HERE, &header, 2);
    }
    CHECK_EQUAL(deliveries, 0);
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_FAILED), 0);
    pr_operator_refuse(op, false);
    leave_in_time();
    receive(END, HERE, &header, 2);
    CHECK_EQUAL(deliveries, 1);
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_SETTLED), 1);
    CHECK(is_idle());
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
    CHECK_EQUAL(node_send(&node, targets, SITES, (const uint32_t[]){0xabcd}, 1, NULL), 0);
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
    CHECK_EQUAL(node_send(&node, targets, SITES, NULL, 0, NULL), -PR_OPERATOR_TOO_LONG);
}

static void a_mesh_of_one_site(void)
{
    struct pr_header header = data_header(0, 0, 0);
    prepare(0);
    *identity = fake_identity(0);
    identity->size_x = identity->size_y = 1;
    identity->reliable = 1;
    node.sites = 1;
    node.window = 4;
    begin();
    CHECK_EQUAL(send_to(SITES_OF(0)), 0);
    CHECK(fake_sending(fake) != NULL);
    fake_sent(fake);
    receive(END, 0, &header, 0);
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_SETTLED), 1);
    CHECK(is_idle());
}

static void refuses_what_cannot_work(void)
{
    struct pr_operator_size size = {full_reliable.buffers, SUITE_WORDS, 4, SITES - 1};
    start();
    CHECK_EQUAL(pr_operator_init(op, &fake->interface, identity, node.memory, &size), -PR_OPERATOR_TOO_MANY_SITES);
    size = (struct pr_operator_size){2, SUITE_WORDS, 4, SITES};
    CHECK_EQUAL(pr_operator_init(op, &fake->interface, identity, node.memory, &size), -PR_OPERATOR_NO_BUFFER);
    size = (struct pr_operator_size){full_reliable.buffers, SUITE_WORDS - 1, 4, SITES};
    CHECK_EQUAL(pr_operator_init(op, &fake->interface, identity, node.memory, &size), -PR_OPERATOR_TOO_LONG);
}

static void foreign_packets_are_discarded_where_the_fabric_never_diverts(void)
{
    struct pr_header header = data_header(2, 0, 0);
    prepare(0);
    fake->interface.capabilities.diverts = false;
    node.buffers = 4;
    node.window = 1;
    begin();
    receive(END, 9, &header, 2);
    CHECK_EQUAL(counter(PR_COUNTER_DISCARDED), 1);
    CHECK(fake_sending(fake) == NULL);
    CHECK_EQUAL(counter(PR_COUNTER_FREE_BUFFERS), 4);
    CHECK_EQUAL(send_to(SITES_OF(2)), 0);
    CHECK_EQUAL(node_send_room(&node), 0);
    for (unsigned k = 0; k < 2; k++)
        receive(MULTICAST | END, 9, &header, 2); /* an aborted multicast is sent on nevertheless */
    CHECK_EQUAL(counter(PR_COUNTER_RESENT_AFTER_ABORT), 2);
    CHECK_EQUAL(counter(PR_COUNTER_FREE_BUFFERS), 1);
    CHECK(!fake->native.relief);
}

int main(void)
{
    seed = check_seed();
    reliable_rules(&full_reliable, seed);
    RUN(every_number_is_taken_as_new_once);
    RUN(acknowledgements_are_merged);
    RUN(a_poll_tells_that_it_sent);
    RUN(acknowledgements_are_carried_by_data);
    RUN(no_room_to_carry);
    RUN(acknowledgements_of_a_multicast_are_paced);
    RUN(a_slow_core_acknowledges_several_packets_at_once);
    RUN(to_oneself_without_an_acknowledgement);
    RUN(a_packet_is_kept_until_all_have_acknowledged);
    RUN(one_bitmap_settles_many);
    RUN(a_full_window_refuses);
    RUN(a_blocking_call_waits_for_room);
    RUN(a_try_goes_in_groups);
    RUN(a_try_ends_with_its_last_missing_target);
    RUN(a_packet_leaves_by_relays);
    RUN(a_plan_is_kept);
    RUN(a_target_that_is_no_relay);
    RUN(relays_of_a_hypercube);
    RUN(the_second_try_is_none_by_relays);
    RUN(a_tree_follows_relays);
    RUN(a_relay_answers_for_its_subtree);
    RUN(a_relay_without_room);
    RUN(a_relay_gives_its_children_up);
    RUN(a_leaf_answers_to_its_parent);
    RUN(a_relay_list_of_no_sites);
    RUN(sent_again_as_multicast_then_as_unicasts);
    RUN(a_dead_target_fails_in_bounded_time_and_others_go_on);
    RUN(ordered_holds_back);
    RUN(a_packet_to_itself_is_taken_once);
    RUN(an_acknowledgement_of_what_was_never_sent);
    RUN(a_load_packet_leaves_and_is_forgotten);
    RUN(a_load_packet_is_delivered_whatever_its_numbers);
    RUN(a_scout_turns_round);
    RUN(other_scouts_are_delivered);
    RUN(no_scouts_without_routes);
    RUN(a_peer_that_has_restarted_gets_a_base);
    RUN(after_a_restart_all_are_asked);
    RUN(what_lay_here_for_long_goes_no_further);
    RUN(who_refuses_says_that_it_is_alive);
    RUN(who_refuses_its_own_does_not_give_them_up);
    RUN(packets_with_256_target_words);
    RUN(a_mesh_of_one_site);
    RUN(refuses_what_cannot_work);
    RUN(foreign_packets_are_discarded_where_the_fabric_never_diverts);
    node_end(&node);
    return 0;
}
