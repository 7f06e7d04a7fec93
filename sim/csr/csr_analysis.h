/* The approximate analysis of conflict sense routing on a hypercube of d dimensions (Varvarigos and Bertsekas 1993,
 * section 4), for packets to any node, the sender included.
 *
 * p_i: the probability that in a control interval a link is reserved, confirmed or not, for the i-th transmission
 * interval, 1 <= i <= d; p_0: that an entry buffer sends a flit in a slot (attempt rate). p_d are the confirmed ones,
 * so that the throughput is R = 2 d p_d packets a node and slot.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CSR_CSR_ANALYSIS_H
#define POSTROAD_CSR_CSR_ANALYSIS_H

enum { CSR_ANALYSIS_MOST_DIMENSIONS = 64 };

/* The attempt rate that leads to this p_d (equations 7 and 8); infinite if none does. */
double csr_analysis_attempts(unsigned dimensions, double confirmed);

/* The throughput R at this attempt rate, 0 to 1. */
double csr_analysis_throughput(unsigned dimensions, double attempts);

/* Where as many packets are accepted as arrive (Figure 4): an entry buffer that is empty gets a packet with probability
 * `arrival`, a backlogged one tries again with probability `retry`. */
struct csr_stable_point {
    double backlogged; /* m, the share of the entry buffers */
    double attempts;   /* p_0(m) = (1 - m) arrival + m retry */
    double throughput;
};

struct csr_stable_point csr_analysis_stable_point(unsigned dimensions, double arrival, double retry);

#endif
