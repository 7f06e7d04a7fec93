/* See file_experiments.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "file_experiments.h"

#include "check.h"
#include "latency/analysis.h"
#include "latency/capture_lines.h"
#include "made_files.h"
#include "made_testbed.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { LINES = 3, PAIRS = 3, PACKETS = 32, DATA_WORDS = 4, DRAWS = 1500, PLACE = 36 };

static const double bit_rate = 3e6, hop_bits = 50, hop_spread = 20, gap = 120e-6, tolerance = 100, clock_spread = 80;

enum clocks {
    FREE,
    LOCKED, /* to the analyser */
    NEAR,   /* within 2 ppm of it */
    FAR,    /* board b up to 1 % off */
    AWAY    /* the analyser 300 to 5000 ppm off */
};

enum distortion {
    NOTHING,
    GLITCHES,
    LOST_BYTES, /* pieces of whole bits at 24 MS/s, 64 to 16384 samples */
    LOST_BITS,  /* 8 samples, some times */
    LOST_ANY,   /* pieces of any length */
    EARLY,      /* the third line is of another analyser, which was started later: it is 9 to 16 us early */
    DRIFTING,   /* the third line is of another analyser, whose clock differs by 1200 to 6000 ppm */
    CUT,        /* begins and ends anywhere */
    RATE_NEAR,  /* the file says a rate that is 0.01 to 0.3 % off */
    RATE_WRONG  /* ... 4 % or more */
};

struct file_row {
    const char *name;
    enum made_form form;
    double rate;
    enum clocks clocks;
    double jitter; /* seconds */
    enum distortion distortion;
    double unit;        /* VCD */
    bool off_grid;      /* the first time is no whole sample */
    const char *excuse; /* a note that says that the figures may be wrong, or NULL */
    bool refused;       /* no figures are expected */
};

#define NOT_ONE "not of one recording"

