/* An image that plans trees of relays (O10), and writes a line for so many targets: the clocks of the first plan for
 * them and of the same one again, means of drawn sets. It ends with status 0 if 16 targets take no longer than they
 * may.
 *
 * SPDX-License-Identifier: ISC
 */
#include "drivers/clint.h"
#include "drivers/uart.h"
#include "operator/operator.h"
#include "platform/platform.h"

enum { SETS = 8, TARGETS_MOST = 16, FIRST_MOST = 15000, AGAIN_MOST = 1000 };

static struct pr_platform platform;
static struct pr_operator op;
static PR_PLATFORM_NOT_CLEARED uint32_t memory[PR_OPERATOR_MEMORY_WORDS(PR_POOL_SIZE, PR_PACKET_WORDS, PR_SITES_MAX)];
static uint32_t buffer[PR_PACKET_BUFFER_WORDS(TARGETS_MOST + PR_HEADER_WORDS)];
static struct pr_relay_plan last;

static void put(char byte)
{
    while (!pr_uart_has_room())
        ;
    pr_uart_put((uint8_t)byte);
}

static void say(uint32_t value, char behind)
{
    char digits[10];
    unsigned count = 0;
    do
        digits[count++] = (char)('0' + value % 10);
    while ((value /= 10) != 0);
    while (count > 0)
        put(digits[--count]);
    put(behind);
}

static unsigned random_site(void)
{
    static uint32_t state = 1;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state % op.common.here.sites;
}

/* Makes a packet to so many sites, in the order of any packet. */
static struct pr_packet *draw(unsigned count)
{
    struct pr_packet *packet = (struct pr_packet *)buffer;
    uint32_t drawn[PR_OPERATOR_SET_WORDS(PR_SITES_MAX)] = {0};
    packet->first_target = 0;
    pr_packet_set_counts(packet, count, PR_HEADER_WORDS);
    while (count > 0) {
        unsigned site = random_site();
        if (pr_site_set_has(drawn, site))
            continue;
        pr_site_set_add(drawn, site);
        packet->words[--count] = pr_site_identity_address(&platform.identity, site);
    }
    pr_group_sort(&op.common.here.ways, packet);
    return packet;
}

static uint32_t clocks_of_plan(struct pr_packet *packet)
{
    uint32_t clock = (uint32_t)pr_clint_time();
    pr_relays_plan(&op.common.here, packet, &last);
    return (uint32_t)pr_clint_time() - clock;
}

int main(void)
{
    static const struct pr_operator_size size = {PR_POOL_SIZE, PR_PACKET_WORDS, PR_WINDOW, PR_SITES_MAX};
    uint32_t first = 0, again = 0;
    pr_platform_start(&platform, PR_PACKET_WORDS);
    pr_operator_init(&op, platform.interface, &platform.identity, memory, &size);
    for (unsigned count = 2; count <= TARGETS_MOST; count *= 2) {
        first = again = 0;
        for (unsigned set = 0; set < SETS; set++) {
            struct pr_packet *packet = draw(count);
            last.count = 0;
            first += clocks_of_plan(packet);
            pr_group_undo_relays(&op.common.here, packet);
            again += clocks_of_plan(packet);
        }
        say(count, ' ');
        say(first / SETS, ' ');
        say(again / SETS, '\n');
    }
    pr_platform_end(first > SETS * FIRST_MOST || again > SETS * AGAIN_MOST, "");
}
