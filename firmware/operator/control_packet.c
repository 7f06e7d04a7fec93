/* The operator's own packets, in small buffers: acknowledgements, and the two control packets of a restart.
 *
 * SPDX-License-Identifier: ISC
 */
#include "operator/operator_private.h"

void pr_header_send(struct pr_operator *op, unsigned site, struct pr_header *header)
{
    struct pr_packet *packet = pr_pool_take_small(&op->pool);
    packet->words[0] = pr_site_identity_address(op->here.identity, site);
    packet->info[0] = 0;
    packet->kind = 0;
    pr_header_encode(header, packet->words + 1, op->here.header_kind_bit);
    pr_packet_set_counts(packet, 1, header->words);
    pr_pool_queue(&op->pool, packet);
}

void pr_control_send(struct pr_operator *op, unsigned site, unsigned type, uint32_t base)
{
    struct pr_header header = {
        .kind = PR_HEADER_KIND_CONTROL,
        .source = op->here.identity->site,
        .control = (uint8_t)type,
        .epoch = pr_own_epoch(&op->here),
    };
    if (op->pool.small == 0)
        return;
    if (type == PR_CONTROL_TYPE_BASE) {
        header.peer_epoch = op->peers[site].epoch;
        header.base = base;
    }
    pr_header_send(op, site, &header);
}
