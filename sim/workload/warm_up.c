/* See warm_up.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "workload/warm_up.h"

#include <math.h>
#include <string.h>

enum { FEW_BATCHES = 20 };

/* Batches that may be left out are searched up to this share: of fewer that are left, the error is small by chance. */
static const double searched = 0.75;

void warm_up_begin(struct warm_up_series *series, uint64_t packets)
{
    uint64_t each = (packets + WARM_UP_BATCHES - 1) / WARM_UP_BATCHES;
    memset(series, 0, sizeof *series);
    series->each = each > WARM_UP_BATCH_LEAST ? each : WARM_UP_BATCH_LEAST;
}

void warm_up_generated(struct warm_up_series *series, uint64_t number, uint64_t clock)
{
    if (number % series->each == 0)
        series->clock[number / series->each] = clock;
}

void warm_up_delivered(struct warm_up_series *series, uint64_t number, uint64_t latency)
{
    series->count[number / series->each]++;
    series->sum[number / series->each] += latency;
}

/* The logarithms of the batches' means, and the clocks of their beginning; of those in which something was delivered.
 */
static int list_means(const struct warm_up_series *series, double *means, uint64_t *clocks)
{
    int count = 0;
    for (int i = 0; i < WARM_UP_BATCHES; i++) {
        if (!series->count[i])
            continue;
        means[count] = log1p((double)series->sum[i] / (double)series->count[i]);
        clocks[count++] = series->clock[i];
    }
    return count;
}

/* From the last batch back, the mean and the sum of squares of the batches from `i` on are known at each `i`. */
static int least_error(const double *means, int count)
{
    double mean = 0, squares = 0, least = 0;
    int best = 0, most = (int)(searched * count);
    for (int i = count; i-- > 0;) {
        double left = count - i, off = means[i] - mean;
        mean += off / left;
        squares += off * (means[i] - mean);
        double error = squares / (left * left);
        if (i <= most && (i == most || error <= least)) {
            least = error;
            best = i;
        }
    }
    return best;
}

struct warm_up warm_up_find(const struct warm_up_series *series)
{
    double means[WARM_UP_BATCHES];
    uint64_t clocks[WARM_UP_BATCHES];
    int count = list_means(series, means, clocks);
    int best = count < FEW_BATCHES ? count : least_error(means, count);
    if (best <= count / 2 && count >= FEW_BATCHES)
        return (struct warm_up){best ? clocks[best] : 0, true};
    return (struct warm_up){count ? clocks[count / 2] : 0, false};
}
