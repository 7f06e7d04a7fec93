/* What the boot program keeps in RAM from one reset of the core to the next, at the start of the reserved end of RAM:
 *
 *                    mark
 *   go record        PR_BOOT_START      the core is reset, and the boot program starts `image`
 *   go, locked       PR_BOOT_START      the same: `image` is the verifier, the image to be checked is `candidate`
 *     accepted       PR_BOOT_START      by the verifier: `image` is the candidate
 *     refused        PR_BOOT_REFUSED    by the verifier: `verdict` is why; the boot program waits
 *
 * A mark counts only behind a reset that the core itself has ordered: otherwise RAM may hold noise.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BOOT_BOOT_MEMORY_H
#define POSTROAD_BOOT_BOOT_MEMORY_H

#include <stdint.h>

enum { PR_BOOT_START = 0x54524154, PR_BOOT_REFUSED = 0x4f4e4f4e };

struct pr_boot_memory {
    uint32_t mark, image;      /* address of the first instruction */
    uint32_t candidate, words; /* image to be checked: its address, and its words with the signature */
    uint32_t verdict;          /* PR_LOAD_* of the candidate that was refused last; 0: none, or data came since */
};

#endif
