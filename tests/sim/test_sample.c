/* Student's distribution against published tables, and the interval of a mean against samples whose truth is known: it
 * contains the mean in 95 of 100 cases, whatever the number of values.
 *
 * SPDX-License-Identifier: ISC
 */
#include "check.h"
#include "workload/sample.h"

#include <math.h>

static uint64_t state;

/* Of normal distribution: mean 0, variance 1. */
static double normal(void)
{
    double sum = 0;
    for (int i = 0; i < 12; i++)
        sum += (check_random(&state) + 0.5) / 4294967296.0;
    return sum - 6;
}

static void check_tables(void)
{
    static const struct {
        double freedom, tail, quantile;
    } rows[] = {{1, 0.025, 12.7062}, {2, 0.025, 4.3027},   {4, 0.025, 2.7764},     {9, 0.025, 2.2622},
                {29, 0.025, 2.0452}, {120, 0.025, 1.9799}, {1000000, 0.025, 1.96}, {1, 0.0015, 212.205},
                {5, 0.0005, 6.8688}, {10, 0.05, 1.8125},   {30, 0.005, 2.7500}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        double found = student_quantile(rows[i].freedom, rows[i].tail);
        check(fabs(found - rows[i].quantile) < 1e-4 * rows[i].quantile, "%g degrees, %g: %g, expected %g",
              rows[i].freedom, rows[i].tail, found, rows[i].quantile);
        check(fabs(student_beyond(rows[i].freedom, rows[i].quantile) - 2 * rows[i].tail) < 1e-4, "%g degrees, t %g",
              rows[i].freedom, rows[i].quantile);
    }
    check(isinf(student_quantile(0, 0.025)), "no degree of freedom");
}

static void check_few(void)
{
    struct sample sample = {0};
    check(isinf(sample_half_width(&sample)), "an interval of nothing");
    sample_add(&sample, 3);
    check(sample.mean == 3 && isinf(sample_half_width(&sample)), "an interval of one value");
    sample_add(&sample, 3);
    check(sample.mean == 3 && sample_half_width(&sample) == 0, "two values that are the same");
    sample_add(&sample, 6);
    check(fabs(sample.mean - 4) < 1e-12 && fabs(sample_half_width(&sample) - 4.3027) < 1e-3, "3, 3, 6: %g +-%g",
          sample.mean, sample_half_width(&sample));
}

static void check_coverage(void)
{
    static const unsigned sizes[] = {2, 3, 5, 20};
    unsigned long rounds = check_rounds(4000);
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        unsigned long inside = 0;
        for (unsigned long i = 0; i < rounds; i++) {
            struct sample sample = {0};
            for (unsigned k = 0; k < sizes[s]; k++)
                sample_add(&sample, 1000 + 10 * normal());
            inside += fabs(sample.mean - 1000) <= sample_half_width(&sample);
        }
        double share = (double)inside / (double)rounds, spread = 4.5 * sqrt(0.95 * 0.05 / (double)rounds);
        check(fabs(share - 0.95) < spread + 0.002, "%u values: %g of the intervals have the mean", sizes[s], share);
    }
}

/* Values are added until the interval is narrow, five at least, as --until does: then it misses the mean a little more
 * often. The widths are those of about 5 to 100 values. */
static void check_stopping(void)
{
    static const double widths[] = {10, 5, 3, 2};
    unsigned long rounds = check_rounds(500);
    for (unsigned w = 0; w < sizeof widths / sizeof *widths; w++) {
        unsigned long inside = 0, values = 0;
        for (unsigned long i = 0; i < rounds; i++) {
            struct sample sample = {0};
            while (sample.count < 5 || sample_half_width(&sample) > widths[w])
                sample_add(&sample, 1000 + 10 * normal());
            inside += fabs(sample.mean - 1000) <= sample_half_width(&sample);
            values += (unsigned long)sample.count;
        }
        double share = (double)inside / (double)rounds;
        printf("+-%g: %g values, %g of the intervals have the mean\n", widths[w], (double)values / (double)rounds,
               share);
        check(share > 0.87 && share < 0.97, "until +-%g: %g of the intervals have the mean", widths[w], share);
    }
}

static struct sample_summary draw(unsigned count, double mean, double spread)
{
    struct sample sample = {0};
    for (unsigned k = 0; k < count; k++)
        sample_add(&sample, mean + spread * normal());
    return (struct sample_summary){count, sample.mean, sample_half_width(&sample)};
}

/* Two samples whose standard errors are 1: eight degrees of freedom. And what cannot be compared. */
static void check_difference(void)
{
    double half = student_quantile(4, 0.025);
    struct sample_summary first = {5, 10, half}, second = {5, 13, half}, lone = {1, 13, INFINITY}, flat = {3, 10, 0};
    struct sample_difference found = sample_compare(&first, &second);
    check(found.value == 3 && fabs(found.half - 3.2612) < 1e-3 && fabs(found.chance - 0.0667) < 1e-3, "%g +-%g, %g",
          found.value, found.half, found.chance);
    found = sample_compare(&first, &lone);
    check(found.value == 3 && isinf(found.half) && found.chance == 1, "one value: %g +-%g, %g", found.value, found.half,
          found.chance);
    check(sample_compare(&flat, &flat).chance == 1 && sample_compare(&flat, &flat).half == 0, "equal, without spread");
    found = sample_compare(&flat, &first);
    check(fabs(found.half - half) < 1e-9 && found.chance == 1, "one without spread: +-%g, %g", found.half,
          found.chance);
}

/* Of equal means one in twenty is called different, though variances and sizes differ; a large difference is found. */
static void check_verdicts(void)
{
    unsigned long rounds = check_rounds(2000), different = 0, missed = 0;
    for (unsigned long i = 0; i < rounds; i++) {
        struct sample_summary first = draw(4, 100, 10), second = draw(12, 100, 2), third = draw(12, 130, 2);
        different += sample_compare(&first, &second).chance < 0.05;
        missed += sample_compare(&first, &third).chance >= 0.05;
    }
    double share = (double)different / (double)rounds;
    check(share > 0.025 && share < 0.085, "%g of equal means are called different", share);
    check(missed < rounds / 20, "%lu of %lu differences are missed", missed, rounds);
}

int main(void)
{
    state = check_seed();
    RUN(check_tables);
    RUN(check_few);
    RUN(check_coverage);
    RUN(check_stopping);
    RUN(check_difference);
    RUN(check_verdicts);
    return verdict("sample");
}
