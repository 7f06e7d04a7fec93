/* Pictures of traces against the fast model: dead flits are as many as it has counted, the data flits that a node
 * receives are those of its arrivals, clock by clock, and the still frames of a trace draw each bit once, as what it
 * is. Random packets, with every set of options.
 *
 * SPDX-License-Identifier: ISC
 */
#define _POSIX_C_SOURCE 200809L /* open_memstream */

#include <string.h>

#include "check.h"
#include "postman/picture/line.h"
#include "postman/picture/picture.h"
#include "postman/trace_file.h"

enum { LIMIT = 1500, MOST_DATA = 6, LINE_SIZE = TRACE_MOST_NODES + 1 };

struct run {
    struct postman_options options;
    unsigned nodes, clocks, dead, arrivals;
    char text[LIMIT * LINE_SIZE];
    uint8_t receives[TRACE_MOST_NODES][LIMIT];
};

static struct run run;
static struct trace trace;

/* From a node to one that is not before it, by X first if it is in another column. */
static void load(struct postman_plane *plane, unsigned from, unsigned dx, unsigned dy, uint64_t *seed)
{
    unsigned size_x = run.options.size_x, flag = 1u << (run.options.flit_bits - 1);
    unsigned x = from % size_x + dx, y = from / size_x + dy;
    struct postman_load load = {.node = from, .machine = dx ? POSTMAN_X : POSTMAN_Y};
    if (dx)
        load.flits[load.count++] = (uint16_t)(x | (dy ? flag : 0));
    if (dy)
        load.flits[load.count++] = (uint16_t)y;
    for (unsigned count = 1 + check_below(seed, MOST_DATA); count > 0; count--)
        load.flits[load.count++] = (uint16_t)(check_random(seed) & (2 * flag - 1));
    CHECK(postman_plane_load(plane, &load));
}

static void load_all(struct postman_plane *plane, uint64_t *seed)
{
    unsigned size_x = run.options.size_x, size_y = run.options.size_y;
    for (unsigned from = 0; from < run.nodes; from++) {
        unsigned dx = check_below(seed, size_x - from % size_x), dy = check_below(seed, size_y - from / size_x);
        if (dx + dy && check_below(seed, 3) == 0)
            load(plane, from, dx, dy, seed);
    }
}

/* The clocks in which the line into the node has shown the data flits. */
static void note_arrival(const struct postman_arrival *arrival)
{
    unsigned bits = arrival->count * (run.options.flit_bits + 1);
    for (unsigned clock = (unsigned)arrival->clock - bits; clock < arrival->clock; clock++)
        run.receives[arrival->node][clock] = 1;
    run.arrivals++;
}

/* Until nothing has moved for a flit. */
static void run_model(uint64_t *seed)
{
    struct postman_plane *plane = postman_plane_create(&run.options);
    CHECK(plane != NULL);
    run.nodes = run.options.size_x * run.options.size_y;
    run.clocks = run.arrivals = 0;
    memset(run.receives, 0, sizeof run.receives);
    load_all(plane, seed);
    for (unsigned quiet = 0; quiet < 2 * run.options.flit_bits; quiet = postman_plane_quiet(plane) ? quiet + 1 : 0) {
        CHECK(run.clocks < LIMIT);
        char *line = run.text + run.clocks++ * (run.nodes + 1);
        for (unsigned node = 0; node < run.nodes; node++)
            line[node] = "0123456789abcdef"[postman_plane_lines(plane, node)];
        line[run.nodes] = '\n';
        postman_plane_clock(plane);
        for (struct postman_arrival arrival; postman_plane_arrival(plane, &arrival);)
            note_arrival(&arrival);
    }
    run.dead = (unsigned)postman_plane_counts(plane)->dead;
    postman_plane_free(plane);
}

static void read_trace(void)
{
    char error[5000];
    trace.size_x = run.options.size_x;
    trace.size_y = run.options.size_y;
    trace.flit_bits = run.options.flit_bits;
    const char *path = trace_file_write(run.text, run.clocks * (run.nodes + 1));
    check(trace_read(&trace, path, error, sizeof error) == 0, "refused: %s", error);
    CHECK_EQUAL(trace.clocks, run.clocks);
}

static bool leads_on(unsigned node, enum postman_dimension line)
{
    return line == POSTMAN_X ? (node + 1) % trace.size_x != 0 : node + trace.size_x < run.nodes;
}

