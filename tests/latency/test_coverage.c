/* How often does the reported interval contain the truth, and how wide is it beside what theory says? Random
 * experiments on made captures of two lines (line_capture.h): a packet passes the one, then the other, and the true
 * latencies are known. theory_of has the theory: each end of a reading is an edge, known to a sample.
 *
 * Then experiments on capture files of all kinds, with all distortions (file_experiments.h).
 *
 * Environment: SEED; EXPERIMENTS of each scenario and row (default: a sample. `make latency-coverage` has 1000); ROW:
 * only files whose rows have this in their name; OUTSIDE=1 prints each truth that is outside. Prints a line for each.
 *
 * SPDX-License-Identifier: ISC
 */
#include "check.h"
#include "file_experiments.h"
#include "latency/analysis.h"
#include "made_testbed.h"

#include <math.h>
#include <string.h>

enum {
    PACKETS = 800,
    TRUE_DRAWS = 20000,
    MEAN_DRAWS = 5 * TRUE_DRAWS,
    FIGURES = 5,
    GAP_BITS = 300,
    DATA_WORDS = 3,
    LINES_SAMPLE = 10,
    LINES_SAMPLE_SHORT = 5,
    FILES_SAMPLE = FILE_EXPERIMENTS_FIRST,
    FILE_ROWS_MAX = 100,
    PAGE_SEED = 1,
    ENOUGH = 1000
};
enum spread { CONSTANT, UNIFORM, BIMODAL, SPREADS };

static const char *const spread_names[] = {"constant", "uniform", "bimodal"};
static const char *const figure_names[FIGURES] = {"min", "median", "p99", "max", "mean"};
static const double rates[] = {24e6, 100e6, 400e6, 500e6}, jitters[] = {0, 100e-12, 1e-9};
static const double bit_rate = 3e6, clock_spread = 80, tolerance = 100;
static const double width_limit = 1.5, normal_quantile = 2.5758293035489;

struct scenario {
    double rate, jitter;
    enum spread spread;
    bool locked;
};

/* One draw of what the clocks and phases are. */
struct experiment {
    struct scenario scenario;
    struct random random;
    struct analyser_model analyser;
    struct true_clock first, second;
    double latencies[PACKETS];
    double truth[FIGURES]; /* seconds */
};

struct tally {
    unsigned experiments, covered[FIGURES], open[FIGURES];
    double width[FIGURES], theory[FIGURES], bias[FIGURES];
};

static double ppm_of(struct random *random)
{
    return clock_spread * (2 * random_unit(random) - 1);
}

static double delay_of(struct experiment *experiment)
{
    double bits = experiment->scenario.spread == CONSTANT  ? 50
                  : experiment->scenario.spread == UNIFORM ? 40 + 80 * random_unit(&experiment->random)
                  : random_unit(&experiment->random) < 0.7 ? 50
                                                           : 86;
    return bits / bit_rate;
}

/* Boards with clocks of their own are 20 ppm apart at least: over a capture their phases pass each other many times. */
static void draw_clocks(struct experiment *experiment)
{
    struct random *random = &experiment->random;
    bool one_clock = experiment->scenario.spread == CONSTANT || experiment->scenario.locked;
    experiment->first = (struct true_clock){bit_rate, ppm_of(random), 1e-6 * random_unit(random)};
    experiment->second = (struct true_clock){bit_rate, ppm_of(random), 1e-6 * random_unit(random)};
    if (one_clock)
        experiment->second.ppm = experiment->first.ppm;
    while (!one_clock && fabs(experiment->second.ppm - experiment->first.ppm) < 20)
        experiment->second.ppm = ppm_of(random);
    experiment->analyser = (struct analyser_model){experiment->scenario.rate, ppm_of(random),
                                                   experiment->scenario.jitter};
    if (experiment->scenario.locked)
        experiment->analyser.ppm = experiment->first.ppm;
}

