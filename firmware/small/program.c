/* The program of a site.
 *
 * SPDX-License-Identifier: ISC
 */
#include "drivers/board.h"
#include "drivers/finisher.h"
#include "platform/image_limits.h"
#include "small/small.h"

PR_IMAGE_LIMITS_OF_OPERATOR(PR_SMALL_PACKET_WORDS, PR_SMALL_SITES_MAX);
PR_IMAGE_LIMIT(pr_image_ram_bytes, PR_SMALL_RAM_BYTES);

enum { TOO_SMALL = 3 }; /* finisher status, as PR_PLATFORM_TOO_SMALL */

static void sleep(void)
{
    if (RELIABLE && SENDS) {
        uint64_t time = UINT64_MAX;
        uint32_t clock;
        if (small_wake(&clock))
            time = pr_clint_time_of_clock(pr_clint_time(), clock);
        pr_clint_wake_at(time);
    }
    pr_mmio_write(PR_NI_BASE + PR_NI_SEEN, port_rings.seen);
    (void)pr_mmio_read(PR_NI_BASE + PR_NI_WAIT);
}

/* build/make_boot_image writes the site record, for a board without a boot ROM. */
__attribute__((used, section(".rodata.site_record")))
const struct pr_image_record pr_site_record = {.magic = PR_SITE_RECORD_PLACE};

int main(void)
{
    pr_board_start(&pr_site_record); /* where there is no board this changes nothing */
    if (!small_start())
        pr_finisher_end(TOO_SMALL);
    for (;;) {
        if (!small_round())
            sleep();
    }
}