static const struct file_row rows[] = {
    {"`.sr`, free clocks", FORM_SR, 24e6, FREE, .unit = 0},
    {"`.sr`, locked clocks", FORM_SR, 24e6, LOCKED, .unit = 0},
    {"`.sr`, clocks within 2 ppm", FORM_SR, 24e6, NEAR, .unit = 0},
    {"`.sr`, 100 MS/s", FORM_SR, 100e6, FREE, .unit = 0},
    {"sigrok CSV", FORM_SIGROK, 24e6, FREE, .unit = 0},
    {"sigrok CSV, times of libsigrok 0.5", FORM_SIGROK_5, 24e6, FREE, .unit = 0},
    {"the same, dedup, locked", FORM_SIGROK_5_DEDUP, 24e6, LOCKED, .unit = 0},
    {"sigrok CSV, times of libsigrok 0.6", FORM_SIGROK_6, 24e6, FREE, .unit = 0},
    {"the same, 12.5 MS/s: whole periods", FORM_SIGROK_6, 12.5e6, NEAR, .unit = 0},
    {"the same, 20 MS/s, locked", FORM_SIGROK_6, 20e6, LOCKED, .unit = 0},
    {"VCD, sigrok's comment, 1 ns", FORM_VCD_RATE, 24e6, LOCKED, .unit = 1e-9},
    {"the same, off the grid", FORM_VCD_RATE, 24e6, LOCKED, .unit = 1e-9, .off_grid = true},
    {"VCD, 1 ns, on the grid, free", FORM_VCD, 24e6, FREE, .unit = 1e-9},
    {"VCD, 1 ns, on the grid, locked", FORM_VCD, 24e6, LOCKED, .unit = 1e-9},
    {"VCD, 1 ns, off the grid, free", FORM_VCD, 24e6, FREE, .unit = 1e-9, .off_grid = true},
    {"VCD, 1 ns, off the grid, locked", FORM_VCD, 24e6, LOCKED, .unit = 1e-9, .off_grid = true},
    {"VCD, 1 ns, off the grid, 2 ppm", FORM_VCD, 24e6, NEAR, .unit = 1e-9, .off_grid = true},
    {"VCD, 1 ns, off, 12.5 MS/s, locked", FORM_VCD, 12.5e6, LOCKED, .unit = 1e-9, .off_grid = true},
    {"VCD, 1 ns, off, 100 MS/s, locked", FORM_VCD, 100e6, LOCKED, .unit = 1e-9, .off_grid = true},
    {"VCD, 1 ns, off, 500 MS/s, locked", FORM_VCD, 500e6, LOCKED, .unit = 1e-9, .off_grid = true},
    {"VCD, 100 ps, off the grid, locked", FORM_VCD, 24e6, LOCKED, .unit = 1e-10, .off_grid = true},
    {"VCD, 1 ps, off the grid, locked", FORM_VCD, 24e6, LOCKED, .unit = 1e-12, .off_grid = true},
    {"VCD, 1 fs, off the grid, 2 ppm", FORM_VCD, 24e6, NEAR, .unit = 1e-15, .off_grid = true},
    {"VCD, 10 ns, the unit a sample", FORM_VCD, 100e6, FREE, .unit = 1e-8},
    {"VCD, 1 ns, 27 MS/s: no usual rate", FORM_VCD, 27e6, FREE, .unit = 1e-9, .off_grid = true},
    {"the same, locked", FORM_VCD, 27e6, LOCKED, .unit = 1e-9, .off_grid = true},
    {"the same, 2 ppm", FORM_VCD, 27e6, NEAR, .unit = 1e-9, .off_grid = true},
    {"VCD, 1 ns, 71.43 MS/s: 14 ns, locked", FORM_VCD, 1e9 / 14, LOCKED, .unit = 1e-9, .off_grid = true},
    {"Saleae 2, 24 MS/s, free", FORM_SALEAE, 24e6, FREE, .off_grid = true},
    {"Saleae 2, 24 MS/s, locked", FORM_SALEAE, 24e6, LOCKED, .off_grid = true},
    {"Saleae 2, 12.5 MS/s, 2 ppm", FORM_SALEAE, 12.5e6, NEAR, .off_grid = true},
    {"Saleae 2, 500 MS/s, locked", FORM_SALEAE, 500e6, LOCKED, .off_grid = true},
    {"DSView", FORM_DSVIEW, 24e6, FREE, .unit = 0},
    {"DSView, 100 MS/s, locked", FORM_DSVIEW, 100e6, LOCKED, .unit = 0},
    {"LiteScope, 50 MS/s, free", FORM_LITESCOPE, 50e6, FREE, .unit = 0},
    {"LiteScope, 25 MS/s, locked", FORM_LITESCOPE, 25e6, LOCKED, .unit = 0},

    {"jitter 1 ns, VCD, locked", FORM_VCD, 24e6, LOCKED, 1e-9, .unit = 1e-9, .off_grid = true},
    {"jitter 5 ns", FORM_SR, 24e6, FREE, 5e-9, .unit = 0},
    {"jitter 20 ns", FORM_SR, 24e6, NEAR, 20e-9, .unit = 0},
    {"jitter 60 ns", FORM_SR, 24e6, FREE, 60e-9, .unit = 0},
    {"board b up to 1 % off, 24 MS/s", FORM_SR, 24e6, FAR, .unit = 0},
    {"board b up to 1 % off, 100 MS/s", FORM_SR, 100e6, FAR, .unit = 0},
    {"board b up to 1 % off, Saleae", FORM_SALEAE, 24e6, FAR, .off_grid = true},
    {"analyser up to 5000 ppm off", FORM_SR, 24e6, AWAY, .unit = 0},
    {"the file's rate up to 0.3 % off", FORM_SR, 24e6, FREE, .distortion = RATE_NEAR},
    {"the same, VCD with sigrok's comment", FORM_VCD_RATE, 24e6, FREE, .distortion = RATE_NEAR, .unit = 1e-9},
    {"the file's rate 4 % off or more", FORM_SR, 24e6, FREE, .distortion = RATE_WRONG, .refused = true},
    {"600 glitches of a sample", FORM_SR, 24e6, FREE, .distortion = GLITCHES},
    {"600 glitches, VCD, locked", FORM_VCD, 24e6, LOCKED, .distortion = GLITCHES, .unit = 1e-9, .off_grid = true},
    {"lost: 64 to 16384 samples", FORM_SR, 24e6, FREE, .distortion = LOST_BYTES},
    {"lost: one bit, up to 20 times", FORM_SR, 24e6, FREE, .distortion = LOST_BITS},
    {"lost: one bit, VCD, locked", FORM_VCD, 24e6, LOCKED, .distortion = LOST_BITS, .unit = 1e-9, .off_grid = true},
    {"lost: 1 to 3000 samples", FORM_SR, 24e6, FREE, .distortion = LOST_ANY},
    {"another analyser, 9 to 16 us early", FORM_SR, 24e6, FREE, .distortion = EARLY, .excuse = NOT_ONE,
     .refused = true},
    {"another analyser, 1200 to 6000 ppm off", FORM_SR, 24e6, FREE, .distortion = DRIFTING, .excuse = NOT_ONE},
    {"cut at both ends", FORM_SR, 24e6, FREE, .distortion = CUT},
    {"cut at both ends, VCD, locked", FORM_VCD, 24e6, LOCKED, .distortion = CUT, .unit = 1e-9, .off_grid = true},
};

