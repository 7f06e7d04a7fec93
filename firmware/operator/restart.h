/* Epochs, and sequence numbers that may have wrapped round unheard. Private to the operator.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_OPERATOR_RESTART_H
#define POSTROAD_OPERATOR_RESTART_H

#include "operator/send_window.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pr_restart {
    unsigned announced; /* sites to which this site's restart was announced */
};

/* A control packet has arrived. */
void pr_control_received(struct pr_send_window *window, const struct pr_header *header);

/* Checks a data packet's source and epoch before anything else in it is used. False: the packet is to be dropped. */
bool pr_control_admits(struct pr_common *common, const struct pr_header *header);

/* Announces this site's restart to one more site. False: no site is left, or not all small buffers are free. */
bool pr_control_announce(struct pr_restart *restart, struct pr_common *common);

#ifdef __cplusplus
}
#endif

#endif
