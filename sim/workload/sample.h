/* Independent values of one figure, such as the results of repeated runs: their mean, and Student's interval of it.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WORKLOAD_SAMPLE_H
#define POSTROAD_WORKLOAD_SAMPLE_H

/* Zeroed, it is empty. */
struct sample {
    double count, mean, squares; /* the sum of the squares of the values' distances from their mean */
};

void sample_add(struct sample *sample, double value);

/* Half the width of the interval of 95 % of the mean: mean - it to mean + it. Infinite for fewer than two values. */
double sample_half_width(const struct sample *sample);

/* What Student's distribution exceeds with this probability, less than 0.5; infinite without any degree of freedom. */
double student_quantile(double freedom, double tail);

/* The probability that Student's distribution is farther from 0 than `t`, on either side. */
double student_beyond(double freedom, double t);

/* The difference of the means of two samples, by Welch's test, which does not take their variances for equal. */
struct sample_difference {
    double value,
        half;      /* second mean less the first, and half its interval of 95 %; infinite without an interval of each */
    double chance; /* probability of a difference as large if the true means were equal; 1 if unknown */
};

/* Of samples of which the count, the mean and half its interval are known. */
struct sample_summary {
    double count, mean, half;
};
struct sample_difference sample_compare(const struct sample_summary *first, const struct sample_summary *second);

#endif
