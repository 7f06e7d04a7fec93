/*
 * What a core socket must be able to do, as a program without a library: bytes and halves in RAM, the UART, the CLINT
 * timer by interrupt, a read of PR_NI_WAIT that stops the core until the timer or a console byte, the finisher.
 * Ends with status 0, or with the number of the step that failed.
 * SPDX-License-Identifier: ISC
 */
#include <stdint.h>

#include "protocol.h"

enum { STEP_MEMORY = 1, STEP_IDENTITY, STEP_TIMER, STEP_ECALL, STEP_WAIT_TIMER, STEP_WAIT_UART };

static volatile uint32_t interrupts, ecalls;

static uint32_t load(uint32_t address)
{
    return *(volatile uint32_t *)address;
}

static void store(uint32_t address, uint32_t value)
{
    *(volatile uint32_t *)address = value;
}

static void finish(uint32_t step)
{
    store(PR_FINISHER_BASE + PR_FINISHER_COMMAND, step ? step << 16 | PR_FINISHER_FAIL : PR_FINISHER_PASS);
    for (;;)
        ;
}

static void expect(int good, uint32_t step)
{
    if (!good)
        finish(step);
}

static uint8_t uart_status(void)
{
    return *(volatile uint8_t *)(PR_UART_BASE + PR_UART_LSR);
}

static void put(char c)
{
    while (!(uart_status() & PR_UART_LSR_THR_EMPTY))
        ;
    *(volatile uint8_t *)(PR_UART_BASE + PR_UART_THR) = (uint8_t)c;
}

static void print(const char *text)
{
    while (*text)
        put(*text++);
}

static void timer_in(uint32_t clocks)
{
    uint32_t now = load(PR_CLINT_BASE + PR_CLINT_MTIME_LOW);
    store(PR_CLINT_BASE + PR_CLINT_MTIMECMP_HIGH, 0xffffffff);
    store(PR_CLINT_BASE + PR_CLINT_MTIMECMP_LOW, now + clocks);
    store(PR_CLINT_BASE + PR_CLINT_MTIMECMP_HIGH, load(PR_CLINT_BASE + PR_CLINT_MTIME_HIGH));
}

static void timer_off(void)
{
    store(PR_CLINT_BASE + PR_CLINT_MTIMECMP_HIGH, 0xffffffff);
}

__attribute__((interrupt("machine"))) static void trap(void)
{
    uint32_t cause, pc;
    __asm__ volatile("csrr %0, mcause" : "=r"(cause));
    if (cause == 0x80000007) {
        interrupts++;
        timer_off();
    } else if (cause == 11) {
        ecalls++;
        __asm__ volatile("csrr %0, mepc" : "=r"(pc));
        __asm__ volatile("csrw mepc, %0" : : "r"(pc + 4));
    } else {
        finish(100 + (cause & 15));
    }
}

static void memory_step(void)
{
    static volatile union {
        uint32_t word;
        uint16_t halves[2];
        uint8_t bytes[4];
    } memory;
    memory.word = 0x11223344;
    memory.bytes[2] = 0xaa;
    memory.halves[0] = 0x5566;
    expect(memory.word == 0x11aa5566 && memory.bytes[3] == 0x11 && memory.halves[1] == 0x11aa, STEP_MEMORY);
}

static void timer_step(void)
{
    timer_in(3000);
    __asm__ volatile("csrw mtvec, %0" : : "r"(trap));
    __asm__ volatile("csrw mie, %0" : : "r"(1 << 7));
    __asm__ volatile("csrsi mstatus, 8");
    uint32_t before = load(PR_CLINT_BASE + PR_CLINT_MTIME_LOW);
    while (!interrupts && load(PR_CLINT_BASE + PR_CLINT_MTIME_LOW) - before < 100000)
        ;
    __asm__ volatile("csrci mstatus, 8");
    expect(interrupts == 1, STEP_TIMER);
    __asm__ volatile("ecall");
    expect(ecalls == 1, STEP_ECALL);
}

static void wait_step(void)
{
    uint32_t before = load(PR_CLINT_BASE + PR_CLINT_MTIME_LOW);
    timer_in(5000);
    uint32_t reasons = load(PR_NI_BASE + PR_NI_WAIT);
    expect(reasons == PR_NI_WAIT_TIMER && load(PR_CLINT_BASE + PR_CLINT_MTIME_LOW) - before >= 5000, STEP_WAIT_TIMER);
    timer_off();
    print("?");
    reasons = load(PR_NI_BASE + PR_NI_WAIT);
    expect(reasons == PR_NI_WAIT_UART && (uart_status() & PR_UART_LSR_DATA_READY), STEP_WAIT_UART);
    put((char)(*(volatile uint8_t *)(PR_UART_BASE + PR_UART_RBR) + 1));
    expect(!(uart_status() & PR_UART_LSR_DATA_READY), STEP_WAIT_UART);
}

__attribute__((used)) static void run(void)
{
    memory_step();
    expect(load(PR_ID_BASE + PR_ID_SIGNATURE) == PR_ID_SIGNATURE_VALUE && load(PR_ID_BASE + PR_ID_SITE) == 5,
           STEP_IDENTITY);
    timer_step();
    print("ready");
    wait_step();
    finish(0);
}

__attribute__((naked, section(".text.start"), used)) void start(void)
{
    __asm__ volatile("lui sp, 0x80004\n\tj run");
}
