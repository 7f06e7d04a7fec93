/* See readings.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "latency/readings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/or_abort.h"
#include "workload/sample.h"

/* On each side of an interval. Intervals are made for 99.7 %, so that 99 % remains where readings depend on each other
 * a little. */
static const double tail = 0.0015;

static size_t kept; /* readings in all lists */

void readings_add(struct readings *readings, struct uncertain reading)
{
    if (kept == READINGS_MAX) {
        readings->left_out++;
        return;
    }
    if (readings->count == readings->room) {
        readings->room = readings->room ? readings->room + readings->room / 2 : 64;
        readings->values = or_abort(realloc(readings->values, readings->room * sizeof *readings->values));
        readings->errors = or_abort(realloc(readings->errors, readings->room * sizeof *readings->errors));
    }
    readings->values[readings->count] = reading.value;
    readings->errors[readings->count++] = (float)reading.error;
    kept++;
}

void readings_free(struct readings *readings)
{
    kept -= readings->count;
    free(readings->values);
    free(readings->errors);
    *readings = (struct readings){0};
}

/* The number of readings below the quantile is binomial. The terms are added from the near end, in logarithms: none of
 * them underflows that matters. */
void readings_ranks(size_t count, double share, size_t *low, size_t *high)
{
    double n = (double)count, below = 0;
    bool found = false;
    *low = 0;
    *high = count + 1;
    for (size_t k = 0; k <= count && !(found && *high <= count); k++) {
        double x = (double)k,
               term = exp(lgamma(n + 1) - lgamma(x + 1) - lgamma(n - x + 1) + x * log(share) + (n - x) * log1p(-share));
        if (1 - below <= tail) { /* so many or more are below the quantile only by chance */
            *high = k;
            break;
        }
        below += term;
        if (!found && below > tail) {
            *low = k; /* the reading of rank k + 1 may be above it */
            found = true;
        }
    }
}

double readings_student(double freedom)
{
    return student_quantile(freedom, tail);
}

int readings_compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The ends of the readings (sign -1, 1) or their values (0), sorted. */
static double *sorted(const struct readings *readings, double sign)
{
    double *ends = or_abort(malloc(readings->count * sizeof *ends));
    for (size_t i = 0; i < readings->count; i++)
        ends[i] = readings->values[i] + sign * (double)readings->errors[i];
    qsort(ends, readings->count, sizeof *ends, readings_compare);
    return ends;
}

static size_t rank_of(size_t count, double share)
{
    size_t rank = (size_t)ceil(share * (double)count - 1e-9);
    return rank < 1 ? 1 : rank > count ? count : rank;
}

struct ends {
    double *lows, *values, *highs;
};

static struct figure order_figure(const struct ends *ends, size_t count, size_t rank, size_t low, size_t high)
{
    return (struct figure){
        .value = ends->values[rank - 1],
        .low = low < 1 ? -INFINITY : ends->lows[low - 1],
        .high = high > count ? INFINITY : ends->highs[high - 1],
        .resolution = ends->highs[rank - 1] - ends->lows[rank - 1],
    };
}

static struct figure quantile(const struct ends *ends, size_t count, double share)
{
    size_t low, high;
    readings_ranks(count, share, &low, &high);
    return order_figure(ends, count, rank_of(count, share), low, high);
}

static struct figure mean_figure(const struct readings *readings)
{
    double n = (double)readings->count, sum = 0, squares = 0, errors = 0;
    for (size_t i = 0; i < readings->count; i++) {
        sum += readings->values[i];
        errors += (double)readings->errors[i];
    }
    for (size_t i = 0; i < readings->count; i++)
        squares += (readings->values[i] - sum / n) * (readings->values[i] - sum / n);
    double by_chance = readings->count < 2 ? INFINITY : readings_student(n - 1) * sqrt(squares / (n - 1) / n);
    double mean = sum / n, error = errors / n;
    return (struct figure){
        .value = mean, .low = mean - error - by_chance, .high = mean + error + by_chance, .resolution = 2 * error};
}

static void fill_bars(const double *values, struct figures *figures)
{
    double low = values[0], span = values[figures->count - 1] - low;
    figures->bar_count = span > 0 ? READINGS_BARS : 1;
    figures->bar_from = span > 0 ? low : low - 0.5;
    figures->bar_width = span > 0 ? span / READINGS_BARS : 1;
    memset(figures->bars, 0, sizeof figures->bars);
    for (size_t i = 0; i < figures->count; i++) {
        double place = (values[i] - figures->bar_from) / figures->bar_width;
        figures->bars[place < figures->bar_count ? (unsigned)place : figures->bar_count - 1]++;
    }
}

void readings_figures(const struct readings *readings, struct figures *figures)
{
    size_t count = readings->count;
    struct ends ends = {sorted(readings, -1), sorted(readings, 0), sorted(readings, 1)};
    figures->count = count;
    figures->left_out = readings->left_out;
    figures->min = order_figure(&ends, count, 1, 1, 1);
    figures->max = order_figure(&ends, count, count, count, count);
    figures->median = quantile(&ends, count, 0.5);
    figures->p99 = quantile(&ends, count, 0.99);
    figures->mean = mean_figure(readings);
    fill_bars(ends.values, figures);
    free(ends.lows);
    free(ends.values);
    free(ends.highs);
}