/* Median, p99 and mean of the traffic: of many latencies at phases as they come, or at the one phase of one clock. */
static void draw_truth(struct experiment *experiment)
{
    static double many[TRUE_DRAWS];
    const struct true_clock *second = &experiment->second;
    double bit = 1 / (second->bit_rate * (1 + second->ppm * 1e-6)), sum = 0;
    bool one_clock = second->ppm == experiment->first.ppm;
    for (int i = 0; i < MEAN_DRAWS; i++) {
        double delay = delay_of(experiment), start = experiment->first.phase;
        if (!one_clock)
            start += bit * random_unit(&experiment->random);
        double bits = ceil((start + delay - second->phase) / bit - 1e-6);
        many[i % TRUE_DRAWS] = second->phase + bits * bit - start;
        sum += many[i % TRUE_DRAWS];
    }
    qsort(many, TRUE_DRAWS, sizeof *many, readings_compare);
    experiment->truth[1] = (many[TRUE_DRAWS / 2 - 1] + many[TRUE_DRAWS / 2]) / 2;
    experiment->truth[2] = many[TRUE_DRAWS / 100 * 99 - 1];
    experiment->truth[4] = sum / MEAN_DRAWS;
    experiment->truth[0] = experiment->truth[3] = experiment->latencies[0];
    for (int i = 1; i < PACKETS; i++) {
        experiment->truth[0] = fmin(experiment->truth[0], experiment->latencies[i]);
        experiment->truth[3] = fmax(experiment->truth[3], experiment->latencies[i]);
    }
}

static void make_capture(struct experiment *experiment, struct line_capture *capture)
{
    double start = 0, end = 0;
    line_capture_begin(capture, random_bits(&experiment->random));
    line_capture_add(capture, experiment->first, 0, 0);
    line_capture_add(capture, experiment->second, 1, 0);
    for (unsigned i = 0; i < PACKETS; i++) {
        struct made_packet packet = {.target = 2, .source = 0, .sequence = i, .data_words = DATA_WORDS};
        double sent = line_capture_send(capture, 0, start, &packet);
        end = line_capture_send(capture, 1, sent + delay_of(experiment), &packet);
        experiment->latencies[i] = end - sent;
        start = end + (GAP_BITS + 500 * random_unit(&experiment->random)) / bit_rate;
    }
    line_capture_sample(capture, &experiment->analyser, end + 1e-3);
}

/* How wide the interval would be if each end of a reading were known to a sample, in seconds. Jitter adds in squares;
 * the spread of the true latencies adds the width between the binomial ranks, or Student's. */
static void theory_of(const struct experiment *experiment, double theory[FIGURES])
{
    static double sorted[PACKETS];
    const struct scenario *scenario = &experiment->scenario;
    double sample = 1 / scenario->rate, sum = 0, squares = 0;
    double ends = scenario->locked ? 2 * sample : 2 * (1 - sqrt(0.01)) * sample; /* the triangle's 99 % */
    double noise = 2 * normal_quantile * sqrt(2) * scenario->jitter, resolution = hypot(ends, noise);
    size_t low, high;
    memcpy(sorted, experiment->latencies, sizeof sorted);
    qsort(sorted, PACKETS, sizeof *sorted, readings_compare);
    for (int i = 0; i < PACKETS; i++)
        sum += sorted[i];
    for (int i = 0; i < PACKETS; i++)
        squares += (sorted[i] - sum / PACKETS) * (sorted[i] - sum / PACKETS);
    theory[0] = theory[3] = resolution;
    readings_ranks(PACKETS, 0.5, &low, &high);
    theory[1] = sorted[high - 1] - sorted[low - 1] + resolution;
    readings_ranks(PACKETS, 0.99, &low, &high);
    theory[2] = sorted[high - 1] - sorted[low - 1] + resolution;
    theory[4] = 2 * normal_quantile * sqrt(squares / (PACKETS - 1) / PACKETS) + resolution;
    for (int i = 0; i < FIGURES;
         i++) /* the analyser's clock: half of the tolerance at each end, as two clocks bound it */
        theory[i] += experiment->truth[i] * tolerance * 1e-6;
}

