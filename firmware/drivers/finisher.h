/* Test finisher: ends a simulation, halts a board. */
#ifndef DRIVERS_FINISHER_H
#define DRIVERS_FINISHER_H

#include "drivers/mmio.h"
#include "protocol.h"

/* Status 0 is success; 16 bits count. Does not return. */
static inline _Noreturn void finisher_end(unsigned status)
{
    uint32_t code = FINISHER_FAIL | (uint32_t)status << FINISHER_COMMAND_STATUS_SHIFT;

    mmio_write(FINISHER_BASE + FINISHER_COMMAND, status == 0 ? FINISHER_PASS : code);
    for (;;)
        ;
}

#endif
