/* A tap on the links of a simulated mesh: when head and terminator of each packet passed each link. A passage is told
 * by what the packet itself says, the header in its data words, and never by time; so it is right however many packets
 * are on their way, and a packet that is sent again or sent on shows as several passages of one identity.
 *
 *   clock   t        t+1      t+2       t+9
 *   link    head     target.. data..    terminator         one passage: clocks t and t+9, in which the words moved
 *
 * The simulation's tick is the tap's. While there is a tap, clocks cost about twice as much.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_SIMULATION_PACKET_TAP_H
#define POSTROAD_SIMULATION_PACKET_TAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mesh_config;
struct packet_tap;
struct simulation;

/* Most passages that are kept; later ones are counted. */
enum { PACKET_TAP_PASSAGES = 1 << 18 };

struct packet_passage {
    uint64_t head, terminator; /* clocks in which the first word and the terminator left the site */
    uint16_t site, link;       /* the site that sent it, and on which of its links */
    uint16_t source, sequence; /* identity */
    uint8_t epoch;             /* of the source, modulo 32; raw service: 0 */
    uint8_t handler;
    uint8_t tag;    /* of the terminator, PR_TAG_* */
    uint32_t words; /* with the terminator */
    /* Data of a group (firmware/multicast), which members pass on in packets of their own: by whom it was sent to
     * which, and its number there. */
    bool of_group;
    uint8_t group;
    uint16_t origin, number;
};

/* False: the words on its links cannot be seen. They are those of board links, or of another simulator. */
bool packet_tap_possible(const struct simulation *simulation, const struct mesh_config *mesh);

/* Both must outlive the tap. */
struct packet_tap *packet_tap_create(struct simulation *simulation, const struct mesh_config *mesh);
void packet_tap_destroy(struct packet_tap *tap);

/* From now on, passages of packets of this source are kept, too, and of those that it has sent to groups. Only
 * evaluators' packets are: acknowledgements and control packets have no sequence number of their own. */
void packet_tap_watch(struct packet_tap *tap, unsigned source);

/* The passages so far, in the order of their terminators. They are valid until the simulation runs on. */
const struct packet_passage *packet_tap_passages(const struct packet_tap *tap, size_t *count);

/* Passages that there was no room for. */
uint64_t packet_tap_lost(const struct packet_tap *tap);

/* Words that have moved over links since the tap was made. */
uint64_t packet_tap_words(const struct packet_tap *tap);

#endif
