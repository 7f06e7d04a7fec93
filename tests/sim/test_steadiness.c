/* The verdict "steady" on series whose truth is known: noise around a mean, a mean that grows, a burst, windows of any
 * length, too few values. Of steady series at most one in a thousand may be called unsteady.
 *
 * SPDX-License-Identifier: ISC
 */
#include "check.h"
#include "workload/steadiness.h"

#include <math.h>
#include <string.h>

/* One value every STRIDE clocks: that makes the shortest series below long enough for a mean of 100. */
enum { STRIDE = 70 };

static uint64_t state;

/* Of exponential distribution, as latencies above their least are. */
static double noise(void)
{
    return -log((check_random(&state) + 1.0) / 4294967297.0);
}

/* A series whose mean goes from `from` to `to` on a straight line. */
static struct steadiness_halves judge(unsigned values, double from, double to)
{
    struct steadiness steadiness;
    memset(&steadiness, 0, sizeof steadiness);
    uint64_t length = (uint64_t)values * STRIDE;
    for (unsigned i = 0; i < values; i++)
        steadiness_add(&steadiness, (uint64_t)i * STRIDE, (uint64_t)((from + (to - from) * i / values) * noise()));
    steadiness_set_length(&steadiness, length);
    return steadiness_halves(&steadiness, length);
}

static void check_noise(void)
{
    unsigned long rounds = check_rounds(2000), unsteady = 0, steady = 0;
    for (unsigned long i = 0; i < rounds; i++) {
        enum steadiness_verdict found = judge(500 + check_below(&state, 5000), 100, 100).verdict;
        unsteady += found == STEADINESS_UNSTEADY;
        steady += found == STEADINESS_STEADY;
    }
    check(unsteady <= rounds / 1000, "%lu of %lu steady series are called unsteady", unsteady, rounds);
    check(steady >= rounds - rounds / 100, "only %lu of %lu steady series are called steady", steady, rounds);
}

static void check_growth(void)
{
    for (unsigned long i = 0; i < check_rounds(200); i++) {
        unsigned values = 1000 + check_below(&state, 5000);
        check(judge(values, 0, 1000).verdict == STEADINESS_UNSTEADY, "a latency that grows from 0");
        check(judge(values, 20, 1000).verdict == STEADINESS_UNSTEADY, "a latency that grows fiftyfold");
        check(judge(values, 1000, 20).verdict == STEADINESS_UNSTEADY, "a latency that falls to a fiftieth");
        check(judge(values, 50, 55).verdict == STEADINESS_STEADY, "a latency that grows by a tenth");
    }
}

/* Both means are those of the values themselves, whatever the length of the window. */
static void check_means(void)
{
    for (unsigned values = 64; values < 3000; values += 64) {
        struct steadiness steadiness;
        memset(&steadiness, 0, sizeof steadiness);
        for (unsigned i = 0; i < values; i++)
            steadiness_add(&steadiness, i, i < values / 2 ? 1000 : 3000);
        steadiness_set_length(&steadiness, values);
        struct steadiness_halves halves = steadiness_halves(&steadiness, values);
        check(fabs(halves.first - 1000) < 90 && fabs(halves.second - 3000) < 90, "%u values: means %g and %g", values,
              halves.first, halves.second);
    }
}

/* One sixteenth of the window has a hundred times the latency of the rest: that is no growth, and nothing is steady. */
static void check_burst(void)
{
    for (unsigned burst = 0; burst < STEADINESS_BATCHES; burst++) {
        struct steadiness steadiness;
        memset(&steadiness, 0, sizeof steadiness);
        for (unsigned i = 0; i < 3200; i++)
            steadiness_add(&steadiness, i, i / 200 == burst ? 10000 : 100);
        steadiness_set_length(&steadiness, 3200);
        check(steadiness_halves(&steadiness, 3200).verdict == STEADINESS_UNDECIDED, "a burst in batch %u", burst);
    }
}

/* Where a batch is not much longer than the values, they say nothing of another batch. */
static void check_long_values(void)
{
    enum { VALUES = 3200 };
    for (uint64_t stride = 1; stride < 100; stride++) {
        struct steadiness steadiness;
        memset(&steadiness, 0, sizeof steadiness);
        for (unsigned i = 0; i < VALUES; i++)
            steadiness_add(&steadiness, i * stride, 1000);
        steadiness_set_length(&steadiness, VALUES * stride);
        enum steadiness_verdict found = steadiness_halves(&steadiness, VALUES * stride).verdict;
        bool longer = stride * VALUES / STEADINESS_BATCHES >= 4000;
        check(found == (longer ? STEADINESS_STEADY : STEADINESS_UNDECIDED), "values of 1000, %u clocks a value",
              (unsigned)stride);
    }
}

static void check_short(void)
{
    check(judge(0, 1, 1).verdict == STEADINESS_UNDECIDED, "no values");
    check(judge(16, 100, 100).verdict == STEADINESS_UNDECIDED, "one value a batch");
    check(judge(100, 0, 1000).verdict == STEADINESS_UNDECIDED, "six values a batch, though they grow");
    struct steadiness none = {{0}, {0}, 0};
    steadiness_set_length(&none, 0);
    check(steadiness_halves(&none, 0).verdict == STEADINESS_UNDECIDED, "no window");
    steadiness_add(&none, UINT64_MAX, 1);
    steadiness_set_length(&none, UINT64_MAX);
    check(steadiness_halves(&none, UINT64_MAX).verdict == STEADINESS_UNDECIDED, "the longest window");
}

int main(void)
{
    state = check_seed();
    RUN(check_noise);
    RUN(check_growth);
    RUN(check_means);
    RUN(check_burst);
    RUN(check_long_values);
    RUN(check_short);
    return verdict("steadiness");
}
