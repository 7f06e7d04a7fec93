/* Heat in a plate: Jacobi iteration of the heat equation in two dimensions, in whole numbers. Every site of a grid has
 * SIDE x SIDE cells. The southern edge of the plate has a given temperature, the other edges have 0, all cells begin
 * with 0. In each iteration a cell becomes the mean of its four neighbours.
 *
 *     halo exchange, each iteration            residual, every CHECK iterations
 *
 *            site north                           REPORT   the largest change at each site
 *                ^ v                          all ------->------->------->------->------->------- root
 *     west  <- cells ->  east                     VERDICT  the largest of all
 *                ^ v                          all -------<-------<-------<-------<-------<------- root
 *            site south                                    a multicast
 *
 * The root is the site that has sent START. All sites stop when the residual is no more than the tolerance. A neighbour
 * is at most one iteration ahead, so the cells of two iterations are kept, and a halo is written straight into the
 * margin of those that it belongs to. Runs have numbers, as in apps/allreduce.
 *
 * SPDX-License-Identifier: ISC
 */
#include "platform/node_program.h"
#include "platform/platform.h"

#include <string.h>

enum { ANSWER = 1, START = 16, RESULT, HALO, REPORT, VERDICT };
enum { BUFFERS = 18, NOBODY = 0xffff, TARGETS_MOST = 16 };
enum { SIDE = 6, ROW = SIDE + 2, CHECK = 4, SIDES = 4, SEND_REPORT = 1 << SIDES };
enum { SOUTH_WEST = ROW + 1, NORTH_WEST = SIDE * ROW + 1, SOUTH_EAST = ROW + SIDE };

/* South, north, west, east: the first cell, the way to the next one and into the margin. */
static const struct {
    int8_t first, next, outward;
} sides[SIDES] = {{SOUTH_WEST, 1, -ROW}, {NORTH_WEST, 1, ROW}, {SOUTH_WEST, ROW, -1}, {SOUTH_EAST, ROW, 1}};

static PR_PLATFORM_NOT_CLEARED uint32_t memory[PR_NODE_MEMORY_WORDS(BUFFERS)];
static struct pr_node *node;
static struct pr_target neighbours[SIDES], root, asker = {.site = NOBODY};
static unsigned sites, neighbour_mask;

static uint16_t cells[2][ROW][ROW]; /* of even and odd iterations, with a margin */
static uint8_t heard[2];            /* sides whose halos are in the margin */
static enum { IDLE, RUNS, WAITS, ENDED } state;
static unsigned run, iteration, tolerance, residual, to_send;
static unsigned reported, worst, verdict, told, at_once; /* of the root */
static uint32_t began, clocks;

static bool send(const struct pr_target *to, unsigned count, uint8_t handler, const uint32_t *words, unsigned length)
{
    return pr_operator_send(&node->op, to, count, handler, words, length, NULL) == 0;
}

/* A run begins with its first packet; halos that come before START are 0, as all cells. False: of an earlier run. */
static bool join(unsigned number)
{
    if (number == run || (int16_t)(number - run) < 0)
        return number == run;
    run = number;
    memset(cells, 0, sizeof cells);
    iteration = to_send = reported = worst = heard[0] = heard[1] = 0;
    state = IDLE;
    told = sites;
    return true;
}

static void take_start(void *context, const struct pr_delivery *delivery)
{
    (void)context;
    if (delivery->data_words < 3 || !join(delivery->data[0]) || state != IDLE) {
        pr_console_log(&node->console, 0, "heat: START: RUN,TEMPERATURE,TOLERANCE, RUN above the last");
        return;
    }
    for (unsigned x = 1; x <= SIDE && !(neighbour_mask & 1); x++)
        cells[0][0][x] = cells[1][0][x] = (uint16_t)delivery->data[1];
    tolerance = delivery->data[2];
    at_once = delivery->data_words > 3 && delivery->data[3] ? delivery->data[3] : TARGETS_MOST;
    root.site = delivery->source;
    to_send = neighbour_mask;
    state = RUNS;
    began = pr_clock_of(&node->op.common.here);
}

static void take_halo(void *context, const struct pr_delivery *delivery)
{
    const uint32_t *data = delivery->data;
    (void)context;
    if (!join(data[0]))
        return;
    unsigned parity = data[1] & 1, side = data[2] & (SIDES - 1);
    uint16_t *cell = &cells[parity][0][0] + sides[side].first + sides[side].outward;
    for (unsigned k = 0; k < SIDE; k++, cell += sides[side].next)
        *cell = (uint16_t)data[3 + k];
    heard[parity] |= (uint8_t)(1u << side);
}

static void take_report(void *context, const struct pr_delivery *delivery)
{
    (void)context;
    if (!join(delivery->data[0]))
        return;
    worst = delivery->data[1] > worst ? delivery->data[1] : worst;
    if (++reported == sites) {
        verdict = worst;
        worst = reported = told = 0;
    }
}

