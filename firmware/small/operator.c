/* The operator as a whole: its start, and one round of its work.
 *
 * SPDX-License-Identifier: ISC
 */
#include "small/small.h"

enum {
    RELIEF_BUFFERS = 1,
    HELD_CLOCKS_MAX = 1 << 17 /* a packet of another site that has been here for longer does not go on */
};

static bool is_relieved;

/* Back-pressure: a site that is short of buffers requests that its router let foreign packets pass (R1). */
static void ask_for_relief(void)
{
    bool wanted = buffers_posted <= RELIEF_BUFFERS;
    count_fewest(buffers_posted);
    if (RELIABLE && wanted != is_relieved) {
        is_relieved = wanted;
        port_relieve(wanted);
    }
}

/* The next target of another site's packet, if it may still go on. */
static bool goes_on(struct pr_packet *packet)
{
    if (RELIABLE && port_clock() - packet->next > HELD_CLOCKS_MAX)
        return false;
    for (unsigned k = packet->end_target; k < packet->target_words; k = end_of_entry(packet, k)) {
        if (is_to_serve(packet->words[k], packet->grouping)) {
            choose(packet, k);
            return true;
        }
    }
    return false;
}

static void sent(struct pr_packet *packet)
{
    if (is_small(packet))
        small_is_back();
    else if (SENDS && is_own(packet))
        own_sent();
    else if (goes_on(packet))
        port_send(packet);
    else
        post(packet);
}

bool small_round(void)
{
    struct pr_packet *packet = port_sent();
    bool busy = packet;
    if (packet)
        sent(packet);
    packet = port_received();
    if (packet) {
        receive(packet);
        busy = true;
    }
    ask_for_relief();
    if (RELIABLE)
        control_announce();
    if (RELIABLE && SENDS)
        sender_poll();
    if (CONSOLE) /* in every round: deliveries are refused as long as its output is full */
        busy |= console_poll();
    return pr_small_poll() || busy;
}

bool small_wake(uint32_t *clock)
{
    return RELIABLE && SENDS && sender_waits(clock);
}

static bool suits(void)
{
    return port_identity(PR_ID_MAP_VERSION) == PR_ID_MAP_VERSION_VALUE &&
           (RELIABLE || port_identity(PR_ID_TOPOLOGY) != PR_TOPOLOGY_HYPERCUBE) &&
           port_identity(PR_ID_WORD_WIDTH) == 16 && !port_needs_routes() && /* there is no room for them */
           port_identity(PR_ID_MAX_PACKET) <= PACKET_WORDS && port_identity(PR_ID_RELIABLE) == RELIABLE &&
           (!RELIABLE || here.sites <= SITES_MAX);
}

bool small_start(void)
{
    here.site = port_identity(PR_ID_SITE);
    here.address = port_identity(PR_ID_ADDRESS);
    here.epoch = (uint16_t)port_identity(PR_ID_EPOCH);
    here.columns = port_identity(PR_ID_SIZE_X);
    if (RELIABLE && port_identity(PR_ID_TOPOLOGY) == PR_TOPOLOGY_HYPERCUBE) /* a site's address is its number */
        here.columns = 1u << here.columns;
    here.end = port_identity(PR_ID_SIZE_Y) << PR_SITE_COORD_WIDTH_16;
    for (unsigned row = port_identity(PR_ID_SIZE_Y); row > 0; row--)
        here.sites += here.columns;
    if (!suits())
        return false;
    if (RELIABLE)
        peers_start();
    port_start(PACKET_WORDS);
    post_all();
    count_from(BUFFERS);
    return true;
}
