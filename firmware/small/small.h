/* The small operator: what its files share. It is the operator of a site with 8 KB of RAM, on a grid or torus of 16-bit
 * words. One instance a program: its state are the variables of its files, which the linker places where one
 * instruction reaches them.
 *
 * Each file calls only files to the left of it:
 *
 *   port, targets  <  buffers  <  counters  <  peers  <  sender  <  control  <  frame  <  console  <  service  <
 * receive <  operator  <  program
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_SMALL_SMALL_H
#define POSTROAD_SMALL_SMALL_H

#include <stdbool.h>
#include <stdint.h>

#include "protocol.h"
#include "small/application.h"
#include "small/config.h"
#include "small/port.h"
#include "wire/packet.h"

enum {
    ADDRESS_MASK = (1 << 2 * PR_SITE_COORD_WIDTH_16) - 1,
    COLUMN_MASK = (1 << PR_SITE_COORD_WIDTH_16) - 1,
    MARK = 1 << PR_SITE_MARK_BIT_16,
    KIND = 1 << PR_HEADER_KIND_BIT_16, /* of a header's source word: acknowledgement or control packet */
    EPOCH_MASK = 0x1f,                 /* what data and acknowledgements have of an epoch */
    BITMAP_MASK = (1 << PR_ACKNOWLEDGEMENT_EPOCH_SHIFT) - 1,
    HALF_MASK = 0xffff,
    BYTE_MASK = 0xff
};

/* ---- targets.c: this site and its mesh, site words and target entries ---- */

struct place {
    uint32_t site, address, sites, columns, end; /* end: of the addresses of the mesh */
    uint16_t epoch;
};

extern struct place here;

uint32_t address_of(unsigned site);

static inline bool is_here(uint32_t site_word)
{
    return (site_word & ADDRESS_MASK) == here.address;
}

/* False: no site of this mesh has the address. */
static inline bool is_site(uint32_t site_word)
{
    return (site_word & COLUMN_MASK) < here.columns && (site_word & ADDRESS_MASK) < here.end;
}

/* The target word behind the entry that begins with target word k. */
unsigned end_of_entry(const struct pr_packet *packet, unsigned k);

/* The packet goes as a unicast to the entry that begins with target word k. */
void choose(struct pr_packet *packet, unsigned k);

/* True for an entry of another site that has the bits `required` in its site word (M11). */
bool is_to_serve(uint32_t site_word, uint32_t required);

/* ---- buffers.c ---- */

/* What a buffer is for: is_own: this site's packets, is_small: those that are a header alone. The others receive. */
bool is_own(const struct pr_packet *packet);
bool is_small(const struct pr_packet *packet);

/* The buffer of the packet that this site composes. */
struct pr_packet *own_packet(void);

/* Posts a buffer that receives; all of them. buffers_posted: those that the network_interface has. */
void post(struct pr_packet *packet);
void post_all(void);
extern uint8_t buffers_posted;

/* A small packet to a site: the words behind its source word, which are to be written, or NULL if no buffer is here.
 * small_send: there are so many of them. */
uint32_t *small_begin(unsigned site);
void small_send(uint32_t *words, unsigned count);
void small_is_back(void);
bool smalls_are_here(void);

/* ---- counters.c ---- */

/* counter: any counter of registers.ini; 0 if there is none. count: one more of an operator's. */
void count(unsigned index);
uint32_t counter(unsigned index);

/* The receive buffers that are free: at the start, and now. */
void count_from(uint32_t free);
void count_fewest(uint32_t free);

/* ---- peers.c: what was received from each site (reliable service) ---- */

struct peer {
    uint32_t highest;  /* highest sequence number received; packets carry its low 16 bits */
    uint32_t received; /* bit k: the packet highest - 1 - k was received, or never will be */
    uint16_t epoch;
    uint8_t flags; /* PEER_* */
    uint8_t age;   /* how long it has been silent: sender.c */
};

enum {
    PEER_KNOWN = 1,      /* `highest` and `received` are valid */
    PEER_EPOCH_SEEN = 2, /* `epoch` is valid */
    PEER_FRESH = 4       /* restarted, and nothing of its epoch has come yet */
};

