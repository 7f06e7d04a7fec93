/* From the edges of a line between boards to packets (hw/board_link/README.md has the frame). The decoder needs no
 * start of its own: it may begin in the middle of a packet, and finds its way back behind damage and glitches as the
 * hardware does, because a line is idle between frames.
 *
 * Edges come one by one. Times of packets come out when a block of edges is closed: then the clock of the board is
 * known (line_clock.h), and with it when each packet began, better than from one edge.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LATENCY_LINE_DECODER_H
#define POSTROAD_LATENCY_LINE_DECODER_H

#include "latency/line_clock.h"
#include "latency/line_counts.h"
#include "protocol.h"

#include <stddef.h>

enum { LINE_FRAME_EDGES = 40 };

/* A whole packet, with a terminator that fits. */
struct line_packet {
    uint64_t identity;                /* of its data: the same on every wire that it passes */
    uint64_t origin;                  /* the time below counts from this sample */
    struct uncertain began;           /* samples: its first start bit */
    uint32_t target;                  /* its first word */
    unsigned words;                   /* data words */
    uint16_t header[PR_HEADER_WORDS]; /* the first of them, where there are as many (wire/header.h) */
    bool multicast, aborted;
};

/* How long a bit lasted, averaged over blocks, and how far the truth may be from it. */
struct line_rate {
    double blocks, value, error; /* sums */
    double jitter;               /* samples: the most that was visible */
};

/* What is known of the bit before a block was long enough to measure it: sums over frames. */
struct line_learning {
    double samples, bits, frames;
};

/* A board's links send all frames in places of 36 bits, unless they are eager. A frame off its place says that the
 * capture's time has a jump: samples are lost, or the board was reset. Frames that begin a packet are counted by
 * themselves: where these leave their places often, the others still say something. */
struct line_places {
    uint64_t last; /* sample of the last good frame; 0: none */
    struct {
        uint64_t kept, left;
    } heads, others;
};

/* A packet that is on its way in. */
struct line_incoming {
    struct line_packet packet;
    unsigned bits;  /* of its start, while `pending` */
    uint64_t start; /* the sample in which that was seen */
    bool open, pending;
};

struct line_decoder {
    double bit; /* samples a bit: as the testbed says, then as measured */
    double nominal;
    double exact;                      /* samples by which an edge may have been earlier than it was seen: 1, or more */
    bool level, rose, in_frame, found; /* rose: the line has been seen to; found: a good frame has been seen */
    uint64_t edges[LINE_FRAME_EDGES];  /* of the frame under way; the first is the rise of its start bit */
    unsigned edge_count;
    uint64_t rise;               /* sample of the last rise */
    uint64_t early, early_start; /* words before the first good frame, and where the last of them began */

    uint16_t crc;
    bool crc_known;
    struct line_incoming incoming;

    struct line_clock clock;
    uint64_t frame_start; /* of the last good frame in the block */
    unsigned frame_bits;
    struct line_incoming *done; /* packets of this block that are whole */
    size_t done_count, done_room;

    struct line_learning learning;
    struct line_places places;

    struct line_counts counts;
    struct line_rate rate;
    void (*emit)(void *context, const struct line_packet *packet);
    void (*jump)(void *context, uint64_t from, uint64_t until); /* the capture's time has one between; or NULL */
    void *context;
};

enum { LINE_SAMPLES_A_BIT = 3 }; /* at least */

/* samples_a_bit: at least LINE_SAMPLES_A_BIT. level: of the line at the start. emit: gets packets as blocks are closed.
 */
void line_decoder_begin(struct line_decoder *decoder, double samples_a_bit, bool level,
                        void (*emit)(void *context, const struct line_packet *packet), void *context);

/* The line changes to `level`; samples never go back. */
void line_decoder_edge(struct line_decoder *decoder, uint64_t sample, bool level);

/* True: the block has no room left for edges. */
bool line_decoder_is_full(const struct line_decoder *decoder);

/* Nothing has changed before `sample`. Closes the block: packets that are whole are emitted. */
void line_decoder_close(struct line_decoder *decoder, uint64_t sample);

void line_decoder_free(struct line_decoder *decoder);

#endif
