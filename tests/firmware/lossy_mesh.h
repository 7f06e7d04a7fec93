/* A mesh of native operators with the reliable service over a network that does, from a seed, whatever a network may
 * do to whole packets: delay, reorder, lose, duplicate, divert to a third site, abort a multicast half done or defer
 * some of its targets, drop at a
 * site without a buffer. Sites stop, die and restart. No RTL, no words: an explicit clock and an event at a time.
 *
 * A scoreboard watches every packet; what does not hold ends the test (check.h). Its rules are in lossy_mesh.c.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_FIRMWARE_LOSSY_MESH_H
#define POSTROAD_TESTS_FIRMWARE_LOSSY_MESH_H

#include "node_under_test.h"

enum { LOSSY_SITES_MAX = 32, LOSSY_HANDLER = 9, LOSSY_NEVER = 1000 };

enum lossy_fate { LOSSY_BY_CHANCE, LOSSY_ARRIVES, LOSSY_LOST };

struct lossy_settings {
    uint64_t seed;
    unsigned size_x, size_y, word_width;
    unsigned buffers, max_packet, window;
    bool ordered;
    struct pr_capabilities capabilities; /* of the network */
    /* Chances out of 1000, of each packet or copy. */
    unsigned lose, duplicate, divert, abort, defer;
    unsigned delay_min, delay_random; /* clocks between sites */
    unsigned stall_random;            /* clocks a packet waits before it leaves */
    unsigned poll_random;             /* clocks until a site that has something to do polls */
    unsigned patience;                /* clocks without a buffer before a packet is dropped */
    unsigned answer;                  /* chance out of 1000 that a handler answers, or an observer sends */
    bool polls_unasked;               /* sites also poll when there is nothing to do */
    uint64_t settled_within;          /* clocks; 0: not checked */
    uint32_t small;                   /* set of sites: small operators, of this kind; the others are full ones */
    const struct node_kind *small_kind;
};

enum lossy_state { LOSSY_RUNNING, LOSSY_STOPPED, LOSSY_DEAD };

struct lossy_record;
struct lossy_flight;

struct lossy_site {
    struct node_under_test node;
    struct port_console console; /* of a small operator, */
    struct lossy_mesh *mesh;
    size_t console_read; /* which has read so many bytes */
    enum lossy_state state;
    uint64_t stopped_until, poll_at, leaves_at;
    bool must_poll, leaving;
    unsigned idle_wakes;                    /* polls in a row, at a wake, that did nothing */
    uint32_t hashes[NATIVE_INTERFACE_RING]; /* of what is queued to leave */
    uint32_t hashed, poisoned;              /* ring positions up to which that is done */
    uint16_t next_sequence, first_unsettled;
};

struct lossy_mesh {
    struct lossy_settings settings;
    struct lossy_site *sites;
    unsigned site_count;
    uint64_t clock, random;
    struct lossy_flight **flights; /* a heap, by time of arrival */
    unsigned flight_count, flight_room;
    struct lossy_record *records; /* every packet accepted */
    unsigned record_count, record_room, records_settled_below;
    unsigned long transmitted;
    uint8_t listen[16]; /* the frame with which the console of a small operator is made to listen */
    size_t listen_length;
    /* Packets from one site to another, before chance has its say; may stay NULL. */
    enum lossy_fate (*fate)(void *context, unsigned from, unsigned to, const struct pr_packet *packet);
    void *fate_context;
    /* What happened. */
    unsigned long accepted, refused, delivered, settled, failed_time_out, failed_restarted, timed_out, lost, duplicated,
        diverted, aborted, deferred, paths, trees, relays, subtrees, routed, dropped, polls;
    uint64_t longest; /* clocks from pr_operator_send to SETTLED */
};

/* Settings of a mesh of this size that loses nothing. */
struct lossy_settings lossy_settings(uint64_t seed, unsigned size_x, unsigned size_y);

void lossy_start(struct lossy_mesh *mesh, const struct lossy_settings *settings);
void lossy_end(struct lossy_mesh *mesh);

/* pr_operator_send of a packet whose content says which it is, with so many words of target_info each. 0 or what
 * pr_operator_send says. */
int lossy_send(struct lossy_mesh *mesh, unsigned source, const unsigned *sites, unsigned count, unsigned words,
               unsigned info_words);

/* The same to random sites. */
int lossy_send_any(struct lossy_mesh *mesh, unsigned source, unsigned targets_max);

/* Time goes on for so many clocks. */
void lossy_run(struct lossy_mesh *mesh, uint64_t clocks);

/* Until nothing is left to be done, which must be within so many clocks; then nothing may be left anywhere. */
void lossy_run_to_rest(struct lossy_mesh *mesh, uint64_t clocks);

void lossy_stop(struct lossy_mesh *mesh, unsigned site, uint64_t clocks);
void lossy_kill(struct lossy_mesh *mesh, unsigned site);
void lossy_restart(struct lossy_mesh *mesh, unsigned site);

/* The site's evaluator takes nothing more, or takes again. */
void lossy_refuse(struct lossy_mesh *mesh, unsigned site, bool refuse);

unsigned lossy_below(struct lossy_mesh *mesh, unsigned limit);

#endif
