/* Ring all-reduce: every site has a vector, and gets the sum of the vectors of all sites, modulo 65536.
 *
 * A vector has as many chunks as there are sites. Chunk k leaves site k and goes round the ring of the site numbers
 * nearly twice: first each site adds its own words, then each site takes the sum.
 *
 *     site     0        1        2        3        0        1        2
 *     chunk 0  own ---> add ---> add ---> add ---> take --> take --> take     `passed`: 0 to 2 * (sites - 1)
 *
 * A packet says which chunk it has and how many sites have passed it on, so that packets may come in any order. START
 * makes one site send its chunk, and the others send theirs when the first chunk comes.
 *
 * A run has a number, and the first packet with a higher number begins the next run. A run in which a site was reset
 * never ends; the next one is right all the same.
 *
 * SPDX-License-Identifier: ISC
 */
#include "platform/node_program.h"
#include "platform/platform.h"

enum { ANSWER = 1, START = 16, RESULT, CHUNK };
enum { BUFFERS = 18, SITES_MOST = PR_SITES_MAX, LENGTH = 32, NOBODY = 0xffff };
enum { CHUNK_RUN, CHUNK_NUMBER, CHUNK_PASSED, CHUNK_HEADER };

static PR_PLATFORM_NOT_CLEARED uint32_t memory[PR_NODE_MEMORY_WORDS(BUFFERS)];
static struct pr_node *node;
static unsigned sites, here;
static uint8_t begins[SITES_MOST + 1]; /* of chunks: the first word */

static uint16_t own[LENGTH], sum[LENGTH];
static struct {
    uint8_t passed;
    bool leaves, complete;
} chunks[SITES_MOST];
static unsigned run, complete, leaving, asker = NOBODY;
static uint32_t began, clocks;

/* What this site adds: here stands a program's own vector. */
static void fill_own(void)
{
    unsigned word = (here + 1) * run;
    for (unsigned j = 0; j < LENGTH; j++, word += here + 1)
        own[j] = (uint16_t)word;
}

/* This site has its words of the chunk. */
static void note(unsigned number, unsigned passed)
{
    chunks[number].passed = (uint8_t)passed;
    if (passed >= sites - 1) {
        chunks[number].complete = true;
        if (++complete == sites)
            clocks = pr_clock_of(&node->op.common.here) - began;
    }
    if (passed < 2 * (sites - 1)) {
        chunks[number].leaves = true;
        leaving++;
    }
}

/* Of a run with a higher number any packet is the first one: this site sends its own chunk. False: of an earlier run.
 */
static bool join(unsigned number)
{
    if (number == run || (int16_t)(number - run) < 0)
        return number == run;
    run = number;
    began = pr_clock_of(&node->op.common.here);
    complete = leaving = 0;
    for (unsigned k = 0; k < sites; k++)
        chunks[k].leaves = chunks[k].complete = false;
    fill_own();
    for (unsigned j = begins[here]; j < begins[here + 1]; j++)
        sum[j] = own[j];
    note(here, 0);
    return true;
}

/* A chunk that is complete here comes again only if a site was reset. */
static void take_chunk(void *context, const struct pr_delivery *delivery)
{
    const uint32_t *word = delivery->data + CHUNK_HEADER;
    (void)context;
    if (!join(delivery->data[CHUNK_RUN]))
        return;
    unsigned number = delivery->data[CHUNK_NUMBER], passed = delivery->data[CHUNK_PASSED];
    if (chunks[number].complete)
        return;
    for (unsigned j = begins[number]; j < begins[number + 1]; j++, word++)
        sum[j] = (uint16_t)(passed < sites ? *word + own[j] : *word);
    note(number, passed);
}

static void take_start(void *context, const struct pr_delivery *delivery)
{
    (void)context;
    if (delivery->data_words != 1 || delivery->data[0] == run || !join(delivery->data[0]))
        pr_console_log(&node->console, 0, "allreduce: START: RUN, a number above the last");
}

/* Whoever asks gets its answer when the run has ended. */
static void take_question(void *context, const struct pr_delivery *delivery)
{
    (void)context;
    asker = delivery->source;
}

static bool pass_on(unsigned number)
{
    struct pr_composition packet;
    pr_operator_begin(&node->op, &packet, CHUNK);
    pr_operator_add_target(&packet, here + 1 < sites ? here + 1 : 0);
    pr_operator_add_data(&packet, run);
    pr_operator_add_data(&packet, number);
    pr_operator_add_data(&packet, chunks[number].passed + 1u);
    for (unsigned j = begins[number]; j < begins[number + 1]; j++)
        pr_operator_add_data(&packet, sum[j]);
    if (pr_operator_commit(&packet, NULL) != 0)
        return false;
    chunks[number].leaves = false;
    leaving--;
    return true;
}

static bool answer(void)
{
    struct pr_composition packet;
    pr_operator_begin(&node->op, &packet, ANSWER);
    pr_operator_add_target(&packet, asker);
    pr_operator_add_data(&packet, clocks & UINT16_MAX);
    pr_operator_add_data(&packet, clocks >> 16);
    for (unsigned j = 0; j < LENGTH; j++)
        pr_operator_add_data(&packet, sum[j]);
    if (pr_operator_commit(&packet, NULL) != 0)
        return false;
    asker = NOBODY;
    return true;
}

/* What finds no room in the send window now leaves after an acknowledgement, with which the site wakes up. */
static bool poll(void *context)
{
    (void)context;
    for (unsigned k = 0; leaving > 0 && k < sites; k++)
        if (chunks[k].leaves)
            return pass_on(k);
    return complete == sites && asker != NOBODY && answer();
}

int main(void)
{
    static const struct pr_node_part part = {.poll = poll};
    node = pr_node_start_with(memory, BUFFERS);
    here = node->op.common.here.identity->site;
    sites = node->op.common.here.sites;
    for (unsigned k = 1, words = (LENGTH + sites - 1) / sites; k <= sites; k++)
        begins[k] = (uint8_t)(begins[k - 1] + words < LENGTH ? begins[k - 1] + words : LENGTH);
    pr_operator_register(&node->op, START, take_start, NULL);
    pr_operator_register(&node->op, RESULT, take_question, NULL);
    pr_operator_register(&node->op, CHUNK, take_chunk, NULL);
    pr_node_run_with(node, &part);
}
