/* Bit slices: many chips of one bitstream at once, one a bit (a lane) of 64-bit words.
 *
 * `slices_write` turns a netlist into C; the compiled object has a `struct slices_class`, and the functions here run
 * it. The value of a signal in all lanes is a word, in an array of words that the class numbers (slots). Look-up tables
 * are a few logic operations on words. Block RAMs are accessed lane by lane.
 *
 *   slices_step     lanes with an edge of a clock:  evaluate what the flops will load, from the values before the edge;
 *                   read and write RAMs; load the flops; show the outputs
 *
 * A lane without an edge keeps its state, so every chip may have a clock of its own. Errors: none after creation.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BITSTREAM_SLICES_H
#define POSTROAD_BITSTREAM_SLICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SLICES_VERSION = 2,
    SLICES_LANES = 64,
    SLICES_ZERO = 0, /* slots of the constants */
    SLICES_ONE = 1,
    SLICES_DOMAINS = 8,
    SLICES_WORDS = 256,         /* of a block RAM */
    SLICES_SPRAM_WORDS = 16384, /* of an SPRAM */
    SLICES_TWO_PORT_WORDS = 2048,
    SLICES_PORT_ADDRESS = 14, /* bits of a port of a two-port RAM */
    SLICES_PORT_DATA = 36,
};

struct slices_pin {
    const char *name;
    bool output, pull_up;
    uint32_t slot, enable;
};

/* A clock and its edge. `pin`: the input that carries it or the reference of an oscillator, -1: none. The rate is that
 * of the pin * multiply / divide, or multiply / divide Hz without a pin. `lock`: the slot that is 1 once an oscillator
 * is stable, SLICES_ZERO: none. An internal clock (divide 0) is made by logic: `slot` has its value. */
struct slices_domain {
    bool falling;
    int pin;
    uint64_t multiply, divide;
    uint32_t lock, slot;
};

/* Flops with the same clock, enable and reset lie together: those at slot `out` load what is at slot `in`. */
struct slices_flops {
    uint32_t domain, out, in, count, enable, reset;
    bool value, asynchronous, initial;
};

/* See netlist_block_ram, netlist_spram and netlist_two_port_ram. A port without a clock has domain SLICES_DOMAINS; data
 * out without a reader has slot SLICES_ZERO. */
struct slices_block_ram {
    uint32_t number;
    uint32_t read_domain, write_domain, read_mode, write_mode, read_enable[2], write_enable[2];
    uint32_t read_address[11], write_address[11], write_data[16], mask[16], read_data[16];
};

struct slices_spram {
    uint32_t domain, write, select, standby, sleep, power;
    uint32_t address[14], write_data[16], mask[4], read_data[16];
};

struct slices_ram_port {
    uint32_t domain, width, mode, enable, write, reset;
    uint32_t address[SLICES_PORT_ADDRESS], write_data[SLICES_PORT_DATA], read_data[SLICES_PORT_DATA];
};

struct slices_two_port_ram {
    uint32_t number;
    struct slices_ram_port ports[2];
};

struct slices_class {
    int version;
    uint32_t slots;
    uint32_t pin_count, domain_count, flops_count, block_ram_count, spram_count, two_port_ram_count;
    const struct slices_pin *pins;
    const struct slices_domain *domains;
    const struct slices_flops *flops;
    const struct slices_block_ram *block_rams;
    const struct slices_spram *sprams;
    const struct slices_two_port_ram *two_port_rams;
    void (*const *evaluate)(uint64_t *slots); /* of each domain: what its flops and RAMs will take */
    void (*outputs)(uint64_t *slots);         /* output pins, internal clocks, asynchronous resets */
};

struct slices {
    const struct slices_class *class;
    unsigned lanes;
    uint64_t *slots;
    uint16_t *block_rams; /* [ram][lane][word] */
    uint16_t *sprams;
    uint16_t *two_port_rams;
    uint64_t *read;      /* what RAMs have read in this step, for each bit; then the lanes that have read */
    uint64_t *port_read; /* the same of two-port RAMs, port by port */
    uint64_t rams_ready;
    uint64_t clocks[SLICES_DOMAINS]; /* internal clocks: their last values */
    uint64_t noise;
};

/* Chips without power: 1 <= lanes <= SLICES_LANES. */
struct slices *slices_create(const struct slices_class *class, unsigned lanes, uint64_t seed);
void slices_destroy(struct slices *slices);

/* Power comes back to a chip: flops have their first value, SPRAMs hold noise, other RAMs 0 until slices_fill. */
void slices_power_on(struct slices *slices, unsigned lane);

/* All words of the block RAM or two-port RAM with this number at power-on. False: the netlist has no such RAM, since
 * nothing reads it. */
bool slices_fill(struct slices *slices, unsigned lane, unsigned number, const uint16_t *words);

/* Block RAMs of an iCE40 read as 0 in the first microseconds; so they do here until this is called. */
void slices_rams_ready(struct slices *slices, unsigned lane);

/* The slot of a pin, -1: there is none with this name and direction. An inout pin is there twice. */
int slices_pin(const struct slices_class *class, const char *name, bool output);

/* The slot that is 1 while an output pin drives, -1: there is no such pin. */
int slices_enable(const struct slices_class *class, const char *name);

/* One edge: edges[d] are the lanes with an edge of domain d. */
void slices_step(struct slices *slices, const uint64_t *edges);

/* Shows outputs that follow inputs without a clock. */
void slices_settle(struct slices *slices);

#endif