static void judge(const struct experiment *experiment, const struct figures *figures, struct tally *tally)
{
    const struct figure *all[FIGURES] = {&figures->min, &figures->median, &figures->p99, &figures->max, &figures->mean};
    double theory[FIGURES];
    theory_of(experiment, theory);
    tally->experiments++;
    for (int i = 0; i < FIGURES; i++) {
        double truth = experiment->truth[i];
        tally->covered[i] += all[i]->low <= truth && truth <= all[i]->high;
        tally->open[i] += isinf(all[i]->low) || isinf(all[i]->high);
        tally->width[i] += all[i]->high - all[i]->low;
        tally->theory[i] += theory[i];
        tally->bias[i] += all[i]->value - truth;
    }
}

static void run_experiment(const struct testbed *testbed, struct scenario scenario, uint64_t seed, struct tally *tally)
{
    static struct experiment experiment;
    struct line_capture capture;
    struct wire_traffic traffic;
    struct analysis analysis;
    experiment = (struct experiment){.scenario = scenario};
    random_seed(&experiment.random, seed, 1);
    draw_clocks(&experiment);
    make_capture(&experiment, &capture);
    draw_truth(&experiment);
    replay(&capture, testbed, scenario.rate, tolerance, &traffic, &analysis);
    CHECK(analysis.hop_count == 1 && analysis.hops[0].figures.count == PACKETS);
    judge(&experiment, &analysis.hops[0].figures, tally);
    analysis_free(&analysis);
    wire_traffic_free(&traffic);
    line_capture_free(&capture);
}

/* Fewer than this many hits of n would be a surprise of less than 1e-4 if the coverage were 99 %. */
static unsigned fewest_hits(unsigned n)
{
    double term = pow(0.99, n), sum = 0;
    unsigned misses = 0;
    do {
        sum += term;
        term *= (double)(n - misses) / (misses + 1) * (0.01 / 0.99);
        misses++;
    } while (sum < 1 - 1e-4 && misses <= n);
    return n - misses + 1;
}

static bool report(const struct scenario *scenario, const struct tally *tally, bool sample)
{
    unsigned needed = sample ? fewest_hits(tally->experiments) : (tally->experiments * 99 + 99) / 100;
    bool good = true;
    printf("%.0f,%.1f,%s,%s,%u", scenario->rate / 1e6, scenario->jitter * 1e9, spread_names[scenario->spread],
           scenario->locked ? "locked" : "free", tally->experiments);
    for (int i = 0; i < FIGURES; i++) {
        double ratio = tally->width[i] / tally->theory[i];
        bool fine = tally->covered[i] >= needed && ratio <= width_limit;
        good &= fine;
        printf(",%.1f,%.2f,%.2f%s", 100.0 * tally->covered[i] / tally->experiments, ratio,
               tally->bias[i] / tally->experiments * 1e9, fine ? "" : " FAIL");
    }
    printf("\n");
    return good;
}

/* ---- Files of all kinds, and with all distortions. */

/* What `make latency-coverage` wrote: a test of this tree has its rows, and its widths. */
static const char table_path[] = "tests/latency/coverage_files.csv";

static double least_share(const struct file_tally *tally)
{
    double least = 100;
    for (int i = 0; i < FILE_FIGURES; i++)
        if (tally->figures[i])
            least = fmin(least, 100.0 * tally->inside[i] / tally->figures[i]);
    return least;
}

static bool report_row(unsigned row, const struct file_tally *tally, bool sample)
{
    unsigned read = tally->experiments - tally->refused;
    bool good = file_row_refused(row) ? read == 0 : sample || read > 0;
    for (int i = 0; i < FILE_FIGURES; i++) {
        unsigned n = tally->figures[i], needed = sample ? fewest_hits(n) : (n * 99 + 99) / 100;
        good = good && tally->inside[i] >= needed;
    }
    printf("\"%s\",%u,%.2f,%.1f,%.1f,%.0f,%.1f%s\n", file_row_name(row), tally->experiments, least_share(tally),
           100.0 * tally->refused / tally->experiments, 100.0 * tally->noted / tally->experiments,
           read ? 100 * tally->packets / read : 0, tally->width / FILE_EXPERIMENTS_FIRST, good ? "" : " FAIL");
    return good;
}

