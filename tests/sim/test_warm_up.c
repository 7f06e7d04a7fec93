/* The end of a transient that is known: series with a steady mean and noise, before which the mean comes from above or
 * from below. What is left out has the transient, and the rest has the steady mean; a steady series loses little; a
 * series that grows without end, or is too short, has no warm-up that could be found.
 *
 * SPDX-License-Identifier: ISC
 */
#include "check.h"
#include "workload/warm_up.h"

#include <math.h>

enum { STRIDE = 7 }; /* clocks between two packets */

static uint64_t state;

/* Of exponential distribution, as latencies above their least are. */
static double noise(void)
{
    return -log((check_random(&state) + 1.0) / 4294967297.0);
}

struct truth {
    uint64_t packets;
    double steady, start, length; /* mean; its offset at the first packet; packets in which the offset falls to 1/e */
    double growth;                /* of the mean, over all packets */
};

static double mean_at(const struct truth *truth, uint64_t packet)
{
    double transient = truth->length > 0 ? truth->start * exp(-(double)packet / truth->length) : 0;
    return truth->steady + transient + truth->growth * (double)packet / (double)truth->packets;
}

/* Finds the warm-up of a series, and the mean of what is left. */
static struct warm_up search(const struct truth *truth, double *left_mean)
{
    static struct warm_up_series series;
    double sum = 0, count = 0;
    static uint64_t latencies[200000];
    warm_up_begin(&series, truth->packets);
    for (uint64_t i = 0; i < truth->packets; i++) {
        latencies[i] = (uint64_t)(mean_at(truth, i) * noise() + 0.5);
        warm_up_generated(&series, i, i * STRIDE);
        warm_up_delivered(&series, i, latencies[i]);
    }
    struct warm_up found = warm_up_find(&series);
    for (uint64_t i = found.clock / STRIDE; i < truth->packets; i++, count++)
        sum += (double)latencies[i];
    *left_mean = sum / count;
    return found;
}

/* After three times its length a transient is a twentieth of what it was. */
static void check_transient(double start, double length, uint64_t packets)
{
    struct truth truth = {.packets = packets, .steady = 100, .start = start, .length = length};
    unsigned long rounds = check_rounds(60);
    double lost = 0, bias = 0, raw = start * length / (double)packets;
    for (unsigned long i = 0; i < rounds; i++) {
        double mean;
        struct warm_up found = search(&truth, &mean);
        check(found.found, "a transient of %g packets among %lu is not found", length, (unsigned long)packets);
        lost += (double)found.clock / STRIDE;
        bias += mean - truth.steady;
    }
    lost /= (double)rounds;
    bias /= (double)rounds;
    check(lost > length && lost < 12 * length, "offset %g, %g packets long: %g packets are left out", start, length,
          lost);
    check(fabs(bias) < fabs(raw) / 8 + 0.5,
          "offset %g, %g packets long: the mean is off by %g, without a warm-up by %g", start, length, bias, raw);
}

static void check_transients(void)
{
    check_transient(1000, 500, 20000);
    check_transient(300, 1000, 20000);
    check_transient(-95, 2000, 40000); /* an empty mesh: latencies grow to their steady mean */
    check_transient(2000, 3000, 100000);
}

static void check_steady(void)
{
    struct truth truth = {.packets = 20000, .steady = 100};
    double lost = 0;
    unsigned long rounds = check_rounds(100), missed = 0;
    for (unsigned long i = 0; i < rounds; i++) {
        double mean;
        struct warm_up found = search(&truth, &mean);
        missed += !found.found;
        lost += (double)found.clock / STRIDE / (double)truth.packets;
    }
    check(lost / (double)rounds < 0.1, "of a steady series %g is left out", lost / (double)rounds);
    check(missed <= rounds / 20, "%lu of %lu steady series have no end of their warm-up", missed, rounds);
}

/* Half of the packets are left out then. */
static void check_endless(void)
{
    static const struct truth truths[] = {{.packets = 20000, .steady = 20, .growth = 2000},
                                          {.packets = 20000, .steady = 100, .start = 10000, .length = 15000},
                                          {.packets = 40000, .steady = 100, .start = -95, .length = 24000},
                                          {.packets = 95, .steady = 100}};
    for (unsigned i = 0; i < sizeof truths / sizeof *truths; i++) {
        unsigned long rounds = check_rounds(60), missed = 0;
        uint64_t half = truths[i].packets / 2 * STRIDE;
        for (unsigned long k = 0; k < rounds; k++) {
            double mean;
            struct warm_up found = search(&truths[i], &mean);
            missed += !found.found;
            check(found.found || (found.clock + 100 * STRIDE > half && found.clock < half + 100 * STRIDE),
                  "series %u: half is clock %lu, found %lu", i, (unsigned long)half, (unsigned long)found.clock);
        }
        check(missed >= rounds - rounds / 20, "series %u: of %lu without an end only %lu are noticed", i, rounds,
              missed);
    }
}

/* Packets that were not delivered, several deliveries of one, and nothing at all. */
static void check_gaps(void)
{
    static struct warm_up_series series;
    warm_up_begin(&series, 2000);
    check(!warm_up_find(&series).found && warm_up_find(&series).clock == 0, "a series without deliveries");
    for (uint64_t i = 0; i < 2000; i++)
        warm_up_generated(&series, i, i);
    for (uint64_t i = 0; i < 2000; i++)
        for (unsigned targets = i % 40 < 10 ? 0 : 1 + check_below(&state, 3); targets > 0; targets--)
            warm_up_delivered(&series, i, i < 200 ? 1000 : 90 + check_below(&state, 20));
    struct warm_up found = warm_up_find(&series);
    check(found.found && found.clock >= 200 && found.clock < 400, "gaps: clock %lu", (unsigned long)found.clock);
}

int main(void)
{
    state = check_seed();
    RUN(check_transients);
    RUN(check_steady);
    RUN(check_endless);
    RUN(check_gaps);
    return verdict("warm-up");
}
