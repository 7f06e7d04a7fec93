/* A node that forges: what comes to its handler FORGE is a packet, word for word, that leaves as it is. Its kind, its
 * counts and its header are the sender's invention; the operator's window does not see it.
 *
 * SPDX-License-Identifier: ISC
 */
#include <string.h>

#include "operator/pool.h"
#include "platform/node_program.h"

enum { FORGE = 9 };
enum {
    KIND,
    TARGET_WORDS,
    INFO,
    DATA_WORDS,
    WORDS
}; /* of the data; INFO: a bit for each target word that is target_info */

static void forge(void *context, const struct pr_delivery *delivery)
{
    struct pr_operator *op = context;
    struct pr_packet *packet = pr_pool_take(&op->common.pool, 0);
    if (!packet)
        return;
    packet->kind = delivery->data[KIND];
    pr_packet_set_counts(packet, delivery->data[TARGET_WORDS], delivery->data[DATA_WORDS]);
    memset(packet->info, 0, sizeof packet->info);
    packet->info[0] = delivery->data[INFO];
    memcpy(packet->words, delivery->data + WORDS, (delivery->data_words - WORDS) * sizeof *packet->words);
    packet->stamp_last = pr_network_interface_clock(op->common.here.interface);
    pr_pool_queue(&op->common.pool, packet);
}

int main(void)
{
    struct pr_node *node = pr_node_start();
    pr_operator_register(&node->op, FORGE, forge, &node->op);
    pr_node_run(node);
}
