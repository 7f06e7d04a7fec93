/* Test finisher: ends a simulation, halts a board.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_DRIVERS_FINISHER_H
#define POSTROAD_DRIVERS_FINISHER_H

#include "drivers/mmio.h"
#include "protocol.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Status 0 is success; 16 bits count. Does not return. */
__attribute__((noreturn)) static inline void pr_finisher_end(unsigned status)
{
    uint32_t code = PR_FINISHER_FAIL | (uint32_t)status << PR_FINISHER_COMMAND_STATUS_SHIFT;
    pr_mmio_write(PR_FINISHER_BASE + PR_FINISHER_COMMAND, status == 0 ? (unsigned)PR_FINISHER_PASS : code);
    for (;;)
        ;
}

#ifdef __cplusplus
}
#endif

#endif