enum { ROWS = sizeof rows / sizeof *rows };

struct experiment {
    const struct file_row *row;
    struct random random;
    struct true_clock clocks[LINES];
    struct analyser_model analyser;
    struct line_capture capture;
    double sent[LINES][PACKETS]; /* true times */
    bool counted[LINES][PACKETS];
    struct made_file file;

    /* Which packet a reading is of: the one that was shown last before it appeared. */
    const struct wires *wires;
    unsigned last_packet, last_wire;
    size_t readings[LINES];
};

unsigned file_rows(void)
{
    return ROWS;
}

const char *file_row_name(unsigned row)
{
    return rows[row].name;
}

bool file_row_refused(unsigned row)
{
    return rows[row].refused;
}

/* ---- An experiment. */

static double between(struct random *random, double low, double high)
{
    return low + (high - low) * random_unit(random);
}

static unsigned below(struct random *random, unsigned limit)
{
    return (unsigned)(random_bits(random) % limit);
}

static double either_sign(struct random *random, double value)
{
    return random_bits(random) & 1 ? value : -value;
}

static void draw_clocks(struct experiment *experiment)
{
    const struct file_row *row = experiment->row;
    struct random *random = &experiment->random;
    double ppm = between(random, -clock_spread, clock_spread);
    if (row->clocks == AWAY)
        ppm = either_sign(random, exp(between(random, log(300), log(5000))));
    experiment->analyser = (struct analyser_model){row->rate, ppm, row->jitter};
    for (unsigned i = 0; i < LINES; i++) {
        double own = row->clocks == LOCKED ? ppm
                     : row->clocks == NEAR ? ppm + between(random, -2, 2)
                                           : between(random, -clock_spread, clock_spread);
        if (row->clocks == FAR && i == 1)
            own = either_sign(random, exp(between(random, log(300), log(10000))));
        experiment->clocks[i] = (struct true_clock){bit_rate, own, 1e-6 * random_unit(random)};
    }
}

static double draw_delay(struct random *random)
{
    return (hop_bits + hop_spread * random_unit(random)) / bit_rate;
}

static void send_packets(struct experiment *experiment)
{
    struct random *random = &experiment->random;
    struct line_capture *capture = &experiment->capture;
    double end = 0;
    line_capture_begin(capture, random_bits(random));
    for (unsigned i = 0; i < LINES; i++)
        line_capture_add(capture, experiment->clocks[i], i, 0);
    for (unsigned k = 0; k < PACKETS; k++) {
        struct made_packet packet = {.target = LINES, .source = 0, .sequence = k, .data_words = DATA_WORDS};
        for (unsigned i = 0; i < LINES; i++) {
            double earliest = i ? experiment->sent[i - 1][k] + draw_delay(random) : end + between(random, gap, 2 * gap);
            end = experiment->sent[i][k] = line_capture_send(capture, i, earliest, &packet);
        }
    }
    line_capture_sample(capture, &experiment->analyser, end + 4e-4);
}

