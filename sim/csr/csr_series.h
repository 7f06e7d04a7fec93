/* Mean and standard error of what is measured in batches of slots, by which the error does not depend on what a slot
 * has to do with the next one.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CSR_CSR_SERIES_H
#define POSTROAD_CSR_CSR_SERIES_H

#include <math.h>

enum { CSR_BATCHES = 30 };

struct csr_series {
    unsigned count;
    double sum, squares;
};

static inline void csr_series_add(struct csr_series *series, double value)
{
    series->count++;
    series->sum += value;
    series->squares += value * value;
}

static inline double csr_series_mean(const struct csr_series *series)
{
    return series->sum / series->count;
}

static inline double csr_series_error(const struct csr_series *series)
{
    double mean = csr_series_mean(series), variance = series->squares / series->count - mean * mean;
    return sqrt(fmax(variance, 0) / (series->count - 1));
}

#endif
