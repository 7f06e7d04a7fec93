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

#endif
