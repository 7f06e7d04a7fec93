/* An operator as the suite sees it, be it the full one (firmware/operator) or one of the small ones (firmware/small):
 * what can be done with it, and a row that says what it claims. A rule is written once for every operator that claims
 * it: operator_rules.c, reliable_rules.c, hostile_rules.c, and whole meshes in soak.c.
 *
 * Its network_interface is a fake one. Packets are put in and taken out there (fake_interface.h).
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_FIRMWARE_NODE_UNDER_TEST_H
#define POSTROAD_TESTS_FIRMWARE_NODE_UNDER_TEST_H

#include "console/node.h"
#include "fake_interface.h"
#include "small_site.h"

/* What an operator is, and what it claims. */
struct node_kind {
    const char *name;
    const char *image;            /* of firmware/small; NULL: the full operator */
    bool reliable;                /* its service */
    bool sends;                   /* packets of its own */
    bool groups;                  /* several targets leave in one packet, and tries are counted (O6, O9) */
    bool explains;                /* a refused packet and a failed target have a reason, a delivery has an epoch */
    bool delays;                  /* acknowledgements wait, to be shared or to be carried by data */
    bool settles_what_was_sent;   /* alone: an acknowledgement of a packet that waits behind a base settles nothing */
    bool polls_tell;              /* a poll that did anything is true; else one that has more to do */
    unsigned buffers;             /* that receive; the full operator may have another number, */
    unsigned packet_words;        /* word area of one; here too, */
    unsigned window;              /* packets of its own that may be unsettled; and here */
    unsigned tries, bases;        /* until a silent target is given up: packets; bases to one that must be asked */
    uint32_t time_out, doublings; /* at least so many clocks until the second try, doubled so often until the last */
    unsigned hostile_round;       /* packets that no operator made until a reset: forged restarts end all traffic */
};

extern const struct node_kind full_raw, full_reliable, small_raw, small_reliable, small_receiver;

struct node_under_test {
    const struct node_kind *kind;
    struct fake_interface fake;
    struct pr_site_identity identity;
    unsigned buffers, packet_words, window, sites; /* node_init: as the kind has it; sites: of the largest mesh */
    uint8_t handler;                               /* of the packets that `deliver` gets */
    pr_operator_handler *deliver;
    pr_operator_observer *observe; /* may stay NULL */
    void *context;                 /* of both */
    /* The full operator. Its console is part of it only in a node that has one. */
    struct pr_node full;
    struct pr_relay_source relay_source;
    bool has_console;
    uint32_t *memory; /* exactly as much as it needs: overruns are seen */
    /* A small one, which reports nothing: its events are those of its counters. */
    struct small_site small;
    const struct port_console *console;    /* node_init: that of small_host.h */
    uint16_t sequence, target, own_failed; /* of its last packet */
    bool is_unsettled;
    uint32_t failed, time_outs; /* of all packets, as far as they are reported */
};

/* A node that has not started. Then the caller may change it, but for the kind. */
void node_init(struct node_under_test *node, const struct node_kind *kind);

/* Starts the operator as after a reset. False: the mesh does not suit it. node_end may be called in any state. */
bool node_start(struct node_under_test *node);
void node_end(struct node_under_test *node);

/* As pr_operator_poll, pr_operator_next_wake, pr_operator_counter, pr_operator_send_room, pr_operator_send. An operator
 * that does not explain itself gives any status but 0. */
bool node_poll(struct node_under_test *node);
bool node_next_wake(struct node_under_test *node, uint32_t *clock);
uint32_t node_counter(const struct node_under_test *node, unsigned index);
unsigned node_send_room(const struct node_under_test *node);
int node_send(struct node_under_test *node, const struct pr_target *targets, unsigned count, const uint32_t *data,
              unsigned words, uint16_t *sequence);

/* Every buffer is back. */
bool node_is_at_rest(const struct node_under_test *node);

#endif
