/* An image that does what it is told to by the first word of a packet to handler CRASH: crashes in one of several ways,
 * never comes back, or starts again. */
#include "operator/operator.h"
#include "platform/platform.h"

enum { CRASH = 9 };
enum { CALL, ILLEGAL, MISALIGNED, NOWHERE, ENDLESS, AGAIN };

static struct platform platform;
static struct operator operator;
static PLATFORM_NOT_CLEARED uint32_t memory[OPERATOR_MEMORY_WORDS(POOL_SIZE, PACKET_WORDS, SITES_MAX)];
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

static void crash(void *context, const struct delivery *delivery)
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
    static const struct operator_size size = { POOL_SIZE, PACKET_WORDS, WINDOW, SITES_MAX };
    uint32_t wake = 0;

    platform_start(&platform, PACKET_WORDS);
    operator_init(&operator, platform.interface, &platform.identity, memory, &size);
    operator_register(&operator, CRASH, crash, NULL);
    for (;;) {
        if (operator_poll(&operator))
            continue;
        bool timed = operator_next_wake(&operator, &wake);
        platform_sleep(&platform, timed, wake);
    }
}
