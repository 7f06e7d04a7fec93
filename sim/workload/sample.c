/* See sample.h. Student's distribution is a regularised incomplete beta function, whose continued fraction is in
 * Abramowitz and Stegun, 26.5.8.
 *
 * SPDX-License-Identifier: ISC
 */
#include "workload/sample.h"

#include <math.h>

static const double tail_of_95 = 0.025; /* on each side */

void sample_add(struct sample *sample, double value)
{
    double off = value - sample->mean;
    sample->count++;
    sample->mean += off / sample->count;
    sample->squares += off * (value - sample->mean);
}

double sample_half_width(const struct sample *sample)
{
    if (sample->count < 2)
        return INFINITY;
    double variance_of_mean = sample->squares / (sample->count - 1) / sample->count;
    return variance_of_mean > 0 ? student_quantile(sample->count - 1, tail_of_95) * sqrt(variance_of_mean) : 0;
}

/* 1 / (1 + d1 / (1 + d2 / (1 + ...))), from its far end. It converges where x < (a + 1) / (a + b + 2); a term has less
 * weight by more than a constant factor than the one before it, and so many are enough for any freedom. */
static double beta_fraction(double a, double b, double x)
{
    enum { TERMS = 100 };
    double fraction = 1;
    for (int term = TERMS; term > 0; term--) {
        int m = term / 2;
        double d = term % 2 ? -(a + m) * (a + b + m) / ((a + 2 * m) * (a + 2 * m + 1))
                            : m * (b - m) / ((a + 2 * m - 1) * (a + 2 * m));
        fraction = 1 + d * x / fraction;
    }
    return 1 / fraction;
}

/* The share of the beta distribution of a and b that is below x. */
static double beta_below(double a, double b, double x)
{
    if (x <= 0 || x >= 1)
        return x >= 1;
    if (x > (a + 1) / (a + b + 2))
        return 1 - beta_below(b, a, 1 - x);
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a;
    return front * beta_fraction(a, b, x);
}

double student_beyond(double freedom, double t)
{
    return beta_below(freedom / 2, 0.5, freedom / (freedom + t * t));
}

double student_quantile(double freedom, double tail)
{
    double low = 0, high = 1;
    if (!(freedom > 0))
        return INFINITY;
    while (student_beyond(freedom, high) > 2 * tail)
        high *= 2;
    for (int halvings = 0; halvings < 40; halvings++) {
        double middle = (low + high) / 2;
        *(student_beyond(freedom, middle) > 2 * tail ? &low : &high) = middle;
    }
    return high;
}

/* The squared standard error of a mean. */
static double squared_error(const struct sample_summary *sample)
{
    double error = sample->half / student_quantile(sample->count - 1, tail_of_95);
    return error * error;
}

struct sample_difference sample_compare(const struct sample_summary *first, const struct sample_summary *second)
{
    struct sample_difference difference = {second->mean - first->mean, INFINITY, 1};
    if (!(first->count > 1 && second->count > 1 && isfinite(first->half) && isfinite(second->half)))
        return difference;
    double one = squared_error(first), other = squared_error(second), both = one + other;
    if (both <= 0) { /* no spread at all */
        difference.half = 0;
        difference.chance = difference.value == 0;
        return difference;
    }
    double freedom = both * both / (one * one / (first->count - 1) + other * other / (second->count - 1));
    difference.half = student_quantile(freedom, tail_of_95) * sqrt(both);
    difference.chance = student_beyond(freedom, difference.value / sqrt(both));
    return difference;
}