/* ---- What distorts a recording. Each edge is a change of its line, whatever its level: what falls together cancels.
 */

static void lose(struct line_capture *capture, uint64_t at, uint64_t count)
{
    for (size_t i = 0; i < capture->edge_count; i++) {
        uint64_t *sample = &capture->edges[i].sample;
        *sample = *sample >= at + count ? *sample - count : *sample > at ? at : *sample;
    }
    capture->samples -= count;
}

static void lose_pieces(struct experiment *experiment, unsigned most, unsigned shortest, unsigned longest)
{
    struct random *random = &experiment->random;
    for (unsigned left = 1 + below(random, most); left > 0; left--) {
        unsigned pieces = longest / shortest, count = shortest * (1 + below(random, pieces));
        lose(&experiment->capture, random_bits(random) % (experiment->capture.samples - count), count);
    }
}

static void add_glitches(struct experiment *experiment, unsigned count)
{
    struct line_capture *capture = &experiment->capture;
    capture->edges = realloc(capture->edges, (capture->edge_count + 2 * count) * sizeof *capture->edges);
    CHECK(capture->edges != NULL);
    for (; count > 0; count--) {
        struct made_edge edge = {1 + random_bits(&experiment->random) % (capture->samples - 2),
                                 below(&experiment->random, LINES), true};
        capture->edges[capture->edge_count++] = edge;
        edge.sample++;
        capture->edges[capture->edge_count++] = edge;
    }
}

/* The third line as another analyser records it. */
static void record_again(struct experiment *experiment, double early, double rate)
{
    for (size_t i = 0; i < experiment->capture.edge_count; i++) {
        struct made_edge *edge = &experiment->capture.edges[i];
        if (edge->line + 1 == LINES)
            edge->sample = (uint64_t)fmax(0, ceil((double)edge->sample * rate - early));
    }
}

static void cut(struct experiment *experiment)
{
    struct line_capture *capture = &experiment->capture;
    uint64_t start = random_bits(&experiment->random) % (capture->samples / 3);
    for (size_t i = 0; i < capture->edge_count; i++)
        capture->edges[i].sample -= capture->edges[i].sample < start ? capture->edges[i].sample : start;
    capture->samples -= start;
    capture->samples -= random_bits(&experiment->random) % (capture->samples / 3);
}

static void distort(struct experiment *experiment)
{
    struct random *random = &experiment->random;
    double rate = experiment->row->rate;
    switch (experiment->row->distortion) {
    case NOTHING:
        break;
    case GLITCHES:
        add_glitches(experiment, 600);
        break;
    case LOST_BYTES:
        lose_pieces(experiment, 4, 64, 16384);
        break;
    case LOST_BITS:
        lose_pieces(experiment, 20, 8, 8);
        break;
    case LOST_ANY:
        lose_pieces(experiment, 5, 1, 3000);
        break;
    case EARLY:
        record_again(experiment, between(random, 9e-6, 16e-6) * rate, 1);
        break;
    case DRIFTING:
        record_again(experiment, 0, 1 + either_sign(random, between(random, 1200e-6, 6000e-6)));
        break;
    case CUT:
        cut(experiment);
        break;
    case RATE_NEAR:
        experiment->file.rate = round(rate * (1 + either_sign(random, between(random, 1e-4, 3e-3))));
        break;
    case RATE_WRONG:
        experiment->file.rate = (const double[]){12e6, 23e6, 25e6, 48e6}[below(random, 4)];
        break;
    }
}

static int compare_edges(const void *left, const void *right)
{
    const struct made_edge *a = left, *b = right;
    return a->sample != b->sample ? (a->sample > b->sample) - (a->sample < b->sample)
                                  : (a->line > b->line) - (a->line < b->line);
}