/* The bits of all lines by state; the dead bits of lines that lead to a node are what the model has counted. */
static void check_lines(unsigned totals[LINE_STATES])
{
    static uint8_t states[TRACE_MOST_CLOCKS];
    unsigned dead = 0;
    memset(totals, 0, LINE_STATES * sizeof *totals);
    for (unsigned node = 0; node < run.nodes; node++)
        for (enum postman_dimension line = POSTMAN_X; line <= POSTMAN_Y; line++) {
            line_states(&trace, node, line, states);
            for (unsigned clock = 0; clock < trace.clocks; clock++) {
                totals[states[clock]]++;
                dead += leads_on(node, line) && (states[clock] & ~1) == LINE_DEAD;
            }
        }
    check(dead == run.dead * (trace.flit_bits + 1), "%u bits of dead flits, the model has counted %u flits", dead,
          run.dead);
    check(totals[LINE_OPEN] + totals[LINE_OPEN + 1] == 0, "flits without an end");
}

static void check_receives(void)
{
    static uint8_t states[TRACE_MOST_CLOCKS];
    for (unsigned node = 0; node < run.nodes; node++) {
        line_receives(&trace, node, states);
        check(!memcmp(states, run.receives[node], trace.clocks), "node %u receives in other clocks", node);
    }
}

static unsigned count_of(const char *text, const char *end, const char *what)
{
    unsigned count = 0;
    while ((text = strstr(text, what)) && text < end) {
        count++;
        text++;
    }
    return count;
}

enum { CLASSES = 6 };

static void count_frame(unsigned frame, unsigned counts[CLASSES])
{
    static const char *const classes[CLASSES] = {"class='p0'", "class='p1'", "class='d0'",
                                                 "class='d1'", "class='b'",  "class='r'"};
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    CHECK(file != NULL);
    picture_write(file, &trace, (int)frame);
    CHECK(fclose(file) == 0);
    const char *end = strstr(text, "<g id='legend'");
    CHECK(end != NULL);
    for (unsigned i = 0; i < CLASSES; i++)
        counts[i] += count_of(text, end, classes[i]);
    free(text);
}

/* What all frames draw, against the trace as it is and the arrivals of the model. */
static void check_frames(const unsigned totals[LINE_STATES])
{
    unsigned counts[CLASSES] = {0}, busy = 0, receives = 0;
    for (unsigned clock = 0; clock < trace.clocks; clock++) {
        count_frame(clock, counts);
        for (unsigned node = 0; node < run.nodes; node++) {
            unsigned value = trace.nodes[clock][node];
            busy += (value >> 2 & 1) + (value >> 3);
            receives += run.receives[node][clock];
        }
    }
    for (unsigned i = 0; i < 4; i++)
        check(counts[i] == totals[LINE_PACKET + i], "%u bits of state %u drawn, expected %u", counts[i],
              LINE_PACKET + i, totals[LINE_PACKET + i]);
    check(counts[4] == busy, "%u busies drawn, expected %u", counts[4], busy);
    check(counts[5] == receives, "%u receiving nodes drawn, expected %u", counts[5], receives);
}

static void one_run(unsigned set, unsigned size_x, unsigned size_y, unsigned flit_bits, uint64_t *seed)
{
    unsigned totals[LINE_STATES];
    char about[100];
    snprintf(about, sizeof about, "%ux%u, %u bits, options %x", size_x, size_y, flit_bits, set);
    check_about(about);
    run.options = (struct postman_options){.size_x = size_x,
                                           .size_y = size_y,
                                           .flit_bits = flit_bits,
                                           .vct = set & 1,
                                           .adaptive_routing = set & 2,
                                           .adaptive_sourcing = set & 4,
                                           .pass_first = set & 8};
    run_model(seed);
    read_trace();
    check_lines(totals);
    check_receives();
    check_frames(totals);
    check_about(NULL);
}

int main(void)
{
    uint64_t seed = check_seed();
    unsigned dead = 0, arrivals = 0;
    for (unsigned set = 0; set < 16; set++) {
        one_run(set, 1 + check_below(&seed, 8), 2 + check_below(&seed, 7), 4 + check_below(&seed, 6), &seed);
        one_run(set, 8, 8, 8, &seed);
        dead += run.dead;
        arrivals += run.arrivals;
    }
    check(dead > 100 && arrivals > 100, "%u dead flits and %u arrivals in all", dead, arrivals);
    trace_file_remove();
    return verdict("test_picture");
}
