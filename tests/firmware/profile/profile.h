/* The portable profile, check by check: what an image may rely on, on every core and under QEMU.
 *
 * A line a check: its name, and `ok` or what was found. What follows the line BEYOND is what the profile does not
 * promise, to be read by people: name and value. The image ends with the number of checks that failed.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_FIRMWARE_PROFILE_PROFILE_H
#define POSTROAD_TESTS_FIRMWARE_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#define BEYOND "beyond the profile"

enum { CAUSE_ECALL = 11, STATUS_MIE = 1 << 3, MIE_MTIE = 1 << 7 };
#define CAUSE_TIMER 0x80000007u

#define CSR_READ(name)                                                   \
    ({                                                                   \
        uint32_t value_;                                                 \
        __asm__ volatile("csrr %0, " #name : "=r"(value_) : : "memory"); \
        value_;                                                          \
    })
#define CSR_WRITE(name, value) __asm__ volatile("csrw " #name ", %0" : : "r"(value) : "memory")

/* The last trap. After an exception the program goes on at `resume`, or, if that is 0, behind the instruction. */
struct trap {
    uint32_t count, timers;     /* all; timer interrupts */
    uint32_t cause, pc, status; /* mcause, mepc, mstatus */
    uint32_t late;              /* timer interrupts: mtime less mtimecmp */
    uint32_t resume;
    uint32_t again; /* the timer runs again after so many ticks; 0: not */
};
extern volatile struct trap trap;

/* mtvec, the only time. */
void trap_start(void);

/* Sets mtimecmp so many ticks ahead. */
void timer_in(uint32_t ticks);
void timer_off(void);

/* Until there were so many timer interrupts, or far too much time has passed: false. */
bool timers_reach(uint32_t count);

void wait_ticks(uint32_t ticks);

void say(const char *text);
void expect(const char *name, uint32_t found, uint32_t expected);
void show(const char *name, uint32_t value);

void check_instructions(void);
void check_traps(void);
void check_timer(void);
void show_beyond(void);

#endif