/* As an analyser records it: the levels of the first sample, and edges that change a level. */
static void settle(struct experiment *experiment)
{
    struct line_capture *capture = &experiment->capture;
    struct made_file *file = &experiment->file;
    bool level[LINES] = {false};
    size_t kept = 0;
    qsort(capture->edges, capture->edge_count, sizeof *capture->edges, compare_edges);
    for (size_t i = 0, next; i < capture->edge_count; i = next) {
        struct made_edge edge = capture->edges[i];
        for (next = i; next < capture->edge_count && compare_edges(&capture->edges[next], &edge) == 0; next++)
            ;
        level[edge.line] ^= (next - i) & 1;
        edge.level = level[edge.line];
        if (edge.sample == 0)
            file->first[edge.line] = edge.level;
        else if ((next - i) & 1 && edge.sample < capture->samples)
            capture->edges[kept++] = edge;
    }
    capture->edge_count = kept;
    file->edges = capture->edges;
    file->edge_count = kept;
    file->lines = LINES;
    file->samples = capture->samples;
}

/* ---- What is read. */

static const struct wire_pair *find_pair(const struct wires *wires, unsigned from, unsigned to, bool way)
{
    for (unsigned i = 0; i < wires->pairs.count; i++) {
        const struct wire_pair *pair = &wires->pairs.pairs[i];
        if (pair->from == from && pair->to == to && pair->end_to_end == way)
            return pair;
    }
    return NULL;
}

static void look_for_reading(struct experiment *experiment)
{
    for (unsigned to = 1; to < LINES; to++) {
        const struct wire_pair *pair = find_pair(experiment->wires, to - 1, to, false);
        size_t count = pair ? pair->readings.count : 0;
        if (count == experiment->readings[to])
            continue;
        CHECK(count == experiment->readings[to] + 1 && experiment->last_wire == to);
        experiment->counted[to][experiment->last_packet] = true;
        experiment->readings[to] = count;
    }
}

static void begin(void *context, const struct wires *wires)
{
    struct experiment *experiment = context;
    experiment->wires = wires;
    memset(experiment->counted, 0, sizeof experiment->counted);
    memset(experiment->readings, 0, sizeof experiment->readings);
}

static void see(void *context, const struct line_packet *packet, unsigned wire)
{
    struct experiment *experiment = context;
    look_for_reading(experiment);
    CHECK(packet->header[PR_HEADER_SEQUENCE] < PACKETS);
    experiment->last_packet = packet->header[PR_HEADER_SEQUENCE];
    experiment->last_wire = wire;
}

static bool is_counted(const struct experiment *experiment, unsigned from, unsigned to, unsigned packet)
{
    for (unsigned line = from + 1; line <= to; line++)
        if (!experiment->counted[line][packet])
            return false;
    return true;
}

/* ---- The truth. */

static double next_bit(const struct true_clock *clock, double when)
{
    double bit = 1 / (clock->bit_rate * (1 + clock->ppm * 1e-6));
    return clock->phase + ceil((when - clock->phase) / bit - 1e-6) * bit;
}

/* min and max of the packets that were counted; the others of the traffic: of all latencies that packets which begin
 * when these do could have had. */
static unsigned find_truth(struct experiment *experiment, unsigned from, unsigned to, double truth[FILE_FIGURES])
{
    static double many[DRAWS];
    double sum = 0;
    unsigned which[PACKETS], count = 0;
    truth[0] = INFINITY;
    truth[3] = 0;
    for (unsigned k = 0; k < PACKETS; k++) {
        double latency = experiment->sent[to][k] - experiment->sent[from][k];
        if (!is_counted(experiment, from, to, k))
            continue;
        which[count++] = k;
        truth[0] = fmin(truth[0], latency);
        truth[3] = fmax(truth[3], latency);
    }
    for (unsigned i = 0; i < DRAWS && count > 0; i++) {
        double start = experiment->sent[from][which[i % count]], now = start;
        for (unsigned line = from + 1; line <= to; line++)
            now = next_bit(&experiment->clocks[line], now + draw_delay(&experiment->random));
        many[i] = now - start;
        sum += many[i];
    }
    qsort(many, DRAWS, sizeof *many, readings_compare);
    truth[1] = many[DRAWS / 2];
    truth[2] = many[DRAWS / 100 * 99];
    truth[4] = sum / DRAWS;
    return count;
}

/* ---- The verdict. */

