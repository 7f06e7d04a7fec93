/* One node under test, without a network: its peers are the suite. What the suite's rules share, and those tests that
 * are about one operator alone.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_FIRMWARE_SUITE_H
#define POSTROAD_TESTS_FIRMWARE_SUITE_H

#include "node_under_test.h"

enum {
    HERE = 5, /* at (1, 1) of a 4x4 grid */
    SITES = 16,
    HANDLER = 7,
    MARK = 1 << PR_SITE_MARK_BIT_16,       /* of a site word */
    KIND_BIT = 1 << PR_HEADER_KIND_BIT_16, /* of a header */
    END = PR_TAG_END_OF_PACKET,
    LOCAL_END = PR_TAG_LOCAL_END_OF_PACKET,
    MULTICAST = PR_KIND_MULTICAST,
    SUITE_WORDS = 300, /* of a packet, at most */
    NOTES = 64,
    BEFORE = (1 << PR_ACKNOWLEDGEMENT_SPAN) - 1 /* a bitmap: what was before the first packet counts as received */
};

/* The rules, each for nodes of this kind if they claim it. seed: of what is drawn. */
void operator_rules(const struct node_kind *kind);
void reliable_rules(const struct node_kind *kind, uint64_t seed);
void hostile_rules(const struct node_kind *kind, uint64_t seed);

/* So many sequence numbers of a source, in any order: is_new tells of each whether it was taken for a new one. */
void every_number_is_taken_once(uint64_t seed, unsigned numbers, bool (*is_new)(uint16_t sequence));

/* The node, its network_interface and, in a full one, its operator. */
extern struct node_under_test node;
static struct fake_interface *const fake = &node.fake;
static struct pr_site_identity *const identity = &node.identity;
static struct pr_operator *const op = &node.full.op;

/* What was delivered, events of any kind, and in their order those of this site's own packets. */
extern unsigned deliveries, events[PR_OPERATOR_EVENT_SETTLED + 1], note_count;
extern struct pr_delivery last;
extern uint32_t last_data[SUITE_WORDS], last_info[SUITE_WORDS];
extern struct pr_operator_event notes[NOTES];

/* Of the notes since note_count was set to 0. */
unsigned count_of(enum pr_operator_event_kind kind);

/* A node of the kind in a 4x4 grid, as after so many resets of it alone. What the network can do and what the mesh is
 * like may be changed before begin. The others do both, `start` for epoch 0. */
void suite_of(const struct node_kind *kind);
void prepare(unsigned epoch);
void begin(void);
void start(void);
void start_in_epoch(unsigned epoch);

uint32_t address(unsigned site);
uint32_t counter(unsigned index);

/* Until it would sleep, and nothing would wake it. */
void poll_all(void);

/* ---- what the peers send ---- */

#define SITES_OF(...) (const unsigned[]){__VA_ARGS__}, sizeof((const unsigned[]){__VA_ARGS__}) / sizeof(unsigned)

/* A packet with this header and so many words more arrives; all that it causes is done. */
void receive(uint32_t kind, unsigned target, struct pr_header *header, unsigned more);
struct pr_header data_header(unsigned source, unsigned epoch, unsigned sequence);
void data_from(unsigned source, unsigned epoch, unsigned sequence);
void acknowledge_from(unsigned site, unsigned epoch, unsigned sequence, unsigned bitmap);
void control_from(unsigned site, unsigned type, unsigned epoch, unsigned peer_epoch, uint32_t base);

/* ---- what this site sends ---- */

/* Two words of data to these sites. */
int send_to(const unsigned *sites, unsigned site_count);

/* The packet that left last. */
extern struct suite_out {
    struct pr_header header;
    uint32_t kind, words[SUITE_WORDS], info[PR_PACKET_INFO_WORDS];
    unsigned target_words, data_words, site; /* site: of the first target */
} out;

/* The next packet leaves. False: there is none now. */
bool leave(void);

/* Sleeps until the node wakes by itself. False: it never would. */
bool sleep_once(void);

/* The next packet that leaves, if need be after a time; with the clocks that took. */
uint32_t leave_in_time(void);

/* Nothing leaves, now or later. */
bool is_idle(void);

/* The only packet to leave is the one to `site` that is sent now. */
void send_and_leave(unsigned site);

/* `out`. */
void check_acknowledgement(unsigned to, unsigned epoch, unsigned sequence, unsigned bitmap);
void check_control(unsigned to, unsigned type);
void check_data(unsigned to, unsigned sequence);

/* Packets to `site`, each acknowledged at once. */
void send_many(unsigned site, unsigned packets);

#endif
