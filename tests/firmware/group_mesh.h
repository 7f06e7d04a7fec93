/* Sites with operators and groups over a network that delays, reorders, loses and duplicates whole packets, from a
 * seed. Sites stop, die, restart, join and leave. No RTL, no words: an explicit clock and an event at a time.
 *
 * A scoreboard watches every packet that is sent to a group; what does not hold ends the test (check.h):
 *   it is delivered at most once to each membership of a site, with its content, and to no other site;
 *   of an ordered shape, all sites have the same packet in a place, and each site has its places in their order;
 *   when it is settled, each site that was a member all the time has it, holds it for a slow host, or was
 *   reported;
 *   at rest nothing is kept, held or owed.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_FIRMWARE_GROUP_MESH_H
#define POSTROAD_TESTS_FIRMWARE_GROUP_MESH_H

#include "fake_interface.h"
#include "multicast/groups.h"

enum { GROUP_SITES_MAX = 32, GROUP_ID = 7, GROUP_HANDLER = 9, GROUP_WORDS_MOST = 20 };

struct group_settings {
    uint64_t seed;
    unsigned sites, shape, leader;
    unsigned lose, duplicate;         /* chances out of 1000, of each copy */
    unsigned delay_min, delay_random; /* clocks between sites */
    unsigned link_clocks;             /* of a word: what a site knows of the network's pace */
    unsigned buffers, slots, holds;
    unsigned reading; /* clocks between a host's looks at what its site has delivered; 0: nobody listens */
    bool multicast;   /* the network copies packets */
    bool raw;         /* the mesh is */
};

enum group_site_state { GROUP_SITE_RUNS, GROUP_SITE_STOPPED, GROUP_SITE_DEAD };

struct group_mesh;
struct group_flight;

struct group_site {
    struct group_mesh *mesh;
    struct fake_interface fake;
    struct pr_site_identity identity;
    struct pr_operator op;
    struct pr_groups groups;
    uint32_t *memory, *groups_memory;
    enum group_site_state state;
    uint64_t leaves_at, stopped_until, read_at;
    bool leaving, poll, has_place;
    unsigned membership; /* how often it has become a member */
    uint16_t place;      /* the next one of the order */
    unsigned lost, failed, settled, ordered;
    unsigned unread; /* deliveries that wait for the host */
};

/* A packet that was sent to the group. */
struct group_message {
    uint16_t source, number, words;
    uint8_t view, since;
    bool settled;
    uint32_t delivered, failed;           /* sets of sites */
    uint8_t memberships[GROUP_SITES_MAX]; /* in which it was delivered */
};

struct group_mesh {
    struct group_settings settings;
    struct group_site sites[GROUP_SITES_MAX];
    uint64_t clock, random;
    struct group_flight *flights;
    struct group_message *messages;
    unsigned message_count, message_room;
    uint32_t places[65536]; /* of the order: message + 1 */
    unsigned long transmitted, lost, delivered;
};

struct group_settings group_settings(uint64_t seed, unsigned sites, unsigned shape);

/* All sites below `members` form the group. */
void group_mesh_start(struct group_mesh *mesh, const struct group_settings *settings, uint32_t members);
void group_mesh_end(struct group_mesh *mesh);

/* So many clocks; until nothing is left to do, which must be within so many. */
void group_mesh_run(struct group_mesh *mesh, uint64_t clocks);
void group_mesh_rest(struct group_mesh *mesh, uint64_t clocks);

/* pr_groups_send of a packet whose content says which it is. What that says. */
int group_mesh_send(struct group_mesh *mesh, unsigned site);

/* So many packets of groups with any words, between any sites, at random times. The scoreboard looks away from now on.
 */
void group_mesh_forge(struct group_mesh *mesh, unsigned packets);

void group_mesh_join(struct group_mesh *mesh, unsigned site);
void group_mesh_kill(struct group_mesh *mesh, unsigned site);
void group_mesh_stop(struct group_mesh *mesh, unsigned site, uint64_t clocks);
void group_mesh_restart(struct group_mesh *mesh, unsigned site);

/* Is it a member, by its own book? */
bool group_mesh_is_in(const struct group_mesh *mesh, unsigned site);

/* Every member has every packet that was sent by a member when both were members and are still. Those of the sites in
 * `gone` do not count. */
void group_mesh_check_all(const struct group_mesh *mesh, uint32_t gone);

unsigned long group_mesh_counter(const struct group_mesh *mesh, unsigned counter);

#endif
