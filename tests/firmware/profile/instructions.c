/* RV32I, without what traps. Operands come from memory, so that the compiler leaves the work to the core.
 *
 * SPDX-License-Identifier: ISC
 */
#include "profile.h"

#define TWO(instruction, a, b)                                                        \
    ({                                                                                \
        uint32_t result_;                                                             \
        __asm__ volatile(instruction " %0, %1, %2" : "=r"(result_) : "r"(a), "r"(b)); \
        result_;                                                                      \
    })
#define IMMEDIATE(instruction, a, b)                                           \
    ({                                                                         \
        uint32_t result_;                                                      \
        __asm__ volatile(instruction " %0, %1, " #b : "=r"(result_) : "r"(a)); \
        result_;                                                               \
    })
#define TAKEN(instruction, a, b)                                                                                      \
    ({                                                                                                                \
        uint32_t result_;                                                                                             \
        __asm__ volatile("li %0, 1\n\t" instruction " %1, %2, 1f\n\tli %0, 0\n1:" : "=&r"(result_) : "r"(a), "r"(b)); \
        result_;                                                                                                      \
    })

static volatile uint32_t minus = 0x87654321, plus = 0x12345678, ones = 0xffffffff, bits = 33;
static volatile union {
    uint32_t word;
    uint16_t halves[2];
    uint8_t bytes[4];
} memory;

static void check_arithmetic(void)
{
    expect("add wraps", TWO("add", minus, minus), 0x0eca8642);
    expect("sub", TWO("sub", plus, minus), 0x8acf1357);
    expect("and or xor", TWO("and", minus, plus) ^ TWO("or", minus, plus) ^ TWO("xor", minus, plus), 0);
    expect("slt sltu", TWO("slt", minus, plus) << 1 | TWO("sltu", minus, plus), 2);
    expect("slti sltiu", IMMEDIATE("slti", plus, -1) << 1 | IMMEDIATE("sltiu", plus, -1), 1);
    expect("andi ori xori", IMMEDIATE("andi", plus, -16) ^ IMMEDIATE("ori", plus, 15) ^ IMMEDIATE("xori", ones, -1),
           15);
}

static void check_shifts(void)
{
    expect("sll by 33 is by 1", TWO("sll", minus, bits), 0x0eca8642);
    expect("srl by 33 is by 1", TWO("srl", minus, bits), 0x43b2a190);
    expect("sra by 33 is by 1", TWO("sra", minus, bits), 0xc3b2a190);
    expect("slli srli srai by 31",
           IMMEDIATE("slli", ones, 31) + IMMEDIATE("srli", minus, 31) + IMMEDIATE("srai", minus, 31), 0x80000000);
}

static void check_branches(void)
{
    uint32_t taken = TAKEN("beq", plus, plus) << 11 | TAKEN("beq", plus, minus) << 10 | TAKEN("bne", plus, minus) << 9 |
                     TAKEN("bne", plus, plus) << 8 | TAKEN("blt", minus, plus) << 7 | TAKEN("blt", plus, minus) << 6 |
                     TAKEN("bge", plus, minus) << 5 | TAKEN("bge", minus, plus) << 4 | TAKEN("bltu", plus, minus) << 3 |
                     TAKEN("bltu", minus, plus) << 2 | TAKEN("bgeu", minus, plus) << 1 | TAKEN("bgeu", plus, minus);
    expect("branches", taken, 0xaaa);
}

static void check_jumps(void)
{
    uint32_t here, link, target;
    __asm__ volatile("auipc %0, 0\n\tjal %1, 1f\n1:" : "=r"(here), "=r"(link));
    expect("auipc, link of jal", link - here, 8);
    __asm__ volatile("la %1, 1f + 1\n\tauipc %0, 0\n\tjalr %1, 0(%1)\n\tli %0, 0\n1:" : "=r"(here), "=&r"(target));
    expect("jalr drops the lowest bit", target - here, 8);
    __asm__ volatile("lui %0, 0xfffff" : "=r"(here));
    expect("lui", here, 0xfffff000);
}

static void check_memory(void)
{
    uint32_t value;
    memory.word = 0x11223344;
    memory.bytes[2] = 0xaa;
    memory.halves[0] = 0x5566;
    expect("sb sh in the right lanes", memory.word, 0x11aa5566);
    memory.bytes[1] = 0x80;
    memory.halves[1] = 0x8001;
    __asm__ volatile("lb %0, 1(%1)" : "=r"(value) : "r"(&memory) : "memory");
    expect("lb extends the sign", value, 0xffffff80);
    __asm__ volatile("lbu %0, 1(%1)" : "=r"(value) : "r"(&memory) : "memory");
    expect("lbu does not", value, 0x80);
    __asm__ volatile("lh %0, 2(%1)" : "=r"(value) : "r"(&memory) : "memory");
    expect("lh extends the sign", value, 0xffff8001);
    __asm__ volatile("lhu %0, 2(%1)" : "=r"(value) : "r"(&memory) : "memory");
    expect("lhu does not", value, 0x8001);
}

void check_instructions(void)
{
    uint32_t zero;
    check_arithmetic();
    check_shifts();
    check_branches();
    check_jumps();
    check_memory();
    __asm__ volatile("li %0, 7\n\tadd x0, %0, %0\n\tmv %0, x0" : "=r"(zero));
    expect("x0 stays 0", zero, 0);
    __asm__ volatile("fence" : : : "memory");
    expect("fence passes", 0, 0);
}
