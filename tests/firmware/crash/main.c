/* An image that does what it is told to by the first word of a packet to handler CRASH: crashes in one of several ways,
 * never comes back, or starts again.
 *
 * SPDX-License-Identifier: ISC
 */
#include "operator/operator.h"
#include "platform/platform.h"

enum { CRASH = 9 };
enum { CALL, ILLEGAL, MISALIGNED, NOWHERE, ENDLESS, AGAIN };

static struct pr_platform platform;
static struct pr_operator op;
static PR_PLATFORM_NOT_CLEARED uint32_t memory[PR_OPERATOR_MEMORY_WORDS(PR_POOL_SIZE, PR_PACKET_WORDS, PR_SITES_MAX)];
static void (*volatile nowhere)(void);

static __attribute__((noinline)) void crash_here(uint32_t how)
{
    if (how == CALL)
        __asm__ volatile("ecall");
    else if (how == ILLEGAL)
        __asm__ volatile(".word 0");
    else if (how == MISALIGNED)
        __asm__ volatile("lw x0, 2(%0)" : : "r"(memory) : "memory");
    else if (how == NOWHERE)
        nowhere();
}

static __attribute__((noinline)) void hang_here(void)
{
    for (;;)
        __asm__ volatile("");
}

static void crash(void *context, const struct pr_delivery *delivery)
{
    (void)context;
    if (delivery->data[0] == ENDLESS)
        hang_here();
    if (delivery->data[0] == AGAIN)
        __asm__ volatile("j _start");
    crash_here(delivery->data[0]);
}

int main(void)
{
    static const struct pr_operator_size size = {PR_POOL_SIZE, PR_PACKET_WORDS, PR_WINDOW, PR_SITES_MAX};
    uint32_t wake = 0;
    pr_platform_start(&platform, PR_PACKET_WORDS);
    pr_operator_init(&op, platform.interface, &platform.identity, memory, &size);
    pr_operator_register(&op, CRASH, crash, NULL);
    for (;;) {
        if (pr_operator_poll(&op))
            continue;
        bool timed = pr_operator_next_wake(&op, &wake);
        pr_platform_sleep(&platform, timed, wake);
    }
}
