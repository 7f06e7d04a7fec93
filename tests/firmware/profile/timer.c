/* The CLINT's timer, as a counter and as an interrupt; wfi.
 *
 * SPDX-License-Identifier: ISC
 */
#include "profile.h"

#include "drivers/clint.h"

/* Ticks. SOON: a slow core is back from its trap before; FAR: two seconds under QEMU, whose time goes on while the
 * machine has no time for it. */
enum { SOON = 8000, FAR = 20000000, INTERRUPTS = 20 };

void timer_in(uint32_t ticks)
{
    pr_clint_wake_at(pr_clint_time() + ticks);
}

void timer_off(void)
{
    pr_clint_wake_at(UINT64_MAX);
}

bool timers_reach(uint32_t count)
{
    uint64_t begin = pr_clint_time();
    while (trap.timers < count)
        if (pr_clint_time() - begin > FAR)
            return false;
    return true;
}

void wait_ticks(uint32_t ticks)
{
    uint64_t begin = pr_clint_time();
    while (pr_clint_time() - begin < ticks)
        ;
}

static void enable(bool mie, bool mtie)
{
    __asm__ volatile("csrci mstatus, 8");
    CSR_WRITE(mie, mtie ? MIE_MTIE : 0);
    if (mie)
        __asm__ volatile("csrsi mstatus, 8");
}

static void check_counter(void)
{
    uint64_t before = pr_clint_time(), now = before;
    bool back = false;
    for (unsigned i = 0; i < 100; i++) {
        uint64_t next = pr_clint_time();
        back |= next < now;
        now = next;
    }
    expect("mtime goes on", now > before, true);
    expect("mtime never goes back", back, false);
}

static void check_interrupt(void)
{
    enable(true, true);
    timer_in(SOON);
    expect("the timer interrupts", timers_reach(1), true);
    expect("its mcause", trap.cause, CAUSE_TIMER);
    expect("not before its time", trap.late >> 31, 0);
    expect("MIE is clear in the handler", trap.status & STATUS_MIE, 0);
    expect("and set behind it", CSR_READ(mstatus) & STATUS_MIE, STATUS_MIE);
    wait_ticks(2 * SOON);
    expect("no interrupt when mtimecmp is far away", trap.timers, 1);
}

static void check_masks(void)
{
    enable(false, true);
    timer_in(SOON);
    wait_ticks(2 * SOON);
    expect("no interrupt without mstatus.MIE", trap.timers, 1);
    enable(true, true);
    expect("it comes when MIE is set", timers_reach(2), true);
    enable(true, false);
    timer_in(SOON);
    wait_ticks(2 * SOON);
    expect("no interrupt without mie.MTIE", trap.timers, 2);
    enable(true, true);
    expect("it comes when MTIE is set", timers_reach(3), true);
    enable(false, true);
    timer_in(SOON);
    wait_ticks(2 * SOON);
    timer_off();
    wait_ticks(SOON);
    enable(true, true);
    wait_ticks(SOON);
    expect("none when mtimecmp was moved away in time", trap.timers, 3);
}

static uint32_t calculate(void)
{
    uint32_t state = 1;
    for (unsigned i = 0; i < 300; i++)
        state = (state << 5 ^ state >> 7) + i;
    return state;
}

/* Wherever an interrupt comes, the program does not notice. */
static void check_many(void)
{
    uint32_t right = calculate(), wrong = 0, begin = trap.timers;
    uint64_t then = pr_clint_time();
    trap.again = SOON;
    timer_in(SOON);
    while (trap.timers - begin < INTERRUPTS && pr_clint_time() - then < FAR)
        wrong += calculate() != right;
    trap.again = 0;
    timers_reach(trap.timers + 1);
    expect("twenty interrupts come", trap.timers - begin > INTERRUPTS, true);
    expect("a calculation does not notice", wrong, 0);
}

/* The helper that profile speaks of: some cores take wfi for illegal, and then the trap handler steps over it. */
static void wait_for_interrupt(void)
{
    __asm__ volatile("wfi" : : : "memory");
}

static void check_wfi(void)
{
    uint32_t timers = trap.timers;
    uint64_t then = pr_clint_time();
    enable(false, true);
    timer_in(SOON);
    while (pr_clint_time() - then < SOON)
        wait_for_interrupt();
    expect("wfi passes at the latest when the timer is due", trap.timers, timers);
    timer_off();
    enable(true, true);
    timer_in(SOON);
    while (trap.timers == timers && pr_clint_time() - then < FAR)
        wait_for_interrupt();
    expect("an interrupt in wfi is taken once", trap.timers - timers, 1);
    enable(false, false);
}

void check_timer(void)
{
    check_counter();
    check_interrupt();
    check_masks();
    check_many();
    check_wfi();
}
