/* The verifier of a locked board: the boot program loads it from the flash, when a go record has come by serial line or
 * by a packet, and starts it in place of the image. Nothing else may start such an image.
 *
 *   image in RAM --- accepted --- the core is reset, the boot program starts it
 *                \
 *                 -- refused --- the core is reset, the boot program gives the reason, and waits
 *
 * It takes no packets meanwhile: the network_interface is off, and discards them (receive_patience).
 *
 * SPDX-License-Identifier: ISC
 */
#include "boot/boot_memory.h"
#include "drivers/board.h"
#include "verifier/signature.h"

extern const uint32_t verifier_lock[]; /* start.S */

__attribute__((noreturn, used)) void verify(void)
{
    uint32_t end = PR_RAM_BASE + pr_mmio_read(PR_ID_BASE + PR_ID_RAM_BYTES);
    struct pr_boot_memory *kept = (struct pr_boot_memory *)(end - PR_LOAD_RESERVED);
    char verdict = pr_signature_check((const uint32_t *)kept->candidate, kept->candidate, kept->words, verifier_lock);
    kept->verdict = (uint8_t)verdict;
    kept->image = kept->candidate;
    kept->mark = verdict == PR_LOAD_DONE ? PR_BOOT_START : PR_BOOT_REFUSED;
    pr_mmio_barrier();
    for (;;)
        pr_mmio_write(PR_BOARD_BASE + PR_BOARD_CONTROL, PR_BOARD_CONTROL_RESTART);
}
