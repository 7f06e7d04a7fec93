/* What the acknowledgements, the send window and what is above them work on besides their own state. Private to the
 * operator.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_OPERATOR_COMMON_H
#define POSTROAD_OPERATOR_COMMON_H

#include "operator/duplicate_filter.h"
#include "operator/events.h"
#include "operator/groups.h"
#include "operator/outgoing.h"
#include "operator/pool.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pr_common {
    struct pr_here here;
    struct pr_outgoing outgoing;
    struct pr_buffer_pool pool;
    struct pr_traffic traffic;
    struct pr_events events;
    struct pr_peer *peers; /* by site number */
};

#ifdef __cplusplus
}
#endif

#endif
