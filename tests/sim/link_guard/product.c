/* hw/common/link_guard.v and sim/engine/link_fault_model.c are the same function: every state that the two can reach
 * together, from power-on, with every input, and what they show compared. Standard input: what link_guard_table.v
 * prints. exit: 0 equal, 1 they differ, and the steps that lead there, 2 no table
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdio.h>
#include <stdlib.h>

#include "engine/link_fault_model.h"
#include "protocol.h"

enum {
    WORD_WIDTH = 1,
    WORDS = 1 << (WORD_WIDTH + 3),
    GUARD_STATES = 2048,
    FILTER_STATES = WORDS * WORDS << 5,
    INPUTS = 512,
    IN_WAIT = 0x10,
    IN_DAMAGED = 0x20,
    IN_DOWN = 0x40,
    IN_RECEIVER_RESET = 0x80,
    IN_SENDER_RESET = 0x100,
    IN_POWER_ON = IN_RECEIVER_RESET | IN_SENDER_RESET
};

struct outputs {
    unsigned shown, status;
};

static struct step {
    bool known;
    struct outputs outputs;
    unsigned next;
} guard_table[GUARD_STATES][INPUTS];

/* Pairs of states that were reached, in that order, and from where. */
static struct pair {
    unsigned guard, filter, from, input;
} pairs[1 << 20];
static unsigned pair_count;
static unsigned char reached[GUARD_STATES][FILTER_STATES];

static unsigned pack(const struct link_filter *filter)
{
    unsigned flags = (unsigned)(filter->owes << 4 | filter->receiver_within << 3 | filter->sender_within << 2 |
                                filter->swallows << 1 | filter->looked_at);
    return ((unsigned)filter->held * WORDS + (unsigned)filter->pending) << 5 | flags;
}

static struct link_filter unpack(unsigned state)
{
    return (struct link_filter){.held = state >> 5 >> (WORD_WIDTH + 3),
                                .pending = (state >> 5) % WORDS,
                                .owes = state >> 4 & 1,
                                .receiver_within = state >> 3 & 1,
                                .sender_within = state >> 2 & 1,
                                .swallows = state >> 1 & 1,
                                .looked_at = state & 1};
}

/* The filter's clock, as its header wants it called. */
static unsigned filter_step(unsigned state, unsigned input, struct outputs *outputs)
{
    struct link_filter filter = unpack(state);
    struct link_clock clock = {.word = input % WORDS,
                               .wait = input & (IN_WAIT | IN_RECEIVER_RESET),
                               .cut = input & (IN_DOWN | IN_POWER_ON),
                               .damaged = input & IN_DAMAGED};
    if (input & IN_SENDER_RESET)
        link_filter_reset_sender(&filter);
    if (input & IN_RECEIVER_RESET)
        link_filter_reset_receiver(&filter);
    if (input & IN_SENDER_RESET || clock.word >> WORD_WIDTH == PR_TAG_NULL_TRANSMISSION)
        clock.word = 0;
    link_filter_clock(&filter, WORD_WIDTH, &clock);
    *outputs = (struct outputs){.shown = (unsigned)clock.shown, .status = clock.status};
    return pack(&filter);
}

/* The word beside no tag, and that of abort_packet, mean nothing (P2). */
static unsigned meaning(unsigned shown)
{
    unsigned tag = shown >> WORD_WIDTH;
    return tag == PR_TAG_NULL_TRANSMISSION || tag == PR_TAG_ABORT_PACKET ? tag << WORD_WIDTH : shown;
}

static void print_way(unsigned to)
{
    if (pairs[to].from != to)
        print_way(pairs[to].from);
    printf("  input %03x: guard %03x, filter %04x\n", pairs[to].input, pairs[to].guard, pairs[to].filter);
}

static void reach(unsigned guard, unsigned filter, unsigned from, unsigned input)
{
    if (reached[guard][filter])
        return;
    reached[guard][filter] = 1;
    pairs[pair_count] = (struct pair){guard, filter, from, input};
    pair_count++;
}

static void no_table(const char *why)
{
    fprintf(stderr, "link_guard: %s\n", why);
    exit(2);
}

static void compare_step(unsigned at, unsigned input)
{
    const struct step *guard = &guard_table[pairs[at].guard][input];
    struct outputs filter;
    if (!guard->known)
        no_table("a state is missing");
    unsigned next = filter_step(pairs[at].filter, input, &filter);
    if (meaning(guard->outputs.shown) != meaning(filter.shown) || guard->outputs.status != filter.status) {
        print_way(at);
        printf("  input %03x: the guard shows %x and status %u, the filter %x and %u\n", input, guard->outputs.shown,
               guard->outputs.status, filter.shown, filter.status);
        exit(1);
    }
    reach(guard->next, next, at, input);
}

static void read_table(void)
{
    unsigned state, input, shown_status, next;
    while (scanf("%x %x %x %x", &state, &input, &shown_status, &next) == 4)
        guard_table[state % GUARD_STATES][input % INPUTS] = (struct step){
            true, {shown_status >> 1, shown_status & 1}, next};
    if (!feof(stdin))
        no_table("a line is not four numbers");
}

int main(void)
{
    read_table();
    reach(0, 0, 0, IN_POWER_ON);
    reach(1, 0, 1, IN_POWER_ON); /* the word that is kept may be either */
    for (unsigned at = 0; at < pair_count; at++)
        for (unsigned input = 0; input < INPUTS; input++)
            compare_step(at, input);
    printf("equal in %u pairs of states, with %d inputs each\n", pair_count, INPUTS);
    return 0;
}
