/* A netlist of look-up tables, flops and block RAMs: what a bitstream configures, whatever FPGA it is for.
 *
 * A signal is a number. Signals 0 and 1 are the constants. Every other signal has one driver, an entry of one of the
 * lists below; a signal without a driver is an error of the bitstream and is found by netlist_check.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BITSTREAM_NETLIST_H
#define POSTROAD_BITSTREAM_NETLIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NETLIST_ZERO = 0, NETLIST_ONE = 1, NETLIST_BUFFER = 0xaaaa, NETLIST_NAME = 64 };

/* An input or output pin of the top module. An output of a pad with an enable has it in `enable`; else it is 1. */
struct netlist_pin {
    char name[NETLIST_NAME];
    bool output, pull_up;
    unsigned signal, enable;
};

/* A clock that an oscillator in the chip makes: rate = that of `reference` * multiply / divide, or, where the reference
 * is NETLIST_ZERO, multiply / divide Hz. `lock` is an input that is 1 once the clock is stable; 0: there is none. */
struct netlist_clock {
    unsigned signal, reference, lock;
    uint64_t multiply, divide;
};

struct netlist_lut {
    uint16_t table; /* bit in[3]*8 + in[2]*4 + in[1]*2 + in[0] is the value */
    unsigned in[4], out;
};

/* A clock signal and its edge. */
struct netlist_domain {
    unsigned clock;
    bool falling;
};

struct netlist_flop {
    unsigned domain, d, enable, reset, out;
    bool value, asynchronous; /* of the reset */
    bool initial;             /* value at power-on */
};

/* A block RAM of iCE40 (SB_RAM40_4K): 256 words of 16 bits, one read and one write port. Modes 0 to 3 are words of 16,
 * 8, 4 and 2 bits. A mask bit of 1 keeps the bit. */
struct netlist_block_ram {
    unsigned number; /* of its contents in the bitstream */
    unsigned read_domain, write_domain, read_mode, write_mode;
    unsigned read_enable, read_clock_enable, write_enable, write_clock_enable;
    unsigned read_address[11], write_address[11], write_data[16], mask[16], read_data[16];
};

/* A single-port RAM of an UltraPlus (SB_SPRAM256KA): 16384 words of 16 bits. */
struct netlist_spram {
    unsigned domain, write, select, standby, sleep, power;
    unsigned address[14], write_data[16], mask[4], read_data[16];
};

/* A port of a block RAM of an ECP5. An address counts bits: a port of 18 bits uses address[13:4], one of 9
 * address[13:3], and so on; ports of 4 bits and less use eight of the nine bits of a word. In ports of 18 and 36 bits
 * the low address bits are write enables of nine bits each. Reset is synchronous, goes before enable, and sets the
 * output to 0. */
enum { NETLIST_PORT_ADDRESS = 14, NETLIST_PORT_DATA = 36 };
enum netlist_write_mode { NETLIST_WRITE_KEEPS, NETLIST_WRITE_THROUGH, NETLIST_WRITE_READS_OLD }; /* output of a write */

struct netlist_ram_port {
    unsigned domain, width; /* 1, 2, 4, 9, 18 or 36 bits */
    enum netlist_write_mode mode;
    unsigned enable, write, reset;
    unsigned address[NETLIST_PORT_ADDRESS], write_data[NETLIST_PORT_DATA], read_data[NETLIST_PORT_DATA];
};

/* 2048 words of nine bits with two ports (DP16KD, PDPW16KD). An output bit that is not there is NETLIST_ZERO. */
struct netlist_two_port_ram {
    unsigned number; /* of its contents in the bitstream */
    struct netlist_ram_port ports[2];
};

struct netlist {
    unsigned signals;
    struct netlist_pin *pins;
    struct netlist_clock *clocks;
    struct netlist_lut *luts;
    struct netlist_domain *domains;
    struct netlist_flop *flops;
    struct netlist_block_ram *block_rams;
    struct netlist_spram *sprams;
    struct netlist_two_port_ram *two_port_rams;
    unsigned pin_count, clock_count, lut_count, domain_count, flop_count, block_ram_count, spram_count;
    unsigned two_port_ram_count;
};

/* Each adds a zeroed entry to a list and returns it; the pointer is good until the next one is added. */
struct netlist_pin *netlist_add_pin(struct netlist *netlist);
struct netlist_clock *netlist_add_clock(struct netlist *netlist);
struct netlist_lut *netlist_add_lut(struct netlist *netlist);
struct netlist_flop *netlist_add_flop(struct netlist *netlist);
struct netlist_block_ram *netlist_add_block_ram(struct netlist *netlist);
struct netlist_spram *netlist_add_spram(struct netlist *netlist);
struct netlist_two_port_ram *netlist_add_two_port_ram(struct netlist *netlist);

/* The number of the domain of this clock and edge, which is added if it is new. */
unsigned netlist_domain(struct netlist *netlist, unsigned clock, bool falling);

void netlist_free(struct netlist *netlist);

#endif
