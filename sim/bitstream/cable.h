/* The cables of a testbed, and what can be done to them: wires with a delay and bit errors between the links of boards.
 *
 * A plug joins the output and the input of one link with those of another, crossed over, or with each other:
 *
 *   as it should be          crossed: outputs meet, inputs float        looped: a link hears itself
 *     a.out ----> b.in         a.out ----- b.out   a.in  b.in               a.out ---> a.in
 *     a.in  <---- b.out
 *
 * A line that nothing drives floats: it is 1 where the bitstream switches the pad's pull-up resistor on, else 0. Boards
 * without power drive nothing, and an output that its bitstream has switched off drives nothing. Of two outputs that
 * drive different levels the one with 0 wins. Outputs that meet see each other at once, without a delay.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BITSTREAM_CABLE_H
#define POSTROAD_BITSTREAM_CABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "bitstream/line.h"
#include "support/random.h"

/* One link of a board. */
struct socket {
    bool powered, pull_up;
    bool drives, out;     /* its output: whether it drives, and the level */
    bool out_pulled_up;   /* ... while nothing drives it */
    struct socket *peer;  /* whose output its input hears; NULL: nothing */
    struct socket *rival; /* whose output meets this one's; NULL: none */
    uint64_t delay;       /* of that wire, from the peer's pin to this one */
    struct line line;     /* its input, without noise */
    double errors;        /* share of bits that are inverted */
    uint64_t bit;         /* their length */
    bool noisy;           /* the input is inverted at the moment */
    uint64_t noise_next;
    struct random random;
};

void socket_init(struct socket *socket, bool pull_up, uint64_t bit, uint64_t seed, uint64_t stream);

/* From `now` on the input hears `peer` (NULL: floats), and the output meets no other one. */
void socket_plug(struct socket *socket, uint64_t now, struct socket *peer, uint64_t delay, double errors);

/* The outputs of both meet. */
void socket_meet(struct socket *a, struct socket *b);

/* The output changes. `listener`: the socket that hears it, NULL: none. */
void socket_drive(struct socket *socket, uint64_t now, bool drives, bool level, struct socket *listener);
void socket_power(struct socket *socket, uint64_t now, bool powered, struct socket *listener);

/* The time at which the input changes next, if its peer does not change before. */
static inline uint64_t socket_next(const struct socket *socket)
{
    uint64_t change = line_next(&socket->line);
    return change < socket->noise_next ? change : socket->noise_next;
}

/* The level of the wire at the output. */
bool socket_output(const struct socket *socket);

/* The level of the input at `time`. */
bool socket_read(struct socket *socket, uint64_t time);

#endif