static const struct latency_row *find_row(const struct analysis *analysis, unsigned from, unsigned to)
{
    const struct latency_row *list = to - from > 1 ? analysis->ways : analysis->hops;
    size_t count = to - from > 1 ? analysis->way_count : analysis->hop_count;
    for (size_t i = 0; i < count; i++)
        if (list[i].pair->from == from && list[i].pair->to == to)
            return &list[i];
    return NULL;
}

static void judge_row(struct experiment *experiment, const struct latency_row *row, bool excused,
                      struct file_tally *tally)
{
    const struct figures *figures = &row->figures;
    const struct figure *all[FILE_FIGURES] = {&figures->min, &figures->median, &figures->p99, &figures->max,
                                              &figures->mean};
    double truth[FILE_FIGURES];
    unsigned count = find_truth(experiment, row->pair->from, row->pair->to, truth);
    check(count == figures->count, "%s: %zu readings of %u packets", experiment->row->name, figures->count, count);
    for (int i = 0; i < FILE_FIGURES; i++) {
        bool inside = all[i]->low <= truth[i] && truth[i] <= all[i]->high;
        tally->figures[i]++;
        tally->inside[i] += inside || excused;
        if (!inside && !excused && getenv("OUTSIDE"))
            printf("%s: %u to %u, figure %d: %.1f not in %.1f to %.1f ns\n", experiment->row->name, row->pair->from,
                   row->pair->to, i, truth[i] * 1e9, all[i]->low * 1e9, all[i]->high * 1e9);
    }
}

static void judge(struct experiment *experiment, const struct analysis *analysis, struct file_tally *tally)
{
    static const unsigned pairs[PAIRS][2] = {{0, 1}, {1, 2}, {0, 2}};
    bool excused = experiment->row->excuse && says(analysis, experiment->row->excuse);
    tally->refused += analysis->hop_count == 0;
    tally->noted += excused && analysis->hop_count > 0;
    CHECK(analysis->hop_count > 0 || analysis->notes.count > 0);
    for (unsigned i = 0; i < PAIRS; i++) {
        const struct latency_row *row = find_row(analysis, pairs[i][0], pairs[i][1]);
        if (!row)
            continue;
        judge_row(experiment, row, excused, tally);
        if (i == 0)
            tally->packets += (double)row->figures.count / PACKETS;
        if (i == 0 && tally->experiments <= FILE_EXPERIMENTS_FIRST)
            tally->width += (row->figures.max.high - row->figures.max.low) * 1e9;
    }
}

static const char *file_path(void)
{
    static char path[4096];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/capture.%ld", folder ? folder : "/tmp", (long)getpid());
    return path;
}

void file_experiment(unsigned row, uint64_t seed, struct file_tally *tally)
{
    static struct experiment experiment;
    static struct wire_traffic traffic;
    struct made_testbed testbed;
    struct analysis analysis;
    char error[600] = "";
    make_testbed(&testbed, LINES + 1, LINES);
    experiment = (struct experiment){.row = &rows[row]};
    random_seed(&experiment.random, seed, 2);
    draw_clocks(&experiment);
    send_packets(&experiment);
    experiment.file = (struct made_file){.form = rows[row].form, .rate = rows[row].rate, .unit = rows[row].unit};
    distort(&experiment);
    settle(&experiment);
    if (rows[row].off_grid)
        experiment.file.start = rows[row].form == FORM_SALEAE ? -1e-3 * random_unit(&experiment.random)
                                                              : 1e-6 * random_unit(&experiment.random);
    write_file(file_path(), &experiment.file);
    struct wires_watch watch = {begin, see, &experiment};
    tally->experiments++;
    int result = capture_lines_read(file_path(), &testbed.testbed, &watch, &traffic, error, sizeof error);
    unlink(file_path());
    if (result != 0 && getenv("OUTSIDE"))
        printf("%s: %s\n", rows[row].name, error);
    if (result == 0) {
        look_for_reading(&experiment);
        analyse(&analysis, &traffic, tolerance);
        judge(&experiment, &analysis, tally);
        analysis_free(&analysis);
        wire_traffic_free(&traffic);
    } else {
        tally->refused++;
    }
    line_capture_free(&experiment.capture);
}