static void take_verdict(void *context, const struct pr_delivery *delivery)
{
    (void)context;
    if (delivery->data[0] != run)
        return;
    residual = delivery->data[1];
    state = residual <= tolerance ? ENDED : RUNS;
    to_send = state == RUNS ? neighbour_mask : 0;
    clocks = pr_clock_of(&node->op.common.here) - began;
}

static void take_question(void *context, const struct pr_delivery *delivery)
{
    (void)context;
    asker.site = delivery->source;
}

/* The root tells all sites, itself too: at_once of them with each packet. */
static bool tell(void)
{
    struct pr_target targets[TARGETS_MOST];
    const uint32_t words[] = {run, verdict};
    unsigned count;
    for (count = 0; count < TARGETS_MOST && count < at_once && told + count < sites; count++)
        targets[count] = (struct pr_target){.site = told + count};
    if (count == 0 || !send(targets, count, VERDICT, words, 2))
        return false;
    told += count;
    return true;
}

static bool send_side(unsigned side)
{
    uint32_t words[3 + SIDE] = {run, iteration & 1, side ^ 1};
    const uint16_t *cell = &cells[iteration & 1][0][0] + sides[side].first;
    for (unsigned k = 0; k < SIDE; k++, cell += sides[side].next)
        words[3 + k] = *cell;
    return send(&neighbours[side], 1, HALO, words, 3 + SIDE);
}

static bool send_next(void)
{
    const uint32_t report[] = {run, residual};
    unsigned side = 0;
    while (side < SIDES && !(to_send & 1u << side))
        side++;
    if (to_send == 0 || !(side < SIDES ? send_side(side) : send(&root, 1, REPORT, report, 2)))
        return false;
    to_send &= ~(1u << side);
    return true;
}

static bool iterate(void)
{
    uint16_t(*old)[ROW] = cells[iteration & 1], (*new)[ROW] = cells[~iteration & 1];
    if (state != RUNS || to_send || heard[iteration & 1] != neighbour_mask)
        return false;
    heard[iteration & 1] = 0;
    residual = 0;
    for (unsigned y = 1; y <= SIDE; y++)
        for (unsigned x = 1; x <= SIDE; x++) {
            unsigned mean = (2u + old[y - 1][x] + old[y + 1][x] + old[y][x - 1] + old[y][x + 1]) >> 2;
            unsigned change = mean > old[y][x] ? mean - old[y][x] : old[y][x] - mean;
            residual = change > residual ? change : residual;
            new[y][x] = (uint16_t)mean;
        }
    state = ++iteration % CHECK == 0 ? WAITS : RUNS;
    to_send = state == WAITS ? SEND_REPORT : neighbour_mask;
    return true;
}

static bool answer(void)
{
    uint32_t words[4 + SIDE * SIDE] = {clocks & UINT16_MAX, clocks >> 16, iteration, residual}, *word = words + 4;
    for (unsigned y = 1; y <= SIDE; y++)
        for (unsigned x = 1; x <= SIDE; x++)
            *word++ = cells[iteration & 1][y][x];
    if (!send(&asker, 1, ANSWER, words, 4 + SIDE * SIDE))
        return false;
    asker.site = NOBODY;
    return true;
}

static bool poll(void *context)
{
    (void)context;
    return tell() || send_next() || iterate() || (state == ENDED && asker.site != NOBODY && answer());
}

static void find_neighbours(const struct pr_site_identity *mesh)
{
    unsigned here = mesh->site, x = here % mesh->size_x;
    const unsigned beside[SIDES] = {here - mesh->size_x, here + mesh->size_x, here - 1, here + 1};
    if (mesh->topology != PR_TOPOLOGY_GRID)
        pr_platform_end(1, "a grid, expected for heat");
    for (unsigned side = 0; side < SIDES; side++)
        neighbours[side].site = beside[side];
    neighbour_mask = (here >= mesh->size_x) | (beside[1] < sites) << 1 | (x > 0) << 2 | (x + 1 < mesh->size_x) << 3;
}

int main(void)
{
    static const struct pr_node_part part = {.poll = poll};
    node = pr_node_start_with(memory, BUFFERS);
    told = sites = node->op.common.here.sites;
    find_neighbours(node->op.common.here.identity);
    pr_operator_register(&node->op, START, take_start, NULL);
    pr_operator_register(&node->op, RESULT, take_question, NULL);
    pr_operator_register(&node->op, HALO, take_halo, NULL);
    pr_operator_register(&node->op, REPORT, take_report, NULL);
    pr_operator_register(&node->op, VERDICT, take_verdict, NULL);
    pr_node_run_with(node, &part);
}