enum { PEER_STALE = 2 }; /* age of a peer that is asked before it is sent data */

extern struct peer peers[];

void peers_start(void);

/* Every packet before `base` counts as received, and none from `base` on. */
void peer_start(struct peer *peer, uint32_t base);

enum peer_arrival { PEER_NEW, PEER_DUPLICATE, PEER_TOO_OLD };
enum peer_arrival peer_classify(const struct peer *peer, uint16_t sequence);

/* Notes the arrival of a packet that is NEW. */
void peer_receive(struct peer *peer, uint16_t sequence);

/* Acknowledges a packet that arrived in that clock, at once. If no small buffer is here, or the packet is too old, its
 * source sends it again. */
void acknowledge(unsigned site, uint16_t sequence, uint32_t arrived);

/* Sends a control packet. False: no small buffer is here. */
bool control_send(unsigned site, unsigned type, uint32_t base);

/* ---- sender.c: the packet of this site's own ---- */

/* Composes it: first its targets, one if the service is reliable, then its data. False: the last one is not settled. */
bool own_begin(unsigned handler);
void own_target(unsigned site);
void own_data(uint32_t word);
void own_value(uint32_t value); /* as two words, low half first */

/* Sends it. False: it is too long. */
bool own_send(uint16_t *sequence);

/* It has left. */
void own_sent(void);

/* The reliable service. base: the lowest sequence number that may still be sent to a site. */
void sender_acknowledged(unsigned site, const uint32_t *acknowledgement);
void sender_peer_restarted(unsigned site);
uint32_t sender_base(unsigned site);

/* Tries again, or gives up, if the time has come. waits: when it comes, or false. */
void sender_poll(void);
bool sender_waits(uint32_t *clock);

/* ---- control.c: epochs and sequence numbers (reliable service) ---- */

void control_received(unsigned site, const uint32_t *control);

/* Announces this site's restart to one more site. */
void control_announce(void);

/* ---- frame.c: the console's output ---- */

/* A frame of so many bytes behind type and id, 250 at most, is begun, filled and ended. False: there is no room; this
 * is counted. */
bool frame_begin(unsigned type, unsigned id, unsigned bytes);
void frame_put(unsigned bytes, uint32_t value);
void frame_end(void);

bool frame_has_room(unsigned bytes);

/* The next byte of the output, if there is any; then it is gone. */
bool frame_is_waiting(void);
uint8_t frame_take(void);

/* ---- console.c ---- */

/* Moves some bytes between the UART and the console. True: output is left. */
bool console_poll(void);

/* False: there is no room to report a delivery. */
bool console_is_ready(void);
void console_delivered(const struct pr_small_delivery *delivery);

/* The answer of another site to a request of this console. */
void console_answer(const struct pr_small_delivery *delivery);

/* ---- service.c: requests of sites to each other (console/remote_service.h) ---- */

enum { SERVICE_IDENTIFY, SERVICE_PING, SERVICE_COUNTERS, SERVICE_ANSWER = 0x80 };

/* Words of a service packet. Ping has clocks from FIRST on: its own, and in the answer those of arrival and answer. */
enum { SERVICE_REQUEST, SERVICE_TYPE, SERVICE_ID, SERVICE_FIRST, SERVICE_COUNT, SERVICE_VALUES, SERVICE_PONG = 9 };

/* Data of a ping: not all alike. */
static inline uint32_t ping_pattern(unsigned index)
{
    return (index << 8 ^ ~index) & HALF_MASK;
}

enum { IDENTITY_WORDS = PR_ID_RELIABLE / 4 + 1 };

void service(const struct pr_small_delivery *delivery);

/* ---- receive.c, operator.c ---- */

void receive(struct pr_packet *packet);

/* Starts the operator. False: the mesh or its service does not suit this image. */
bool small_start(void);

/* One round of its work. True: call again before going to sleep. */
bool small_round(void);

/* True: *clock is when there is something to do without a packet or a byte. */
bool small_wake(uint32_t *clock);

#endif
