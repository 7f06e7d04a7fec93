/* The operator's own packets, in small buffers: acknowledgements, and the two control packets of a restart. Private to
 * the operator.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_OPERATOR_CONTROL_PACKET_H
#define POSTROAD_OPERATOR_CONTROL_PACKET_H

#include "operator/common.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Queues a packet that is a header alone, to one site. There must be a free small buffer. */
void pr_header_send(struct pr_common *common, unsigned site, struct pr_header *header);

/* Queues a control packet of this type if a small buffer is free, and drops it otherwise. A loss does no harm: one of
 * the two sites repeats the exchange. base: for PR_CONTROL_TYPE_BASE, the lowest sequence number that may still be sent
 * to `site`. */
void pr_control_send(struct pr_common *common, unsigned site, unsigned type, uint32_t base);

#ifdef __cplusplus
}
#endif

#endif
