/* See steadiness.h. The length of the window is not known before its end: steps double when a value lies behind the
 * last one.
 *
 * SPDX-License-Identifier: ISC
 */
#include "workload/steadiness.h"

#include <math.h>
#include <stdbool.h>

enum {
    HALF = STEADINESS_BATCHES / 2,
    BATCH_LEAST = 8, /* values; of fewer, the mean of a batch says too little */
    /* Halves of a run that is not steady differ by more than this factor, and by more standard errors than
     * UNSTEADY_ERRORS. Those of a steady run differ by less, with STEADY_ERRORS to spare. */
    FACTOR = 2,
    UNSTEADY_ERRORS = 4,
    STEADY_ERRORS = 2,
    BATCH_VALUES_LONG = 4 /* the batches of a steady run are longer than so many of its values: else they are alike */
};

static void double_steps(struct steadiness *steadiness)
{
    for (int i = 0; i < STEADINESS_STEPS; i++) {
        uint64_t count = steadiness->count[i], sum = steadiness->sum[i];
        steadiness->count[i] = steadiness->sum[i] = 0;
        steadiness->count[i / 2] += count;
        steadiness->sum[i / 2] += sum;
    }
    steadiness->shift++;
}

/* Until the steps reach as far as this clock. */
static void cover(struct steadiness *steadiness, uint64_t clock)
{
    while (clock >> steadiness->shift >= STEADINESS_STEPS)
        double_steps(steadiness);
}

void steadiness_add(struct steadiness *steadiness, uint64_t clock, uint64_t value)
{
    cover(steadiness, clock);
    steadiness->count[clock >> steadiness->shift]++;
    steadiness->sum[clock >> steadiness->shift] += value;
}

void steadiness_set_length(struct steadiness *steadiness, uint64_t length)
{
    if (length)
        cover(steadiness, length - 1);
}

struct batches {
    uint64_t count[STEADINESS_BATCHES], sum[STEADINESS_BATCHES];
};

/* The batch of a step is that of its middle. */
static struct batches make_batches(const struct steadiness *steadiness, uint64_t length)
{
    struct batches batches = {{0}, {0}};
    for (int i = 0; i < STEADINESS_STEPS; i++) {
        double middle = ldexp(i + 0.5, (int)steadiness->shift) / (double)length * STEADINESS_BATCHES;
        int batch = middle < STEADINESS_BATCHES ? (int)middle : STEADINESS_BATCHES - 1;
        batches.count[batch] += steadiness->count[i];
        batches.sum[batch] += steadiness->sum[i];
    }
    return batches;
}

/* Mean of the values of half the batches, and the square of its standard error. */
static double half_mean(const struct batches *batches, int first, double *error2)
{
    uint64_t count = 0, sum = 0;
    double squares = 0;
    for (int i = first; i < first + HALF; i++) {
        count += batches->count[i];
        sum += batches->sum[i];
    }
    double mean = count ? (double)sum / (double)count : 0;
    for (int i = first; i < first + HALF; i++)
        if (batches->count[i]) {
            double off = (double)batches->sum[i] / (double)batches->count[i] - mean;
            squares += off * off;
        }
    *error2 = squares / (HALF * (HALF - 1));
    return mean;
}

static enum steadiness_verdict judge(const struct batches *batches, const struct steadiness_halves *halves,
                                     uint64_t length)
{
    double batch = (double)length / STEADINESS_BATCHES;
    double less = fmin(halves->first, halves->second), more = fmax(halves->first, halves->second);
    for (int i = 0; i < STEADINESS_BATCHES; i++)
        if (batches->count[i] < BATCH_LEAST)
            return STEADINESS_UNDECIDED;
    if (more > FACTOR * less && more - less > UNSTEADY_ERRORS * halves->error)
        return STEADINESS_UNSTEADY;
    bool steady = more + STEADY_ERRORS * halves->error <= FACTOR * less && batch >= BATCH_VALUES_LONG * more;
    return steady ? STEADINESS_STEADY : STEADINESS_UNDECIDED;
}

struct steadiness_halves steadiness_halves(const struct steadiness *steadiness, uint64_t length)
{
    struct steadiness_halves halves = {.verdict = STEADINESS_UNDECIDED};
    struct batches batches = make_batches(steadiness, length ? length : 1);
    double first2, second2;
    halves.first = half_mean(&batches, 0, &first2);
    halves.second = half_mean(&batches, HALF, &second2);
    halves.error = sqrt(first2 + second2);
    halves.verdict = judge(&batches, &halves, length);
    return halves;
}
