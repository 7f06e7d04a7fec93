/* Finds the switches and cables of a mesh whose packets carry their routes, from one site, by scouts.
 *
 * Ports: 0 leads from a switch to its operator, if it has one, and k + 1 over link k. A scout leaves `home` with a way,
 * the ports of the switches that it comes through, home's own first. It tells at which operator its way has ended; a
 * way that ends elsewhere tells nothing. Mainwaring and others, "System Area Network Mapping" (SPAA 1997), map Myrinet
 * so; there ports count from the port by which a packet enters, here they are the switch's own, and a way back has to
 * be guessed.
 *
 * Terms: a *place* is a switch, with an operator (which has a number, so that a scout tells the place for sure) or
 * without. `there` of a place are the ports from home to it, `back` those from it to home's operator. Places are found
 * breadth first. Of the end p of a place S:
 *
 *   1. There p q back(S) comes home, for some q: something is behind p, and q is tried as the port that leads back. All
 *      q are silent: nothing is there.
 *   2. There p q has to be S, by rule 4. One that comes home only because another switch has the same ports does not.
 *   3. There p 0, with q back(S) as the way of the answer: the number of the operator behind p, if it has one.
 *   4. Else the place is compared with those that are known. A tree of tests, each a word and the site at which it has
 *      to end, leads to the one place C that gives all answers that were given. Then the *anchor* of C decides: the
 * port a of C that leads back to the place A that C was found from. Behind a there must be A, by the same rule, down to
 *      an operator. Else the place is new, and the test that told it from C joins the tree. Operators with several
 * links are in the tree, too, as they may be where a switch is expected.
 *
 * Why a cable that is said to be certain is there. Claim: of a *proven* place, every way that rule 4 takes for it leads
 * to it. Operators are proven by their numbers. Let C be anchored at a proven A, and s a switch that rule 4 takes for
 * C. Port a of s leads to A, so one cable of A goes to s: a cable has two ends, and no end has two cables. Rule 4 takes
 * that end of A for C as well, since what it says depends on the switch and not on the way there. Therefore A has at
 * least one end for each such s, and for C itself as many as C has for A. If A has no more ends that are taken for C
 * than C has ends that lead to A, then C is the only such switch, and proven. By induction from home. A cable is
 * certain if its two places are proven and no other cable joins them: two cables between the same switches cannot be
 * told apart by any packet, as the port by which a packet enters matters to nothing; they are counted, and their ports
 * are not paired. If A has more ends taken for C than C has to A, then what is behind them is compared port by port. A
 * difference is a new test, after which all ends are asked again. Switches without a difference cannot be told apart by
 * any scout, and remain unproven.
 *
 * This supposes that a cable works both ways or not at all, and that of `tries` scouts one arrives if any can. A lost
 * scout or a cable that works one way can hide a cable; it makes a place look new, or leaves it unproven. Only together
 * with a switch that looks the same from everywhere can it make one of two. A way that would be too long is no answer:
 * what depends on it is not certain.
 *
 * What is asked of the fabric: a packet whose route names no port, or ends at a switch, is dropped there. A guess may
 * lead a scout over a link that it still occupies itself, where it waits for its own end: the fabric has to drop what
 * waits too long, and then the scout counts as lost. There is never more than one scout.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_MAPPER_H
#define POSTROAD_CLI_MAPPER_H

#include <stdbool.h>
#include <stdint.h>

enum { MAPPER_LINKS_MAX = 15, MAPPER_PLACES_MAX = 256, MAPPER_ROUTE_MAX = 64 };

enum { MAPPER_NOTHING = -1, MAPPER_UNSURE = -2, MAPPER_STOP = -3 };

struct mapper_route {
    unsigned count;
    uint8_t ports[MAPPER_ROUTE_MAX];
};

struct mapper_place {
    int site; /* number of its operator; MAPPER_NOTHING: it is a switch without one */
    struct mapper_route there, back;
    int anchor, anchor_port;      /* the place that it was found from, and the port that leads there; of home 0 */
    int behind[MAPPER_LINKS_MAX]; /* place behind each link, MAPPER_NOTHING or MAPPER_UNSURE */
    uint32_t asked;               /* links, a bit each, whose far ends have been looked for */
    bool proven, loose;           /* loose: the port that leads to its anchor was lost: it cannot be proven */
};

struct mapper {
    /* Sends a scout and waits for what becomes of it: the site of the operator that got it (home's own: it came home),
     * MAPPER_NOTHING, or MAPPER_STOP to give up. An operator other than home's answers by the way back. */
    int (*probe)(void *context, const struct mapper_route *way, const struct mapper_route *back);
    void *context;
    int home;           /* number of the site that scouts leave */
    unsigned links;     /* of a switch, MAPPER_LINKS_MAX at most */
    unsigned route_max; /* ports of a way, MAPPER_ROUTE_MAX at most */
    unsigned tries;     /* scouts in vain before a way is taken to end nowhere */

    /* Filled in. Place 0 is home. */
    struct mapper_place *places;
    int count;
    bool too_far;         /* a way would have been longer than route_max: the map may end before the mesh does */
    bool blind;           /* an operator could not join the tree for that reason: nothing is proven any more */
    bool stopped;         /* by the probe */
    unsigned long probes; /* scouts sent */
    struct mapper_tree *tree;
};

/* The fields above the comment are set. False: the probe said MAPPER_STOP. mapper_free in either case. */
bool mapper_run(struct mapper *mapper);
void mapper_free(struct mapper *mapper);

struct mapper_end {
    int place; /* MAPPER_NOTHING: nothing was found; MAPPER_UNSURE: something, but not for certain what */
    int link;  /* MAPPER_UNSURE: of several cables between two places, any */
};

/* The far end of a place's link, as far as it is certain. */
struct mapper_end mapper_far_end(const struct mapper *mapper, int place, unsigned link);

#endif
