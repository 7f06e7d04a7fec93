/* See csr_analysis.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "csr/csr_analysis.h"

#include <math.h>

enum { HALVINGS = 100 }; /* more than a double has bits */

double csr_analysis_attempts(unsigned dimensions, double confirmed)
{
    double p[CSR_ANALYSIS_MOST_DIMENSIONS + 1], ratios = 0; /* ratios: p_j / p_{j+1} for i <= j < d */
    p[dimensions] = confirmed;
    for (unsigned i = dimensions; i > 1; i--) {
        if (i < dimensions)
            ratios += p[i] / p[i + 1];
        double base = 2 - confirmed * ratios, square = base * base - 4 * p[i];
        if (base < 0 || square < 0)
            return INFINITY;
        p[i - 1] = base - sqrt(square);
    }
    double unreserved = 1 - (dimensions - 1) * confirmed;
    return unreserved > 0 ? p[1] / unreserved : INFINITY;
}

double csr_analysis_throughput(unsigned dimensions, double attempts)
{
    double least = 0, most = 1.0 / dimensions;
    for (unsigned i = 0; i < HALVINGS; i++) {
        double middle = (least + most) / 2;
        if (csr_analysis_attempts(dimensions, middle) < attempts)
            least = middle;
        else
            most = middle;
    }
    return 2 * dimensions * least;
}

static double attempts_of(double backlogged, double arrival, double retry)
{
    return (1 - backlogged) * arrival + backlogged * retry;
}

struct csr_stable_point csr_analysis_stable_point(unsigned dimensions, double arrival, double retry)
{
    double least = 0, most = 1;
    for (unsigned i = 0; i < HALVINGS; i++) {
        double middle = (least + most) / 2;
        double accepted = csr_analysis_throughput(dimensions, attempts_of(middle, arrival, retry));
        if (accepted < 2 * dimensions * arrival * (1 - middle))
            least = middle;
        else
            most = middle;
    }
    double attempts = attempts_of(least, arrival, retry);
    return (struct csr_stable_point){least, attempts, csr_analysis_throughput(dimensions, attempts)};
}
