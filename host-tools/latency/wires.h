/* The wires of a capture, and what passes from one to the next. A packet that leaves a board on one wire and was seen
 * before on a wire into that board has made a hop; the first and the last wire on its way are its ends.
 *
 *        left.east            right.north
 *   [left]---------->[right]------------->[up]       hop: left.east -> right.north, from start bit to start bit
 *
 * Edges come in order of time. Memory is bounded: packets are remembered for a second or WIRES_MEMORY packets,
 * whichever is less, so a latency that is longer is not found.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LATENCY_WIRES_H
#define POSTROAD_LATENCY_WIRES_H

#include "board/testbed.h"
#include "latency/line_decoder.h"
#include "latency/readings.h"

enum { WIRES_MAX = 64, WIRES_MEMORY = 1 << 16, WIRE_NAME = 64, HOPS_MAX = 64, PAIRS_MAX = 4096, WIRE_JUMPS = 1024 };
enum { WIRES_CLOCKS_A_BIT = 4 }; /* of a board's links */

/* A packet that is expected at a board's operator. */
struct arrival {
    struct uncertain began; /* on the last line */
    uint8_t line;
    bool certain, aborted; /* certain: it is for this board, and whole */
    bool doubtful;         /* an event may have been its own */
};

/* A channel of the capture: a line between boards, or a pin that changes its level at an event. */
struct wire {
    char name[WIRE_NAME]; /* "left.east", of a strobe "left east.head" */
    char channel[WIRE_NAME];
    enum testbed_strobe strobe; /* TESTBED_LINE: a line */
    unsigned board, link;
    int reader; /* the board at the far end of a line; -1: none */
    bool level, seen;
    struct line_decoder decoder; /* of a line */

    /* Of a line, for strobes.h: its last packet. */
    struct uncertain last;
    bool open, last_aborted; /* open: there is one, whose terminator was not looked for yet */

    /* Of a strobe, see strobes.h. */
    int next_board; /* at the far end of the port, -1: none; and its connector */
    unsigned next_link;
    uint64_t event_total;
    uint64_t matched, ambiguous, strays; /* events with the lines: of one packet, of several, of none */
    uint64_t missing;                    /* packets without an event */
    uint64_t unpaired;                   /* terminators that do not take turns with heads */
    uint64_t disorder;                   /* heads that do not take turns with those of the next board */
    uint64_t *events;                    /* samples of those that wait for packets */
    unsigned event_count;
    struct arrival *arrivals;        /* packets that wait for events */
    unsigned arrival_count, doubted; /* doubted: events of packets that were `doubtful` */
    uint64_t damage;                 /* frames into the board, so far */
    double doubtful_until;           /* no event before this is matched */
    double began;                    /* the last event */
    unsigned heads;                  /* since the last terminator */
    unsigned under_way, early;       /* heads since the last one at the next board; those there before all heads here */
};

/* How a latency changes over the capture: sums for a straight line, times in samples. */
struct wire_trend {
    double count, time, time_squares, latency, latency_squares, products;
};

/* The capture's time has a jump between two samples: frames left their places. */
struct wire_jump {
    double from, until;
};

/* Hops that no board makes: shorter than a frame. */
struct short_hops {
    uint64_t count;
    unsigned from, to; /* the wires of the shortest */
    double least;      /* samples */
};

/* Latencies from one wire to another one. */
struct wire_pair {
    unsigned from, to, hops; /* hops 0: to or from a strobe of the same board */
    bool end_to_end;
    bool refused; /* of two strobes: their order does not say which events belong together */
    struct readings readings;
    struct wire_trend trend;
};

/* A packet that was seen on a wire. */
struct sighting {
    uint64_t identity;
    double began; /* samples since the start of the capture */
    float error, first_error, second_error;
    double first_began, second_began; /* where its way begins, and behind its first hop */
    uint64_t claimed;                 /* wires onto which it was followed, a bit each */
    uint64_t number;                  /* since the start */
    unsigned older;                   /* the sighting before in the same bucket, plus 1; 0: none */
    uint8_t wire, first_wire, hops;
    bool moved_on;
    bool jumped; /* the capture's time has a jump on its way */
};

struct wires;

/* Is shown each packet of each line, aborted ones too: block by block, in a block in order of time. A packet comes
 * after itself on lines that it has passed before. */
struct wires_watch {
    void (*begin)(void *context, const struct wires *wires); /* before the first; again if the file is read twice */
    void (*see)(void *context, const struct line_packet *packet, unsigned wire);
    void *context;
};

struct wires {
    const struct testbed *testbed;
    const struct wires_watch *watch; /* or NULL */
    double rate;                     /* samples a second */
    double exact;                    /* samples by which an edge may have been earlier than it was seen: 1, or more */
    bool exact_guessed;
    unsigned count;
    struct wire *wires;
    uint64_t block_end;         /* sample */
    uint64_t block;             /* samples */
    uint64_t last;              /* sample up to which all is known */
    struct sighting *sightings; /* a ring */
    uint64_t sighting_count;    /* since the start */
    uint64_t forgotten;         /* of them: ends that were drawn */
    unsigned *buckets;          /* the latest sighting of each, plus 1 */
    struct line_packet *batch;  /* packets of the block, with the wire of each */
    uint8_t *batch_wires;
    size_t batch_count, batch_room;
    unsigned collecting; /* the wire whose packets are being collected */
    unsigned pair_count;
    struct wire_pair *pairs;
    uint64_t unmatched, matched; /* packets on wires behind a captured wire */
    struct short_hops short_hops;
    uint64_t jump_count, jumped; /* jumps: the latest are kept; readings that are left out because of them */
    double first_jump;           /* sample */
    struct wire_jump jumps[WIRE_JUMPS];

    /* Of each packet that made several hops: the mean of those behind the first one, and by how much the first was
     * longer. */
    struct readings later_hops, first_hops;
};

/* 0, or -1 with a reason: no wires, too many, or a rate that is too low for a board. All that the testbed's section
 * [analyser] names; without one, each line between its boards. */
int wires_begin(struct wires *wires, const struct testbed *testbed, double rate, char *error, size_t error_size);
void wires_free(struct wires *wires);

/* Before the first edge: the samples are parts of the analyser's, of which one is so many. guessed: or of what may be
 * one, as the capture does not say it. */
void wires_exact(struct wires *wires, double exact, bool guessed);

/* The wire that a channel of the capture shows, by the analyser's name (D0) or that of the line (left.east); -1: none.
 */
int wires_find(const struct wires *wires, const char *channel);

/* The level with which a wire begins: before its first edge. */
void wires_level(struct wires *wires, unsigned wire, bool level);

/* Samples never go back. */
void wires_edge(struct wires *wires, unsigned wire, uint64_t sample, bool level);
void wires_end(struct wires *wires, uint64_t sample);

#endif
