/* Test finisher: ends a simulation, halts a board.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_DRIVERS_FINISHER_H
#define POSTROAD_DRIVERS_FINISHER_H

#include "drivers/mmio.h"
#include "protocol.h"

/* Status 0 is success; 16 bits count. Does not return. */
static inline _Noreturn void pr_finisher_end(unsigned status)
{
    uint32_t code = PR_FINISHER_FAIL | (uint32_t)status << PR_FINISHER_COMMAND_STATUS_SHIFT;
    pr_mmio_write(PR_FINISHER_BASE + PR_FINISHER_COMMAND, status == 0 ? PR_FINISHER_PASS : code);
    for (;;)
        ;
}

#endif
