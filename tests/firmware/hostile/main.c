/* A node that forges: what comes to its handler FORGE is a packet, word for word, that leaves as it is. Its kind, its counts
 * and its header are the sender's invention; the operator's window does not see it. */
#include <string.h>

#include "operator/pool.h"
#include "platform/node_program.h"

enum { FORGE = 9 };
enum { KIND, TARGET_WORDS, INFO, DATA_WORDS, WORDS };    /* of the data; INFO: a bit for each target word that is target_info */

static void forge(void *context, const struct delivery *delivery)
{
    struct operator *operator = context;
    struct packet *packet = pool_take(operator, 0);

    if (packet == NULL)
        return;
    packet->kind = delivery->data[KIND];
    packet_set_counts(packet, delivery->data[TARGET_WORDS], delivery->data[DATA_WORDS]);
    memset(packet->info, 0, sizeof packet->info);
    packet->info[0] = delivery->data[INFO];
    memcpy(packet->words, delivery->data + WORDS, (delivery->data_words - WORDS) * sizeof *packet->words);
    packet->stamp_last = network_interface_clock(operator->interface);
    pool_queue(operator, packet);
}

int main(void)
{
    struct node *node = node_start();

    operator_register(&node->operator, FORGE, forge, &node->operator);
    node_run(node);
}