struct table_row {
    char name[80];
    unsigned experiments;
    double share, width;
};

static bool read_table_row(FILE *table, struct table_row *row)
{
    char line[400];
    while (fgets(line, sizeof line, table))
        if (sscanf(line, "\"%79[^\"]\",%u,%lf,%*f,%*f,%*f,%lf", row->name, &row->experiments, &row->share,
                   &row->width) == 4)
            return true;
    return false;
}

/* The table is of this tree if it has the same rows, and the widths of their first experiments are today's. */
static void check_table(const double *widths)
{
    static const double share_least = 99, rounding = 0.2;
    struct table_row row;
    FILE *table = fopen(table_path, "r");
    if (!table) {
        check(false, "%s cannot be read", table_path);
        return;
    }
    for (unsigned i = 0; i < file_rows(); i++) {
        bool there = read_table_row(table, &row);
        check(there && strcmp(row.name, file_row_name(i)) == 0, "%s: row '%s', expected '%s': make latency-coverage",
              table_path, there ? row.name : "", file_row_name(i));
        if (!there)
            break;
        check(row.experiments >= ENOUGH && row.share >= share_least, "%s: row '%s': %u experiments, %.2f %%",
              table_path, row.name, row.experiments, row.share);
        check(fabs(row.width - widths[i]) <= rounding, "%s: row '%s': %.1f ns wide, today %.1f: make latency-coverage",
              table_path, row.name, row.width, widths[i]);
    }
    fclose(table);
}

static bool run_files(unsigned experiments, uint64_t seed, const char *only)
{
    double widths[FILE_ROWS_MAX] = {0};
    bool good = true;
    printf("\nfile and distortion,experiments,inside %%,refused %%,noted %%,packets %%,width ns\n");
    CHECK(file_rows() <= FILE_ROWS_MAX);
    for (unsigned row = 0; row < file_rows(); row++) {
        struct file_tally tally = {0};
        if (only && !strstr(file_row_name(row), only))
            continue;
        for (unsigned i = 0; i < experiments; i++)
            file_experiment(row, random_mix(seed) + 100000 * (row + 1) + i, &tally);
        good &= report_row(row, &tally, experiments < ENOUGH);
        widths[row] = tally.width / FILE_EXPERIMENTS_FIRST;
        fflush(stdout);
    }
    if (seed == PAGE_SEED && experiments < ENOUGH && experiments >= FILE_EXPERIMENTS_FIRST && !only)
        check_table(widths);
    return good;
}

static bool run_lines(unsigned experiments, uint64_t seed)
{
    uint64_t number = 0;
    bool good = true;
    struct made_testbed testbed;
    make_testbed(&testbed, 3, 2);
    printf("rate MS/s,jitter ns,latencies,clocks,experiments");
    for (int i = 0; i < FIGURES; i++)
        printf(",%s: inside %%,%s: width,%s: bias ns", figure_names[i], figure_names[i], figure_names[i]);
    printf("\n");
    for (size_t r = 0; r < sizeof rates / sizeof *rates; r++)
        for (size_t j = 0; j < sizeof jitters / sizeof *jitters; j++)
            for (int kind = 0; kind < 2 * SPREADS; kind++) {
                struct scenario scenario = {rates[r], jitters[j], (enum spread)(kind / 2), kind % 2};
                struct tally tally = {0};
                for (unsigned i = 0; i < experiments; i++)
                    run_experiment(&testbed.testbed, scenario, random_mix(seed) + number++, &tally);
                good &= report(&scenario, &tally, experiments < ENOUGH);
                fflush(stdout);
            }
    return good;
}

static unsigned experiments_of(const char *text, unsigned otherwise)
{
    return text ? (unsigned)atoi(text) : otherwise;
}

int main(void)
{
    const char *text = getenv("EXPERIMENTS"), *only = getenv("ROW");
    uint64_t seed = check_seed();
    check(only || run_lines(experiments_of(text, check_long() ? LINES_SAMPLE : LINES_SAMPLE_SHORT), seed), "lines");
    check(run_files(experiments_of(text, FILES_SAMPLE), seed, only), "files");
    return verdict("latency coverage");
}
