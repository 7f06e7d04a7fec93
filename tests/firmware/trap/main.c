/* An image that traps as soon as it has started, by the one exception that all cores report alike. */
#include "platform/platform.h"

static struct platform platform;

int main(void)
{
    platform_start(&platform, PACKET_WORDS);
    __asm__ volatile("ecall");
    return 0;
}
