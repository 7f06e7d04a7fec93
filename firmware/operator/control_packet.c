/* See control_packet.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "operator/control_packet.h"

void pr_header_send(struct pr_common *common, unsigned site, struct pr_header *header)
{
    const struct pr_here *here = &common->here;
    struct pr_packet *packet = pr_pool_take_small(&common->pool);
    packet->words[0] = pr_site_identity_address(here->identity, site);
    packet->info[0] = 0;
    packet->kind = 0;
    pr_header_encode(header, packet->words + 1, here->header_kind_bit);
    pr_packet_set_counts(packet, 1, header->words);
    pr_pool_queue(&common->pool, packet);
}

void pr_control_send(struct pr_common *common, unsigned site, unsigned type, uint32_t base)
{
    struct pr_header header = {
        .kind = PR_HEADER_KIND_CONTROL,
        .source = common->here.identity->site,
        .control = (uint8_t)type,
        .epoch = pr_own_epoch(&common->here),
    };
    if (common->pool.small == 0)
        return;
    if (type == PR_CONTROL_TYPE_BASE) {
        header.peer_epoch = common->peers[site].epoch;
        header.base = base;
    }
    pr_header_send(common, site, &header);
}
